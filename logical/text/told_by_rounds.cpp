// SPDX-License-Identifier: Apache-2.0
#include "logical/text/told_by_rounds.hpp"

#include "logical/places/peer_words.hpp"
#include "rondo/trace/call_reader.hpp"
#include "rondo/trace/merged_program.hpp"

#include <algorithm>
#include <numeric>

namespace rondo::logical::internal {
namespace {

using trace::MergedCall;
using trace::MergedProgram;
using trace::Term;

constexpr std::uint64_t kMostToldSteps = std::uint64_t{1} << 22;
constexpr std::uint64_t kMostToldCalls = std::uint64_t{1} << 12; // calls of a rank
constexpr std::int64_t kFewestToldRounds = 3;

// Words that say whom a call turns to.
std::vector<std::size_t> peer_words_of(const trace::Call& call) {
  std::vector<std::size_t> words;
  for_each_rank_word(*trace::find_function(call.function),
                     [&](std::size_t word, const trace::Field& field) {
                       if (field.kind == trace::FieldKind::kRank && !field.is_outcome)
                         words.push_back(word);
                     });
  return words;
}

std::vector<std::size_t> tag_words_of(const trace::Function& function) {
  const trace::CallMeaning& means = trace::meaning_of(function);
  std::vector<std::size_t> words;
  for (const int tag : {means.send_tag, means.receive_tag}) {
    if (tag >= 0) words.push_back(static_cast<std::size_t>(tag));
  }
  return words;
}

// Whether calls are one of the source but for whom they turn to.
bool are_one_but_for_peers(const MergedCall& a, const MergedCall& b) {
  if (a.call.function != b.call.function || a.call.site != b.call.site) return false;
  std::vector<std::size_t> other = word_kinds_of(*trace::find_function(a.call.function)).unsaid;
  for (const std::size_t word : peer_words_of(a.call)) other.push_back(word);
  for (std::size_t word = 0; word < a.call.words.size(); ++word) {
    const bool is_other = std::find(other.begin(), other.end(), word) != other.end();
    if (!is_other && a.call.words[word] != b.call.words[word]) return false;
  }
  return true;
}

// Whom a rank turns to, each time in the order of its calls: codes of peers, or kProcNull.
using PeersOfRank = std::vector<std::int64_t>;

// What one rank does in the loop the first time that it comes to it.
struct LoopCallsOfRank {
  std::int64_t cell = 0;
  std::vector<PeersOfRank> turns; // by call of a round and peer word
  std::map<std::pair<std::uint32_t, std::size_t>, std::vector<std::int64_t>>
      tags; // by merged call and word
};

// Where a rank's peers are.
class Whereabouts {
public:
  Whereabouts(const LogicalProgram& logical, const std::vector<std::size_t>& rank_of_cell)
      : logical_(logical), rank_of_cell_(rank_of_cell) {
    for (const PeerTopology& of : logical.peer_topologies) {
      auto& ranks = ranks_.emplace_back();
      for (std::size_t rank = 0; rank < of.cells.size(); ++rank)
        ranks.emplace(std::pair(copy_of(of, rank), of.cells[rank]), rank);
    }
  }

  std::int64_t ranks() const { return static_cast<std::int64_t>(rank_of_cell_.size()); }

  // As the text numbers them.
  std::int64_t number(std::int64_t cell) const {
    return logical_.says_cells ? cell : static_cast<std::int64_t>(recorded(cell));
  }

  std::optional<std::int64_t> number(std::int64_t cell, const Peer& peer) const {
    if (peer.form == Peer::Form::kSelf) return number(cell);
    if (peer.form == Peer::Form::kOutside) return number(cell + peer.distance);
    if (peer.form != Peer::Form::kDirection) return std::nullopt;
    const PeerTopology& of = logical_.peer_topologies[peer.peer_topology];
    const auto to = target(cell, peer);
    if (!to) return std::nullopt;
    const auto found = ranks_[peer.peer_topology].find({copy_of(of, recorded(cell)), *to});
    if (found == ranks_[peer.peer_topology].end()) return std::nullopt;
    return logical_.says_cells ? logical_.cell_of_rank[found->second]
                               : static_cast<std::int64_t>(found->second);
  }

