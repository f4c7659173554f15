// SPDX-License-Identifier: Apache-2.0
#include "rondo/base/sort_stably.hpp"
#include "rondo/generate/comparison.hpp"
#include "rondo/matrix/trace_traffic.hpp"

#include <algorithm>
#include <map>

namespace rondo::generate {
namespace {

using Rows = std::map<std::uint16_t, FunctionTiming>; // by function

FunctionTiming& row_of(Rows& rows, const trace::Function& function) {
  FunctionTiming& row = rows[function.id];
  if (row.function.empty()) row.function = std::string(function.name);
  return row;
}

void add_calls(const trace::Trace& trace, FunctionTiming::Side FunctionTiming::*side, Rows& rows) {
  for (const trace::RankClass& of : trace.classes) {
    const trace::Program& program = *of.program;
    const auto occurrences = program.nest.occurrences(program.calls.size());
    const auto function_of = [&](std::size_t symbol) -> const trace::Function& {
      return *trace::find_function(program.calls[symbol].function);
    };
    for (std::size_t symbol = 0; symbol < occurrences.size(); ++symbol) {
      (row_of(rows, function_of(symbol)).*side).calls +=
          occurrences[symbol] * static_cast<std::uint64_t>(of.ranks.size());
    }
    for (const trace::PlaceTimes& place : program.times)
      (row_of(rows, function_of(place.call)).*side).inside_ns += place.inside.sum_ns;
  }
}

void add_bytes(const trace::Trace& trace, FunctionTiming::Side FunctionTiming::*side, Rows& rows) {
  matrix::TrafficVisitor visitor;
  visitor.messages = [&](const matrix::MessagesSent& sent) {
    (row_of(rows, *sent.function).*side).bytes += sent.messages * sent.bytes_each;
  };
  visitor.collectives = [&](const matrix::CollectiveCalls& calls) {
    (row_of(rows, *calls.function).*side).bytes += calls.calls * calls.bytes_each;
  };
  matrix::visit_traffic(trace, {}, visitor);
}

TraceTiming timing_of(const trace::Trace& trace) {
  TraceTiming timing;
  for (const trace::RankFacts& rank : trace.ranks) {
    timing.computation_ns += rank.computation_ns;
    timing.inside_ns += rank.inside_ns;
    timing.span_ns = std::max(timing.span_ns, rank.span_ns);
  }
  return timing;
}

} // namespace

TimingComparison compare_times(const trace::Trace& a, const trace::Trace& b) {
  Rows rows;
  add_calls(a, &FunctionTiming::a, rows);
  add_calls(b, &FunctionTiming::b, rows);
  add_bytes(a, &FunctionTiming::a, rows);
  add_bytes(b, &FunctionTiming::b, rows);
  TimingComparison timing{{}, timing_of(a), timing_of(b)};
  for (const auto& entry : rows) {
    if (entry.second.a.calls + entry.second.b.calls > 0) timing.functions.push_back(entry.second);
  }
  const auto time = [](const FunctionTiming& row) { return row.a.inside_ns + row.b.inside_ns; };
  sort_stably(timing.functions.begin(), timing.functions.end(),
              [&](const FunctionTiming& x, const FunctionTiming& y) { return time(x) > time(y); });
  return timing;
}

} // namespace rondo::generate
