// SPDX-License-Identifier: Apache-2.0
#include "rondo/base/sort_stably.hpp"
#include "rondo/generate/comparison.hpp"
#include "rondo/matrix/call_table.hpp"

#include <algorithm>
#include <map>
#include <string_view>

namespace rondo::generate {
namespace {

using Rows = std::map<std::string_view, FunctionTiming>; // by function

// As 'rondo stats --functions' counts them.
void add(const trace::Trace& trace, FunctionTiming::Side FunctionTiming::*side, Rows& rows) {
  for (const matrix::CallRow& row : matrix::call_table(trace, matrix::CallsBy::kFunction).rows) {
    FunctionTiming& of = rows[row.function->name];
    of.function = std::string(row.function->name);
    of.*side = {row.calls.sum, row.bytes.sum, row.time_ns.sum};
  }
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
  add(a, &FunctionTiming::a, rows);
  add(b, &FunctionTiming::b, rows);
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
