// SPDX-License-Identifier: Apache-2.0
#include "logical/joining/exchange_rounds.hpp"

#include "logical/joining/alike.hpp"
#include "logical/joining/joined_words.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace rondo::logical::internal {
namespace {

using trace::RankSet;

// What an item is, if that is calls of known places and nothing else.
struct RoundCalls {
  std::vector<const CallStatement*> calls; // none: the item is something else
  std::int64_t times = 1; // of a loop over them
};

RoundCalls calls_of(const Guarded& item) {
  RoundCalls result;
  Body body = item.body;
  const auto* loop = body.size() == 1 ? std::get_if<LoopStatement>(&body[0].is) : nullptr;
  if (loop != nullptr) {
    const auto count = counts_of(loop->count);
    if (!count || count->least != count->most || loop->is_by_rank) return {};
    result.times = count->least;
    body = loop->body;
  }
  for (const Statement& statement : body) {
    const auto* call = std::get_if<CallStatement>(&statement.is);
    if (call == nullptr || call->sites.empty()) return {};
    result.calls.push_back(call);
  }
  return result;
}

bool are_one_call(const CallStatement& a, const CallStatement& b) {
  return a.sites == b.sites && are_alike(a, b);
}

bool has_peer(const CallStatement& call) {
  return std::any_of(call.words.begin(), call.words.end(),
                     [](const SaidWord& word) { return word.kind == SaidWord::Kind::kPeer; });
}

// Where each of several ranks is in the rounds, and how many it has been through.
class RankRounds {
public:
  explicit RankRounds(std::vector<const CallStatement*> round) : round_(std::move(round)) {}

  /// Whether the next calls of all ranks are these; if not, nothing is known of the ranks any more.
  bool go_through(const RankSet& ranks, const RoundCalls& next) {
    for (const std::int64_t rank : ranks.ranks()) {
      const bool is_new = at_.try_emplace(rank).second;
      At& at = at_[rank];
      open_ -= is_new || at.call == 0 ? 0 : 1;
      for (const CallStatement* call : next.calls) {
        if (!are_one_call(*call, *round_[at.call])) return false;
        at.call = (at.call + 1) % round_.size();
        at.rounds += at.call == 0 ? next.times : 0;
      }
      if (next.times != 1 && (at.call != 0 || next.calls.size() != round_.size())) return false;
      open_ += at.call == 0 ? 0 : 1;
    }
    return true;
  }
  bool are_complete() const { return open_ == 0; }
  bool has(std::int64_t rank) const { return at_.contains(rank); }
  std::map<std::int64_t, std::int64_t> rounds() const {
    std::map<std::int64_t, std::int64_t> result;
    for (const auto& [rank, at] : at_) result.emplace_hint(result.end(), rank, at.rounds);
    return result;
  }

private:
  struct At {
    std::size_t call = 0; // of the round, that comes next
    std::int64_t rounds = 0;
  };
  std::vector<const CallStatement*> round_;
  std::map<std::int64_t, At> at_; // by rank
  std::size_t open_ = 0; // ranks within a round
};

// Items that are all rounds of all their ranks.
struct Exchange {
  std::vector<std::size_t> items; // ascending
  std::vector<const CallStatement*> round;
  std::map<std::int64_t, std::int64_t> rounds; // by rank
};

class ExchangeJoining {
public:
  ExchangeJoining(std::vector<Guarded>&& items, const RankSet& around, const CountsText& counts)
      : items_(std::move(items)), around_(around), counts_(counts) {
    for (const Guarded& item : items_) calls_.push_back(calls_of(item));
  }

  std::vector<Guarded> run() {
    std::vector<Guarded> result;
    for (std::size_t i = 0; i < items_.size();) {
      const Exchange exchange = exchange_from(i);
      if (exchange.items.size() < 2 || !is_worth_it(exchange)) {
        result.push_back(std::move(items_[i++]));
        continue;
      }
      result.push_back(joined(exchange));
      // What stands between them is of ranks that are done with it.
      for (std::size_t k = exchange.items.size(); k-- > 0;) {
        const auto at = static_cast<std::ptrdiff_t>(exchange.items[k]);
        items_.erase(items_.begin() + at);
        calls_.erase(calls_.begin() + at);
      }
    }
    return result;
  }

private:
  static constexpr std::size_t kFarthest = 32; // items

