// SPDX-License-Identifier: Apache-2.0
#include "logical/folding/stretch_efforts.hpp"

#include "logical/places/call_places.hpp"
#include "logical/text/without_bytes.hpp"
#include "rondo/logical/logical_text.hpp"
#include "rondo/trace/trace_size.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace rondo::logical::internal {
namespace {

LogicalText text_with_sites(const trace::Trace& trace, LogicalProgram& logical) {
  logical.sites = sites_of_calls(trace, logical);
  return text_without_bytes(logical, statements_without_bytes(logical));
}

} // namespace

StretchEfforts efforts_of_stretches(const trace::Trace& trace, LogicalProgram& logical,
                                    const FlowStretches& stretches,
                                    const std::set<std::size_t>& wanted,
                                    const std::set<std::size_t>& by_flow) {
  StretchEfforts efforts;
  if (wanted.empty()) return efforts;
  const LogicalText text = text_with_sites(trace, logical);
  const std::uint64_t calls = trace::calls_in(trace);
  for (const std::size_t i : wanted)
    efforts[i] = effort_of(stretches.text_of(text, i, calls), by_flow.contains(i));
  return efforts;
}

StretchEfforts too_long(const trace::Trace& trace, LogicalProgram& best,
                        const FlowStretches& stretches) {
  constexpr std::size_t kMostTried = 8;
  const LogicalText text = text_with_sites(trace, best);
  const std::uint64_t calls = trace::calls_in(trace);
  std::vector<std::pair<std::size_t, std::size_t>> long_ones; // records and stretch
  StretchEfforts efforts;
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    LogicalText part = stretches.text_of(text, i, calls);
    const std::size_t few = stretches.length_of(i);
    std::size_t most = part.records(); // with procedures they are fewer, if anything
    for (const RankDifference& set : part.beyond.sets) most += set.records;
    if (most <= few) continue;
    const Effort effort = effort_of(std::move(part), false);
    efforts[i] = effort;
    if (effort.records > few) long_ones.emplace_back(effort.records, i);
  }
  std::sort(long_ones.rbegin(), long_ones.rend());
  StretchEfforts result;
  for (std::size_t i = 0; i < std::min(long_ones.size(), kMostTried); ++i)
    result[long_ones[i].second] = efforts.at(long_ones[i].second);
  return result;
}

std::size_t weighed_together(const StretchEfforts& efforts) {
  std::size_t sum = 0;
  for (const auto& [stretch, effort] : efforts) sum += weighed(effort);
  return sum;
}

bool are_as_the_source(const StretchEfforts& efforts, const FlowStretches& stretches,
                       std::size_t times) {
  return std::all_of(efforts.begin(), efforts.end(), [&](const auto& one) {
    const Effort& effort = one.second;
    return effort.records <= times * stretches.length_of(one.first) + effort.known_ifs;
  });
}

} // namespace rondo::logical::internal
