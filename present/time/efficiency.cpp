// SPDX-License-Identifier: Apache-2.0
#include "present/time/efficiency.hpp"

#include "present/draw/colours.hpp"
#include "present/site_json.hpp"
#include "present/time/parts_of_time.hpp"
#include "present/words.hpp"
#include "rondo/base/escape.hpp"
#include "rondo/base/units.hpp"
#include "rondo/matrix/call_table.hpp"
#include "rondo/trace/computation.hpp"
#include "rondo/trace/sharing.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace rondo::present {
namespace {

using efficiency::Balanced;
using efficiency::Cause;
using efficiency::Factors;
using efficiency::ScalingKind;
using efficiency::WaitState;

constexpr std::size_t kMostRankRows = 32; // more are summed up

std::string duration(double seconds) { return human_duration(seconds * 1e9); }
std::string run_time(double seconds) { return precise_duration(seconds * 1e9); }

// With one decimal, as factors are multiplied; never 0 for more than nothing.
std::string percent(double share) {
  return share > 0 && share < 0.0005 ? human_percent(share) : fmt::format("{:.1f} %", share * 100);
}

double share_of(double part, double whole) { return whole > 0 ? part / whole : 0; }

std::string place_text(const EfficiencyShown& shown, efficiency::CallPlace place) {
  const std::string site = escape::terminal(shown.resolver.text(place.site));
  const std::string name(trace::find_function(place.function)->name);
  return site.empty() ? name : name + " in " + site;
}

// What each factor says, and how it is made up of those below it.
} // namespace

std::string in_one_line(const std::string& text) {
  const std::size_t end = text.find('\n');
  if (end == std::string::npos) return text;
  const std::size_t item = text.find_first_not_of(" \n", end);
  if (item == std::string::npos) return text.substr(0, end);
  const std::size_t next = text.find('\n', item);
  return text.substr(0, end) + " " + text.substr(item, next - item) +
         (next == std::string::npos ? "" : ", ...");
}

