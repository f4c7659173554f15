// SPDX-License-Identifier: Apache-2.0
#include "logical/joining/guards.hpp"

#include "logical/folding/disorder.hpp"
#include "logical/joining/alike.hpp"
#include "logical/joining/alike_guards.hpp"
#include "logical/joining/comm_makers.hpp"
#include "logical/joining/common_guards.hpp"
#include "logical/joining/exchange_rounds.hpp"
#include "logical/joining/joined_words.hpp"
#include "logical/joining/one_place.hpp"
#include "logical/joining/parts_joining.hpp"
#include "logical/joining/rounds_in_order.hpp"

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
// of several rounds of a loop, and stays; but between calls of all ranks it is of one round, and
// has the order of the source again.
class SourceOrderOfItems {
public:
  SourceOrderOfItems(std::vector<Guarded>& items, const RankSet& around) : items_(items) {
    std::size_t stretch = 0; // between calls of all ranks
    for (const Guarded& item : items) {
      stretch += item.ranks == around ? 1 : 0;
      const std::uint32_t place = places_.emplace_back(place_of(item.body));
      ++times_[place];
      ++times_in_stretch_[{stretches_.emplace_back(stretch), place}];
    }
  }

  void put_in_order() {
    constexpr std::size_t kFarthest = 64;
    for (std::size_t i = 1; i < items_.size(); ++i) {
      if (places_[i] == kNoPlace) continue;
      const bool is_once = times_[places_[i]] == 1;
      if (!is_once && times_in_stretch_[{stretches_[i], places_[i]}] > 1) continue;
      std::size_t to = i;
      while (to > 0 && i - to < kFarthest && places_[to - 1] != kNoPlace &&
             places_[to - 1] > places_[i] && (is_once || stretches_[to - 1] == stretches_[i]) &&
             are_disjoint(items_[to - 1].ranks, items_[i].ranks))
        --to;
      const auto put = [&](auto& all) {
        const auto at = [&](std::size_t k) { return all.begin() + static_cast<std::ptrdiff_t>(k); };
        std::rotate(at(to), at(i), at(i + 1));
      };
      put(items_);
      put(places_);
      put(stretches_);
    }
  }

private:
  std::vector<Guarded>& items_;
  std::vector<std::uint32_t> places_; // of the items
  std::vector<std::size_t> stretches_; // likewise
  std::map<std::uint32_t, std::size_t> times_;
  std::map<std::pair<std::size_t, std::uint32_t>, std::size_t> times_in_stretch_;
};