  bool leads_somewhere(std::int64_t cell, const Peer& peer) const {
    return target(cell, peer).has_value();
  }

private:
  std::size_t recorded(std::int64_t cell) const {
    return rank_of_cell_[static_cast<std::size_t>(cell)];
  }
  static topology::Vertex copy_of(const PeerTopology& of, std::size_t rank) {
    return of.copy_of.empty() ? 0 : of.copy_of[rank];
  }
  std::optional<topology::Vertex> target(std::int64_t cell, const Peer& peer) const {
    const PeerTopology& of = logical_.peer_topologies[peer.peer_topology];
    const topology::Vertex own = of.cells[recorded(cell)];
    if (own < 0 || peer.direction >= of.directions.size()) return std::nullopt;
    return of.directions.target(own, peer.direction);
  }

  const LogicalProgram& logical_;
  const std::vector<std::size_t>& rank_of_cell_;
  std::vector<std::map<std::pair<topology::Vertex, topology::Vertex>, std::size_t>>
      ranks_; // by peer topology, copy and cell
};

// Whom ranks turn to by their numbers and that of the round.
struct PeerRule {
  enum class Kind : std::uint8_t {
    kDirections, // in one of two if rank + round is even, else in the other one
    kXor, // rank ^ (round + shift)
    kEachInTurn, // the rank with the number of the round
    kMirrored, // (step * round + shift - rank) modulo ranks
    kShifted, // (rank + step * round + shift) modulo ranks
  };
  Kind kind = Kind::kDirections;
  std::int64_t step = 1;
  std::int64_t shift = 0;
  Peer even{}, odd{};
  bool counts_ranks = true; // kDirections: else by the round alone, as few ranks have it

  // Whether `code` is the peer of a round; with kProcNull whether there is none.
  bool is(const Whereabouts& where, std::int64_t cell, std::int64_t round,
          std::int64_t code) const {
    const std::int64_t own = where.number(cell);
    if (kind == Kind::kDirections) {
      const Peer& peer = ((counts_ranks ? own : 0) + round) % 2 == 0 ? even : odd;
      return code == trace::kProcNull ? !where.leads_somewhere(cell, peer) : peer_of(code) == peer;
    }
    const std::int64_t to = target(own, round, where.ranks());
    const bool is_there = to >= 0 && to < where.ranks() && to != own;
    return code == trace::kProcNull ? !is_there
                                    : is_there && where.number(cell, peer_of(code)) == to;
  }