namespace {

constexpr double kAsPlayed = 1.0005; // what is below rounds to 100.0 %

std::string factors_text(const EfficiencyShown& shown) {
  const Factors& factors = shown.factors;
  const auto line = [&](const char* name, double value, const char* meaning) {
    return fmt::format("{:<28} {}   {}\n", name,
                       heat_cell(fmt::format("{:>7}", percent(value)), value, shown.has_colour),
                       meaning);
  };
  std::string text = line("parallel efficiency", factors.parallel,
                          "of all ranks' time is computation, between MPI calls");
  text += line("  load balance", factors.load_balance,
               "the mean rank's computation, of the most loaded one's");
  text += line("  communication efficiency", factors.communication,
               "the most loaded rank's computation, of the run");
  if (!factors.ideal_runtime_s) return text + "  " + in_one_line(factors.why_not) + "\n";
  text += line("    serialisation", factors.serialisation,
               "the same on a network that takes no time: what dependences leave");
  if (factors.has_no_inside)
    return text + "    transfer                       -   not known without times inside MPI\n";
  text += line("    transfer", factors.transfer,
               factors.transfer > kAsPlayed
                   ? "above 100 %: played from what was kept, the run takes longer than it did"
                   : "what the real network and MPI leave of that");
  return text;
}

std::string ranks_text(const EfficiencyShown& shown) {
  const Factors& factors = shown.factors;
  if (factors.by_rank.size() > kMostRankRows) return "";
  std::string text = fmt::format("\n{:>6}{:>14}{:>10}{:>14}{:>10}\n", "rank", "computing",
                                 "of mean", "inside MPI", "waiting");
  for (std::size_t rank = 0; rank < factors.by_rank.size(); ++rank) {
    const efficiency::RankTime& time = factors.by_rank[rank];
    text += fmt::format("{:>6}{:>14}{:>10}{:>14}{:>10}\n", rank, duration(time.useful_s),
                        human_percent(share_of(time.useful_s, factors.useful_mean_s)),
                        duration(time.in_mpi_s),
                        shown.waits != nullptr ? duration(shown.waits->by_rank[rank]) : "-");
  }
  return text;
}

// Of a list that is sorted by seconds: one line at least, and none that nobody would act on.
template <class Items>
std::size_t lines_of(const Items& items, double all_s, const EfficiencyShown& shown) {
  constexpr double kLeastShare = 0.001; // of all waiting
  std::size_t count = std::min({items.size(), shown.most, std::size_t{1}});
  while (count < std::min(items.size(), shown.most) && items[count].seconds >= all_s * kLeastShare)
    ++count;
  return count;
}

std::string more_text(std::size_t all, std::size_t lines, const EfficiencyShown& shown) {
  if (lines == all) return "";
  return fmt::format("  and {} more ({})\n", all - lines,
                     lines < shown.most ? "each less than 0.1 % of all waiting" : "--top N");
}

// Waiting that the order of messages brings, whatever anybody computes.
std::string fronts_text(const EfficiencyShown& shown) {
  if (!shown.fronts || shown.fronts->empty()) return "";
  const std::vector<std::string>& fronts = *shown.fronts;
  std::string text =
      "  part of it is the way of the messages, each rank hears from those before it:\n";
  for (std::size_t i = 0; i < std::min(fronts.size(), shown.most); ++i)
    text += "    " + fronts[i] + "\n";
  if (fronts.size() > shown.most)
    text += fmt::format("    and {} more (--top N)\n", fronts.size() - shown.most);
  return text;
}

std::string as_played_text(const EfficiencyShown& shown) {
  const std::uint64_t eager_bytes = shown.factors.ideal_eager_bytes;
  return fmt::format(
      "as the run is played on a network that takes no time{}{} (record with --times full to "
      "measure)",
      eager_bytes == simulate::NetworkModel::kNever
          ? ""
          : ", sends above " + human_bytes(static_cast<double>(eager_bytes)) +
                " waiting for their receivers",
      trace::follows_courses(shown.trace) ? ", computing pass by pass as it was kept of some passes"
                                          : "");
}

std::string states_text(const EfficiencyShown& shown) {
  const efficiency::WaitStates& waits = *shown.waits;
  std::string text =
      fmt::format("\nwaiting: {}, {} of all ranks' time, {}\n", duration(waits.seconds),
                  human_percent(share_of(waits.seconds, waits.run_s)),
                  waits.is_measured ? "measured" : as_played_text(shown));
  if (waits.states.empty()) return text;
  text += fmt::format("  {:<20}{:>10}{:>9}{:>8}{:>11}  {}\n", "kind", "sum", "of run", "waits",
                      "worst rank", "where");
  const std::size_t lines = lines_of(waits.states, waits.seconds, shown);
  for (std::size_t i = 0; i < lines; ++i) {
    const WaitState& state = waits.states[i];
    text +=
        fmt::format("  {:<20}{:>10}{:>9}{:>8}{:>11}  {}\n", efficiency::text(state.kind),
                    duration(state.seconds), human_percent(share_of(state.seconds, waits.run_s)),
                    human_count(static_cast<double>(state.waits)), state.worst_rank,
                    place_text(shown, state.place));
  }
  return text + more_text(waits.states.size(), lines, shown) + fronts_text(shown);
}

std::string cause_text(const EfficiencyShown& shown, const Cause& cause) {
  return cause.what == Cause::What::kComputation
             ? "computing before " + place_text(shown, cause.place)
             : "inside MPI, while others waited in " + place_text(shown, cause.place);
}

std::string causes_text(const EfficiencyShown& shown) {
  const efficiency::WaitStates& waits = *shown.waits;
  if (waits.causes.empty()) return "";
  std::string text = fmt::format("\nwhose fault: what made the others wait\n{:>11}{:>9}{:>7}  {}\n",
                                 "waiting", "of all", "rank", "was");
  const std::size_t lines = lines_of(waits.causes, waits.seconds, shown);
  for (std::size_t i = 0; i < lines; ++i) {
    const Cause& cause = waits.causes[i];
    text += fmt::format("{:>11}{:>9}{:>7}  {}\n", duration(cause.seconds),
                        human_percent(share_of(cause.seconds, waits.seconds)), cause.rank,
                        cause_text(shown, cause));
  }
  return text + more_text(waits.causes.size(), lines, shown);
}

// One line of what is worth doing, behind which stands what would have to be so.
std::string would_take(double runtime_s, double instead_of_s) {
  return fmt::format("  {} instead of {} ({}), if ", run_time(runtime_s), run_time(instead_of_s),
                     percent(1 - share_of(runtime_s, instead_of_s)));
}

// Where ranks are slow in turns, their sums tell nothing.
std::string in_turns_text(const EfficiencyShown& shown) {
  if (!shown.in_turns) return "";
  const Balanced& each = *shown.in_turns;
  return would_take(each.runtime_s, each.instead_of_s) +
         fmt::format(
             "in each pass all ranks computed as long before {}; which rank is slow changes\n",
             place_text(shown, each.imbalance.place));
}

// What wins most first.
std::string balanced_text(const EfficiencyShown& shown) {
  std::string text;
  const bool in_turns_wins_more =
      shown.in_turns &&
      (shown.balanced.empty() || shown.in_turns->runtime_s < shown.balanced.front().runtime_s);
  if (in_turns_wins_more) text += in_turns_text(shown);
  for (const Balanced& each : shown.balanced) {
    const efficiency::Imbalance& imbalance = each.imbalance;
    text += would_take(each.runtime_s, each.instead_of_s) +
            fmt::format("all ranks computed {} before {}; rank {} has {}\n",
                        duration(imbalance.mean_s), place_text(shown, imbalance.place),
                        imbalance.most_rank, duration(imbalance.most_s));
  }
  return in_turns_wins_more ? text : text + in_turns_text(shown);
}

// Where ranks are inside MPI most, as what is lost in transfer is lost there.
std::string most_inside_text(const EfficiencyShown& shown) {
  const matrix::CallTable table = matrix::call_table(shown.trace, matrix::CallsBy::kSite);
  if (table.rows.empty() || table.rows.front().is_frame() || table.total.time_ns.sum == 0)
    return "";
  const matrix::CallRow& most = table.rows.front();
  return fmt::format("; {} of the time inside MPI is in {}",
                     human_percent(share_of(static_cast<double>(most.time_ns.sum),
                                            static_cast<double>(table.total.time_ns.sum))),
                     place_text(shown, {most.function->id, most.site}));
}

std::string no_imbalance_text(const EfficiencyShown& shown) {
  return shown.waits->imbalances.empty()
             ? "no uneven computation makes others wait\n"
             : "no single computation is worth evening out, the run would be hardly shorter\n";
}

// Of ranks that shared processors, whose time inside MPI says little.
std::string to_do_when_crowded(const EfficiencyShown& shown) {
  const double ideal_s = *shown.factors.ideal_runtime_s;
  const std::string balanced = balanced_text(shown);
  return fmt::format(
             "\nwhat to do first: give each rank a processor. With that, and if MPI and the "
             "network took no time,\nthe run would take {} instead of {}",
             run_time(ideal_s), run_time(shown.factors.runtime_s)) +
         (balanced.empty() ? "; " + no_imbalance_text(shown) : ", and\n" + balanced);
}

// The most worthwhile first.
std::string to_do_text(const EfficiencyShown& shown) {
  constexpr double kWorthSaying = 0.01; // of the run
  if (!shown.factors.ideal_runtime_s || shown.factors.useful_sum_s <= 0)
    return "\nwhat to do first: not known without the factors above\n";
  const trace::ProcessorSharing sharing = trace::sharing_of(shown.trace);
  if (sharing.is_shared() && sharing.computation_is_cpu_time) return to_do_when_crowded(shown);
  const double ideal_s = *shown.factors.ideal_runtime_s;
  const auto takes_longer = [ideal_s](const Balanced& each) { return ideal_s < each.runtime_s; };
  const bool is_first = (shown.balanced.empty() || takes_longer(shown.balanced.front())) &&
                        (!shown.in_turns || takes_longer(*shown.in_turns));
  std::string transfer;
  if (1 - share_of(ideal_s, shown.factors.runtime_s) >= kWorthSaying)
    transfer = would_take(ideal_s, shown.factors.runtime_s) + "MPI and the network took no time" +
               most_inside_text(shown) + "\n";
  const std::string balanced = balanced_text(shown);
  const std::string lines = is_first ? transfer + balanced : balanced + transfer;
  const std::string uneven = no_imbalance_text(shown);
  if (lines.empty()) return "\nwhat to do first: " + uneven;
  return "\nwhat to do first: the run would take\n" + lines +
         (balanced.empty() ? "  " + uneven : "");
}

nlohmann::json place_json(const EfficiencyShown& shown, efficiency::CallPlace place) {
  return {{"function", trace::find_function(place.function)->name},
          {"site", site_json(shown.resolver, place.site)}};
}

nlohmann::json factors_json(const Factors& factors) {
  nlohmann::json json = {{"ranks", factors.ranks},
                         {"runtime_seconds", factors.runtime_s},
                         {"useful_mean_seconds", factors.useful_mean_s},
                         {"useful_max_seconds", factors.useful_max_s},
                         {"useful_sum_seconds", factors.useful_sum_s},
                         {"slowest_rank", factors.slowest_rank},
                         {"parallel_efficiency", factors.parallel},
                         {"load_balance", factors.load_balance},
                         {"communication_efficiency", factors.communication},
                         {"ideal_runtime_seconds", nullptr},
                         {"ideal_eager_bytes", nullptr},
                         {"serialisation_efficiency", nullptr},
                         {"transfer_efficiency", nullptr}};
  if (factors.ideal_runtime_s) {
    json["ideal_runtime_seconds"] = *factors.ideal_runtime_s;
    if (factors.ideal_eager_bytes != simulate::NetworkModel::kNever)
      json["ideal_eager_bytes"] = factors.ideal_eager_bytes;
    json["serialisation_efficiency"] = factors.serialisation;
    if (!factors.has_no_inside) json["transfer_efficiency"] = factors.transfer;
  } else {
    json["remark"] = factors.why_not;
  }
  return json;
}

nlohmann::json waits_json(const EfficiencyShown& shown) {
  const efficiency::WaitStates& waits = *shown.waits;
  nlohmann::json kinds = nlohmann::json::object();
  for (std::size_t i = 0; i < efficiency::kWaitKinds; ++i)
    kinds[std::string(efficiency::text(static_cast<efficiency::WaitKind>(i)))] = waits.by_kind[i];
  nlohmann::json kinds_of_ranks = nlohmann::json::object(); // of kinds that there are
  for (std::size_t i = 0; i < efficiency::kWaitKinds; ++i) {
    if (waits.by_kind[i] <= 0) continue;
    nlohmann::json& list =
        kinds_of_ranks[std::string(efficiency::text(static_cast<efficiency::WaitKind>(i)))];
    for (const auto& of_rank : waits.by_rank_and_kind) list.push_back(of_rank[i]);
  }
  nlohmann::json states = nlohmann::json::array();
  for (const WaitState& state : waits.states) {
    nlohmann::json entry = place_json(shown, state.place);
    entry.update({{"kind", efficiency::text(state.kind)},
                  {"seconds", state.seconds},
                  {"waits", state.waits},
                  {"worst_rank", state.worst_rank},
                  {"worst_seconds", state.worst_s}});
    states.push_back(std::move(entry));
  }
  nlohmann::json causes = nlohmann::json::array();
  for (const Cause& cause : waits.causes) {
    nlohmann::json entry = place_json(shown, cause.place);
    entry.update({{"what", cause.what == Cause::What::kComputation ? "computation" : "mpi"},
                  {"rank", cause.rank},
                  {"seconds", cause.seconds},
                  {"direct_seconds", cause.direct_s}});
    causes.push_back(std::move(entry));
  }
  return {
      {"measured", waits.is_measured},    {"seconds", waits.seconds},
      {"run_seconds", waits.run_s},       {"by_kind_seconds", std::move(kinds)},
      {"by_rank_seconds", waits.by_rank}, {"by_rank_and_kind_seconds", std::move(kinds_of_ranks)},
      {"states", std::move(states)},      {"causes", std::move(causes)}};
}

} // namespace