// One call of the source, where the peers of the one are among those of the other: "partner" of one
// rank, and "partner|itself" of others.
bool is_part_of_other(const std::vector<Statement>& a, const std::vector<Statement>& b) {
  if (a.size() != 1 || b.size() != 1) return false;
  const auto* one = std::get_if<CallStatement>(&a.front().is);
  const auto* other = std::get_if<CallStatement>(&b.front().is);
  if (one == nullptr || other == nullptr || one->place == kNoPlace || one->place != other->place ||
      !are_alike(*one, *other))
    return false;
  for (std::size_t i = 0; i < one->words.size(); ++i) {
    const SaidWord& word = one->words[i];
    const SaidWord& beside = other->words[i];
    if (word.text == beside.text) continue;
    const std::string both = joined_word({&word, &beside}, false, {1, 1}).text;
    const bool is_new = both != word.text && both != beside.text;
    if (word.kind != SaidWord::Kind::kPeer || is_new) return false;
  }
  return true;
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
    const bool is_equal = !comes_before && say_the_same(items[i].body, items[last].body);
    if (!is_equal && (comes_before || !is_part_of_other(items[i].body, items[last].body))) {
      if (comes_before) before.push_back(i);
      continue;
    }
    items[i].ranks.add(items[last].ranks);
    if (is_equal) {
      join_equal(items[i].body, items[last].body);
    } else {
      auto& joined = std::get<CallStatement>(items[i].body.front().is);
      const std::uint64_t most = std::max(
          joined.most_here, std::get<CallStatement>(items[last].body.front().is).most_here);
      items[i].body = join_alike({items[i].body, items[last].body}, false, {1, 1});
      std::get<CallStatement>(items[i].body.front().is).most_here = most;
    }
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

// Of "startall" of some ranks, "startall" of all and, with something in between, "startall" of the
// others, all of which say the same, the first and the last are one: each rank makes two calls. So
// it is where the others come first. Which of the two a call is makes no difference to the text.
void join_across_equal(std::vector<Guarded>& items) {
  constexpr std::size_t kFarthest = 16;
  const std::size_t last = items.size() - 1;
  const std::size_t farthest = last > kFarthest ? last - kFarthest : 0;
  const auto are_apart = [&](const RankSet& ranks, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (!are_disjoint(items[i].ranks, ranks)) return false;
    }
    return true;
  };
  const auto make_up = [&](std::size_t a, std::size_t b, std::size_t of) {
    return items[a].ranks.size() + items[b].ranks.size() == items[of].ranks.size() &&
           are_disjoint(items[a].ranks, items[b].ranks);
  };
  std::size_t middle = last;
  while (middle-- > farthest) {
    if (say_the_same(items[middle].body, items[last].body) &&
        !are_disjoint(items[middle].ranks, items[last].ranks))
      break;
    if (middle == farthest) return;
  }
  if (middle >= last || items[middle].ranks.size() <= items[last].ranks.size()) return;
  for (std::size_t first = middle; first-- > farthest;) {
    if (!say_the_same(items[first].body, items[middle].body) || !make_up(first, last, middle))
      continue;
    const bool goes_behind = are_apart(items[first].ranks, first + 1, middle) &&
                             are_apart(items[first].ranks, middle + 1, last);
    const bool goes_in_front = are_apart(items[last].ranks, first + 1, middle) &&
                               are_apart(items[last].ranks, middle + 1, last);
    const bool is_apart = last - first > 2; // neighbours are a loop, see alike_guards.hpp
    if (!is_apart || (!goes_behind && !goes_in_front)) return;
    const std::size_t stays = goes_behind ? last : first;
    const std::size_t goes = goes_behind ? first : last;
    items[stays].ranks = items[middle].ranks;
    items[stays].is_free = items[middle].is_free;
    join_equal(items[stays].body, items[goes].body);
    items.erase(items.begin() + static_cast<std::ptrdiff_t>(goes));
    return;
  }
}

// One call of the source, which differs in nothing but whom it turns to.
bool differ_in_peers_only(const CallStatement& a, const CallStatement& b) {
  if (a.sites.empty() || a.sites != b.sites || !are_alike(a, b)) return false;
  for (std::size_t i = 0; i < a.words.size(); ++i) {
    if (a.words[i].kind != SaidWord::Kind::kPeer && a.words[i].text != b.words[i].text)
      return false;
  }
  return true;
}

// One call each that are alike stand together, if no rank can tell: "send child 3", "recv parent",
// "send child 1" as the receive and two sends. What is between them goes in front or behind: one
// call, or several if they are those of another statement, as in a gather and a scatter on a tree.
class AlikeTogether {
public:
  explicit AlikeTogether(std::vector<Guarded>& items) : items_(items) {
    for (const Guarded& item : items)
      calls_.push_back(item.body.size() == 1 ? std::get_if<CallStatement>(&item.body.front().is)
                                             : nullptr);
  }

  void run() {
    for (std::size_t i = 1; i + 1 < items_.size(); ++i) {
      if (calls_[i] == nullptr || are_alike_at(i - 1, i, true)) continue;
      for (std::size_t behind = i + 1; behind <= i + kMostBetween && behind < items_.size();
           ++behind) {
        if (bring_together(i, behind) || calls_[behind] == nullptr) break;
      }
    }
  }

private:
  static constexpr std::size_t kFewestAlike = 3;
  static constexpr std::size_t kMostBetween = 4;