  std::string text(const Names& names, std::int64_t ranks, bool or_nobody) const {
    const std::string nobody = or_nobody ? "|nobody" : "";
    const auto plus = [](std::int64_t number) {
      return number == 0 ? std::string() : " + " + std::to_string(number);
    };
    const std::string steps = (step == 1 ? "" : std::to_string(step) + " * ") + "round";
    const std::string modulo = " % " + std::to_string(ranks);
    switch (kind) {
    case Kind::kDirections:
      return std::string(counts_ranks ? "(rank + round)" : "round") + " % 2 == 0 ? " +
             names.direction(even) + nobody + " : " + names.direction(odd) + nobody;
    case Kind::kXor:
      return (shift == 0 ? "rank ^ round" : "rank ^ (round" + plus(shift) + ")") + nobody;
    case Kind::kEachInTurn:
      return "(round)" + nobody;
    case Kind::kMirrored:
      return "(" + steps + plus(shift) + " - rank)" + modulo + nobody;
    case Kind::kShifted:
      return "(rank + " + steps + plus(shift) + ")" + modulo + nobody;
    }
    return {};
  }

private:
  std::int64_t target(std::int64_t own, std::int64_t round, std::int64_t ranks) const {
    switch (kind) {
    case Kind::kXor:
      return own ^ (round + shift);
    case Kind::kEachInTurn:
      return round;
    case Kind::kMirrored:
      return (((step * round + shift - own) % ranks) + ranks) % ranks;
    default:
      return (((own + step * round + shift) % ranks) + ranks) % ranks;
    }
  }
};

// In which rounds a rank makes its calls, if a rule says whom one of them turns to.
struct RoundsOfRanks {
  std::vector<std::vector<std::int64_t>> of; // by rank of the loop, and call
  std::int64_t all = 0;
  bool has_nobody = false; // calls to nobody
  bool leaves_out = false; // rounds without a call
};

std::optional<RoundsOfRanks> rounds_by(const PeerRule& rule,
                                       const std::vector<LoopCallsOfRank>& ranks, std::size_t word,
                                       const Whereabouts& where) {
  RoundsOfRanks rounds;
  for (const LoopCallsOfRank& one : ranks) {
    std::vector<std::int64_t>& own = rounds.of.emplace_back();
    std::int64_t round = 0;
    for (const std::int64_t code : one.turns[word]) {
      std::int64_t left_out = 0;
      while (!rule.is(where, one.cell, round, code)) {
        if (!rule.is(where, one.cell, round, trace::kProcNull) || ++left_out > where.ranks())
          return std::nullopt;
        rounds.leaves_out = true;
        ++round;
      }
      rounds.has_nobody = rounds.has_nobody || code == trace::kProcNull;
      own.push_back(round++);
    }
    rounds.all = std::max(rounds.all, round);
  }
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    for (std::int64_t round = rounds.of[i].empty() ? 0 : rounds.of[i].back() + 1;
         round < rounds.all; ++round) {
      if (!rule.is(where, ranks[i].cell, round, trace::kProcNull)) return std::nullopt;
      rounds.leaves_out = true;
    }
  }
  if (rounds.has_nobody && rounds.leaves_out) return std::nullopt;
  return rounds;
}

// Whether a rule says of another word whom the calls of these rounds turn to.
bool says_whom(const PeerRule& rule, const std::vector<LoopCallsOfRank>& ranks, std::size_t word,
               const RoundsOfRanks& rounds, const Whereabouts& where) {
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const PeersOfRank& turns = ranks[i].turns[word];
    if (turns.size() != rounds.of[i].size()) return false;
    std::size_t next = 0;
    for (std::int64_t round = 0; round < rounds.all; ++round) {
      const bool is_call = next < turns.size() && rounds.of[i][next] == round;
      const std::int64_t code = is_call ? turns[next++] : trace::kProcNull;
      if (!rule.is(where, ranks[i].cell, round, code)) return false;
    }
  }
  return true;
}

// Two directions by turns, or a formula for the number of the peer.
// These are no chance where a rank has several peers and each of them once.
std::vector<PeerRule> rules_for(const std::vector<LoopCallsOfRank>& ranks, std::size_t word,
                                const Whereabouts& where) {
  constexpr std::size_t kFewestPeers = 3;
  constexpr std::int64_t kMostShifts = 64; // ranks up to which all are tried
  std::vector<PeerRule> rules;
  const auto most = std::max_element(ranks.begin(), ranks.end(), [&](const auto& a, const auto& b) {
    return a.turns[word].size() < b.turns[word].size();
  });
  const PeersOfRank& turns = most->turns[word];
  if (turns.size() < 2) return {};
  const auto is_direction = [](std::int64_t code) {
    return !trace::is_special(code) && peer_of(code).form == Peer::Form::kDirection;
  };
  if (is_direction(turns[0]) && is_direction(turns[1]) && turns[0] != turns[1]) {
    PeerRule rule;
    const std::int64_t first = where.number(most->cell) % 2;
    rule.counts_ranks = std::any_of(ranks.begin(), ranks.end(), [&](const LoopCallsOfRank& one) {
      return where.number(one.cell) % 2 != first;
    });
    const bool begins_even = first == 0 || !rule.counts_ranks;
    rule.even = peer_of(turns[begins_even ? 0 : 1]);
    rule.odd = peer_of(turns[begins_even ? 1 : 0]);
    rules.push_back(rule);
  }
  const std::set<std::int64_t> different(turns.begin(), turns.end());
  if (different.size() < kFewestPeers || different.size() < turns.size()) return rules;
  for (const std::int64_t shift : {1, 0}) rules.push_back({PeerRule::Kind::kXor, 1, shift});
  rules.push_back({PeerRule::Kind::kEachInTurn});
  for (const auto kind : {PeerRule::Kind::kMirrored, PeerRule::Kind::kShifted}) {
    for (const std::int64_t step : {1, 2}) {
      for (std::int64_t shift = 0; shift < std::min(where.ranks(), kMostShifts); ++shift)
        rules.push_back({kind, step, shift});
    }
  }
  return rules;
}

