// SPDX-License-Identifier: Apache-2.0
#include "logical/text/told_by_rounds.hpp"

#include "logical/text/loop_calls.hpp"
#include "logical/text/peer_rules.hpp"
#include "rondo/trace/merged_program.hpp"

#include <algorithm>
#include <numeric>

namespace rondo::logical::internal {
namespace {

using trace::MergedCall;
using trace::Term;

constexpr std::uint64_t kMostToldSteps = std::uint64_t{1} << 22;

// "tag round" of tags that count with the rounds; nothing if they do not, on all ranks.
std::optional<std::string> tag_text(std::size_t call, std::size_t word,
                                    const std::vector<LoopCallsOfRank>& ranks,
                                    const RulesOfLoop& rules) {
  std::optional<std::int64_t> more;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const std::vector<std::int64_t>& rounds = rules.made[i][call];
    if (rounds.empty()) continue;
    const auto tags = ranks[i].tags.find({static_cast<std::ptrdiff_t>(call), word});
    if (tags == ranks[i].tags.end() || tags->second.size() != rounds.size()) return std::nullopt;
    for (std::size_t at = 0; at < rounds.size(); ++at) {
      const std::int64_t difference = tags->second[at] - rounds[at];
      if (difference < 0 || difference != more.value_or(difference)) return std::nullopt;
      more = difference;
    }
  }
  if (!more) return std::nullopt;
  return *more == 0 ? "round" : "round + " + std::to_string(*more);
}

// False if merged calls differ in tags, and these cannot be told.
bool tell_tags(const trace::MergedProgram& program, const LoopCalls& calls, std::size_t call,
               const std::vector<LoopCallsOfRank>& ranks, const RulesOfLoop& rules,
               ToldLoop& told) {
  const std::set<std::uint32_t>& merged = calls.calls[call].merged;
  const MergedCall& first = program.calls[*merged.begin()];
  for (const std::size_t word : tag_words_of(*trace::find_function(first.call.function))) {
    const auto text = tag_text(call, word, ranks, rules);
    const bool is_one = std::all_of(merged.begin(), merged.end(), [&](std::uint32_t index) {
      return program.calls[index].call.words[word] == first.call.words[word];
    });
    if (!text && !is_one) return false;
    if (!text) continue;
    for (const std::uint32_t index : merged) told.words[{index, word}] = *text;
  }
  return true;
}

// Whether a word has one direction in each round, on all ranks, whose name says as much as the
// rule: "bit 0, bit 1, bit 2", "+1, +2, +4".
bool is_plain_list(std::size_t turn, std::size_t call, const std::vector<LoopCallsOfRank>& ranks,
                   const RulesOfLoop& rules, const Names& names) {
  const PeerRule& rule = rules.rules[turn];
  if (rule.steps.kind == RoundSteps::Kind::kLinear) return false;
  const bool is_whole = std::all_of(rules.made.begin(), rules.made.end(), [&](const auto& made) {
    return static_cast<std::int64_t>(made[call].size()) == rules.rounds;
  });
  if (is_whole && rule.kind == PeerRule::Kind::kXor) return true;
  std::map<std::int64_t, std::int64_t> codes; // by round
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    for (std::size_t at = 0; at < ranks[i].turns[turn].size(); ++at) {
      const std::int64_t code = ranks[i].turns[turn][at];
      const std::int64_t round = rules.made[i][call][at];
      if (trace::is_special(code) || peer_of(code).form != Peer::Form::kDirection) return false;
      if (codes.emplace(round, code).first->second != code) return false;
    }
  }
  const bool is_up = rule.kind == PeerRule::Kind::kUp;
  if (!is_up && rule.kind != PeerRule::Kind::kDown) return true;
  return std::all_of(codes.begin(), codes.end(), [&](const auto& of) {
    return names.direction(peer_of(of.second)) ==
           (is_up ? "+" : "-") + std::to_string(rule.steps.at(of.first));
  });
}

// Of calls that are no loop there have to be some more rounds, and each has to be another step.
bool are_no_chance(const RulesOfLoop& rules, const ToldLoop& told) {
  constexpr std::int64_t kFewestRounds = 4;
  return told.times == 1 && rules.rounds >= kFewestRounds &&
         std::none_of(rules.rules.begin(), rules.rules.end(), [](const PeerRule& rule) {
           return rule.kind == PeerRule::Kind::kDirections;
         });
}

