// SPDX-License-Identifier: Apache-2.0
#include "logical/folding/guards.hpp"

#include "logical/folding/alike.hpp"
#include "logical/folding/alike_guards.hpp"
#include "logical/folding/comm_makers.hpp"
#include "logical/folding/disorder.hpp"
#include "logical/folding/parts_joining.hpp"
#include "logical/places/conditions.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace rondo::logical::internal {
namespace {

using trace::RankSet;

bool say_the_same(const std::vector<Statement>& a, const std::vector<Statement>& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), says_the_same);
}

constexpr std::uint32_t kNoPlace = ~std::uint32_t{0};

// Of the first call.
std::uint32_t place_of(const std::vector<Statement>& statements) {
  for (const Statement& statement : statements) {
    std::uint32_t place = kNoPlace;
    if (const auto* loop = std::get_if<LoopStatement>(&statement.is)) {
      place = place_of(loop->body);
    } else if (const auto* guard = std::get_if<GuardStatement>(&statement.is)) {
      place = place_of(guard->body);
    } else if (const auto* call = std::get_if<CallStatement>(&statement.is)) {
      place = call->place;
    }
    if (place != kNoPlace) return place;
  }
  return kNoPlace;
}

// What no rank has an order of comes as in the source. What comes from one place several times is
// of several rounds of a loop, and stays.
void put_in_order(std::vector<Guarded>& items) {
  constexpr std::size_t kFarthest = 64;
  std::vector<std::uint32_t> places;
  std::map<std::uint32_t, std::size_t> times;
  for (const Guarded& item : items) ++times[places.emplace_back(place_of(item.body))];
  for (std::size_t i = 1; i < items.size(); ++i) {
    if (places[i] == kNoPlace || times[places[i]] > 1) continue;
    std::size_t to = i;
    while (to > 0 && i - to < kFarthest && places[to - 1] != kNoPlace &&
           places[to - 1] > places[i] && are_disjoint(items[to - 1].ranks, items[i].ranks))
      --to;
    const auto put = [&](auto& all) {
      const auto at = [&](std::size_t k) { return all.begin() + static_cast<std::ptrdiff_t>(k); };
      std::rotate(at(to), at(i), at(i + 1));
    };
    put(items);
    put(places);
  }
}

// Joins the last item with an earlier one that says the same, if no rank can tell: what has to
// stand between them for some ranks goes in front of both, and is done by none of the earlier
// one's.
void join_last(std::vector<Guarded>& items, const RankSet& around) {
  constexpr std::size_t kFarthest = 16;
  const std::size_t last = items.size() - 1;
  std::vector<std::size_t> before; // between the two, in front of the last; descending
  const auto comes_before_one = [&](std::size_t i) {
    return !are_disjoint(items[i].ranks, items[last].ranks) ||
           std::any_of(before.begin(), before.end(), [&](std::size_t later) {
             return !are_disjoint(items[i].ranks, items[later].ranks);
           });
  };
  for (std::size_t i = last; i-- > 0 && last - i <= kFarthest;) {
    const bool comes_before = comes_before_one(i);
    if (comes_before || !say_the_same(items[i].body, items[last].body)) {
      if (comes_before) before.push_back(i);
      continue;
    }
    items[i].ranks.add(items[last].ranks);
    join_equal(items[i].body, items[last].body);
    items[i].is_free = items[i].ranks == around;
    items.pop_back();
    for (std::size_t k = before.size(); k-- > 0;) { // in their order, each in front of the joined
      const auto joined = items.begin() + static_cast<std::ptrdiff_t>(i++);
      const auto one = items.begin() + static_cast<std::ptrdiff_t>(before[k]);
      std::rotate(joined, one, one + 1);
    }
    return;
  }
}

// "send +1, recv -1, send +2, send +4, recv -2, recv -4" of two places in the source, if no rank
// can tell: rounds of a loop as the one before.
void put_in_rounds(std::vector<Guarded>& items) {
  std::vector<std::uint32_t> places; // of items that are one call
  for (const Guarded& item : items) {
    const bool is_call =
        item.body.size() == 1 && std::holds_alternative<CallStatement>(item.body.front().is);
    places.push_back(is_call ? place_of(item.body) : kNoPlace);
  }
  const auto number_at = [&](std::size_t from, std::uint32_t place) {
    std::size_t number = 0;
    while (from + number < items.size() && places[from + number] == place) ++number;
    return number;
  };
  for (std::size_t i = 2; i < items.size(); ++i) {
    const std::uint32_t first = places[i];
    const std::uint32_t second = places[i - 1];
    const bool is_round = first != kNoPlace && second != kNoPlace && first != second;
    if (!is_round || places[i - 2] != first) continue;
    const std::size_t rounds = number_at(i, first);
    if (rounds < 2 || number_at(i + rounds, second) != rounds) continue;
    bool can_pass = true;
    for (std::size_t round = 0; round < rounds; ++round) {
      for (std::size_t later = round + 1; later < rounds; ++later)
        can_pass =
            can_pass && are_disjoint(items[i + rounds + round].ranks, items[i + later].ranks);
    }
    if (!can_pass) continue;
    for (std::size_t round = 0; round + 1 < rounds; ++round) {
      const auto at = [&](std::size_t k) { return items.begin() + static_cast<std::ptrdiff_t>(k); };
      std::rotate(at(i + 2 * round + 1), at(i + rounds + round), at(i + rounds + round + 1));
    }
    i += 2 * rounds - 1;
  }
}