// As dark as the heat maps of matrices are where half is lost or more.
std::string heat_cell(const std::string& cell, double factor, bool has_colour) {
  if (!has_colour) return cell;
  constexpr double kDarkest = 0.5;
  const double heat = std::clamp((1 - factor) / kDarkest, 0.0, 1.0);
  const Colour colour = heat_colour(heat);
  const auto channel = [](double c) { return std::lround(c * 255); };
  const char* const letters = heat_lightness(heat) > 0.6 ? "38;2;0;0;0" : "38;2;255;255;255";
  return fmt::format("\x1b[{};48;2;{};{};{}m{}\x1b[0m", letters, channel(colour.red),
                     channel(colour.green), channel(colour.blue), cell);
}

std::string efficiency_text(const EfficiencyShown& shown) {
  const Factors& factors = shown.factors;
  const bool has_startup =
      std::any_of(factors.by_rank.begin(), factors.by_rank.end(),
                  [](const efficiency::RankTime& time) { return time.startup_s > 0; });
  std::string text = fmt::format(
      "{} on {}, {}{}\n\n", shown.name, count_of(static_cast<std::uint64_t>(factors.ranks), "rank"),
      run_time(factors.runtime_s), has_startup ? " without start-up" : "");
  if (factors.runtime_s <= 0) return text + "there are no times, and so no efficiencies\n";
  text += factors_text(shown);
  if (shown.parts) return text + parts_text(shown);
  if (shown.waits == nullptr) return text + ranks_text(shown) + "\n" + shown.why_no_waits + "\n";
  return text + to_do_text(shown) + causes_text(shown) + states_text(shown) + ranks_text(shown);
}