// The calls of a loop as those of the source.
using CallsOfSource = std::vector<std::set<std::uint32_t>>;

// False if there is anything else below a term than calls with a peer, or too many of them.
bool add_calls_of(const MergedProgram& program, Term term, CallsOfSource& calls) {
  constexpr std::size_t kMostCalls = 4;
  if (term.is_loop()) {
    const std::vector<Term>& body = program.loops[term.index()].body;
    return std::all_of(body.begin(), body.end(),
                       [&](Term inner) { return add_calls_of(program, inner, calls); });
  }
  const MergedCall& call = program.calls[term.index()];
  const auto known = std::find_if(calls.begin(), calls.end(), [&](const auto& one) {
    return are_one_but_for_peers(program.calls[*one.begin()], call);
  });
  if (known != calls.end()) {
    known->insert(term.index());
  } else {
    calls.push_back({term.index()});
  }
  return !peer_words_of(call.call).empty() && calls.size() <= kMostCalls;
}

// Whether a rank may turn to several peers there.
bool has_several_peers(const MergedProgram& program, const std::set<std::uint32_t>& calls) {
  using Form = trace::Word::Form;
  const MergedCall& first = program.calls[*calls.begin()];
  const std::vector<std::size_t> words = peer_words_of(first.call);
  return calls.size() > 1 || std::any_of(words.begin(), words.end(), [&](std::size_t word) {
           const Form form = first.call.words[word].form;
           return form >= Form::kColumn && form != Form::kByRank;
         });
}

// What comes again so often, each time the same, once; false if it does not.
bool keep_once(LoopCallsOfRank& of, std::uint64_t times) {
  const auto keep = [&](std::vector<std::int64_t>& values) {
    const auto once = static_cast<std::ptrdiff_t>(values.size() / times);
    if (values.size() % times != 0 ||
        !std::equal(values.begin() + once, values.end(), values.begin()))
      return false;
    values.resize(static_cast<std::size_t>(once));
    return true;
  };
  for (PeersOfRank& turns : of.turns) {
    if (!keep(turns)) return false;
  }
  for (auto& [word, tags] : of.tags) {
    if (!keep(tags)) tags.clear(); // not told
  }
  return true;
}

// The calls of one rank in a loop.
class LoopOfRank {
public:
  /// @param of  the rank's program, which must outlive this
  LoopOfRank(const LogicalProgram& logical, const trace::Projection& of, std::int64_t cell)
      : cell_(cell), of_(of), positions_(logical.cells, cell) {}

