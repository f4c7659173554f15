// SPDX-License-Identifier: Apache-2.0
// Rules that say whom ranks turn to in each round of a loop, by the numbers of the rank and of the
// round: rank ^ (1 << round), to the east if both together are even and to the west else.
//
// Rounds count from 0. In a round in which such a peer does not exist a rank makes no call, or one
// to MPI_PROC_NULL.
#pragma once

#include "logical/places/names.hpp"
#include "logical/text/loop_calls.hpp"
#include "rondo/logical/logical_program.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rondo::logical::internal {

/// Where a rank's peers are.
class Whereabouts {
public:
  /// Both references must outlive this.
  Whereabouts(const LogicalProgram& logical, const std::vector<std::size_t>& rank_of_cell);

  std::int64_t ranks() const { return static_cast<std::int64_t>(rank_of_cell_.size()); }
  /// As the text numbers them.
  std::int64_t number(std::int64_t cell) const;
  std::optional<std::int64_t> number(std::int64_t cell, const Peer& peer) const;
  bool leads_somewhere(std::int64_t cell, const Peer& peer) const;

private:
  std::size_t recorded(std::int64_t cell) const;
  std::optional<topology::Vertex> target(std::int64_t cell, const Peer& peer) const;

  const LogicalProgram& logical_;
  const std::vector<std::size_t>& rank_of_cell_;
  std::vector<std::map<std::pair<topology::Vertex, topology::Vertex>, std::size_t>>
      ranks_; // by peer topology, copy and cell
};

/// What the number of the round is made of it.
struct RoundSteps {
  enum class Kind : std::uint8_t {
    kLinear, // factor * round + shift
    kDoubling, // factor << round
    kHalving, // factor >> round
  };
  Kind kind = Kind::kLinear;
  std::int64_t factor = 1;
  std::int64_t shift = 0;

  std::int64_t at(std::int64_t round) const;
  std::string text() const; // "2 * round + 1"
};

/// Whom ranks turn to.
struct PeerRule {
  enum class Kind : std::uint8_t {
    kDirections, // in one of two if rank + round is even, else in the other one
    kXor, // rank ^ steps
    kEachInTurn, // the rank with that number
    kMirrored, // (steps - rank) modulo ranks
    kUp, // (rank + steps) modulo ranks
    kDown, // (rank - steps) modulo ranks
    kUpToEnd, // rank + steps
    kDownToEnd, // rank - steps
    kRoundRobin, // kMirrored of all but the last rank, whom those meet who would meet themselves
  };
  Kind kind = Kind::kDirections;
  RoundSteps steps{};
  Peer even{}, odd{}; // kDirections
  bool counts_ranks = true; // kDirections: else by the round alone, as few ranks have it

  /// Whether `code` is the peer of a round; with kProcNull whether there is none.
  bool is(const Whereabouts& where, std::int64_t cell, std::int64_t round, std::int64_t code) const;
  bool leads_to(const Whereabouts& where, std::int64_t cell, std::int64_t round,
                const Peer& peer) const;
  /// Whether there is a peer.
  bool is_there(const Whereabouts& where, std::int64_t cell, std::int64_t round) const;
  std::string text(const Names& names, std::int64_t ranks, bool or_nobody) const;

private:
  std::int64_t target(std::int64_t own, std::int64_t round, std::int64_t ranks) const;
};

/// A step up or down from the own rank that grows by as much in each round, and rank ^ round.
/// @param ranks  of the run
std::vector<PeerRule> rules_of_equal_steps(std::int64_t ranks);

struct RulesOfLoop {
  std::vector<PeerRule> rules; // by peer word
  std::int64_t rounds = 0;
  std::vector<bool> has_nobody; // by call: made to MPI_PROC_NULL where there is no peer
  /// In which rounds a call is made: by rank of the loop and call.
  std::vector<std::vector<std::vector<std::int64_t>>> made;
};

/// Rules for calls of ranks which hold for each of them, in each round.
/// @param times   set to how often the loop comes again in itself, as ranks were seen to go through
///                loops in each other as one; `ranks` are of one of these then
/// @complexity    O(rules * calls of all ranks)
std::optional<RulesOfLoop> rules_of(std::vector<LoopCallsOfRank>& ranks, const LoopCalls& calls,
                                    const Whereabouts& where, std::uint64_t& times);

} // namespace rondo::logical::internal
