// SPDX-License-Identifier: Apache-2.0
#include "logical/joining/alike_guards.hpp"

#include "logical/joining/alike.hpp"
#include "logical/joining/exchange_rounds.hpp"
#include "logical/joining/joined_words.hpp"
#include "logical/text/rounds_text.hpp"
#include "rondo/base/units.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rondo::logical::internal {
namespace {

using trace::RankSet;

// An item as bodies of one skeleton, which stand there some times for each of its ranks.
struct Turns {
  Bodies bodies;
  std::int64_t times = 0; // of all bodies, for each rank
  const std::map<std::int64_t, std::int64_t>* times_of_rank =
      nullptr; // if they differ, in place of `times`

  std::int64_t times_of(std::int64_t rank) const {
    return times_of_rank == nullptr ? times : times_of_rank->at(rank);
  }
};

// What stands in front: of different functions in items that cannot be alike.
const CallStatement* first_call_of(Body body) {
  while (!body.empty()) {
    const Statement& first = body.front();
    if (const auto* call = std::get_if<CallStatement>(&first.is)) return call;
    const auto* loop = std::get_if<LoopStatement>(&first.is);
    const auto* guard = std::get_if<GuardStatement>(&first.is);
    body = loop != nullptr ? Body(loop->body) : guard != nullptr ? Body(guard->body) : Body();
  }
  return nullptr;
}

// How often a loop goes round; false if it is not known.
bool set_rounds(const LoopStatement& loop, const RankSet& ranks, Turns& turns) {
  const char* const last = loop.count.data() + loop.count.size();
  const auto [end, error] = std::from_chars(loop.count.data(), last, turns.times);
  if (error == std::errc{} && end == last) return true;
  if (loop.count_of_rank == nullptr) return false;
  const std::vector<std::int64_t> all = ranks.ranks();
  if (!std::all_of(all.begin(), all.end(),
                   [&](std::int64_t rank) { return loop.count_of_rank->contains(rank); }))
    return false;
  turns.times_of_rank = loop.count_of_rank.get();
  return true;
}

Turns turns_of(const Guarded& item) {
  Turns turns;
  const auto* loop = item.body.size() == 1 ? std::get_if<LoopStatement>(&item.body[0].is) : nullptr;
  if (loop != nullptr && set_rounds(*loop, item.ranks, turns)) {
    turns.bodies = {loop->body};
    return turns;
  }
  const bool is_one =
      std::all_of(item.body.begin() + 1, item.body.end(),
                  [&](const Statement& one) { return are_alike(one, item.body[0]); });
  if (is_one) {
    for (const Statement& statement : item.body) turns.bodies.push_back({&statement, 1});
  } else {
    turns.bodies = {item.body};
  }
  turns.times = static_cast<std::int64_t>(turns.bodies.size());
  return turns;
}

// How often each of several ranks goes through something.
class Visits {
public:
  void add(const RankSet& ranks, const Turns& turns) {
    if (static_cast<std::size_t>(ranks.back()) >= times_.size())
      times_.resize(static_cast<std::size_t>(ranks.back()) + 1, kNever);
    for (const std::int64_t rank : ranks.ranks()) {
      std::int64_t& times = times_[static_cast<std::size_t>(rank)];
      if (times == kNever) {
        times = 0;
        ++ranks_;
      } else if (times != 1) {
        --not_once_;
      }
      times += turns.times_of(rank);
      if (times != 1) ++not_once_;
    }
  }
  bool are_once() const { return not_once_ == 0; }
  std::int64_t ranks() const { return ranks_; }
  bool are_equal() const {
    return std::all_of(times_.begin(), times_.end(), [&](std::int64_t times) {
      return times == kNever || times == times_.back();
    });
  }
  RankSet set() const {
    std::vector<std::int64_t> ranks;
    for (std::size_t rank = 0; rank < times_.size(); ++rank) {
      if (times_[rank] != kNever) ranks.push_back(static_cast<std::int64_t>(rank));
    }
    return RankSet::of(std::move(ranks));
  }
  std::map<std::int64_t, std::int64_t> times() const {
    std::map<std::int64_t, std::int64_t> result;
    for (std::size_t rank = 0; rank < times_.size(); ++rank) {
      if (times_[rank] != kNever)
        result.emplace_hint(result.end(), static_cast<std::int64_t>(rank), times_[rank]);
    }
    return result;
  }

private:
  static constexpr std::int64_t kNever = -1;
  std::vector<std::int64_t> times_; // by rank
  std::int64_t ranks_ = 0;
  std::int64_t not_once_ = 0; // ranks
};

// Lines from which "if north: wait", "if west: wait", ... are a loop, though its counts can only be
// listed by rank.
constexpr std::uint64_t kWorthCounts = 6;

class GuardJoining {
public:
  GuardJoining(std::vector<Guarded>&& items, const RankSet& around, const ConditionText& condition,
               const CountsText& counts)
      : items_(std::move(items)), around_(around), condition_(condition), counts_(counts) {}

