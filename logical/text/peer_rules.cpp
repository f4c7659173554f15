// SPDX-License-Identifier: Apache-2.0
#include "logical/text/peer_rules.hpp"

#include "logical/places/peer_words.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>

namespace rondo::logical::internal {
namespace {

constexpr std::int64_t kFewestToldRounds = 3;
constexpr std::int64_t kMostDoubledRounds = 40; // rounds; beyond, no number of ranks is as great

topology::Vertex copy_in(const PeerTopology& of, std::size_t rank) {
  return of.copy_of.empty() ? 0 : of.copy_of[rank];
}

std::int64_t modulo_of(std::int64_t number, std::int64_t of) { return ((number % of) + of) % of; }

} // namespace

Whereabouts::Whereabouts(const LogicalProgram& logical,
                         const std::vector<std::size_t>& rank_of_cell)
    : logical_(logical), rank_of_cell_(rank_of_cell) {
  for (const PeerTopology& of : logical.peer_topologies) {
    auto& ranks = ranks_.emplace_back();
    for (std::size_t rank = 0; rank < of.cells.size(); ++rank)
      ranks.emplace(std::pair(copy_in(of, rank), of.cells[rank]), rank);
  }
}

std::size_t Whereabouts::recorded(std::int64_t cell) const {
  return rank_of_cell_[static_cast<std::size_t>(cell)];
}

std::int64_t Whereabouts::number(std::int64_t cell) const {
  return logical_.says_cells ? cell : static_cast<std::int64_t>(recorded(cell));
}

std::optional<std::int64_t> Whereabouts::number(std::int64_t cell, const Peer& peer) const {
  if (peer.form == Peer::Form::kSelf) return number(cell);
  if (peer.form == Peer::Form::kOutside) return number(cell + peer.distance);
  if (peer.form != Peer::Form::kDirection) return std::nullopt;
  const PeerTopology& of = logical_.peer_topologies[peer.peer_topology];
  const auto to = target(cell, peer);
  if (!to) return std::nullopt;
  const auto found = ranks_[peer.peer_topology].find({copy_in(of, recorded(cell)), *to});
  if (found == ranks_[peer.peer_topology].end()) return std::nullopt;
  return logical_.says_cells ? logical_.cell_of_rank[found->second]
                             : static_cast<std::int64_t>(found->second);
}

bool Whereabouts::leads_somewhere(std::int64_t cell, const Peer& peer) const {
  return target(cell, peer).has_value();
}

std::optional<topology::Vertex> Whereabouts::target(std::int64_t cell, const Peer& peer) const {
  const PeerTopology& of = logical_.peer_topologies[peer.peer_topology];
  const topology::Vertex own = of.cells[recorded(cell)];
  if (own < 0 || peer.direction >= of.directions.size()) return std::nullopt;
  return of.directions.target(own, peer.direction);
}

std::int64_t RoundSteps::at(std::int64_t round) const {
  switch (kind) {
  case Kind::kLinear:
    return factor * round + shift;
  case Kind::kDoubling:
    return factor << round;
  case Kind::kHalving:
    return factor >> round;
  }
  return 0;
}

std::string RoundSteps::text() const {
  if (kind == Kind::kDoubling) return "(" + std::to_string(factor) + " << round)";
  if (kind == Kind::kHalving) return "(" + std::to_string(factor) + " >> round)";
  return (factor == 1 ? "" : std::to_string(factor) + " * ") + "round" +
         (shift == 0 ? "" : " + " + std::to_string(shift));
}

bool PeerRule::is_there(const Whereabouts& where, std::int64_t cell, std::int64_t round) const {
  if (steps.kind != RoundSteps::Kind::kLinear && round > kMostDoubledRounds) return false;
  const std::int64_t own = where.number(cell);
  if (kind == Kind::kDirections)
    return where.leads_somewhere(cell, ((counts_ranks ? own : 0) + round) % 2 == 0 ? even : odd);
  const std::int64_t to = target(own, round, where.ranks());
  return to >= 0 && to < where.ranks() && to != own;
}

bool PeerRule::is(const Whereabouts& where, std::int64_t cell, std::int64_t round,
                  std::int64_t code) const {
  if (code == trace::kProcNull || !is_there(where, cell, round))
    return code == trace::kProcNull && !is_there(where, cell, round);
  return !trace::is_special(code) && leads_to(where, cell, round, peer_of(code));
}

bool PeerRule::leads_to(const Whereabouts& where, std::int64_t cell, std::int64_t round,
                        const Peer& peer) const {
  const std::int64_t own = where.number(cell);
  if (kind == Kind::kDirections)
    return peer == (((counts_ranks ? own : 0) + round) % 2 == 0 ? even : odd);
  return where.number(cell, peer) == target(own, round, where.ranks());
}

std::int64_t PeerRule::target(std::int64_t own, std::int64_t round, std::int64_t ranks) const {
  const std::int64_t step = steps.at(round);
  switch (kind) {
  case Kind::kXor:
    return own ^ step;
  case Kind::kEachInTurn:
    return step;
  case Kind::kMirrored:
    return modulo_of(step - own, ranks);
  case Kind::kUp:
    return modulo_of(own + step, ranks);
  case Kind::kDown:
    return modulo_of(own - step, ranks);
  case Kind::kUpToEnd:
    return own + step;
  case Kind::kDownToEnd:
    return own - step;
  case Kind::kRoundRobin: {
    const std::int64_t last = ranks - 1; // an odd number, of which ranks / 2 is a half of 1
    if (own == last) return modulo_of(step * (ranks / 2), last);
    const std::int64_t to = modulo_of(step - own, last);
    return to == own ? last : to;
  }
  case Kind::kDirections:
    break;
  }
  return own;
}

namespace {

// "rank == 15 ? round : rank == round ? 15 : (2 * round - rank) % 15".
std::string round_robin_text(const RoundSteps& steps, std::int64_t ranks) {
  const std::string last = std::to_string(ranks - 1);
  const std::string other = "(" + steps.text() + " - rank) % " + last;
  const bool is_plain = steps.factor == 2 && steps.shift == 0;
  const std::string of_last =
      is_plain ? "round" : "(" + std::to_string(ranks / 2) + " * (" + steps.text() + ")) % " + last;
  return "rank == " + last + " ? " + of_last + " : " +
         (is_plain ? "rank == round" : other + " == rank") + " ? " + last + " : " + other;
}

std::string minus_steps(const RoundSteps& steps) {
  if (steps.kind != RoundSteps::Kind::kLinear || steps.shift == 0) return " - " + steps.text();
  return " - " + RoundSteps{steps.kind, steps.factor, 0}.text() + " - " +
         std::to_string(steps.shift);
}

void add_equal_steps(PeerRule::Kind kind, std::int64_t ranks, std::vector<PeerRule>& rules) {
  constexpr std::int64_t kMostShifts = 64; // ranks up to which all are tried
  for (const std::int64_t step : {1, 2}) {
    for (std::int64_t shift = 0; shift < std::min(ranks, kMostShifts); ++shift)
      rules.push_back({kind, {RoundSteps::Kind::kLinear, step, shift}});
  }
}

} // namespace

std::vector<PeerRule> rules_of_equal_steps(std::int64_t ranks) {
  using Kind = PeerRule::Kind;
  std::vector<PeerRule> rules;
  for (const std::int64_t shift : {1, 0})
    rules.push_back({Kind::kXor, {RoundSteps::Kind::kLinear, 1, shift}});
  for (const Kind kind : {Kind::kUp, Kind::kDown}) add_equal_steps(kind, ranks, rules);
  return rules;
}

std::string PeerRule::text(const Names& names, std::int64_t ranks, bool or_nobody) const {
  const std::string nobody = or_nobody ? "|nobody" : "";
  const std::string modulo_ranks = " % " + std::to_string(ranks) + nobody;
  const bool is_linear = steps.kind == RoundSteps::Kind::kLinear;
  switch (kind) {
  case Kind::kDirections: {
    const std::string one = std::string(counts_ranks ? "(rank + round)" : "round") +
                            " % 2 == 0 ? " + names.direction(even) + " : " + names.direction(odd);
    return or_nobody ? "(" + one + ")" + nobody : one;
  }
  case Kind::kXor:
    return "rank ^ " + (is_linear && steps.shift != 0 ? "(" + steps.text() + ")" : steps.text()) +
           nobody;
  case Kind::kEachInTurn:
    return "(" + steps.text() + ")" + nobody;
  case Kind::kMirrored:
    return "(" + steps.text() + " - rank)" + modulo_ranks;
  case Kind::kUp:
    return "(rank + " + steps.text() + ")" + modulo_ranks;
  case Kind::kDown:
    return "(rank" + minus_steps(steps) + ")" + modulo_ranks;
  case Kind::kUpToEnd:
    return "rank + " + steps.text() + nobody;
  case Kind::kDownToEnd:
    return "rank" + minus_steps(steps) + nobody;
  case Kind::kRoundRobin:
    return round_robin_text(steps, ranks) + nobody;
  }
  return {};
}

namespace {

// A rule that holds for one word of a call on all ranks, as far as the calls before are concerned.
struct PeerCandidate {
  PeerRule rule;
  std::int64_t rounds = 0;
};

bool are_one_rule(const PeerRule& a, const PeerRule& b) {
  const auto tied = [](const PeerRule& of) {
    return std::tuple(of.kind, of.steps.kind, of.steps.factor, of.steps.shift, of.counts_ranks);
  };
  return tied(a) == tied(b) && a.even == b.even && a.odd == b.odd;
}

std::set<std::int64_t> peers_among(const std::vector<std::int64_t>& turns) {
  std::set<std::int64_t> peers(turns.begin(), turns.end());
  peers.erase(trace::kProcNull);
  return peers;
}

class RuleFinder {
public:
  /// All references must outlive this.
  RuleFinder(const std::vector<LoopCallsOfRank>& ranks, const LoopCalls& calls,
             const Whereabouts& where)
      : ranks_(ranks), calls_(calls), where_(where) {
    for (const LoopCalls::Call& call : calls.calls) {
      bool to_nobody = false;
      for (std::size_t i = 0; i < call.peer_words.size(); ++i)
        to_nobody = to_nobody || has_nobody(call.first_turn + i);
      has_nobody_.push_back(to_nobody);
      call_of_turn_.insert(call_of_turn_.end(), call.peer_words.size(), has_nobody_.size() - 1);
    }
  }