  // The calls that a rank of the item makes until it comes to the first of them again, in the order
  // of the items; none if no rank does, or has something else between them.
  std::vector<const CallStatement*> round_from(std::size_t begin) const {
    const RoundCalls& first = calls_[begin];
    if (first.calls.empty() || first.times != 1) return first.calls;
    const auto comes_again = [&](std::size_t i) {
      return !calls_[i].calls.empty() && are_one_call(*calls_[i].calls[0], *first.calls[0]) &&
             !are_disjoint(items_[i].ranks, items_[begin].ranks);
    };
    const std::size_t end = std::min(items_.size(), begin + kFarthest);
    std::size_t again = begin + 1;
    while (again < end && !comes_again(again)) ++again;
    if (again >= end) return {};
    const std::vector<std::int64_t> ranks = items_[again].ranks.ranks();
    const std::int64_t rank = *std::find_if(
        ranks.begin(), ranks.end(), [&](auto one) { return items_[begin].ranks.contains(one); });
    std::vector<const CallStatement*> round;
    for (std::size_t i = begin; i < again; ++i) {
      if (!items_[i].ranks.contains(rank)) continue;
      const RoundCalls& next = calls_[i];
      if (next.calls.empty() || next.times != 1) return {};
      round.insert(round.end(), next.calls.begin(), next.calls.end());
    }
    return round;
  }

  // Several calls of the source, each of them once, and messages among them.
  static bool may_be_round(const std::vector<const CallStatement*>& calls) {
    constexpr std::size_t kLongestRound = 6;
    if (calls.size() < 2 || calls.size() > kLongestRound) return false;
    const bool has_twice = std::any_of(calls.begin(), calls.end(), [&](const auto* one) {
      return std::count_if(calls.begin(), calls.end(),
                           [&](const auto* other) { return are_one_call(*one, *other); }) > 1;
    });
    return !has_twice && std::any_of(calls.begin(), calls.end(),
                                     [](const auto* call) { return has_peer(*call); });
  }

  Exchange exchange_from(std::size_t begin) const {
    Exchange exchange{{}, round_from(begin), {}};
    const auto& round = exchange.round;
    if (!may_be_round(round)) return {};
    RankRounds rounds(round);
    std::vector<std::size_t> met;
    std::vector<std::size_t> between;
    const std::size_t end = std::min(items_.size(), begin + kFarthest);
    for (std::size_t i = begin; i < end; ++i) {
      if (!is_of(round, i)) {
        if (items_[i].ranks == around_) break;
        between.push_back(i);
        continue;
      }
      const bool goes_on = std::all_of(between.begin(), between.end(), [&](std::size_t k) {
        return are_disjoint(items_[i].ranks, items_[k].ranks);
      });
      if (!goes_on || !rounds.go_through(items_[i].ranks, calls_[i])) break;
      met.push_back(i);
      if (!rounds.are_complete()) continue;
      exchange.items = met;
      exchange.rounds = rounds.rounds();
    }
    return exchange;
  }

  bool is_of(const std::vector<const CallStatement*>& round, std::size_t i) const {
    const auto& calls = calls_[i].calls;
    return !calls.empty() && std::any_of(round.begin(), round.end(), [&](const auto* one) {
      return are_one_call(*one, *calls[0]);
    });
  }

  // Of each call of the round: it in all items.
  std::vector<Bodies> bodies_of(const Exchange& exchange) const {
    std::vector<Bodies> bodies(exchange.round.size());
    for (const std::size_t item : exchange.items) {
      const auto& body = items_[item].body;
      const auto* loop = std::get_if<LoopStatement>(&body[0].is);
      for (const Statement& statement : loop != nullptr ? loop->body : body) {
        for (std::size_t k = 0; k < bodies.size(); ++k) {
          if (!are_one_call(std::get<CallStatement>(statement.is), *exchange.round[k])) continue;
          bodies[k].push_back({&statement, 1});
          break;
        }
      }
    }
    return bodies;
  }