  // Nothing if a round is not the same calls in the same order, or the loop another one each time
  // that the rank comes to it.
  std::optional<LoopCallsOfRank> read(std::uint32_t loop, std::uint64_t entries,
                                      const CallsOfSource& calls) {
    const auto at = std::find(of_.loops.begin(), of_.loops.end(), loop);
    if (at == of_.loops.end() || entries > kMostToldCalls) return std::nullopt;
    const Term own = Term::loop(static_cast<std::uint32_t>(at - of_.loops.begin()));
    const trace::Nest nest(of_.program.nest.loops(), std::vector<Term>(entries, own));
    trace::NestReader reader(nest);
    LoopCallsOfRank result{cell_, {}, {}};
    std::size_t word = 0; // of a round
    std::uint64_t made = 0;
    while (const auto symbol = reader.next()) {
      const std::size_t turn = made++ % calls.size();
      if (turn == 0) word = 0;
      if (made > kMostToldCalls || !calls[turn].contains(of_.calls[*symbol])) return std::nullopt;
      word = add(*symbol, word, result);
    }
    const bool is_whole = made > 0 && made % (entries * calls.size()) == 0;
    if (!is_whole || !is_all(calls, made) || !keep_once(result, entries)) return {};
    return result;
  }

private:
  std::size_t add(std::uint32_t symbol, std::size_t to, LoopCallsOfRank& result) {
    const trace::Call& call = of_.program.calls[symbol];
    const trace::Function& function = *trace::find_function(call.function);
    const int comm = function.comm_word();
    const std::int64_t slot =
        comm < 0 ? trace::kWorldSlot : call.words[static_cast<std::size_t>(comm)].value;
    const auto& position = positions_.of(slot);
    std::map<std::int64_t, std::int64_t> now; // values of columns, which words may share
    const auto value_of = [&](std::size_t word) {
      trace::Word said = call.words[word];
      if (trace::is_column(said)) {
        if (!now.contains(said.value)) now[said.value] = next_of(said.value);
        said = trace::word_at(said, now[said.value]);
      }
      return trace::value_of_word(of_.program, said, cell_, position);
    };
    for (const std::size_t word : peer_words_of(call)) {
      const std::int64_t value = value_of(word);
      if (result.turns.size() <= to) result.turns.emplace_back();
      result.turns[to++].push_back(trace::is_special(value) ? value : value - position.rank);
    }
    for (const std::size_t word : tag_words_of(function))
      result.tags[{of_.calls[symbol], word}].push_back(value_of(word));
    return to;
  }

  std::int64_t next_of(std::int64_t column) {
    auto known = columns_.find(column);
    if (known == columns_.end())
      known =
          columns_.try_emplace(column, of_.program.columns[static_cast<std::size_t>(column)]).first;
    return known->second.next().value_or(trace::kNothing);
  }

  // Whether the rank makes these calls nowhere else: columns begin with the loop then.
  bool is_all(const CallsOfSource& calls, std::uint64_t made) const {
    const auto times = of_.program.nest.occurrences(of_.calls.size());
    std::uint64_t all = 0;
    for (std::size_t symbol = 0; symbol < times.size(); ++symbol) {
      const bool is_of_loop = std::any_of(calls.begin(), calls.end(), [&](const auto& one) {
        return one.contains(of_.calls[symbol]);
      });
      all += is_of_loop ? times[symbol] : 0;
    }
    return all == made;
  }

  std::int64_t cell_;
  const trace::Projection& of_;
  trace::Positions positions_;
  std::map<std::int64_t, trace::ColumnReader> columns_;
};

// A rule for each peer word, all with the same rounds; empty if there are none.
std::vector<PeerRule> rules_of(const std::vector<LoopCallsOfRank>& ranks, const Whereabouts& where,
                               std::optional<RoundsOfRanks>& rounds) {
  for (const PeerRule& first : rules_for(ranks, 0, where)) {
    rounds = rounds_by(first, ranks, 0, where);
    const bool may_close = first.kind == PeerRule::Kind::kDirections;
    if (!rounds || rounds->all < kFewestToldRounds ||
        (!may_close && rounds->all > 2 * where.ranks()))
      continue;
    std::vector<PeerRule> rules{first};
    for (std::size_t word = 1; word < ranks.front().turns.size(); ++word) {
      const std::vector<PeerRule> others = rules_for(ranks, word, where);
      const auto other = std::find_if(others.begin(), others.end(), [&](const PeerRule& rule) {
        return says_whom(rule, ranks, word, *rounds, where);
      });
      if (other == others.end()) break;
      rules.push_back(*other);
    }
    if (rules.size() == ranks.front().turns.size()) return rules;
  }
  return {};
}

// The same of a loop in another one, which ranks were seen to go through as one: the other one goes
// round as seldom as may be.
std::vector<PeerRule> rules_of_shorter(std::vector<LoopCallsOfRank>& ranks,
                                       const Whereabouts& where,
                                       std::optional<RoundsOfRanks>& rounds, std::uint64_t& times) {
  std::uint64_t common = 0;
  for (const LoopCallsOfRank& one : ranks) common = std::gcd(common, one.turns[0].size());
  for (times = 2; times <= common; ++times) {
    if (common % times != 0) continue;
    std::vector<LoopCallsOfRank> once = ranks;
    const bool is_again =
        std::all_of(once.begin(), once.end(), [&](auto& one) { return keep_once(one, times); });
    if (!is_again) continue;
    auto rules = rules_of(once, where, rounds);
    if (rules.empty()) continue;
    ranks = std::move(once);
    return rules;
  }
  return {};
}