namespace {

nlohmann::json startup_json(const efficiency::RankTime& time) { // null: not known
  return time.startup_s > 0 ? nlohmann::json(time.startup_s) : nlohmann::json();
}

nlohmann::json rank_objects(const std::vector<efficiency::RankTime>& by_rank) {
  nlohmann::json ranks = nlohmann::json::array();
  for (const efficiency::RankTime& time : by_rank) {
    ranks.push_back({{"rank", ranks.size()},
                     {"useful_seconds", time.useful_s},
                     {"inside_mpi_seconds", time.in_mpi_s},
                     {"startup_seconds", startup_json(time)}});
  }
  return ranks;
}

nlohmann::json rank_columns(const std::vector<efficiency::RankTime>& by_rank) {
  nlohmann::json useful, inside, startup;
  for (const efficiency::RankTime& time : by_rank) {
    useful.push_back(time.useful_s);
    inside.push_back(time.in_mpi_s);
    startup.push_back(startup_json(time));
  }
  return {{"useful_seconds", std::move(useful)},
          {"inside_mpi_seconds", std::move(inside)},
          {"startup_seconds", std::move(startup)}};
}

} // namespace

nlohmann::json efficiency_json(const EfficiencyShown& shown) {
  nlohmann::json json = factors_json(shown.factors);
  json["schema"] = 1;
  json["name"] = shown.name;
  json["by_rank"] = shown.ranks_are_columns ? rank_columns(shown.factors.by_rank)
                                            : rank_objects(shown.factors.by_rank);
  if (shown.parts) json["parts"] = parts_json(shown);
  json["waits"] = nullptr;
  if (shown.waits != nullptr) {
    json["waits"] = waits_json(shown);
    if (shown.fronts) json["waits"]["fronts"] = *shown.fronts;
  }
  nlohmann::json balanced = nlohmann::json::array();
  for (const Balanced& each : shown.balanced) {
    nlohmann::json entry = place_json(shown, each.imbalance.place);
    entry.update({{"mean_seconds", each.imbalance.mean_s},
                  {"most_seconds", each.imbalance.most_s},
                  {"most_rank", each.imbalance.most_rank},
                  {"blamed_seconds", each.imbalance.blamed_s},
                  {"balanced_runtime_seconds", each.runtime_s},
                  {"instead_of_seconds", each.instead_of_s},
                  {"won_share", each.won()}});
    balanced.push_back(std::move(entry));
  }
  json["if_balanced"] = std::move(balanced);
  if (shown.in_turns) {
    json["if_even_in_each_pass"] = place_json(shown, shown.in_turns->imbalance.place);
    json["if_even_in_each_pass"].update({{"runtime_seconds", shown.in_turns->runtime_s},
                                         {"instead_of_seconds", shown.in_turns->instead_of_s},
                                         {"won_share", shown.in_turns->won()}});
  }
  return json;
}