  std::vector<Guarded> run() {
    std::vector<Guarded> result;
    for (std::size_t i = 0; i < items_.size();) {
      if (const std::size_t end = end_of_directions(i); end > i) {
        result.push_back(joined_items(i, i, end));
        i = end;
        continue;
      }
      if (const std::size_t end = end_of_rounds(i); end > i) {
        result.push_back(joined_items(i, i, end));
        if (auto* loop = std::get_if<LoopStatement>(&result.back().body[0].is)) say_surplus(*loop);
        i = end;
        continue;
      }
      const std::size_t end = can_join(items_[i]) ? end_of_run(i) : i + 1;
      const std::size_t first = end > i + 1 ? first_joined(i, end) : end;
      std::optional<Guarded> joined;
      if (first < end) joined = joined_items(i, first, end);
      for (; i < first; ++i) result.push_back(std::move(items_[i]));
      if (joined) result.push_back(std::move(*joined));
      i = end;
    }
    return result;
  }

private:
  // What a direction implies is said best by that.
  bool can_join(const Guarded& item) const {
    return !item.body.empty() && (!item.is_free || item.ranks == around_);
  }

  // Of one call of the source that goes in more directions than a list has room for, to each
  // neighbour once: behind it; `begin` of others.
  std::size_t end_of_directions(std::size_t begin) {
    if (begin < end_of_one_call_) return begin; // it was looked at
    const CallStatement* first = only_call_of(items_[begin]);
    if (first == nullptr || first->place == CallStatement{}.place) return begin;
    std::size_t& end = end_of_one_call_ = begin;
    for (; end < items_.size(); ++end) {
      const CallStatement* next = only_call_of(items_[end]);
      if (next == nullptr || next->place != first->place || !are_alike(*first, *next)) break;
    }
    if (end - begin <= kLongestList) return begin;
    turns_.clear();
    Visits visits;
    for (std::size_t i = begin; i < end; ++i) {
      turns_.push_back(turns_of(items_[i]));
      visits.add(items_[i].ranks, turns_.back());
    }
    const bool are_neighbours = visits.ranks() == around_.size() &&
                                counts_(visits.times(), turns_[0].bodies[0]) == kNeighbours;
    return are_neighbours ? end : begin;
  }

  // Of one call of the source that ranks make to several partners each, and as often as they have
  // of these: behind all of them, which stand together then; `begin` of others.
  std::size_t end_of_rounds(std::size_t begin) {
    const std::vector<std::size_t> rounds = rounds_of_call(begin);
    if (rounds.size() < 2 || !are_worth_rounds(rounds)) return begin;
    const auto at = [&](std::size_t i) { return items_.begin() + static_cast<std::ptrdiff_t>(i); };
    for (std::size_t k = 1; k < rounds.size(); ++k)
      std::rotate(at(begin + k), at(rounds[k]), at(rounds[k] + 1));
    return begin + rounds.size();
  }

  // What is between them is done by none of those who go on. If some come to the call again after
  // that, it stands in a loop around both. What all ranks do ends it.
  std::vector<std::size_t> rounds_of_call(std::size_t begin) const {
    constexpr std::size_t kFarthest = 128;
    const CallStatement* call = call_of_rounds(items_[begin]);
    if (call == nullptr) return {};
    std::vector<std::size_t> rounds = {begin};
    std::vector<std::size_t> between;
    const std::size_t end = std::min(items_.size(), begin + kFarthest);
    for (std::size_t i = begin + 1; i < end && items_[i].ranks != around_; ++i) {
      const CallStatement* other = call_of_rounds(items_[i]);
      if (other == nullptr || other->sites != call->sites || !are_alike(*other, *call)) {
        between.push_back(i);
        continue;
      }
      const bool goes_on = std::all_of(between.begin(), between.end(), [&](std::size_t k) {
        return are_disjoint(items_[i].ranks, items_[k].ranks);
      });
      if (!goes_on) return {};
      rounds.push_back(i);
    }
    return rounds;
  }