// One call each that are alike stand together, if no rank can tell: "send child 3", "recv parent",
// "send child 1" as the receive and two sends. What is between them goes in front or behind.
void bring_alike_together(std::vector<Guarded>& items) {
  constexpr std::size_t kFewestAlike = 3;
  std::vector<const CallStatement*> calls; // of items that are one
  for (const Guarded& item : items)
    calls.push_back(item.body.size() == 1 ? std::get_if<CallStatement>(&item.body.front().is)
                                          : nullptr);
  const auto are_alike_at = [&](std::size_t a, std::size_t b) {
    return calls[a] != nullptr && calls[b] != nullptr && are_alike(*calls[a], *calls[b]);
  };
  const auto can_pass = [&](std::size_t at, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (!are_disjoint(items[i].ranks, items[at].ranks)) return false;
    }
    return true;
  };
  const auto turn = [&](auto& all, std::size_t first, std::size_t middle, std::size_t end) {
    const auto at = [&](std::size_t i) { return all.begin() + static_cast<std::ptrdiff_t>(i); };
    std::rotate(at(first), at(middle), at(end));
  };
  for (std::size_t i = 1; i + 1 < items.size(); ++i) {
    if (calls[i] == nullptr || !are_alike_at(i - 1, i + 1) || are_alike_at(i - 1, i)) continue;
    std::size_t begin = i - 1;
    std::size_t end = i + 1;
    while (begin > 0 && are_alike_at(begin - 1, i - 1)) --begin;
    while (end < items.size() && are_alike_at(end, i - 1)) ++end;
    if (end - begin - 1 < kFewestAlike) continue;
    if (can_pass(i, begin, i)) {
      turn(items, begin, i, i + 1);
      turn(calls, begin, i, i + 1);
    } else if (can_pass(i, i + 1, end)) {
      turn(items, i, i + 1, end);
      turn(calls, i, i + 1, end);
    }
  }
}

// A loop of some ranks goes to an alike one of others, if none of its ranks does anything between
// them: each rank goes round as often as it has neighbours, and meets the same loop.
void bring_loops_together(std::vector<Guarded>& items) {
  constexpr std::size_t kFarthest = 8;
  std::vector<const LoopStatement*> loops; // of items that are one
  for (const Guarded& item : items) {
    const auto* loop = !item.is_free && item.body.size() == 1
                           ? std::get_if<LoopStatement>(&item.body.front().is)
                           : nullptr;
    loops.push_back(loop != nullptr && !loop->body.empty() ? loop : nullptr);
  }
  for (std::size_t i = 1; i < items.size(); ++i) {
    if (loops[i] == nullptr) continue;
    for (std::size_t before = i; before-- > 0 && i - before <= kFarthest;) {
      if (loops[before] != nullptr && are_alike(Body(loops[before]->body), Body(loops[i]->body))) {
        const auto turn = [&](auto& all) {
          const auto at = [&](std::size_t k) {
            return all.begin() + static_cast<std::ptrdiff_t>(k);
          };
          std::rotate(at(before + 1), at(i), at(i + 1));
        };
        turn(items);
        turn(loops);
        break;
      }
      if (!are_disjoint(items[before].ranks, items[i].ranks)) break;
    }
  }
}

// A call in one direction is made by those for which the direction leads somewhere.
bool is_said_by(const std::string& condition, const std::vector<Statement>& body) {
  const auto* call = body.size() == 1 ? std::get_if<CallStatement>(&body[0].is) : nullptr;
  if (call == nullptr || condition.starts_with("not ")) return false;
  const std::string direction = direction_for(condition);
  return call->what == direction || call->what.starts_with(direction + " ");
}

