// SPDX-License-Identifier: Apache-2.0
#include "present/time/prediction.hpp"

#include "present/site_json.hpp"
#include "present/words.hpp"
#include "rondo/base/units.hpp"
#include "rondo/efficiency/factors.hpp"
#include "rondo/trace/computation.hpp"

#include <algorithm>
#include <fmt/core.h>

namespace rondo::present {
namespace {

using simulate::NetworkModel;
using simulate::PathShare;
using simulate::Prediction;
using simulate::RankPrediction;

constexpr std::size_t kMostPredictedRanks = 32; // more are summed up

std::string time_text(double seconds) { return human_duration(seconds * 1e9); }
std::string run_time_text(double seconds) { return precise_duration(seconds * 1e9); }

double part_of(double part, double whole) { return whole > 0 ? part / whole : 0; }

// fmt counts bytes of µ twice; the width is that of what is seen.
std::string at_right(const std::string& text, std::size_t width) {
  const auto seen = static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
  return std::string(width > seen ? width - seen : 0, ' ') + text;
}

// Of the network, or of each link of a platform.
std::string bandwidth_text(const NetworkModel& network) {
  const double bandwidth = network.link_bandwidth();
  if (bandwidth < 0) return "as in the file";
  return bandwidth > 1e300 ? "infinite" : human_bytes_per_second(bandwidth);
}

std::string latency_text(const NetworkModel& network) {
  const double latency = network.link_latency_s();
  return latency < 0 ? "as in the file" : time_text(latency);
}

std::string platform_text(const NetworkModel& n) {
  const std::string text = n.platform->shape() + ", by SimGrid";
  if (n.link_latency_s() < 0 && n.link_bandwidth() < 0) return text;
  return fmt::format("{}; each link latency {}, bandwidth {}", text, latency_text(n),
                     bandwidth_text(n));
}

std::string network_text(const NetworkModel& n) {
  std::string text = n.has_ports() ? "LogGP, latency " : "latency ";
  text += time_text(n.latency_s) + ", bandwidth " + bandwidth_text(n);
  if (n.platform) text = platform_text(n);
  if (n.overhead_s > 0) text += ", overhead " + time_text(n.overhead_s);
  if (n.gap_s > 0) text += ", gap " + time_text(n.gap_s);
  if (n.eager_bytes != NetworkModel::kNever)
    text += ", rendezvous above " + human_bytes(static_cast<double>(n.eager_bytes));
  return text;
}

RankPrediction sum_of(const std::vector<RankPrediction>& ranks) {
  RankPrediction sum;
  for (const RankPrediction& rank : ranks) {
    sum.computing_s += rank.computing_s;
    sum.communicating_s += rank.communicating_s;
    sum.waiting_s += rank.waiting_s;
    sum.start_s += rank.start_s;
    sum.end_s += rank.end_s;
  }
  return sum;
}

std::string row(const std::string& name, const RankPrediction& rank) {
  return fmt::format("  {}{}{}{}{}\n", at_right(name, 6), at_right(time_text(rank.computing_s), 14),
                     at_right(time_text(rank.communicating_s), 16),
                     at_right(time_text(rank.waiting_s), 12), at_right(time_text(rank.end_s), 12));
}

std::string ranks_text(const Prediction& prediction) {
  std::string text = "\n    rank     computing   communicating     waiting         end\n";
  const auto& ranks = prediction.ranks;
  if (ranks.size() <= kMostPredictedRanks) {
    for (std::size_t i = 0; i < ranks.size(); ++i) text += row(std::to_string(i), ranks[i]);
  }
  RankPrediction mean = sum_of(ranks);
  const auto count = static_cast<double>(std::max<std::size_t>(ranks.size(), 1));
  for (double* value : {&mean.computing_s, &mean.communicating_s, &mean.waiting_s, &mean.end_s})
    *value /= count;
  text += row("mean", mean);
  return text;
}

// Ranks behind those of MPI_COMM_WORLD.
std::string spawned_text(const Prediction& prediction) {
  std::string text;
  for (const simulate::SpawnedRanks& each : prediction.spawned) {
    text += fmt::format("  {} {} spawned by rank {}: {} at {}\n",
                        each.ranks == 1
                            ? fmt::format("rank {}", each.first)
                            : fmt::format("ranks {}-{}", each.first, each.first + each.ranks - 1),
                        each.ranks == 1 ? "was" : "were", each.parent,
                        each.ranks == 1 ? "it begins" : "they begin", time_text(each.start_s));
  }
  return text.empty() ? text : "\n" + text;
}

std::string waits_text(const SimulationShown& shown, const Prediction& prediction) {
  const auto& waits = prediction.waits;
  if (waits.empty()) return "";
  const double all = sum_of(prediction.ranks).waiting_s;
  std::string text = "\nwho waits for whom\n";
  for (std::size_t i = 0; i < std::min(waits.size(), shown.most); ++i) {
    text += fmt::format("  {} for {}{}  {}\n", at_right(std::to_string(waits[i].rank), 6),
                        at_right(std::to_string(waits[i].waits_for), 6),
                        at_right(time_text(waits[i].seconds), 12),
                        human_percent(part_of(waits[i].seconds, all)));
  }
  if (waits.size() > shown.most)
    text += "  and " + counted(waits.size() - shown.most, "more pair", "more pairs") + "\n";
  return text;
}

std::string path_text(const SimulationShown& shown, const Prediction& prediction) {
  if (!prediction.path) return "";
  const simulate::CriticalPath& path = *prediction.path;
  const double all = path.computing_s + path.communicating_s;
  std::string text = fmt::format(
      "\ncritical path: ends on rank {} after {} from rank to rank; {} computing, {} "
      "communicating\n   share   computing before   in calls and messages\n",
      path.last_rank, count_of(path.hops, "step"), human_percent(part_of(path.computing_s, all)),
      human_percent(part_of(path.communicating_s, all)));
  for (std::size_t i = 0; i < std::min(path.shares.size(), shown.most); ++i) {
    const PathShare& share = path.shares[i];
    const std::string site = shown.resolver.short_text(share.site);
    text += fmt::format(
        "{}{}{}   {}{}\n",
        at_right(human_percent(part_of(share.computing_s + share.communicating_s, all)), 8),
        at_right(time_text(share.computing_s), 19), at_right(time_text(share.communicating_s), 24),
        trace::find_function(share.function)->name, site.empty() ? "" : "  " + site);
  }
  if (path.shares.size() > shown.most)
    text += "  and " +
            counted(path.shares.size() - shown.most, "more call site", "more call sites") + "\n";
  return text;
}

nlohmann::json path_json(const SimulationShown& shown, const simulate::CriticalPath& path) {
  nlohmann::json shares = nlohmann::json::array();
  for (const PathShare& share : path.shares) {
    shares.push_back({{"function", trace::find_function(share.function)->name},
                      {"site", site_json(shown.resolver, share.site)},
                      {"computing_seconds", share.computing_s},
                      {"communicating_seconds", share.communicating_s}});
  }
  return {{"last_rank", path.last_rank},
          {"hops", path.hops},
          {"computing_seconds", path.computing_s},
          {"communicating_seconds", path.communicating_s},
          {"shares", std::move(shares)}};
}

double recorded_seconds(const trace::Trace& trace) {
  std::uint64_t longest = 0;
  for (const trace::RankFacts& rank : trace.ranks) longest = std::max(longest, rank.span_ns);
  return static_cast<double>(longest) * 1e-9;
}

// A play begins behind MPI_Init, whose time says nothing of a network. The same as efficiency says.
double recorded_behind_startup_seconds(const trace::Trace& trace) {
  return efficiency::factors_of(trace).runtime_s;
}

bool has_startup(const trace::Trace& trace) {
  return std::any_of(trace.ranks.begin(), trace.ranks.end(),
                     [](const trace::RankFacts& rank) { return rank.startup_ns > 0; });
}

std::string shares_text(const Prediction& prediction) {
  const RankPrediction sum = sum_of(prediction.ranks);
  const double all = sum.end_s - sum.start_s;
  return fmt::format(
      "{} computing, {} communicating, {} waiting", human_percent(part_of(sum.computing_s, all)),
      human_percent(part_of(sum.communicating_s, all)), human_percent(part_of(sum.waiting_s, all)));
}

bool follows_courses(const SimulationShown& shown, const Predicted& predicted) {
  return !predicted.run_seconds && trace::follows_courses(shown.trace);
}

} // namespace

nlohmann::json network_json(const NetworkModel& n) {
  nlohmann::json json = {{"text", n.text()},
                         {"model", n.has_ports() ? "loggp" : "linear"},
                         {"latency_seconds", n.latency_s},
                         {"overhead_seconds", n.overhead_s},
                         {"gap_seconds", n.gap_s},
                         {"seconds_per_byte", n.byte_s},
                         {"handshake_seconds", n.handshake_s},
                         {"eager_bytes", nullptr}};
  if (n.eager_bytes != NetworkModel::kNever) json["eager_bytes"] = n.eager_bytes;
  if (n.platform) { // of each link; null: as its file has them
    json["model"] = "simgrid";
    json["gap_seconds"] = json["latency_seconds"] = json["seconds_per_byte"] = nullptr;
    if (n.link_latency_s() >= 0) json["latency_seconds"] = n.link_latency_s();
    if (n.link_bandwidth() >= 0) json["seconds_per_byte"] = 1 / n.link_bandwidth();
    if (n.handshake_s < 0) json["handshake_seconds"] = nullptr;
  }
  return json;
}

std::string prediction_text(const SimulationShown& shown, const Predicted& predicted) {
  const Prediction& prediction = predicted.prediction;
  std::string text = "network      " + network_text(predicted.network) + "\n";
  text += "predicted    " + run_time_text(prediction.seconds);
  const double recorded = recorded_behind_startup_seconds(shown.trace);
  if (recorded > 0) text += ", recorded " + run_time_text(recorded);
  if (recorded > 0 && has_startup(shown.trace)) text += " without start-up";
  if (predicted.run_seconds)
    text += "; the run itself took " + run_time_text(*predicted.run_seconds);
  text += "\nshares       " + shares_text(prediction);
  text +=
      fmt::format("\nsimulated    {} of {}, {}, {}\n", counted(prediction.calls, "call", "calls"),
                  count_of(prediction.ranks.size(), "rank"),
                  counted(prediction.messages, "message", "messages"),
                  human_bytes(static_cast<double>(prediction.bytes)));
  if (predicted.compute_scale != 1)
    text += fmt::format("computation  as {}, times {}\n",
                        predicted.run_seconds ? "measured" : "recorded", predicted.compute_scale);
  if (follows_courses(shown, predicted))
    text += "computing    pass by pass as it was kept of some passes (--times full keeps all)\n";
  return text + ranks_text(prediction) + spawned_text(prediction) + waits_text(shown, prediction) +
         path_text(shown, prediction);
}

namespace {

nlohmann::json ranks_json(const Prediction& prediction) {
  nlohmann::json ranks = nlohmann::json::array();
  for (std::size_t i = 0; i < prediction.ranks.size(); ++i) {
    const RankPrediction& rank = prediction.ranks[i];
    ranks.push_back({{"rank", i},
                     {"computing_seconds", rank.computing_s},
                     {"communicating_seconds", rank.communicating_s},
                     {"waiting_seconds", rank.waiting_s},
                     {"end_seconds", rank.end_s},
                     {"calls", rank.calls}});
  }
  return ranks;
}

nlohmann::json waits_json(const Prediction& prediction) {
  nlohmann::json waits = nlohmann::json::array();
  for (const simulate::WaitPair& pair : prediction.waits)
    waits.push_back(
        {{"rank", pair.rank}, {"waits_for", pair.waits_for}, {"seconds", pair.seconds}});
  return waits;
}

} // namespace

nlohmann::json prediction_json(const SimulationShown& shown, const Predicted& predicted) {
  const Prediction& prediction = predicted.prediction;
  nlohmann::json json = {
      {"schema", 1},
      {"network", network_json(predicted.network)},
      {"compute_scale", predicted.compute_scale},
      {"follows_courses", follows_courses(shown, predicted)},
      {"predicted_seconds", prediction.seconds},
      {"recorded_seconds", recorded_seconds(shown.trace)},
      {"recorded_behind_startup_seconds", recorded_behind_startup_seconds(shown.trace)},
      {"calls", prediction.calls},
      {"messages", prediction.messages},
      {"bytes", prediction.bytes},
      {"ranks", ranks_json(prediction)},
      {"waits", waits_json(prediction)},
      {"remarks", prediction.remarks}};
  if (predicted.run_seconds) {
    for (const char* key : {"recorded_seconds", "recorded_behind_startup_seconds"}) json.erase(key);
    json["run_seconds"] = *predicted.run_seconds;
  }
  for (const simulate::SpawnedRanks& each : prediction.spawned) {
    json["spawned"].push_back({{"first_rank", each.first},
                               {"ranks", each.ranks},
                               {"parent_rank", each.parent},
                               {"start_seconds", each.start_s}});
  }
  if (prediction.path) json["critical_path"] = path_json(shown, *prediction.path);
  return json;
}

std::string sweep_text(const std::vector<Predicted>& all) {
  std::vector<double> columns; // bandwidths
  for (const Predicted& each : all) {
    const double bandwidth = each.network.link_bandwidth();
    if (std::find(columns.begin(), columns.end(), bandwidth) == columns.end())
      columns.push_back(bandwidth);
  }
  const auto& platform = all.front().network.platform;
  std::string text = platform ? platform->shape() + ", by SimGrid: predicted time by latency "
                                                    "(rows) and bandwidth (columns) of each link"
                              : "predicted time by latency (rows) and bandwidth (columns)";
  text += "\n\n" + std::string(14, ' ');
  for (std::size_t i = 0; i < columns.size(); ++i)
    text += at_right(bandwidth_text(all[i].network), 16);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i % columns.size() == 0) text += "\n" + at_right(latency_text(all[i].network), 14);
    text += at_right(run_time_text(all[i].prediction.seconds), 16);
  }
  return text + "\n";
}

std::string what_if_text(const std::vector<Predicted>& all) {
  std::string text = "network      " + network_text(all.front().network) + "\n\n";
  for (const Predicted& each : all) {
    const double against = part_of(each.prediction.seconds, all.front().prediction.seconds);
    text += fmt::format("  {:<22}{}{}   {}\n", each.name,
                        at_right(run_time_text(each.prediction.seconds), 12),
                        at_right(human_percent(against), 8), shares_text(each.prediction));
  }
  return text;
}

nlohmann::json list_json(const std::vector<Predicted>& all) {
  nlohmann::json list = nlohmann::json::array();
  for (const Predicted& each : all) {
    const RankPrediction sum = sum_of(each.prediction.ranks);
    nlohmann::json entry = {
        {"network", network_json(each.network)},        {"compute_scale", each.compute_scale},
        {"predicted_seconds", each.prediction.seconds}, {"computing_seconds", sum.computing_s},
        {"communicating_seconds", sum.communicating_s}, {"waiting_seconds", sum.waiting_s}};
    if (!each.name.empty()) entry["name"] = each.name;
    list.push_back(std::move(entry));
  }
  return {{"schema", 1}, {"predictions", std::move(list)}};
}

} // namespace rondo::present
