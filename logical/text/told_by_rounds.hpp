// SPDX-License-Identifier: Apache-2.0
// Whom a call turns to in a loop, where the numbers of the rank and of the round tell: to the east
// if both together are even, and to the west else, as in an odd-even sort; to rank ^ round.
//
//   ToldByRounds told(logical, program, names, rank_of_cell);
//   if (const auto loop = told.of(term, entries)) ... // "loop 7: sendrecv (rank + round) % 2 ..."
//
// Rounds count from 0. In a round in which such a peer does not exist a rank makes no call, so that
// ranks at a border, whose own loops are shorter, have the loop of all others.
#pragma once

#include "logical/places/names.hpp"
#include "logical/text/loop_calls.hpp"
#include "rondo/logical/logical_program.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace rondo::logical::internal {

struct ToldLoop {
  std::uint64_t times = 1; // of a loop around it
  std::uint64_t rounds = 0; // of all ranks
  /// What a round has, each as the merged calls that stand for it: one call of the source.
  std::vector<std::set<std::uint32_t>> calls;
  /// What is said of peers and tags, by merged call and word.
  std::map<std::pair<std::uint32_t, std::size_t>, std::string> words;
  std::set<std::size_t> peer_topologies; // of those peers
};

class ToldByRounds {
public:
  /// All references must outlive this.
  ToldByRounds(const LogicalProgram& logical, const trace::MergedProgram& program,
               const Names& names, const std::vector<std::size_t>& rank_of_cell)
      : logical_(logical), program_(program), names_(names), rank_of_cell_(rank_of_cell) {}

  /// Nothing if the loop has anything else in it, or no rule holds for all ranks that enter it. Of
  /// loops in loops this is one loop.
  /// @param entries  how often each rank comes to it
  /// @complexity     O(rules * ranks * calls in the loop), for at most 2^22 of these
  std::optional<ToldLoop> of(trace::Term loop, std::uint64_t entries);

  /// The same of calls one after the other in which no rank was seen to do anything again, as on
  /// few ranks: they are the rounds of such a loop.
  /// @param around  who comes to them
  std::optional<ToldLoop> of(std::span<const trace::Term> stretch, const trace::RankSet& around,
                             std::uint64_t entries);

private:
  using ReadRank =
      std::function<std::optional<LoopCallsOfRank>(const trace::Projection&, std::int64_t)>;

  const trace::Projection& first_program(std::int64_t cell);
  std::vector<LoopCallsOfRank> ranks_in(const trace::RankSet& set, const ReadRank& read);
  std::optional<ToldLoop> told_of(const LoopCalls& calls, std::vector<LoopCallsOfRank>&& ranks,
                                  bool is_stretch);

  const LogicalProgram& logical_;
  const trace::MergedProgram& program_;
  const Names& names_;
  const std::vector<std::size_t>& rank_of_cell_;
  std::uint64_t calls_to_read_ = std::uint64_t{1} << 20; // of all ranks, to find stretches among
  std::shared_ptr<const trace::RankTable> table_; // made when it is needed
  std::optional<std::pair<std::int64_t, trace::Projection>> first_; // of the loop before
};

} // namespace rondo::logical::internal
