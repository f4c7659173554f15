// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/report_document.hpp"

#include "cli/commands/report_documents.hpp"
#include "cli/commands/report_limits.hpp"
#include "cli/common.hpp"
#include "cli/walk.hpp"
#include "present/matrix/call_table.hpp"
#include "present/matrix/statistics_text.hpp"
#include "present/program/folded_program.hpp"
#include "present/program/packed_lists.hpp"
#include "present/program/schedule_json.hpp"
#include "present/topology/topology_answer.hpp"
#include "rondo/base/budget.hpp"
#include "rondo/base/units.hpp"
#include "rondo/matrix/trace_traffic.hpp"
#include "rondo/report/page.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/core.h>
#include <functional>
#include <future>
#include <malloc.h>

namespace rondo::cli {
namespace {

using nlohmann::json;

constexpr std::uint64_t kMostWhole = std::uint64_t{1} << 53; // of what a double has

// Sorted by source and destination; sources as differences and destinations as offsets repeat where
// ranks do the same, and take next to nothing when they are compressed.
json columns_of(const matrix::CommunicationMatrix& sent, Lists lists) {
  std::vector<std::int64_t> sources, offsets;
  std::vector<std::uint64_t> messages, bytes;
  std::int64_t before = 0;
  bool are_large = false; // as sums of a file made up to hurt may be
  for (const matrix::MatrixEntry& entry : sent.entries()) {
    sources.push_back(entry.source - before);
    offsets.push_back(entry.destination - entry.source);
    messages.push_back(entry.messages);
    bytes.push_back(entry.bytes);
    are_large = are_large || entry.messages > kMostWhole || entry.bytes > kMostWhole;
    before = entry.source;
  }
  if (are_large) lists = Lists::kWritten;
  const auto list = [lists](const auto& values) {
    if (lists == Lists::kWritten) return json(values);
    return json::binary(present::packed_list({values.begin(), values.end()}));
  };
  return {{"ranks", sent.ranks()},
          {"source_differences", list(sources)},
          {"destination_offsets", list(offsets)},
          {"messages", list(messages)},
          {"bytes", list(bytes)}};
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

// Of hundreds of patterns a reader looks at the first ones; what the others are stands in a table.
void cut_details(json& patterns) {
  constexpr std::size_t kAlways = 12; // of which all is kept
  constexpr std::uint64_t kMostLinks = 3000; // of all patterns
  std::uint64_t links = 0;
  for (std::size_t i = 0; i < patterns["patterns"].size(); ++i) {
    json& pattern = patterns["patterns"][i];
    if (pattern.contains("links")) links += pattern["links"].size();
    if (i < kAlways || links <= limited(kMostLinks)) continue;
    for (const char* key : {"links", "parts", "places"}) pattern.erase(key);
    pattern["is_cut"] = true;
  }
}

// What a page need not have: it is left out where the page would be larger than 1.4 times its
// archive and 150 kB.
void cut_schedule(json& document) {
  if (!document.contains("schedule") || document["schedule"].contains("why_not")) return;
  const auto page = report::report_page("", present::packed(document));
  const auto archive = document["info"]["archive_bytes"].get<std::size_t>();
  if (!page || page->size() <= archive * 7 / 5 + 150'000) return;
  document["schedule"] = {{"why_not", "what its ranks do would take too much room on the page"}};
}

class RunDocument {
public:
  RunDocument(const std::string& file, const trace::Trace& trace, Lists lists)
      : file_(file), trace_(trace), lists_(lists), limits_(trace, file), resolver_(trace) {}

  Result<json> build(json info) {
    for (const char* key : {"sections", "call_sites"}) info.erase(key); // in tables of their own
    json document = {{"name", std::filesystem::path(file_).stem().string()},
                     {"info", std::move(info)},
                     {"left_out", json::array()}};
    // What only reads the trace is found beside the rest: of 10^6 ranks it is half of the work.
    statistics_ = std::async(std::launch::async, [this] { return matrix::statistics_of(trace_); });
    auto calls = std::async(std::launch::async, matrix::call_tables, std::cref(trace_));
    remark_walk(trace_, file_, Walk::kPlaces);
    auto parts = present::parts_for_document(trace_, lists_ == Lists::kPacked);
    json efficiency = efficiency_document(file_, trace_, resolver_, limits_.plays());
    cut_lists(efficiency);
    document["efficiency"] = std::move(efficiency);
    if (auto traffic = add_traffic(document, std::move(parts)); !traffic) return propagate(traffic);
    add_tallies(document, calls.get());
    release_memory();
    add_analyses(document);
    std::future<json> schedule;
    if (limits_.sweeps())
      schedule = std::async(std::launch::async, present::schedule_json, std::cref(trace_));
    document["program"] = present::folded_program(trace_, resolver_);
    if (schedule.valid()) document["schedule"] = schedule.get();
    cut_schedule(document);
    return document;
  }

private:
  Status add_traffic(json& document, std::future<present::PartTable> parts) {
    const bool packs = lists_ == Lists::kPacked;
    const auto sent = matrix::matrix_of(trace_, matrix::shown_by_default());
    if (!sent) return propagate(sent);
    document["matrix"] = columns_of(sent->matrix, lists_);
    document["topology"] =
        present::topology_document(trace_, sent->matrix, statistics_, std::move(parts), packs);
    for (const char* list : {"parts", "phases"}) {
      if (!document["topology"].contains(list)) continue;
      for (json& part : document["topology"][list]) {
        if (!part.contains("layout")) part.erase("coordinates"); // it is not drawn
      }
    }
    constexpr std::int64_t kMostRanks = 1024; // above, an alltoall alone has millions of pairs
    if (trace_.run.ranks > kMostRanks) return {};
    matrix::TrafficOptions with;
    with.collectives = matrix::CollectiveCounting::kPairs;
    const auto all = matrix::matrix_of(trace_, with);
    if (all && !(all->matrix == sent->matrix))
      document["matrix_with_collectives"] = columns_of(all->matrix, lists_);
    return {};
  }

  // A page shows sums and extremes of a row, of which the ranks' own values would be most of a
  // file.
  void add_tallies(json& document, const matrix::CallTables& found) {
    const matrix::TraceStatistics& statistics = statistics_.get();
    document["stats"] = json::parse(present::statistics_json(statistics.statistics));
    document["loss"] = statistics.loss.sentences();
    statistics_ = {};
    document["functions"] =
        present::call_table_rows(found.functions, matrix::CallsBy::kFunction, resolver_);
    document["sites"] = present::call_table_rows(found.sites, matrix::CallsBy::kSite, resolver_);
  }

  void add_analyses(json& document) {
    if (limits_.reads()) {
      document["logical"] = logical_document(trace_, resolver_);
      release_memory();
      document["patterns"] = patterns_document(trace_, resolver_);
      cut_patterns(document["patterns"]);
      cut_details(document["patterns"]);
      release_memory();
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
  Lists lists_;
  ReportLimits limits_;
  sites::Resolver resolver_;
  std::shared_future<matrix::TraceStatistics> statistics_; // last, as it reads the trace
};

} // namespace

Result<json> report_document(const std::vector<std::string>& files, Lists lists) {
  json runs = json::array();
  std::vector<trace::Trace> traces;
  std::vector<std::string> names;
  for (const std::string& file : files) {
    auto info = info_document(file);
    if (!info) return propagate(info);
    auto run = RunDocument(file, info->trace, lists).build(std::move(info->json));
    if (!run) return propagate(run);
    names.push_back((*run)["name"].get<std::string>());
    runs.push_back(std::move(*run));
    traces.push_back(std::move(info->trace));
  }
  json document = {{"schema", 1}, {"runs", std::move(runs)}};
  if (files.size() == 1) return document;
  std::vector<const trace::Trace*> pointers;
  for (const trace::Trace& trace : traces) pointers.push_back(&trace);
  document["scaling"] = scaling_document(names, pointers);
  return document;
}

void release_memory() { ::malloc_trim(0); }

} // namespace rondo::cli