  // What is in front of the calls from `first` on, and what is `behind` them.
  bool bring_together(std::size_t first, std::size_t behind) {
    const bool is_one_call = behind == first + 1;
    if (!are_alike_at(first - 1, behind, is_one_call)) return false;
    std::size_t begin = first - 1;
    std::size_t end = behind;
    while (begin > 0 && are_alike_at(begin - 1, first - 1, is_one_call)) --begin;
    while (end < items_.size() && are_alike_at(end, first - 1, is_one_call)) ++end;
    if (end - begin - (behind - first) < kFewestAlike) return false;
    if (!is_one_call && are_rounds(begin, first, behind, end)) return false;
    if (can_pass(first, behind, begin, first)) {
      turn(begin, first, behind);
    } else if (can_pass(first, behind, behind, end)) {
      turn(first, behind, end);
    } else {
      return false;
    }
    return true;
  }

  bool are_alike_at(std::size_t a, std::size_t b, bool on_any_site) const {
    if (calls_[a] == nullptr || calls_[b] == nullptr) return false;
    return on_any_site ? are_alike(*calls_[a], *calls_[b])
                       : differ_in_peers_only(*calls_[a], *calls_[b]);
  }

  // Whether what is between them comes again near to them, as it does in rounds of a loop.
  bool are_rounds(std::size_t begin, std::size_t first, std::size_t behind, std::size_t end) const {
    const std::size_t from = begin > kMostBetween ? begin - kMostBetween : 0;
    for (std::size_t i = from; i < std::min(items_.size(), end + kMostBetween); ++i) {
      if (calls_[i] == nullptr || (i >= begin && i < end)) continue;
      for (std::size_t k = first; k < behind; ++k) {
        if (calls_[i]->sites == calls_[k]->sites && are_alike_at(i, k, true)) return true;
      }
    }
    return false;
  }

  // Those of the first two past those of the other two.
  bool can_pass(std::size_t begin, std::size_t end, std::size_t others,
                std::size_t end_of_others) const {
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t k = others; k < end_of_others; ++k) {
        if (!are_disjoint(items_[i].ranks, items_[k].ranks)) return false;
      }
    }
    return true;
  }

  void turn(std::size_t first, std::size_t middle, std::size_t end) {
    const auto turn_all = [&](auto& all) {
      const auto at = [&](std::size_t i) { return all.begin() + static_cast<std::ptrdiff_t>(i); };
      std::rotate(at(first), at(middle), at(end));
    };
    turn_all(items_);
    turn_all(calls_);
  }

  std::vector<Guarded>& items_;
  std::vector<const CallStatement*> calls_; // of items that are one
};