  // The only call of the source that an item is, however often; nullptr of others.
  static const CallStatement* call_of_rounds(const Guarded& item) {
    Body body = item.body;
    const auto* loop = body.size() == 1 ? std::get_if<LoopStatement>(&body[0].is) : nullptr;
    if (loop != nullptr) body = loop->body;
    if (loop != nullptr && body.size() > 1) return nullptr;
    const CallStatement* first = nullptr;
    for (const Statement& statement : body) {
      const auto* call = std::get_if<CallStatement>(&statement.is);
      if (call == nullptr || call->sites.empty() ||
          (first != nullptr && (call->sites != first->sites || !are_alike(*call, *first))))
        return nullptr;
      first = call;
    }
    const bool has_peer =
        first != nullptr &&
        std::any_of(first->words.begin(), first->words.end(),
                    [](const SaidWord& word) { return word.kind == SaidWord::Kind::kPeer; });
    return has_peer ? first : nullptr;
  }

  bool are_worth_rounds(const std::vector<std::size_t>& rounds) {
    constexpr std::uint64_t kWorthRounds = 2; // lines
    turns_.clear();
    DirectionsMet directions;
    Visits visits;
    std::uint64_t lines = 0;
    bool has_guard = false;
    for (const std::size_t i : rounds) {
      const Guarded& item = items_[i];
      turns_.push_back(turns_of(item));
      const bool is_call =
          std::holds_alternative<CallStatement>(turns_.back().bodies[0].front().is);
      if (!is_call) return false; // a loop whose rounds are not known
      for (const Body body : turns_.back().bodies) directions.add(body);
      visits.add(item.ranks, turns_.back());
      lines += lines_of(item.body) + (item.is_free ? 0 : 1);
      has_guard = has_guard || !item.is_free;
    }
    const std::uint64_t new_lines =
        1 + (visits.are_once() ? 0 : 1) + (visits.ranks() == around_.size() ? 0 : 1);
    return has_guard && !directions.differ() &&
           lines >= new_lines + std::max(kWorthRounds, 1 + words_lost());
  }

  // Of the one call that all turns are: a list of who may answer says no less than "any".
  std::uint64_t words_lost() const {
    const auto word_at = [](Body body, std::size_t word) -> const SaidWord& {
      return std::get<CallStatement>(body[0].is).words[word];
    };
    const Body first = turns_[0].bodies[0];
    std::uint64_t lost = 0;
    for (std::size_t word = 0; word < std::get<CallStatement>(first[0].is).words.size(); ++word) {
      const SaidWord& said = word_at(first, word);
      const auto is_said = [&](Body body) { return word_at(body, word).text == said.text; };
      const bool differs = std::any_of(turns_.begin(), turns_.end(), [&](const Turns& turns) {
        return !std::all_of(turns.bodies.begin(), turns.bodies.end(), is_said);
      });
      if (differs && !is_any_source(said)) ++lost;
    }
    return lost;
  }

  static const CallStatement* only_call_of(const Guarded& item) {
    return item.body.size() == 1 ? std::get_if<CallStatement>(&item.body[0].is) : nullptr;
  }

  std::size_t end_of_run(std::size_t begin) {
    turns_.clear();
    const CallStatement* first = first_call_of(items_[begin].body);
    std::size_t end = begin + 1;
    while (end < items_.size() && can_join(items_[end])) {
      const CallStatement* next = first_call_of(items_[end].body);
      if (first == nullptr || next == nullptr ? first != next : first->name != next->name) break;
      if (turns_.empty()) turns_.push_back(turns_of(items_[begin]));
      Turns turns = turns_of(items_[end]);
      if (!are_alike(turns.bodies[0], turns_[0].bodies[0])) break;
      turns_.push_back(std::move(turns));
      ++end;
    }
    return end;
  }

