// SPDX-License-Identifier: Apache-2.0
// Where the time of runs goes, as JSON.
#include "present/time/efficiency.hpp"

#include "present/site_json.hpp"
#include "present/time/parts_of_time.hpp"
#include "rondo/simulate/network_model.hpp"
#include "rondo/trace/functions.hpp"

#include <algorithm>

namespace rondo::present {
namespace {

using efficiency::Balanced;
using efficiency::Cause;
using efficiency::Factors;
using efficiency::ScalingKind;
using efficiency::WaitState;

nlohmann::json place_json(const EfficiencyShown& shown, efficiency::CallPlace place) {
  return {{"function", trace::find_function(place.function)->name},
          {"site", site_json(shown.resolver, place.site)}};
}

nlohmann::json number_or_null(std::optional<double> number) {
  return number ? nlohmann::json(*number) : nlohmann::json();
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
                  {"thread", cause.thread},
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
    if (time.threads > 1) ranks.back()["threads"] = time.threads;
  }
  return ranks;
}

nlohmann::json rank_columns(const std::vector<efficiency::RankTime>& by_rank) {
  nlohmann::json useful, inside, startup, threads;
  bool has_several = false;
  for (const efficiency::RankTime& time : by_rank) {
    useful.push_back(time.useful_s);
    inside.push_back(time.in_mpi_s);
    startup.push_back(startup_json(time));
    threads.push_back(time.threads);
    has_several = has_several || time.threads > 1;
  }
  nlohmann::json columns = {{"useful_seconds", std::move(useful)},
                            {"inside_mpi_seconds", std::move(inside)},
                            {"startup_seconds", std::move(startup)}};
  if (has_several) columns["threads"] = std::move(threads);
  return columns;
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
                  {"most_thread", each.imbalance.most_thread},
                  {"of_threads", each.imbalance.is_of_threads},
                  {"blamed_seconds", each.imbalance.blamed_s},
                  {"balanced_runtime_seconds", each.runtime_s},
                  {"instead_of_seconds", each.instead_of_s},
                  {"won_share", each.won()}});
    balanced.push_back(std::move(entry));
  }
  json["if_balanced"] = std::move(balanced);
  if (shown.in_all)
    json["if_even_in_all"] = {{"mean_seconds", shown.factors.useful_mean_s},
                              {"runtime_seconds", shown.in_all->runtime_s},
                              {"instead_of_seconds", shown.in_all->instead_of_s},
                              {"won_share", shown.in_all->won()}};
  const auto put = [&](const char* key, efficiency::CallPlace place, const auto& each) {
    json[key] = place_json(shown, place);
    json[key].update({{"runtime_seconds", each.runtime_s},
                      {"instead_of_seconds", each.instead_of_s},
                      {"won_share", each.won()}});
  };
  if (shown.at_once) put("if_at_once", shown.at_once->imbalance.place, *shown.at_once);
  if (shown.later) put("if_waited_later", shown.later->place, *shown.later);
  if (shown.in_turns) {
    put("if_even_in_each_pass", shown.in_turns->imbalance.place, *shown.in_turns);
    if (shown.in_turns->mostly_slowest >= 0)
      json["if_even_in_each_pass"]["mostly_slowest_rank"] = shown.in_turns->mostly_slowest;
  }
  return json;
}

nlohmann::json scaling_json(const std::vector<std::string>& names, const std::vector<Factors>& runs,
                            ScalingKind kind) {
  nlohmann::json list = nlohmann::json::array();
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const efficiency::Scaling scaling = efficiency::scaling_of(runs[i], runs.front(), kind);
    nlohmann::json json = factors_json(runs[i]);
    json["name"] = names[i];
    json["computation_scalability"] = number_or_null(scaling.computation);
    json["global_efficiency"] = number_or_null(scaling.global);
    json["doubtful_computation_seconds"] = runs[i].doubtful_s;
    json["speedup"] = scaling.speedup;
    list.push_back(std::move(json));
  }
  return {{"schema", 1},
          {"scaling", kind == ScalingKind::kStrong ? "strong" : "weak"},
          {"runs", std::move(list)}};
}

} // namespace rondo::present
