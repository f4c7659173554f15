// SPDX-License-Identifier: Apache-2.0
#include "logical/joining/parts_joining.hpp"

#include "logical/joining/alike.hpp"
#include "logical/joining/guards.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace rondo::logical::internal {
namespace {

using Statements = std::vector<Statement>;
using trace::RankSet;

constexpr std::size_t kMostPairs = 1U << 20; // of statements that are compared
constexpr std::uint64_t kHeadings = 2; // lines
constexpr std::uint64_t kWorthJoining = 1; // line

// Loops of as many rounds may be one whose rounds have something in common.
bool are_one_loop(const Statement& a, const Statement& b) {
  const auto* loop = std::get_if<LoopStatement>(&a.is);
  const auto* other = std::get_if<LoopStatement>(&b.is);
  return loop != nullptr && other != nullptr && loop->count == other->count && !loop->is_by_rank &&
         !other->is_by_rank;
}

bool has_peers(const Statements& statements) {
  return std::any_of(statements.begin(), statements.end(), [](const Statement& statement) {
    if (const auto* loop = std::get_if<LoopStatement>(&statement.is)) return has_peers(loop->body);
    if (const auto* guard = std::get_if<GuardStatement>(&statement.is))
      return has_peers(guard->body);
    const auto* call = std::get_if<CallStatement>(&statement.is);
    return call != nullptr && !call->words.empty() &&
           call->words.front().kind == SaidWord::Kind::kPeer;
  });
}

class PartJoining {
public:
  PartJoining(const RankSet& first, const RankSet& second, const ConditionAmong& condition,
              const FormulaText& formula, const RanksOfStatement& ranks_of, bool is_last = true)
      : first_(first), second_(second), around_(first), condition_(condition), formula_(formula),
        ranks_of_(ranks_of), is_last_(is_last) {
    around_.add(second);
  }

  Statements run(const Statements& a, const Statements& b) const {
    std::vector<Guarded> items;
    std::size_t from_a = 0;
    std::size_t from_b = 0;
    const auto add_up_to = [&](std::size_t end_a, std::size_t end_b) {
      for (; from_a < end_a; ++from_a) items.push_back(under_guard(a[from_a], first_));
      for (; from_b < end_b; ++from_b) items.push_back(under_guard(b[from_b], second_));
    };
    for (const auto& [i, k] : common(a, b)) {
      add_up_to(i, k);
      items.push_back({around_, {one_of(a[i], b[k])}, true});
      from_a = i + 1;
      from_b = k + 1;
    }
    add_up_to(a.size(), b.size());
    return statements_under_guards(std::move(items), around_, condition_, {}, formula_, {},
                                   is_last_);
  }

private:
  // Of fewer than all ranks of its part, where these have a name of their own.
  Guarded under_guard(const Statement& statement, const RankSet& part) const {
    RankSet ranks = ranks_of_ ? ranks_of_(statement, part) : part;
    const bool has_name =
        !ranks.empty() && ranks != part && !condition_(ranks, around_).starts_with("rank");
    if (!has_name) return {part, {statement}, false};
    const auto* guard = std::get_if<GuardStatement>(&statement.is);
    return {std::move(ranks), guard != nullptr ? guard->body : Statements{statement}, false};
  }

  // Pairs of statements in the order of both, that have most lines together.
  static std::vector<std::pair<std::size_t, std::size_t>> common(const Statements& a,
                                                                 const Statements& b) {
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    if (a.size() * b.size() > kMostPairs) return pairs;
    const std::size_t width = b.size() + 1;
    std::vector<std::uint64_t> best((a.size() + 1) * width); // from two places on
    std::vector<std::uint64_t> both(best.size());
    for (std::size_t i = a.size(); i-- > 0;) {
      for (std::size_t k = b.size(); k-- > 0;) {
        const std::size_t at = i * width + k;
        both[at] = says_the_same(a[i], b[k]) ? lines_of({&a[i], 1}) + 1 : are_one_loop(a[i], b[k]);
        best[at] = std::max(best[at + 1], best[at + width]);
        if (both[at] > 0) best[at] = std::max(best[at], both[at] + best[at + width + 1]);
      }
    }
    for (std::size_t i = 0, k = 0; i < a.size() && k < b.size();) {
      const std::size_t at = i * width + k;
      if (both[at] > 0 && best[at] == both[at] + best[at + width + 1]) {
        pairs.emplace_back(i++, k++);
      } else if (best[at] == best[at + width]) {
        ++i;
      } else {
        ++k;
      }
    }
    return pairs;
  }