  std::optional<RulesOfLoop> find() const {
    std::vector<std::vector<PeerCandidate>> candidates;
    for (std::size_t turn = 0; turn < calls_.turns; ++turn) {
      candidates.push_back(candidates_for(turn));
      if (candidates.back().empty()) return std::nullopt;
    }
    for (const PeerCandidate& first : candidates[0]) {
      RulesOfLoop result{{first.rule}, first.rounds, has_nobody_, {}};
      for (std::size_t turn = 1; turn < calls_.turns; ++turn) {
        const PeerRule* other = beside(first, candidates[turn]);
        if (other != nullptr) result.rules.push_back(*other);
      }
      if (result.rules.size() == calls_.turns && hold(result)) return result;
    }
    return std::nullopt;
  }

private:
  bool has_nobody(std::size_t turn) const {
    return std::any_of(ranks_.begin(), ranks_.end(), [&](const LoopCallsOfRank& one) {
      const auto& turns = one.turns[turn];
      return std::find(turns.begin(), turns.end(), trace::kProcNull) != turns.end();
    });
  }

  static const PeerRule* beside(const PeerCandidate& first,
                                const std::vector<PeerCandidate>& others) {
    const PeerRule* found = nullptr;
    for (const PeerCandidate& other : others) {
      if (other.rounds != first.rounds) continue;
      if (are_one_rule(other.rule, first.rule)) return &other.rule;
      if (found == nullptr) found = &other.rule;
    }
    return found;
  }

