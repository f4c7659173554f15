// SPDX-License-Identifier: Apache-2.0
// Ranks whose programs could not be merged still begin and end alike, and often go round the same
// loop: what their texts have in common is written once, the rest under guards.
#pragma once

#include "logical/joining/guards.hpp"
#include "rondo/logical/logical_text.hpp"
#include "rondo/trace/rank_set.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace rondo::logical::internal {

/// What some ranks do.
struct PartOfRanks {
  trace::RankSet ranks;
  std::vector<Statement> statements;
};

/// Those among some ranks for whom a statement is, where it says so itself: by a direction that the
/// others do not have, or as a guard. Else all of them.
using RanksOfStatement =
    std::function<trace::RankSet(const Statement& statement, const trace::RankSet& ranks)>;

/// Each part is put together with the first one where that saves at least two lines, headings
/// counted.
/// @param parts    of different ranks
/// @param formula  as statements_under_guards() has it
/// @complexity   O(product of the statements of two parts) for each part
std::vector<PartOfRanks> parts_joined(std::vector<PartOfRanks> parts,
                                      const ConditionAmong& condition,
                                      const FormulaText& formula = {},
                                      const RanksOfStatement& ranks_of = {});

/// One loop in place of two of as many rounds, each under a guard, where that saves four lines, or
/// one where what the one does is a part of what the other does.
/// @complexity   O(product of their statements)
std::optional<Statement> loops_joined(const PartOfRanks& a, const PartOfRanks& b,
                                      const trace::RankSet& around,
                                      const ConditionAmong& condition);

} // namespace rondo::logical::internal