// Neighbours of the same ranks as one.
std::vector<Guarded> by_ranks(std::vector<Guarded>&& guarded) {
  std::vector<Guarded> items;
  for (Guarded& one : guarded) {
    if (!items.empty() && !one.is_free && !items.back().is_free &&
        items.back().ranks == one.ranks) {
      std::move(one.body.begin(), one.body.end(), std::back_inserter(items.back().body));
    } else {
      items.push_back(std::move(one));
    }
  }
  return items;
}

// Neighbours that are loops of the ones and of all others, in which both do much the same.
void join_loops_of_all(std::vector<Guarded>& items, const RankSet& around,
                       const ConditionText& condition) {
  for (std::size_t i = 0; i + 1 < items.size(); ++i) {
    Guarded& a = items[i];
    const Guarded& b = items[i + 1];
    if (a.is_free || b.is_free || a.is_in_disorder || b.is_in_disorder) continue;
    RankSet both = a.ranks;
    both.add(b.ranks);
    if (both != around || a.ranks.size() + b.ranks.size() != around.size()) continue;
    auto loop = loops_joined({a.ranks, a.body}, {b.ranks, b.body},
                             [&](const RankSet& set, const RankSet&) { return condition(set); });
    if (!loop) continue;
    a = {around, {std::move(*loop)}, true};
    items.erase(items.begin() + static_cast<std::ptrdiff_t>(i) + 1);
  }
}

} // namespace

bool are_disjoint(const RankSet& a, const RankSet& b) {
  const std::vector<std::int64_t> ranks = a.ranks();
  return std::none_of(ranks.begin(), ranks.end(), [&](auto rank) { return b.contains(rank); });
}

bool says_the_same(const Statement& a, const Statement& b) {
  if (a.is.index() != b.is.index()) return false;
  if (const auto* loop = std::get_if<LoopStatement>(&a.is)) {
    const auto& other = std::get<LoopStatement>(b.is);
    return loop->count == other.count && say_the_same(loop->body, other.body);
  }
  if (const auto* guard = std::get_if<GuardStatement>(&a.is)) {
    // The ranks below a guard that names ranks are some of those around it, so never the same.
    const auto& other = std::get<GuardStatement>(b.is);
    return guard->condition == other.condition && !guard->condition.starts_with("rank") &&
           say_the_same(guard->body, other.body);
  }
  if (const auto* call = std::get_if<CallStatement>(&a.is)) {
    const auto& other = std::get<CallStatement>(b.is);
    return call->name == other.name && call->what == other.what && call->remarks == other.remarks;
  }
  return false;
}

void join_equal(std::span<Statement> into, std::span<const Statement> from) {
  for (std::size_t i = 0; i < into.size(); ++i) {
    if (auto* loop = std::get_if<LoopStatement>(&into[i].is)) {
      const auto& other = std::get<LoopStatement>(from[i].is);
      loop->is_by_rank = loop->is_by_rank || other.is_by_rank;
      join_equal(loop->body, other.body);
    } else if (auto* guard = std::get_if<GuardStatement>(&into[i].is)) {
      join_equal(guard->body, std::get<GuardStatement>(from[i].is).body);
    } else {
      add_executions_of(std::get<CallStatement>(into[i].is), std::get<CallStatement>(from[i].is));
    }
  }
}

std::vector<Statement> statements_under_guards(std::vector<Guarded>&& guarded,
                                               const RankSet& around,
                                               const ConditionText& condition,
                                               const CountsText& counts, const FormulaText& formula,
                                               std::optional<std::uint64_t> entries) {
  put_in_order(guarded);
  std::vector<Guarded> items;
  for (Guarded& one : guarded) {
    items.push_back(std::move(one));
    join_last(items, around);
  }
  if (formula) join_makers(items, around, formula);
  put_in_rounds(items);
  bring_alike_together(items);
  constexpr int kPasses = 2; // what is joined may be like others then
  for (int pass = 0; counts && pass < kPasses; ++pass) {
    bring_loops_together(items);
    items = alike_guards_joined(std::move(items), around, condition, counts);
  }
  items = by_ranks(std::move(items));
  if (counts) items = alike_guards_joined(std::move(items), around, condition, counts);
  if (counts) join_loops_of_all(items, around, condition);
  if (entries) items = disorder_as_one(std::move(items), condition, *entries);
  std::vector<Statement> result;
  for (Guarded& item : items) {
    const std::string who = item.is_free ? "" : condition(item.ranks);
    if (item.is_in_disorder) {
      result.push_back({GuardStatement{who + ", in no common order", std::move(item.body)}});
    } else if (item.is_free || is_said_by(who, item.body)) {
      std::move(item.body.begin(), item.body.end(), std::back_inserter(result));
    } else {
      result.push_back({GuardStatement{who, std::move(item.body)}});
    }
  }
  return result;
}

} // namespace rondo::logical::internal
