// SPDX-License-Identifier: Apache-2.0
// Statements under the guards that say which ranks execute them.
#pragma once

#include "rondo/logical/logical_text.hpp"
#include "rondo/trace/rank_set.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rondo::logical::internal {

constexpr std::string_view kInDisorder = ", in no common order"; // behind a guard's ranks

/// Statements of a body that the same ranks execute.
struct Guarded {
  trace::RankSet ranks;
  std::vector<Statement> body;
  bool is_free = false; // needs no guard
  bool is_in_disorder = false; // the ranks have no common order
};

/// What a guard says of some cells.
using ConditionText = std::function<std::string(const trace::RankSet&)>;

/// What a guard says of some of the ranks around it.
using ConditionAmong =
    std::function<std::string(const trace::RankSet& ranks, const trace::RankSet& around)>;

/// Trip count of a loop over all neighbours that a rank has in the topology of its messages.
inline constexpr std::string_view kNeighbours = "neighbours";

/// In the body of such a loop "neighbour" says as much as a list of directions that is cut short.
void say_neighbours(std::vector<Statement>& body);

/// What a loop with this body says of trip counts by cell.
using CountsText = std::function<std::string(const std::map<std::int64_t, std::int64_t>&,
                                             std::span<const Statement>)>;

/// A formula of numbers by cell, if there is a short one.
using FormulaText =
    std::function<std::optional<std::string>(const std::map<std::int64_t, std::int64_t>&)>;

/// How often a rank makes a call of the merged program, in all of the run.
using CallsOfRank = std::function<std::uint64_t(std::uint32_t call, std::int64_t rank)>;

/// How often ranks come to a body.
struct Entries {
  Entries(std::uint64_t of_body, CallsOfRank calls = {}) // NOLINT(google-explicit-constructor)
      : times(of_body), calls_of_rank(std::move(calls)) {}
  std::uint64_t times;
  CallsOfRank calls_of_rank; // empty: not known
};

bool are_disjoint(const trace::RankSet& a, const trace::RankSet& b);

/// Equal in all words that the text has; what names ranks in a guard never is.
bool says_the_same(const Statement& a, const Statement& b);

/// Adds the executions of statements that say the same of other ranks. @complexity O(statements)
void join_equal(std::span<Statement> into, std::span<const Statement> from);

/// One guard for neighbours of the same ranks, and one for neighbours that say the same of
/// different ranks: they are one place of the program, whose calls differ in what the text does not
/// say.
/// @param around     all ranks of the body
/// @param among      what a guard says
/// @param counts     joins those too that are alike, see alike_guards.hpp; empty: they stay
/// @param formula    joins calls of some that make a communicator and calls of others that do not,
///                   see comm_makers.hpp; empty: they stay
/// @param entries    how often the ranks come to the body, to sum up disorder; nothing: it stays
/// @param may_nest   a guard may stand over several statements, and over other guards
/// @complexity       O(statements * ranks), times 16^2 where statements have to change places
std::vector<Statement>
statements_under_guards(std::vector<Guarded>&& guarded, const trace::RankSet& around,
                        const ConditionAmong& among, const CountsText& counts = {},
                        const FormulaText& formula = {}, std::optional<Entries> entries = {},
                        bool may_nest = true);

} // namespace rondo::logical::internal
