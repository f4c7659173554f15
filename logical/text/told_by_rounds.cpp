// SPDX-License-Identifier: Apache-2.0
#include "logical/text/told_by_rounds.hpp"

#include "logical/text/loop_calls.hpp"
#include "logical/text/peer_rules.hpp"
#include "rondo/trace/merged_program.hpp"

#include <algorithm>

namespace rondo::logical::internal {
namespace {

using trace::MergedCall;
using trace::Term;

constexpr std::uint64_t kMostToldSteps = std::uint64_t{1} << 22;

// "tag round" of tags that count with the rounds.
void tell_tags(const MergedCall& merged, std::uint32_t index, std::size_t call,
               const std::vector<LoopCallsOfRank>& ranks, const RulesOfLoop& rules,
               ToldLoop& told) {
  for (const std::size_t word : tag_words_of(*trace::find_function(merged.call.function))) {
    std::optional<std::int64_t> more;
    bool counts = true;
    for (std::size_t i = 0; i < ranks.size() && counts; ++i) {
      const std::vector<std::int64_t>& rounds = rules.made[i][call];
      const auto tags = ranks[i].tags.find({index, word});
      if (rounds.empty()) continue;
      counts = tags != ranks[i].tags.end() && tags->second.size() == rounds.size();
      for (std::size_t at = 0; counts && at < rounds.size(); ++at) {
        const std::int64_t difference = tags->second[at] - rounds[at];
        counts = difference >= 0 && difference == more.value_or(difference);
        more = difference;
      }
    }
    if (!counts || !more) continue;
    told.words[{index, word}] = *more == 0 ? "round" : "round + " + std::to_string(*more);
  }
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
  auto ranks = ranks_in(loop, entries, *calls);
  if (ranks.empty()) return std::nullopt;
  const Whereabouts where(logical_, rank_of_cell_);
  ToldLoop told;
  const auto rules = rules_of(ranks, *calls, where, told.times);
  if (!rules || are_plain_lists(*calls, ranks, *rules, names_)) return std::nullopt;
  told.rounds = static_cast<std::uint64_t>(rules->rounds);
  for (std::size_t i = 0; i < calls->calls.size(); ++i) {
    const LoopCalls::Call& call = calls->calls[i];
    told.calls.push_back(call.merged);
    std::size_t turn = call.first_turn;
    for (const std::size_t word : call.peer_words) {
      const std::string text =
          rules->rules[turn++].text(names_, where.ranks(), rules->has_nobody[i]);
      for (const std::uint32_t merged : call.merged) told.words[{merged, word}] = text;
    }
    if (call.merged.size() == 1)
      tell_tags(program_.calls[*call.merged.begin()], *call.merged.begin(), i, ranks, *rules, told);
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

// What each rank does in a loop; empty if that is too much, or cannot be said.
std::vector<LoopCallsOfRank> ToldByRounds::ranks_in(Term loop, std::uint64_t entries,
                                                    const LoopCalls& calls) {
  const std::vector<std::int64_t> cells =
      program_.table.sets[program_.loops[loop.index()].set].ranks();
  if (cells.size() * program_.terms() > kMostToldSteps) return {};
  if (!table_) table_ = std::make_shared<const trace::RankTable>(program_.table);
  std::vector<LoopCallsOfRank> ranks;
  for (const std::int64_t cell : cells) {
    std::optional<trace::Projection> own;
    const trace::Projection& program =
        ranks.empty() ? first_program(cell) : own.emplace(trace::project(program_, table_, cell));
    auto one = calls_of_rank(logical_, program, cell, loop.index(), entries, calls);
    if (!one || cells.size() * one->order.size() > kMostToldSteps) return {};
    ranks.push_back(std::move(*one));
  }
  return ranks;
}

} // namespace rondo::logical::internal
