// SPDX-License-Identifier: Apache-2.0
#include "cli/report_document.hpp"

#include "cli/common.hpp"
#include "cli/open_trace.hpp"
#include "cli/report_documents.hpp"
#include "cli/report_limits.hpp"
#include "cli/walk.hpp"
#include "present/matrix/call_table.hpp"
#include "present/matrix/statistics_text.hpp"
#include "present/program/folded_program.hpp"
#include "present/topology/topology_answer.hpp"
#include "rondo/base/units.hpp"
#include "rondo/matrix/trace_traffic.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/core.h>

namespace rondo::cli {
namespace {

using nlohmann::json;

// Sorted by source and destination; sources as differences and destinations as offsets repeat where
// ranks do the same, and take next to nothing when they are compressed.
json columns_of(const matrix::CommunicationMatrix& sent) {
  json sources = json::array();
  json offsets = json::array();
  json messages = json::array();
  json bytes = json::array();
  std::int64_t before = 0;
  for (const matrix::MatrixEntry& entry : sent.entries()) {
    sources.push_back(entry.source - before);
    offsets.push_back(entry.destination - entry.source);
    messages.push_back(entry.messages);
    bytes.push_back(entry.bytes);
    before = entry.source;
  }
  return {{"ranks", sent.ranks()},
          {"source_differences", std::move(sources)},
          {"destination_offsets", std::move(offsets)},
          {"messages", std::move(messages)},
          {"bytes", std::move(bytes)}};
}

// A page shows sums and extremes of a row, of which the ranks' own values would be most of a file.
json call_rows(const trace::Trace& trace, matrix::CallsBy by, sites::Resolver& resolver) {
  return present::call_table_rows(matrix::call_table(trace, by), by, resolver);
}

// Columns of numbers for each rank instead of an object for each.
void gather_ranks(json& efficiency) {
  json columns = json::object();
  for (const json& rank : efficiency["by_rank"]) {
    for (const auto& [key, value] : rank.items()) {
      if (key != "rank") columns[key].push_back(value);
    }
  }
  efficiency["by_rank"] = std::move(columns);
}

// Lists that are as long as the run is odd; a page shows their heads.
void cut_lists(json& efficiency) {
  constexpr std::size_t kMost = 200;
  for (const char* key : {"states", "causes"}) {
    if (!efficiency["waits"].is_object()) return;
    json& list = efficiency["waits"][key];
    efficiency["waits"][std::string(key) + "_in_all"] = list.size();
    if (list.size() > kMost) list.erase(list.begin() + kMost, list.end());
  }
}

// A drawing of more messages than a page draws shows nothing, and their list would be most of a
// file: of such a pattern some ranks stand for all.
void cut_patterns(json& patterns) {
  constexpr std::size_t kMostLinks = 1500;
  constexpr std::size_t kParts = 24;
  for (json& pattern : patterns["patterns"]) {
    if (!pattern.contains("links") || pattern["links"].size() <= kMostLinks) continue;
    json& parts = pattern["parts"];
    if (parts.size() <= kParts) continue;
    pattern["links_in_all"] = pattern["links"].size();
    pattern["parts_in_all"] = parts.size();
    parts.erase(parts.begin() + kParts, parts.end());
    json among = json::array();
    for (json& link : pattern["links"]) {
      if (link["from_part"].get<std::size_t>() < kParts &&
          link["to_part"].get<std::size_t>() < kParts)
        among.push_back(std::move(link));
    }
    pattern["links"] = std::move(among);
  }
}

class RunDocument {
public:
  RunDocument(const std::string& file, const trace::Trace& trace)
      : file_(file), trace_(trace), limits_(trace, file), resolver_(trace) {}

  Result<json> build(json info) {
    for (const char* key : {"sections", "call_sites"}) info.erase(key); // in tables of their own
    json document = {{"name", std::filesystem::path(file_).stem().string()},
                     {"info", std::move(info)},
                     {"left_out", json::array()}};
    if (auto traffic = add_traffic(document); !traffic) return propagate(traffic);
    json efficiency = efficiency_document(file_, trace_, resolver_, limits_.plays());
    gather_ranks(efficiency);
    cut_lists(efficiency);
    document["efficiency"] = std::move(efficiency);
    document["functions"] = call_rows(trace_, matrix::CallsBy::kFunction, resolver_);
    document["sites"] = call_rows(trace_, matrix::CallsBy::kSite, resolver_);
    add_analyses(document);
    document["program"] = present::folded_program(trace_, resolver_);
    return document;
  }

private:
  Status add_traffic(json& document) {
    const auto sent = matrix::matrix_of(trace_);
    if (!sent) return propagate(sent);
    document["matrix"] = columns_of(sent->matrix);
    remark_walk(trace_, file_, Walk::kPlaces);
    document["topology"] = present::topology_document(trace_, sent->matrix);
    for (const char* list : {"parts", "phases"}) {
      if (!document["topology"].contains(list)) continue;
      for (json& part : document["topology"][list]) {
        if (!part.contains("layout")) part.erase("coordinates"); // it is not drawn
      }
    }
    const matrix::TraceStatistics found = matrix::statistics_of(trace_);
    document["stats"] = json::parse(present::statistics_json(found.statistics));
    document["loss"] = found.loss.sentences();
    constexpr std::int64_t kMostRanks = 1024; // above, an alltoall alone has millions of pairs
    if (trace_.run.ranks > kMostRanks) return {};
    matrix::TrafficOptions with;
    with.collectives = matrix::CollectiveCounting::kPairs;
    const auto all = matrix::matrix_of(trace_, with);
    if (all && !(all->matrix == sent->matrix))
      document["matrix_with_collectives"] = columns_of(all->matrix);
    return {};
  }

  void add_analyses(json& document) {
    if (limits_.reads()) {
      document["logical"] = logical_document(trace_, resolver_);
      document["patterns"] = patterns_document(trace_, resolver_);
      cut_patterns(document["patterns"]);
    } else {
      document["left_out"] = {limits_.not_read("the logical program is", "rondo logical"),
                              limits_.not_read("patterns are", "rondo patterns")};
    }
    json& left_out = document["left_out"];
    if (!limits_.plays()) left_out.push_back(limits_.not_played("waits are", "rondo efficiency"));
    if (limits_.sweeps()) {
      document["sweep"] = sweep_document(trace_);
    } else {
      left_out.push_back(limits_.not_swept("other networks are", "rondo simulate"));
    }
  }

  const std::string& file_;
  const trace::Trace& trace_;
  ReportLimits limits_;
  sites::Resolver resolver_;
};

} // namespace

Result<json> report_document(const std::vector<std::string>& files) {
  json runs = json::array();
  std::vector<trace::Trace> traces;
  std::vector<std::string> names;
  for (const std::string& file : files) {
    auto info = info_document(file); // reads it, and lets go of it
    if (!info) return propagate(info);
    auto trace = open_trace(file);
    if (!trace) return propagate(trace);
    auto run = RunDocument(file, *trace).build(std::move(*info));
    if (!run) return propagate(run);
    names.push_back((*run)["name"].get<std::string>());
    runs.push_back(std::move(*run));
    traces.push_back(std::move(*trace));
  }
  json document = {{"schema", 1}, {"runs", std::move(runs)}};
  if (files.size() == 1) return document;
  std::vector<const trace::Trace*> pointers;
  for (const trace::Trace& trace : traces) pointers.push_back(&trace);
  document["scaling"] = scaling_document(names, pointers);
  return document;
}

} // namespace rondo::cli