std::string scaling_text(const std::vector<std::string>& names, const std::vector<Factors>& runs,
                         ScalingKind kind, bool has_colour) {
  std::string text = fmt::format("{:<28}", "");
  const auto head = [&](std::size_t i) { return escape::terminal(names[i]).substr(0, 20); };
  for (std::size_t i = 0; i < runs.size(); ++i) text += fmt::format("  {:>12}", head(i));
  text += "\n";
  const auto row = [&](const char* name, auto value) {
    text += fmt::format("{:<28}", name);
    for (std::size_t i = 0; i < runs.size(); ++i)
      text += fmt::format("  {:>{}}", value(runs[i]), std::max<std::size_t>(12, head(i).size()));
    text += "\n";
  };
  const auto factor = [&](const char* name, auto value) { // nothing: not known
    text += fmt::format("{:<28}", name);
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const std::optional<double> found = value(runs[i]);
      const std::string cell = fmt::format("{:>{}}", found ? percent(*found) : "-",
                                           std::max<std::size_t>(12, head(i).size()));
      text += "  " + (found ? heat_cell(cell, *found, has_colour) : cell);
    }
    text += "\n";
  };
  const auto scaling = [&](const Factors& run) {
    return efficiency::scaling_of(run, runs.front(), kind);
  };
  const auto ideal = [](const Factors& run, double value) {
    return run.ideal_runtime_s ? std::optional(value) : std::nullopt;
  };
  const auto transfer = [&](const Factors& run) {
    return run.has_no_inside ? std::nullopt : ideal(run, run.transfer);
  };
  row("ranks", [](const Factors& run) { return std::to_string(run.ranks); });
  factor("global efficiency", [&](const Factors& run) { return scaling(run).global; });
  factor("  parallel efficiency", [](const Factors& run) { return run.parallel; });
  factor("    load balance", [](const Factors& run) { return run.load_balance; });
  factor("    communication", [](const Factors& run) { return run.communication; });
  factor("      serialisation", [&](const Factors& run) { return ideal(run, run.serialisation); });
  factor("      transfer", transfer);
  factor("  computation scalability", [&](const Factors& run) { return scaling(run).computation; });
  row("speedup", [&](const Factors& run) { return fmt::format("{:.2f}", scaling(run).speedup); });
  row("runtime", [](const Factors& run) { return run_time(run.runtime_s); });
  return text + (kind == ScalingKind::kStrong
                     ? "\nScalability and speedup are against the first run: strong scaling, the "
                       "same work on all ranks together (--weak: on each rank)\n"
                     : "\nScalability and speedup are against the first run: weak scaling, the "
                       "same work on each rank\n");
}

nlohmann::json scaling_json(const std::vector<std::string>& names, const std::vector<Factors>& runs,
                            ScalingKind kind) {
  nlohmann::json list = nlohmann::json::array();
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const efficiency::Scaling scaling = efficiency::scaling_of(runs[i], runs.front(), kind);
    nlohmann::json json = factors_json(runs[i]);
    json["name"] = names[i];
    json["computation_scalability"] = scaling.computation;
    json["global_efficiency"] = scaling.global;
    json["speedup"] = scaling.speedup;
    list.push_back(std::move(json));
  }
  return {{"schema", 1},
          {"scaling", kind == ScalingKind::kStrong ? "strong" : "weak"},
          {"runs", std::move(list)}};
}

} // namespace rondo::present
