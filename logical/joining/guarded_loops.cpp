// SPDX-License-Identifier: Apache-2.0
#include "logical/joining/guarded_loops.hpp"

#include "logical/joining/parts_joining.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace rondo::logical::internal {
namespace {

using trace::RankSet;

const LoopStatement* guarded_loop(const Statement& statement) {
  const auto* guard = std::get_if<GuardStatement>(&statement.is);
  if (guard == nullptr || guard->body.size() != 1) return nullptr;
  return std::get_if<LoopStatement>(&guard->body.front().is);
}

// Rounds with an amount each that are no more than calls may be several loops made one, of sizes
// and of repetitions: with those of other ranks in it nobody would look for these any more.
bool is_of_amounts(const LoopStatement& loop) {
  return std::all_of(loop.body.begin(), loop.body.end(), [](const Statement& statement) {
    const auto* call = std::get_if<CallStatement>(&statement.is);
    return call != nullptr &&
           std::any_of(call->words.begin(), call->words.end(), [](const SaidWord& word) {
             return word.kind == SaidWord::Kind::kNumber && !word.is_remark &&
                    word.least < word.most;
           });
  });
}

bool are_of_as_many_rounds(const Statement& a, const Statement& b) {
  const LoopStatement* const one = guarded_loop(a);
  const LoopStatement* const other = guarded_loop(b);
  return one != nullptr && other != nullptr && one->count == other->count && !is_of_amounts(*one) &&
         !is_of_amounts(*other);
}

class GuardedLoops {
public:
  GuardedLoops(const ConditionAmong& among, const std::vector<Presence>& directions)
      : among_(among), directions_(directions) {}

  std::vector<Statement> run(std::vector<Statement> statements, const RankSet& around) const {
    std::vector<Statement> result;
    for (Statement& statement : statements) {
      std::optional<Statement> joined;
      if (!result.empty() && are_of_as_many_rounds(result.back(), statement))
        joined = one_of(result.back(), statement, around);
      if (joined) {
        result.back() = std::move(*joined);
      } else {
        result.push_back(std::move(statement));
      }
    }
    for (Statement& statement : result) run_within(statement, around);
    return result;
  }

private:
  void run_within(Statement& statement, const RankSet& around) const {
    if (auto* loop = std::get_if<LoopStatement>(&statement.is)) {
      if (has_guarded_loops(loop->body)) loop->body = run(std::move(loop->body), around);
    } else if (auto* guard = std::get_if<GuardStatement>(&statement.is)) {
      const auto ranks = has_guarded_loops(guard->body) ? ranks_of(*guard, around) : std::nullopt;
      if (ranks) guard->body = run(std::move(guard->body), *ranks);
    }
  }

  std::optional<Statement> one_of(const Statement& a, const Statement& b,
                                  const RankSet& around) const {
    const auto& first = std::get<GuardStatement>(a.is);
    const auto& second = std::get<GuardStatement>(b.is);
    const auto ranks = ranks_of(first, around);
    const auto others = ranks_of(second, around);
    if (!ranks || !others || !are_disjoint(*ranks, *others)) return std::nullopt;
    auto loop = loops_joined({*ranks, first.body}, {*others, second.body}, around, among_);
    if (!loop) return std::nullopt;
    RankSet both = *ranks;
    both.add(*others);
    if (both == around) return loop;
    return Statement{GuardStatement{among_(both, around), {std::move(*loop)}}};
  }

  // Whom a guard is for, if it has the words that these ranks would have.
  std::optional<RankSet> ranks_of(const GuardStatement& guard, const RankSet& around) const {
    constexpr std::string_view kOr = " or ";
    constexpr std::string_view kAnd = " and ";
    const bool is_either = guard.condition.find(kOr) != std::string::npos;
    const std::vector<std::int64_t> all = around.ranks();
    std::vector<bool> holds(all.size(), !is_either);
    for (std::string_view rest = guard.condition; !rest.empty();) {
      const std::string_view gap = is_either ? kOr : kAnd;
      const std::size_t end = std::min(rest.find(gap), rest.size());
      if (!add(rest.substr(0, end), all, is_either, holds)) return std::nullopt;
      rest.remove_prefix(std::min(end + gap.size(), rest.size()));
    }
    std::vector<std::int64_t> ranks;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (holds[i]) ranks.push_back(all[i]);
    }
    if (ranks.empty()) return std::nullopt;
    RankSet set = RankSet::of(std::move(ranks));
    return among_(set, around) == guard.condition ? std::optional(std::move(set)) : std::nullopt;
  }

  // "west", "not west"; false if nobody has such a direction.
  bool add(std::string_view literal, const std::vector<std::int64_t>& all, bool is_either,
           std::vector<bool>& holds) const {
    constexpr std::string_view kNot = "not ";
    const auto is_meant = [&](const Presence& one) {
      return literal == (one.condition.empty() ? one.direction : one.condition);
    };
    auto found = std::find_if(directions_.begin(), directions_.end(), is_meant);
    const bool is_negated = found == directions_.end() && literal.starts_with(kNot);
    if (is_negated) {
      literal.remove_prefix(kNot.size());
      found = std::find_if(directions_.begin(), directions_.end(), is_meant);
    }
    if (found == directions_.end()) return false;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const bool is_so = found->ranks.contains(all[i]) != is_negated;
      holds[i] = is_either ? holds[i] || is_so : holds[i] && is_so;
    }
    return true;
  }

  const ConditionAmong& among_;
  const std::vector<Presence>& directions_;
};

} // namespace

bool has_guarded_loops(const std::vector<Statement>& statements) {
  for (std::size_t i = 0; i < statements.size(); ++i) {
    if (i > 0 && are_of_as_many_rounds(statements[i - 1], statements[i])) return true;
    const auto* loop = std::get_if<LoopStatement>(&statements[i].is);
    const auto* guard = std::get_if<GuardStatement>(&statements[i].is);
    if (loop != nullptr && has_guarded_loops(loop->body)) return true;
    if (guard != nullptr && has_guarded_loops(guard->body)) return true;
  }
  return false;
}

std::vector<Statement> guarded_loops_joined(std::vector<Statement> statements,
                                            const RankSet& around, const ConditionAmong& among,
                                            const std::vector<Presence>& directions) {
  return GuardedLoops(among, directions).run(std::move(statements), around);
}

} // namespace rondo::logical::internal