  std::vector<PeerCandidate> candidates_for(std::size_t turn) const {
    std::vector<PeerCandidate> result;
    for (const PeerRule& rule : rules_for(turn)) {
      const auto rounds = rounds_by(rule, turn);
      const bool may_close = rule.kind == PeerRule::Kind::kDirections;
      if (rounds && *rounds >= kFewestToldRounds && (may_close || *rounds <= 2 * where_.ranks()))
        result.push_back({rule, *rounds});
    }
    std::stable_sort(result.begin(), result.end(),
                     [](const auto& a, const auto& b) { return a.rounds < b.rounds; });
    return result;
  }

  // Two directions by turns, or a formula for the number of the peer.
  // These are no chance where a rank has several peers and each of them once.
  std::vector<PeerRule> rules_for(std::size_t turn) const {
    constexpr std::size_t kFewestPeers = 3;
    const auto size = [&](const LoopCallsOfRank& one) {
      return std::pair(peers_among(one.turns[turn]).size(), one.turns[turn].size());
    };
    const auto most =
        std::max_element(ranks_.begin(), ranks_.end(),
                         [&](const auto& a, const auto& b) { return size(a) < size(b); });
    const std::vector<std::int64_t>& turns = most->turns[turn];
    std::vector<PeerRule> rules;
    if (turns.size() < 2) return rules;
    add_directions(turns, where_.number(most->cell), rules);
    const auto different = static_cast<std::ptrdiff_t>(peers_among(turns).size());
    const std::ptrdiff_t nobody = std::count(turns.begin(), turns.end(), trace::kProcNull);
    if (different >= static_cast<std::ptrdiff_t>(kFewestPeers) &&
        different + nobody == static_cast<std::ptrdiff_t>(turns.size()))
      add_formulas(rules);
    return rules;
  }

