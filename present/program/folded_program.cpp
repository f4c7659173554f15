// SPDX-License-Identifier: Apache-2.0
#include "present/program/folded_program.hpp"

#include "present/program/dependences.hpp"

#include <cmath>
#include <map>

namespace rondo::present {
namespace {

using nlohmann::json;

json nest_json(const trace::Nest& nest);

} // namespace

json column_json(const trace::Column& column) {
  if (column.kind() == trace::Column::Kind::kRuns) {
    json runs = json::array();
    for (const trace::Run& run : column.runs()) {
      runs.push_back(run.value);
      runs.push_back(run.count);
    }
    return {{"runs", std::move(runs)}};
  }
  if (column.kind() == trace::Column::Kind::kValues) return {{"values", column.values()}};
  return {{"first", column.first()},
          {"differences", column.dictionary()},
          {"nest", nest_json(*column.nest())}};
}

namespace {

json terms_json(const std::vector<trace::Term>& terms) {
  json list = json::array();
  for (const trace::Term term : terms) list.push_back(term.code);
  return list;
}

json nest_json(const trace::Nest& nest) {
  json loops = json::array();
  for (const trace::Loop& loop : nest.loops())
    loops.push_back({{"body", terms_json(loop.body)}, {"counts", column_json(loop.trip_counts)}});
  return {{"top", terms_json(nest.top())}, {"loops", std::move(loops)}};
}

// Names that many calls share, by their first use.
class NameTable {
public:
  std::size_t index_of(const std::string& name) {
    const auto [entry, is_new] = indices_.try_emplace(name, names.size());
    if (is_new) names.push_back(name);
    return entry->second;
  }
  json names = json::array();

private:
  std::map<std::string, std::size_t> indices_;
};

json places_json(const trace::Program& program) {
  json places = json::array();
  for (const trace::PlaceTimes& place : program.times) {
    const auto before = place.before == trace::PlaceTimes::kStart   ? -1
                        : place.before == trace::PlaceTimes::kOther ? -2
                                                                    : std::int64_t{place.before};
    const bool has_times = place.inside.count > 0;
    places.push_back({before, place.call, std::llround(place.computation.mean_ns()),
                      std::llround(place.inside.mean_ns()), has_times ? place.inside.min_ns : 0});
  }
  return places;
}

// The ranks' own means of each place, where they are few enough to be worth their bytes.
void add_rank_means(json& entry, const trace::Program& program, std::size_t ranks) {
  constexpr std::size_t kMost = 100'000;
  if (ranks < 2 || program.times.size() * ranks > kMost) return;
  json computation = json::array();
  json inside = json::array();
  for (const trace::PlaceTimes& place : program.times) {
    if (place.means.size() != ranks) return;
    json computation_of_ranks = json::array();
    json inside_of_ranks = json::array();
    for (const trace::RankMeans& means : place.means) {
      computation_of_ranks.push_back(std::llround(trace::mean_of_code_ns(means.computation)));
      inside_of_ranks.push_back(std::llround(trace::mean_of_code_ns(means.inside)));
    }
    computation.push_back(std::move(computation_of_ranks));
    inside.push_back(std::move(inside_of_ranks));
  }
  entry["computation_ns"] = std::move(computation);
  entry["inside_ns"] = std::move(inside);
}

// When the first rank entered MPI_Init; 0 if that is not known of all.
std::int64_t first_origin(const trace::Trace& trace) {
  std::int64_t first = 0;
  for (const trace::TimeStamps& stamps : trace.stamps) {
    if (stamps.origin_unix_ns == 0) return 0;
    if (first == 0 || stamps.origin_unix_ns < first) first = stamps.origin_unix_ns;
  }
  return first;
}

// When each call began and how long it took, if the archive has it and it is no large one.
json stamps_json(const trace::Trace& trace) {
  constexpr std::uint64_t kMostCalls = 300'000;
  json list = json::array();
  std::uint64_t calls = 0;
  for (const trace::TimeStamps& stamps : trace.stamps)
    calls = trace::saturating_add(calls, stamps.calls);
  if (calls > kMostCalls) return list;
  const std::int64_t first = first_origin(trace);
  for (const trace::TimeStamps& stamps : trace.stamps) {
    if (stamps.thread != 0) continue;
    json gaps = json::array();
    json inside = json::array();
    std::uint64_t end = 0;
    trace::TimeStampReader reader(stamps);
    while (const auto time = reader.next_on_common_clock()) {
      gaps.push_back(static_cast<std::int64_t>(time->start_ns - end));
      inside.push_back(time->inside_ns);
      end = time->end_ns();
    }
    list.push_back({{"rank", stamps.rank},
                    {"begins_ns", first == 0 ? 0 : stamps.origin_unix_ns - first},
                    {"gaps_ns", std::move(gaps)},
                    {"inside_ns", std::move(inside)}});
  }
  return list;
}

json ranks_json(const trace::RankSet& ranks) {
  json list = json::array(); // first, number of ranks that follow each other
  for (const std::int64_t rank : ranks.ranks()) {
    if (!list.empty() &&
        list[list.size() - 2].get<std::int64_t>() + list.back().get<std::int64_t>() == rank) {
      list.back() = list.back().get<std::int64_t>() + 1;
    } else {
      list.push_back(rank);
      list.push_back(1);
    }
  }
  return list;
}

} // namespace

json folded_program(const trace::Trace& trace, sites::Resolver& resolver) {
  NameTable functions;
  NameTable sites;
  json classes = json::array();
  for (const trace::RankClass& c : trace.classes) {
    if (c.thread != 0) continue; // other threads' lines would need a place of their own
    json calls = json::array();
    for (const trace::Call& call : c.program->calls) {
      const trace::Function* function = trace::find_function(call.function);
      const std::string name(function == nullptr ? "?" : function->name);
      calls.push_back(
          json::array({functions.index_of(name), sites.index_of(resolver.text(call.site))}));
    }
    json entry = {{"ranks", ranks_json(c.ranks)},
                  {"calls", std::move(calls)},
                  {"nest", nest_json(c.program->nest)},
                  {"places", places_json(*c.program)}};
    add_rank_means(entry, *c.program, static_cast<std::size_t>(c.ranks.size()));
    classes.push_back(std::move(entry));
  }
  json spans = json::array();
  for (const trace::RankFacts& rank : trace.ranks) spans.push_back(rank.span_ns);
  return {{"functions", std::move(functions.names)}, {"sites", std::move(sites.names)},
          {"classes", std::move(classes)},           {"stamps", stamps_json(trace)},
          {"dependences", dependences_json(trace)},  {"spans_ns", std::move(spans)}};
}

} // namespace rondo::present