// "tag round" of tags that count with the rounds.
void tell_tags(const MergedCall& merged, std::uint32_t call,
               const std::vector<LoopCallsOfRank>& ranks, const RoundsOfRanks& rounds,
               ToldLoop& told) {
  for (const std::size_t word : tag_words_of(*trace::find_function(merged.call.function))) {
    std::optional<std::int64_t> more;
    bool counts = true;
    for (std::size_t i = 0; i < ranks.size() && counts; ++i) {
      const auto tags = ranks[i].tags.find({call, word});
      counts = tags != ranks[i].tags.end() && tags->second.size() == rounds.of[i].size();
      for (std::size_t at = 0; counts && at < rounds.of[i].size(); ++at) {
        const std::int64_t difference = tags->second[at] - rounds.of[i][at];
        counts = difference >= 0 && difference == more.value_or(difference);
        more = difference;
      }
    }
    if (!counts || !more) continue;
    told.words[{call, word}] = *more == 0 ? "round" : "round + " + std::to_string(*more);
  }
}

} // namespace

// Most loops cannot be told, which the first of their ranks shows already: it is often the same
// one.
const trace::Projection& ToldByRounds::first_program(std::int64_t cell) {
  if (!first_ || first_->first != cell)
    first_.emplace(cell, trace::project(program_, table_, cell));
  return first_->second;
}

std::optional<ToldLoop> ToldByRounds::of(Term loop, std::uint64_t entries) {
  CallsOfSource calls;
  if (entries == 0 || !add_calls_of(program_, loop, calls) ||
      std::none_of(calls.begin(), calls.end(),
                   [&](const auto& one) { return has_several_peers(program_, one); }))
    return std::nullopt;
  const std::vector<std::int64_t> cells =
      program_.table.sets[program_.loops[loop.index()].set].ranks();
  if (cells.size() * program_.terms() > kMostToldSteps) return std::nullopt;
  if (!table_) table_ = std::make_shared<const trace::RankTable>(program_.table);
  std::vector<LoopCallsOfRank> ranks;
  for (const std::int64_t cell : cells) {
    std::optional<trace::Projection> own;
    const trace::Projection& program =
        ranks.empty() ? first_program(cell) : own.emplace(trace::project(program_, table_, cell));
    auto one = LoopOfRank(logical_, program, cell).read(loop.index(), entries, calls);
    if (!one || cells.size() * one->turns[0].size() > kMostToldSteps) return std::nullopt;
    ranks.push_back(std::move(*one));
  }
  const Whereabouts where(logical_, rank_of_cell_);
  std::optional<RoundsOfRanks> rounds;
  ToldLoop told{1, 0, std::move(calls), {}, {}};
  std::vector<PeerRule> rules = rules_of(ranks, where, rounds);
  if (rules.empty()) rules = rules_of_shorter(ranks, where, rounds, told.times);
  if (rules.empty()) return std::nullopt;
  told.rounds = static_cast<std::uint64_t>(rounds->all);
  std::size_t next = 0;
  for (const auto& one : told.calls) {
    for (const std::size_t word : peer_words_of(program_.calls[*one.begin()].call)) {
      const std::string text = rules[next++].text(names_, where.ranks(), rounds->has_nobody);
      for (const std::uint32_t call : one) told.words[{call, word}] = text;
    }
    if (one.size() == 1)
      tell_tags(program_.calls[*one.begin()], *one.begin(), ranks, *rounds, told);
  }
  for (const LoopCallsOfRank& one : ranks) {
    for (const std::int64_t code : one.turns[0]) {
      if (!trace::is_special(code) && peer_of(code).form == Peer::Form::kDirection)
        told.peer_topologies.insert(peer_of(code).peer_topology);
    }
  }
  return told;
}

} // namespace rondo::logical::internal