// What a loop of some ranks has in it goes to an alike loop of others, which may go round once or
// be written out, if none of its ranks does anything between them: each rank goes round as often as
// it has neighbours, and meets the same loop.
void bring_loops_together(std::vector<Guarded>& items) {
  constexpr std::size_t kFarthest = 8;
  struct Round {
    Body body; // empty: the item is no such thing
    bool is_of_loop = false;
  };
  std::vector<Round> rounds; // of items
  for (const Guarded& item : items) {
    Round& one = rounds.emplace_back();
    if (item.is_free || item.body.size() != 1) continue;
    const auto* loop = std::get_if<LoopStatement>(&item.body.front().is);
    one = {loop != nullptr ? Body(loop->body) : Body(item.body), loop != nullptr};
  }
  for (std::size_t i = 1; i < items.size(); ++i) {
    if (rounds[i].body.empty()) continue;
    bool is_in_run = true; // all between are like it: their order stays
    for (std::size_t before = i; before-- > 0 && i - before <= kFarthest;) {
      const bool is_alike = are_alike(rounds[before].body, rounds[i].body);
      is_in_run = is_in_run && is_alike;
      if (is_alike && (rounds[before].is_of_loop || rounds[i].is_of_loop)) {
        rounds[before].is_of_loop = rounds[i].is_of_loop = true;
        if (is_in_run) break;
        const auto turn = [&](auto& all) {
          const auto at = [&](std::size_t k) {
            return all.begin() + static_cast<std::ptrdiff_t>(k);
          };
          std::rotate(at(before + 1), at(i), at(i + 1));
        };
        turn(items);
        turn(rounds);
        break;
      }
      if (!are_disjoint(items[before].ranks, items[i].ranks)) break;
    }
  }
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

// Neighbours that are loops of as many rounds, in which both do much the same; where others are
// around them, only if those of both have a name, and the others have no such loop: they may be
// joined with it elsewhere, as they are no neighbours here.
void join_loops(std::vector<Guarded>& items, const RankSet& around, const ConditionAmong& among) {
  const auto is_loop_of = [](const Guarded& item, const std::string& count) {
    const auto* loop =
        item.body.size() == 1 ? std::get_if<LoopStatement>(&item.body.front().is) : nullptr;
    return loop != nullptr && loop->count == count;
  };
  for (std::size_t i = 0; i + 1 < items.size(); ++i) {
    Guarded& a = items[i];
    const Guarded& b = items[i + 1];
    if (a.is_free || b.is_free || a.is_in_disorder || b.is_in_disorder) continue;
    const auto* first = std::get_if<LoopStatement>(&a.body.front().is);
    if (first == nullptr || !is_loop_of(b, first->count) || !are_disjoint(a.ranks, b.ranks))
      continue;
    const bool are_all = a.ranks.size() + b.ranks.size() == around.size();
    const auto same = std::count_if(items.begin(), items.end(), [&](const Guarded& item) {
      return is_loop_of(item, first->count);
    });
    if (!are_all && same > 2) continue;
    auto loop = loops_joined({a.ranks, a.body}, {b.ranks, b.body}, around, among);
    if (!loop) continue;
    a.ranks.add(b.ranks);
    a.body = {std::move(*loop)};
    a.is_free = a.ranks == around;
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

void say_neighbours(std::vector<Statement>& body) {
  for (Statement& statement : body) {
    auto* call = std::get_if<CallStatement>(&statement.is);
    if (call == nullptr) continue;
    for (SaidWord& word : call->words) {
      const bool is_cut = word.kind == SaidWord::Kind::kPeer && word.text.ends_with("|...");
      if (!is_cut || word.text.starts_with("any")) continue;
      word.text = "neighbour";
      put_words_together(*call);
    }
  }
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
      add_executions_of_others(std::get<CallStatement>(into[i].is),
                               std::get<CallStatement>(from[i].is));
    }
  }
}

std::vector<Statement> statements_under_guards(std::vector<Guarded>&& guarded,
                                               const RankSet& around, const ConditionAmong& among,
                                               const CountsText& counts, const FormulaText& formula,
                                               std::optional<Entries> entries, bool may_nest) {
  const ConditionText condition = [&](const RankSet& ranks) { return among(ranks, around); };
  SourceOrderOfItems(guarded, around).put_in_order();
  std::vector<Guarded> items;
  for (Guarded& one : guarded) {
    items.push_back(std::move(one));
    join_last(items, around);
    join_across_equal(items);
  }
  if (formula) join_makers(items, around, formula);
  put_rounds_in_order(items);
  AlikeTogether(items).run();
  constexpr int kPasses = 2; // what is joined may be like others then
  for (int pass = 0; counts && pass < kPasses; ++pass) {
    bring_loops_together(items);
    items = alike_guards_joined(std::move(items), around, condition, counts);
  }
  items = by_ranks(std::move(items));
  if (counts) items = alike_guards_joined(std::move(items), around, condition, counts);
  if (counts) items = exchange_rounds_joined(std::move(items), around, counts);
  if (counts) join_loops(items, around, among);
  if (entries) items = disorder_as_one(std::move(items), condition, *entries);
  return under_common_guards(std::move(items), around, among, may_nest);
}

} // namespace rondo::logical::internal