  // By the first two turns of the rank that has most.
  void add_directions(const std::vector<std::int64_t>& turns, std::int64_t number,
                      std::vector<PeerRule>& rules) const {
    const auto is_direction = [](std::int64_t code) {
      return !trace::is_special(code) && peer_of(code).form == Peer::Form::kDirection;
    };
    if (!is_direction(turns[0]) || !is_direction(turns[1]) || turns[0] == turns[1]) return;
    PeerRule rule;
    rule.counts_ranks = std::any_of(ranks_.begin(), ranks_.end(), [&](const LoopCallsOfRank& one) {
      return where_.number(one.cell) % 2 != number % 2;
    });
    const bool begins_even = number % 2 == 0 || !rule.counts_ranks;
    rule.even = peer_of(turns[begins_even ? 0 : 1]);
    rule.odd = peer_of(turns[begins_even ? 1 : 0]);
    rules.push_back(rule);
  }

  void add_formulas(std::vector<PeerRule>& rules) const {
    using Kind = PeerRule::Kind;
    const std::int64_t ranks = where_.ranks();
    for (const std::int64_t shift : {1, 0})
      rules.push_back({Kind::kXor, {RoundSteps::Kind::kLinear, 1, shift}});
    rules.push_back({Kind::kEachInTurn});
    std::vector<RoundSteps> powers = {{RoundSteps::Kind::kDoubling}};
    for (std::int64_t top = 4; top < ranks; top *= 2)
      powers.push_back({RoundSteps::Kind::kHalving, top});
    for (const RoundSteps& steps : powers) {
      for (const Kind kind : {Kind::kXor, Kind::kUp, Kind::kDown, Kind::kUpToEnd, Kind::kDownToEnd})
        rules.push_back({kind, steps});
    }
    for (const Kind kind : {Kind::kMirrored, Kind::kUp, Kind::kDown, Kind::kRoundRobin}) {
      if (kind == Kind::kRoundRobin && ranks % 2 != 0) continue;
      add_equal_steps(kind, ranks, rules);
    }
  }

  // How many rounds there are if a rule says whom a word of each call turns to.
  std::optional<std::int64_t> rounds_by(const PeerRule& rule, std::size_t turn) const {
    const bool calls_nobody = has_nobody_[call_of_turn_[turn]];
    std::int64_t all = 0;
    for (const LoopCallsOfRank& one : ranks_) {
      std::int64_t round = 0;
      for (const std::int64_t code : one.turns[turn]) {
        const std::int64_t latest = calls_nobody ? round : round + where_.ranks();
        while (!rule.is(where_, one.cell, round, code)) {
          if (round == latest || rule.is_there(where_, one.cell, round)) return std::nullopt;
          ++round;
        }
        ++round;
      }
      all = std::max(all, round);
    }
    return all;
  }