  bool is_worth_it(const Exchange& exchange) const {
    constexpr std::uint64_t kWorth = 2; // lines
    const bool goes_round = std::any_of(exchange.rounds.begin(), exchange.rounds.end(),
                                        [](const auto& one) { return one.second > 1; });
    std::uint64_t lines = 0;
    bool has_guard = false;
    const RankSet* before = nullptr;
    for (const std::size_t i : exchange.items) {
      const Guarded& item = items_[i];
      const bool is_below_same = before != nullptr && *before == item.ranks;
      lines += lines_of(item.body) + (item.is_free || is_below_same ? 0 : 1);
      has_guard = has_guard || !item.is_free;
      before = &item.ranks;
    }
    const std::uint64_t new_lines =
        exchange.round.size() + 1 + (exchange.rounds.size() == size_of_around() ? 0 : 1);
    if (!goes_round || !has_guard || lines < new_lines + kWorth) return false;
    const auto lost = words_lost(bodies_of(exchange));
    return lost && lines >= new_lines + std::max(kWorth, 1 + *lost);
  }

  std::size_t size_of_around() const { return static_cast<std::size_t>(around_.size()); }

  // What differs in the same way in several calls of a round is one thing. Nothing where rounds say
  // directions one by one, as "x-2|nobody" is, too.
  static std::optional<std::uint64_t> words_lost(const std::vector<Bodies>& bodies) {
    std::set<std::vector<std::string>> lost;
    for (const Bodies& of_call : bodies) {
      const auto& first = std::get<CallStatement>(of_call[0][0].is);
      for (std::size_t word = 0; word < first.words.size(); ++word) {
        std::vector<std::string> texts;
        bool are_directions = true;
        for (const Body body : of_call) {
          const SaidWord& said = std::get<CallStatement>(body[0].is).words[word];
          are_directions = are_directions && is_direction_or_nobody(said);
          texts.push_back(said.text);
        }
        const bool differs = std::any_of(texts.begin(), texts.end(),
                                         [&](const auto& text) { return text != texts[0]; });
        if (differs && are_directions) return std::nullopt;
        if (differs && !is_any_source(first.words[word])) lost.insert(std::move(texts));
      }
    }
    return lost.size();
  }

  Guarded joined(const Exchange& exchange) const {
    std::vector<Statement> body;
    for (const Bodies& of_call : bodies_of(exchange)) {
      const std::vector<std::uint64_t> weights(of_call.size(), 1); // calls have no trip counts
      std::vector<Statement> one = join_alike(of_call, false, weights);
      std::move(one.begin(), one.end(), std::back_inserter(body));
    }
    std::vector<std::int64_t> ranks;
    for (const auto& [rank, rounds] : exchange.rounds) ranks.push_back(rank);
    Guarded result;
    result.ranks = RankSet::of(std::move(ranks));
    result.is_free = result.ranks == around_;
    result.body = {{loop_of(exchange.rounds, std::move(body))}};
    return result;
  }

  LoopStatement loop_of(const std::map<std::int64_t, std::int64_t>& rounds,
                        std::vector<Statement> body) const {
    const std::int64_t first = rounds.begin()->second;
    if (std::all_of(rounds.begin(), rounds.end(),
                    [&](const auto& one) { return one.second == first; }))
      return {std::to_string(first), std::move(body)};
    LoopStatement loop{counts_(rounds, body), std::move(body)};
    loop.is_by_rank = loop.count != kNeighbours;
    if (!loop.is_by_rank) say_neighbours(loop.body);
    loop.count_of_rank = std::make_shared<const std::map<std::int64_t, std::int64_t>>(rounds);
    say_surplus(loop);
    return loop;
  }

  std::vector<Guarded> items_;
  std::vector<RoundCalls> calls_; // of the items
  const RankSet& around_;
  const CountsText& counts_;
};

} // namespace

std::vector<Guarded> exchange_rounds_joined(std::vector<Guarded>&& items, const RankSet& around,
                                            const CountsText& counts) {
  return ExchangeJoining(std::move(items), around, counts).run();
}

void say_surplus(LoopStatement& loop) {
  if (loop.count_of_rank == nullptr) return;
  const auto& counts = *loop.count_of_rank;
  std::int64_t all = 0;
  std::int64_t least = counts.begin()->second;
  for (const auto& [rank, count] : counts) {
    all += count;
    least = std::min(least, count);
  }
  const std::int64_t more = all - least * static_cast<std::int64_t>(counts.size());
  if (all == 0) return;
  for (Statement& statement : loop.body) {
    auto& call = std::get<CallStatement>(statement.is);
    if (call.shares.empty()) continue;
    for (CallShare& share : call.shares) share.surplus = 0;
    call.shares[0].surplus =
        call.executions * static_cast<std::uint64_t>(more) / static_cast<std::uint64_t>(all);
  }
}

} // namespace rondo::logical::internal
