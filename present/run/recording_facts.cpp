// SPDX-License-Identifier: Apache-2.0
#include "present/run/recording_facts.hpp"

#include "rondo/trace/sharing.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace rondo::present {

RunTotals totals_of(const trace::Trace& trace) {
  RunTotals totals;
  const bool is_shared = trace::sharing_of(trace).is_shared();
  for (const trace::RankFacts& rank : trace.ranks) {
    totals.calls += rank.calls;
    totals.span_ns = std::max(totals.span_ns, rank.span_ns);
    const bool has_share = is_shared && rank.cpu_ns > 0;
    totals.own_ns += has_share ? std::min(rank.cpu_ns, rank.span_ns) : rank.span_ns;
    totals.computation_ns += rank.computation_ns;
    totals.recorder_ns += rank.recorder_ns;
    totals.recorder_apart_ns += std::min(rank.recorder_apart_ns, rank.recorder_ns);
    totals.recorder_start_ns += rank.recorder_start_ns;
    totals.recorder_end_ns += rank.recorder_end_ns;
    totals.most_end_ns = std::max(totals.most_end_ns, rank.recorder_end_ns);
    totals.recorder_bytes = std::max(totals.recorder_bytes, rank.recorder_bytes);
  }
  for (const auto& merged : trace.programs) totals.terms += merged->terms();
  for (const trace::RankClass& c : trace.classes) {
    totals.most_terms = std::max(totals.most_terms, c.program->nest.terms());
    totals.distinct_calls += c.program->calls.size();
  }
  return totals;
}

double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

bool has_cost(const RunTotals& totals) {
  return totals.recorder_ns > 0 || totals.recorder_bytes > 0;
}

double cost_per_call_ns(const RunTotals& totals) {
  return ratio(static_cast<double>(totals.recorder_ns - totals.recorder_apart_ns),
               static_cast<double>(totals.calls));
}

const char* thread_level(int level) {
  constexpr std::array<const char*, 4> kThreadLevels = {"single", "funneled", "serialized",
                                                        "multiple"};
  return level >= 0 && level < static_cast<int>(kThreadLevels.size())
             ? kThreadLevels[static_cast<std::size_t>(level)]
             : "unknown";
}

LargestUses::LargestUses(const trace::Trace& trace, std::size_t count)
    : uses(sites::site_uses(trace)) {
  for (const sites::SiteUse& use : uses) inside_ns += use.is_frame() ? 0 : use.inside_ns;
  uses.resize(std::min(count, uses.size()));
}

double LargestUses::share_of_inside(const sites::SiteUse& use) const {
  if (use.is_frame()) return 0;
  return ratio(static_cast<double>(use.inside_ns), static_cast<double>(inside_ns));
}

ClockCorrections::ClockCorrections(const trace::Trace& trace) {
  for (const trace::RankFacts& rank : trace.ranks) {
    const auto correction = static_cast<std::uint64_t>(std::abs(rank.clock->correction_ns));
    greatest_ns = std::max(greatest_ns, correction);
    gain_ppt = std::max(gain_ppt, std::abs(rank.clock->gain_ppt));
    error_ns = std::max(error_ns, rank.clock->error_ns);
    is_known = is_known || *rank.clock != trace::RankClock();
  }
}

} // namespace rondo::present