  // Of a run: where those begin that can be joined, with all behind them, and are worth it. From
  // behind, as what is known of some of them is a part of what is known of those and one more.
  std::size_t first_joined(std::size_t begin, std::size_t end) const {
    std::size_t first = end;
    DirectionsMet directions;
    Visits visits;
    std::uint64_t lines = 0;
    bool names_ranks = false;
    bool say_the_same = true;
    const Body last = turns_[end - 1 - begin].bodies[0];
    for (std::size_t i = end; i-- > begin;) {
      const Guarded& item = items_[i];
      const Turns& turns = turns_[i - begin];
      for (const Body body : turns.bodies) {
        directions.add(body);
        say_the_same = say_the_same && differing_words({body, last}) == 0;
      }
      visits.add(item.ranks, turns);
      lines += lines_of(item.body) + (item.is_free ? 0 : 1);
      names_ranks = names_ranks || (!item.is_free && condition_(item.ranks).starts_with("rank"));
      const bool is_free = visits.ranks() == around_.size(); // nobody else is here
      const std::uint64_t new_lines =
          lines_of(turns.bodies[0]) + (visits.are_once() ? 0 : 1) + (is_free ? 0 : 1);
      if (i + 1 == end || directions.differ() || new_lines >= lines) continue;
      const bool is_long =
          say_the_same && !directions.has_any() && lines >= new_lines + kWorthCounts;
      const bool is_same_for_all = say_the_same && is_free && visits.are_equal();
      if (names_ranks || is_long || is_same_for_all || are_neighbours(visits, turns.bodies[0]))
        first = i;
    }
    return first;
  }

  // Guards say which ranks have more neighbours than others, which a loop over them says better.
  bool are_neighbours(const Visits& visits, Body body) const {
    if (visits.ranks() != around_.size()) return false;
    const auto times = visits.times();
    const bool differ = std::any_of(times.begin(), times.end(), [&](const auto& one) {
      return one.second != times.begin()->second;
    });
    return differ && counts_(times, body) == kNeighbours;
  }

  Guarded joined_items(std::size_t begin, std::size_t first, std::size_t end) const {
    Bodies bodies;
    std::vector<std::uint64_t> weights;
    Visits visits;
    for (std::size_t i = first; i < end; ++i) {
      const Turns& turns = turns_[i - begin];
      bodies.insert(bodies.end(), turns.bodies.begin(), turns.bodies.end());
      weights.resize(bodies.size(), static_cast<std::uint64_t>(items_[i].ranks.size()));
      visits.add(items_[i].ranks, turns);
    }
    Guarded result;
    result.ranks = visits.set();
    result.is_free = result.ranks == around_;
    result.body = join_alike(bodies, false, weights);
    if (!visits.are_once()) result.body = {loop_of(visits.times(), std::move(result.body))};
    return result;
  }

  Statement loop_of(std::map<std::int64_t, std::int64_t> counts,
                    std::vector<Statement> body) const {
    if (auto seldom = seldom_loop(counts, body)) return {std::move(*seldom)};
    const std::int64_t first = counts.begin()->second;
    const bool is_equal = std::all_of(counts.begin(), counts.end(),
                                      [&](const auto& one) { return one.second == first; });
    std::string count = is_equal ? std::to_string(first) : counts_(counts, body);
    const bool is_by_rank = !is_equal && count != kNeighbours;
    if (count == kNeighbours) say_neighbours(body);
    LoopStatement loop{std::move(count), std::move(body), is_by_rank, {}};
    if (!is_equal)
      loop.count_of_rank =
          std::make_shared<const std::map<std::int64_t, std::int64_t>>(std::move(counts));
    return {std::move(loop)};
  }

  // What comes in some rounds at several places of the source comes so often in all: "loop 2: in
  // some rounds" would be a loop that nobody wrote.
  static std::optional<LoopStatement>
  seldom_loop(const std::map<std::int64_t, std::int64_t>& counts, std::vector<Statement>& body) {
    auto* inner = body.size() == 1 ? std::get_if<LoopStatement>(&body[0].is) : nullptr;
    if (inner == nullptr || !is_in_some_rounds(inner->count)) return std::nullopt;
    std::int64_t sum = 0;
    std::int64_t most = 0;
    for (const auto& [rank, count] : counts) {
      sum += count;
      most = std::max(most, count);
    }
    const auto ranks = static_cast<double>(counts.size());
    const double mean = counts_of(inner->count)->mean * static_cast<double>(sum) / ranks;
    std::vector<Statement> seldom = std::move(inner->body);
    return LoopStatement{"0.." + std::to_string(most) + " (mean " +
                             compact_mean(mean, 0, static_cast<double>(most)) + ")",
                         std::move(seldom)};
  }

  std::vector<Guarded> items_;
  const RankSet& around_;
  const ConditionText& condition_;
  const CountsText& counts_;
  std::vector<Turns> turns_; // of the run
  std::size_t end_of_one_call_ = 0; // behind the last run of one call that was looked at
};

} // namespace

std::vector<Guarded> alike_guards_joined(std::vector<Guarded>&& items, const RankSet& around,
                                         const ConditionText& condition, const CountsText& counts) {
  return GuardJoining(std::move(items), around, condition, counts).run();
}

} // namespace rondo::logical::internal