  Statement one_of(const Statement& a, const Statement& b) const {
    Statement result = a;
    if (says_the_same(a, b)) {
      join_equal({&result, 1}, {&b, 1});
      return result;
    }
    auto& loop = std::get<LoopStatement>(result.is);
    loop.body = run(loop.body, std::get<LoopStatement>(b.is).body);
    return result;
  }

  const RankSet& first_;
  const RankSet& second_;
  RankSet around_;
  const ConditionAmong& condition_;
  const FormulaText& formula_;
  const RanksOfStatement& ranks_of_;
  bool is_last_; // else loops of another part are to be found among the statements
};

} // namespace

std::vector<PartOfRanks> parts_joined(std::vector<PartOfRanks> parts,
                                      const ConditionAmong& condition, const FormulaText& formula,
                                      const RanksOfStatement& ranks_of) {
  std::vector<PartOfRanks> result;
  for (PartOfRanks& part : parts) {
    if (result.empty()) {
      result.push_back(std::move(part));
      continue;
    }
    PartOfRanks& first = result.front();
    const auto joined_by = [&](const RanksOfStatement& who) {
      return PartJoining(first.ranks, part.ranks, condition, formula, who, &part == &parts.back())
          .run(first.statements, part.statements);
    };
    Statements joined = joined_by(ranks_of);
    if (Statements other = ranks_of ? joined_by({}) : Statements{};
        !other.empty() && lines_of(other) < lines_of(joined))
      joined = std::move(other);
    const std::uint64_t lines = lines_of(first.statements) + lines_of(part.statements) + kHeadings;
    if (lines_of(joined) + kWorthJoining <= lines) {
      first.statements = std::move(joined);
      first.ranks.add(part.ranks);
    } else {
      result.push_back(std::move(part));
    }
  }
  return result;
}

std::optional<Statement> loops_joined(const PartOfRanks& a, const PartOfRanks& b,
                                      const RankSet& around, const ConditionAmong& condition) {
  constexpr std::uint64_t kWorthALoop = 4; // lines; two short loops are easier to read
  constexpr std::uint64_t kLongBody = 2; // lines
  if (a.statements.size() != 1 || b.statements.size() != 1) return std::nullopt;
  if (!are_one_loop(a.statements[0], b.statements[0])) return std::nullopt;
  RankSet both = a.ranks;
  both.add(b.ranks);
  const std::uint64_t outer = both == around ? 0 : 1; // guard
  if (outer > 0 && condition(both, around).starts_with("rank")) return std::nullopt;
  const std::uint64_t lines = lines_of(a.statements) + lines_of(b.statements) + 2; // guards
  Statements joined =
      PartJoining(a.ranks, b.ranks, condition, {}, {}).run(a.statements, b.statements);
  // What all of one loop is a part of, but for the guard of the rest, is no longer than that one.
  const std::uint64_t longer = std::max(lines_of(a.statements), lines_of(b.statements));
  const bool is_part = joined.size() == 1 && lines_of(joined) <= longer + 1;
  if (joined.size() == 1 && lines_of(joined) + outer + (is_part ? 1 : kWorthALoop) <= lines)
    return std::move(joined[0]);
  // "if ... else ..." in one loop, as each round of the one answers a round of the other.
  const auto& first = std::get<LoopStatement>(a.statements[0].is);
  const auto& second = std::get<LoopStatement>(b.statements[0].is);
  if (lines_of(first.body) < kLongBody || lines_of(second.body) < kLongBody ||
      !has_peers(first.body) || !has_peers(second.body))
    return std::nullopt;
  std::vector<Guarded> items{{a.ranks, first.body, false}, {b.ranks, second.body, false}};
  Statement loop{
      LoopStatement{first.count, statements_under_guards(std::move(items), both, condition)}};
  if (joined.size() == 1 && lines_of(joined) <= lines_of({&loop, 1})) loop = std::move(joined[0]);
  if (lines_of({&loop, 1}) + outer > lines) return std::nullopt;
  return loop;
}

} // namespace rondo::logical::internal
