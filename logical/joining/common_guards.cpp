// SPDX-License-Identifier: Apache-2.0
#include "logical/joining/common_guards.hpp"

#include "logical/places/conditions.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

namespace rondo::logical::internal {
namespace {

using trace::RankSet;

constexpr std::string_view kBetweenLiterals = " and ";

// Whether all are calls in that direction, which those make for whom it leads somewhere.
bool goes_only(const std::vector<Statement>& body, const std::string& direction) {
  return !body.empty() && std::all_of(body.begin(), body.end(), [&](const Statement& statement) {
    const auto* call = std::get_if<CallStatement>(&statement.is);
    return call != nullptr && (call->what == direction || call->what.starts_with(direction + " "));
  });
}

bool is_said_by(const std::string& condition, const std::vector<Statement>& body) {
  return !condition.starts_with("not ") && goes_only(body, direction_for(condition));
}

// "even" of "west and even" where all that is below goes west.
std::string without_said(const std::string& condition, const std::vector<Statement>& body) {
  std::string rest;
  bool is_said = false;
  for (std::size_t begin = 0; begin <= condition.size();) {
    const std::size_t end = std::min(condition.find(kBetweenLiterals, begin), condition.size());
    const std::string literal = condition.substr(begin, end - begin);
    begin = end + kBetweenLiterals.size();
    if (!is_said && is_said_by(literal, body)) {
      is_said = true;
      continue;
    }
    rest += (rest.empty() ? "" : std::string(kBetweenLiterals)) + literal;
  }
  return is_said && !rest.empty() ? rest : condition;
}

// With those of `more` that it does not have.
void add_new(const RankSet& more, RankSet& to) {
  std::vector<std::int64_t> fresh;
  for (const std::int64_t rank : more.ranks()) {
    if (!to.contains(rank)) fresh.push_back(rank);
  }
  if (!fresh.empty()) to.add(RankSet::of(std::move(fresh)));
}

class CommonGuards {
public:
  CommonGuards(std::vector<Guarded>&& items, const RankSet& around, const ConditionAmong& among)
      : items_(std::move(items)), around_(around), among_(among) {}

  std::vector<Statement> run(bool may_nest = true) {
    std::vector<Statement> result;
    for (std::size_t i = 0; i < items_.size();) {
      const auto joined = may_nest ? best_from(i) : std::nullopt;
      if (!joined) {
        add(std::move(items_[i++]), may_nest, result);
        continue;
      }
      const auto first = items_.begin() + static_cast<std::ptrdiff_t>(i);
      const auto last = items_.begin() + static_cast<std::ptrdiff_t>(joined->end);
      std::vector<Guarded> inside{std::make_move_iterator(first), std::make_move_iterator(last)};
      for (Guarded& one : inside) one.is_free = one.is_free || one.ranks == joined->ranks;
      result.push_back({GuardStatement{
          joined->condition, CommonGuards(std::move(inside), joined->ranks, among_).run()}});
      i = joined->end;
    }
    return result;
  }

private:
  struct Joined {
    std::size_t end = 0;
    RankSet ranks;
    std::string condition;
  };

  static bool needs_guard(const Guarded& item) { return !item.is_free; }

  // Conditions that read the same, one of them of fewer ranks as all below it goes to a direction
  // that not all have, are one guard.
  void add(Guarded&& item, bool may_join, std::vector<Statement>& to) const {
    const std::string who = item.is_free ? "" : among_(item.ranks, around_);
    if (item.is_in_disorder) {
      to.push_back({GuardStatement{who + std::string(kInDisorder), std::move(item.body)}});
    } else if (item.is_free || is_said_by(who, item.body)) {
      std::move(item.body.begin(), item.body.end(), std::back_inserter(to));
    } else {
      std::string condition = without_said(who, item.body);
      auto* const before = to.empty() ? nullptr : std::get_if<GuardStatement>(&to.back().is);
      if (may_join && before != nullptr && before->condition == condition)
        std::move(item.body.begin(), item.body.end(), std::back_inserter(before->body));
      else
        to.push_back({GuardStatement{std::move(condition), std::move(item.body)}});
    }
  }

  // The items from here on that one guard saves most guards of.
  std::optional<Joined> best_from(std::size_t begin) const {
    constexpr std::size_t kFarthest = 32; // items
    if (!needs_guard(items_[begin]) || items_[begin].is_in_disorder) return std::nullopt;
    std::optional<Joined> best;
    std::size_t most = 0;
    RankSet all = items_[begin].ranks;
    for (std::size_t i = begin + 1; i < std::min(items_.size(), begin + kFarthest); ++i) {
      if (items_[i].is_in_disorder || items_[i].ranks == around_) break;
      if (items_[i].ranks != all) add_new(items_[i].ranks, all);
      if (all == around_) break;
      if (!needs_guard(items_[i])) continue;
      const std::size_t saved = saved_by(begin, i + 1, all, most);
      if (saved <= most) continue;
      most = saved;
      best = Joined{i + 1, all, among_(all, around_)};
    }
    return best;
  }

  // Guards; 0 if they are no more than `least`. What a guard says takes long to find, and is asked
  // for only if there is something to save.
  std::size_t saved_by(std::size_t begin, std::size_t end, const RankSet& ranks,
                       std::size_t least) const {
    std::size_t before = 0;
    std::size_t inside = 0;
    std::vector<std::size_t> perhaps; // those that a direction may imply
    bool has_guard = false; // for just these ranks
    for (std::size_t i = begin; i < end; ++i) {
      const Guarded& item = items_[i];
      if (!needs_guard(item)) continue;
      ++before;
      if (item.ranks == ranks) {
        has_guard = true;
      } else {
        ++inside;
        if (has_one_direction(item.body)) perhaps.push_back(i);
      }
    }
    if (before + perhaps.size() <= 1 + inside + least) return 0;
    if (!has_guard && among_(ranks, around_).starts_with("rank")) return 0;
    for (const std::size_t i : perhaps)
      inside -= is_said_by(among_(items_[i].ranks, ranks), items_[i].body) ? 1 : 0;
    for (std::size_t i = begin; i < end; ++i) // those that needed none before
      before -=
          needs_guard(items_[i]) && is_said_by(among_(items_[i].ranks, around_), items_[i].body);
    return before > 1 + inside + least ? before - 1 - inside : 0;
  }

  static bool has_one_direction(const std::vector<Statement>& body) {
    const auto* call = body.empty() ? nullptr : std::get_if<CallStatement>(&body.front().is);
    if (call == nullptr || call->words.empty()) return false;
    const SaidWord& first = call->words.front();
    return first.kind == SaidWord::Kind::kPeer && goes_only(body, first.text);
  }

  std::vector<Guarded> items_;
  const RankSet& around_;
  const ConditionAmong& among_;
};

} // namespace

std::vector<Statement> under_common_guards(std::vector<Guarded>&& items, const RankSet& around,
                                           const ConditionAmong& among, bool may_nest) {
  return CommonGuards(std::move(items), around, among).run(may_nest);
}

} // namespace rondo::logical::internal