bool are_plain_lists(const LoopCalls& calls, const std::vector<LoopCallsOfRank>& ranks,
                     const RulesOfLoop& rules, const Names& names) {
  for (std::size_t call = 0; call < calls.calls.size(); ++call) {
    const LoopCalls::Call& of = calls.calls[call];
    for (std::size_t i = 0; i < of.peer_words.size(); ++i) {
      if (!is_plain_list(of.first_turn + i, call, ranks, rules, names)) return false;
    }
  }
  return true;
}

std::uint64_t calls_made(const trace::Projection& of) {
  const auto times = of.program.nest.occurrences(of.calls.size());
  return std::accumulate(times.begin(), times.end(), std::uint64_t{0});
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
  const auto calls = entries == 0 ? std::nullopt : calls_of_loop(program_, loop);
  if (!calls) return std::nullopt;
  return told_of(*calls,
                 ranks_in(program_.table.sets[program_.loops[loop.index()].set],
                          [&](const trace::Projection& program, std::int64_t cell) {
                            return calls_of_rank(logical_, program, cell, loop.index(), entries,
                                                 *calls);
                          }),
                 false);
}

std::optional<ToldLoop> ToldByRounds::of(std::span<const Term> stretch,
                                         const trace::RankSet& around, std::uint64_t entries) {
  const auto calls = entries == 0 ? std::nullopt : calls_of_stretch(program_, stretch);
  if (!calls) return std::nullopt;
  return told_of(*calls,
                 ranks_in(around,
                          [&](const trace::Projection& of,
                              std::int64_t cell) -> std::optional<LoopCallsOfRank> {
                            const std::uint64_t all = calls_made(of);
                            if (all > calls_to_read_) return std::nullopt;
                            calls_to_read_ -= all;
                            return calls_of_rank(logical_, of, cell, entries, *calls);
                          }),
                 true);
}

std::optional<ToldLoop> ToldByRounds::told_of(const LoopCalls& calls,
                                              std::vector<LoopCallsOfRank>&& ranks,
                                              bool is_stretch) {
  if (ranks.empty()) return std::nullopt;
  const Whereabouts where(logical_, rank_of_cell_);
  ToldLoop told;
  const auto rules = rules_of(ranks, calls, where, told.times);
  if (!rules || are_plain_lists(calls, ranks, *rules, names_)) return std::nullopt;
  if (is_stretch && !are_no_chance(*rules, told)) return std::nullopt;
  told.rounds = static_cast<std::uint64_t>(rules->rounds);
  for (std::size_t i = 0; i < calls.calls.size(); ++i) {
    const LoopCalls::Call& call = calls.calls[i];
    told.calls.push_back(call.merged);
    std::size_t turn = call.first_turn;
    for (const std::size_t word : call.peer_words) {
      const std::string text =
          rules->rules[turn++].text(names_, where.ranks(), rules->has_nobody[i]);
      for (const std::uint32_t merged : call.merged) told.words[{merged, word}] = text;
    }
    if (!tell_tags(program_, calls, i, ranks, *rules, told)) return std::nullopt;
  }
  for (const LoopCallsOfRank& one : ranks) {
    for (const auto& turns : one.turns) {
      for (const std::int64_t code : turns) {
        if (!trace::is_special(code) && peer_of(code).form == Peer::Form::kDirection)
          told.peer_topologies.insert(peer_of(code).peer_topology);
      }
    }
  }
  return told;
}

// What each rank does; empty if that is too much, or cannot be said.
std::vector<LoopCallsOfRank> ToldByRounds::ranks_in(const trace::RankSet& set,
                                                    const ReadRank& read) {
  const std::vector<std::int64_t> cells = set.ranks();
  if (cells.size() * program_.terms() > kMostToldSteps) return {};
  if (!table_) table_ = std::make_shared<const trace::RankTable>(program_.table);
  std::vector<LoopCallsOfRank> ranks;
  for (const std::int64_t cell : cells) {
    std::optional<trace::Projection> own;
    const trace::Projection& program =
        ranks.empty() ? first_program(cell) : own.emplace(trace::project(program_, table_, cell));
    auto one = read(program, cell);
    if (!one || cells.size() * one->order.size() > kMostToldSteps) return {};
    ranks.push_back(std::move(*one));
  }
  return ranks;
}

} // namespace rondo::logical::internal
