// SPDX-License-Identifier: Apache-2.0
#include "present/program/logical_json.hpp"

#include "logical/text/rounds_text.hpp"
#include "present/site_json.hpp"

namespace rondo::present {
namespace {

using nlohmann::json;

json statements_json(const std::vector<logical::Statement>& statements, const SitesInWords& sites) {
  json list = json::array();
  for (const logical::Statement& statement : statements) {
    if (const auto* loop = std::get_if<logical::LoopStatement>(&statement.is)) {
      list.push_back({{"loop", loop->count},
                      {"head", logical::internal::loop_head(loop->count)},
                      {"body", statements_json(loop->body, sites)}});
    } else if (const auto* guard = std::get_if<logical::GuardStatement>(&statement.is)) {
      list.push_back({{"if", guard->condition}, {"body", statements_json(guard->body, sites)}});
    } else if (const auto* phase = std::get_if<logical::PhaseStatement>(&statement.is)) {
      list.push_back({{"phase", phase->number},
                      {"topologies", phase->topologies},
                      {"communicators", phase->communicators}});
    } else if (const auto* invoke = std::get_if<logical::InvokeStatement>(&statement.is)) {
      list.push_back({{"procedure", invoke->name}});
      for (const logical::Argument& argument : invoke->arguments)
        list.back()["arguments"][argument.name] = argument.value;
    } else {
      const auto& call = std::get<logical::CallStatement>(statement.is);
      list.push_back({{"call", call.name},
                      {"what", call.what},
                      {"remarks", call.remarks},
                      {"executions", call.executions},
                      {"before_ns", call.before_ns},
                      {"inside_ns", call.inside_ns}});
      if (!call.places.empty()) list.back()["at"] = call.places;
      if (sites) list.back()["sites"] = sites(call.sites);
    }
  }
  return list;
}

json counts_json(const logical::CallsAndBytes& counts) {
  return {{"calls", counts.calls}, {"bytes", counts.bytes}};
}

// Nothing beyond the topology is an empty list of sets.
json beyond_json(const logical::BeyondTopology& beyond) {
  json sets = json::array();
  for (const logical::RankDifference& set : beyond.sets) {
    sets.push_back({{"ranks", set.ranks},
                    {"records", set.records},
                    {"calls", set.all.calls},
                    {"bytes", set.all.bytes}});
  }
  return {{"sets", std::move(sets)},
          {"loops_by_rank", beyond.loops},
          {"surplus_calls", beyond.surplus}};
}

} // namespace

json logical_json(const logical::LogicalText& text, const SitesInWords& sites) {
  json result = {{"schema", 1},
                 {"program", text.program},
                 {"ranks", text.ranks},
                 {"records", text.records()},
                 {"lossless", text.is_lossless},
                 {"topologies", json::array()},
                 {"procedures", json::array()},
                 {"programs", json::array()}};
  for (const logical::PeerTopologyWords& peer_topology : text.peer_topologies)
    result["topologies"].push_back(
        {{"name", peer_topology.name}, {"directions", peer_topology.directions}});
  if (!text.led_by.empty()) result["led"] = text.led_by;
  for (const logical::Procedure& procedure : text.procedures)
    result["procedures"].push_back({{"name", procedure.name},
                                    {"parameters", procedure.parameters},
                                    {"statements", statements_json(procedure.statements, sites)}});
  for (const logical::LogicalText::Part& part : text.parts) {
    json one = {{"statements", statements_json(part.statements, sites)}};
    if (!part.ranks.empty()) one["ranks"] = part.ranks;
    result["programs"].push_back(std::move(one));
  }
  result["point_to_point"] = counts_json(text.all);
  result["off_topology"] = counts_json(text.outside);
  result["beyond_topology"] = beyond_json(text.beyond);
  result["local_calls"] = json::object();
  for (const logical::LocalCalls& local : text.local)
    result["local_calls"][local.name] = local.calls;
  return result;
}

json accuracy_json(const logical::Accuracy& accuracy, const logical::OffTopology& off,
                   sites::Resolver& resolver) {
  json ranks = json::array();
  for (std::size_t rank = 0; rank < accuracy.outside_of_ranks.size(); ++rank) {
    const logical::CallsAndBytes& outside = accuracy.outside_of_ranks[rank];
    if (outside.calls == 0 && outside.bytes == 0) continue;
    ranks.push_back({{"rank", rank}, {"off_topology", counts_json(outside)}});
  }
  json sites = json::array();
  for (const logical::SiteAccuracy& site : off.sites) {
    sites.push_back({{"function", site.function->name},
                     {"site", site_json(resolver, site.site)},
                     {"point_to_point", counts_json(site.all)},
                     {"off_topology", counts_json(site.outside)}});
  }
  return {{"point_to_point", counts_json(accuracy.all)},
          {"off_topology", counts_json(accuracy.outside)},
          {"ranks", std::move(ranks)},
          {"sites", std::move(sites)}};
}

} // namespace rondo::present