  // Whether each rank makes just the calls that rules say, in the order of the source. Those
  // without a peer are made by all ranks in each round, or where others are.
  bool hold(RulesOfLoop& rules) const {
    std::vector<bool> is_in_each(calls_.calls.size(), true);
    for (const LoopCallsOfRank& one : ranks_) {
      for (std::size_t call = 0; call < is_in_each.size(); ++call)
        is_in_each[call] = is_in_each[call] &&
                           std::count(one.order.begin(), one.order.end(), call) == rules.rounds;
    }
    return std::all_of(ranks_.begin(), ranks_.end(), [&](const LoopCallsOfRank& one) {
      return hold_for(one, is_in_each, rules);
    });
  }

  bool hold_for(const LoopCallsOfRank& one, const std::vector<bool>& is_in_each,
                RulesOfLoop& rules) const {
    auto& made = rules.made.emplace_back(calls_.calls.size());
    std::size_t next = 0;
    for (std::int64_t round = 0; round < rules.rounds; ++round) {
      std::vector<bool> is_made = calls_with_peers(one.cell, round, rules);
      const bool any = std::find(is_made.begin(), is_made.end(), true) != is_made.end();
      for (std::size_t call = 0; call < is_made.size(); ++call) {
        const bool has_peers = !calls_.calls[call].peer_words.empty();
        if (!(has_peers ? is_made[call] : any || is_in_each[call])) continue;
        if (next == one.order.size() || one.order[next++] != call ||
            !turns_to(one, call, made[call].size(), round, rules))
          return false;
        made[call].push_back(round);
      }
    }
    return next == one.order.size();
  }

  std::vector<bool> calls_with_peers(std::int64_t cell, std::int64_t round,
                                     const RulesOfLoop& rules) const {
    std::vector<bool> is_made;
    for (const LoopCalls::Call& call : calls_.calls) {
      bool is_there = !call.peer_words.empty();
      for (std::size_t i = 0; i < call.peer_words.size(); ++i)
        is_there = is_there && rules.rules[call.first_turn + i].is_there(where_, cell, round);
      is_made.push_back(is_there || has_nobody_[is_made.size()]);
    }
    return is_made;
  }

  // Whether a call of a rank, so many of its kind after the first, turns to whom rules say.
  bool turns_to(const LoopCallsOfRank& one, std::size_t call, std::size_t at, std::int64_t round,
                const RulesOfLoop& rules) const {
    const LoopCalls::Call& of = calls_.calls[call];
    for (std::size_t turn = of.first_turn; turn < of.first_turn + of.peer_words.size(); ++turn) {
      if (!rules.rules[turn].is(where_, one.cell, round, one.turns[turn][at])) return false;
    }
    return true;
  }

  const std::vector<LoopCallsOfRank>& ranks_;
  const LoopCalls& calls_;
  const Whereabouts& where_;
  std::vector<bool> has_nobody_; // by call
  std::vector<std::size_t> call_of_turn_; // by peer word
};

} // namespace

std::optional<RulesOfLoop> rules_of(std::vector<LoopCallsOfRank>& ranks, const LoopCalls& calls,
                                    const Whereabouts& where, std::uint64_t& times) {
  times = 1;
  if (auto rules = RuleFinder(ranks, calls, where).find()) return rules;
  std::uint64_t common = 0;
  for (const LoopCallsOfRank& one : ranks) common = std::gcd(common, one.order.size());
  for (times = 2; times <= common; ++times) {
    if (common % times != 0) continue;
    std::vector<LoopCallsOfRank> once = ranks;
    const bool is_again =
        std::all_of(once.begin(), once.end(), [&](auto& one) { return keep_once(one, times); });
    if (!is_again) continue;
    auto rules = RuleFinder(once, calls, where).find();
    if (!rules) continue;
    ranks = std::move(once);
    return rules;
  }
  return std::nullopt;
}

} // namespace rondo::logical::internal
