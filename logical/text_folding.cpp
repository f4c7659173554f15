// SPDX-License-Identifier: Apache-2.0
// The logical program as short as its text can be.
#include "rondo/logical/logical_text.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace rondo::logical {
namespace {

constexpr std::size_t kChoice = 2; // worth as many records

// Peers that are one of several: a shorter text, but it says less.
std::size_t choices_of(const std::vector<Statement>& statements) {
  std::size_t choices = 0;
  for (const Statement& statement : statements) {
    if (const auto* loop = std::get_if<LoopStatement>(&statement.is)) {
      choices += choices_of(loop->body);
    } else if (const auto* guard = std::get_if<GuardStatement>(&statement.is)) {
      choices += choices_of(guard->body);
    } else if (const auto* call = std::get_if<CallStatement>(&statement.is)) {
      choices += static_cast<std::size_t>(std::count(call->what.begin(), call->what.end(), '|'));
    }
  }
  return choices;
}

// What there is to read: records, twice where guards name ranks.
std::size_t effort_of(const LogicalProgram& logical) {
  const LogicalText text = text_of(logical, nullptr);
  std::size_t effort = text.records();
  for (const LogicalText::Part& part : text.parts) effort += kChoice * choices_of(part.statements);
  for (const RankDifference& set : text.beyond.sets) effort += set.records;
  return effort;
}

} // namespace

LogicalProgram logicalize_for_text(const trace::Trace& trace, bool by_rank_numbers) {
  LogicalizeOptions options;
  options.for_text = true;
  options.by_rank_numbers = by_rank_numbers;
  LogicalProgram best = logicalize(trace, options);
  if (trace.sites.empty()) return best;
  std::size_t least = effort_of(best);
  options.drops_sites = true;
  for (const bool is_shortest : {false, true}) {
    options.shortest = is_shortest;
    LogicalProgram other = logicalize(trace, options);
    const std::size_t effort = effort_of(other);
    const bool is_worth_it = is_shortest ? 3 * effort <= 2 * least : effort < least;
    if (!is_worth_it) continue;
    least = effort;
    best = std::move(other);
  }
  best.sites = sites_of_calls(trace, best);
  return best;
}

} // namespace rondo::logical
