// SPDX-License-Identifier: Apache-2.0
// What the tallied calls of a program mean for one rank: world ranks and bytes.
#pragma once

#include "matrix/traffic/rank_neighbors.hpp"
#include "matrix/traffic/trace_tally.hpp"
#include "rondo/matrix/layers.hpp"
#include "rondo/matrix/trace_traffic.hpp"
#include "rondo/trace/call_reader.hpp"
#include "rondo/trace/collective_steps.hpp"

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace rondo::matrix::internal {

class RankTraffic {
public:
  /// Trace, program and graphs must outlive it.
  /// @param peer_of  as layers_of() takes it
  RankTraffic(const trace::Trace& trace, const trace::Program& program, std::int64_t rank,
              const DistGraphs& graphs, PeerOf peer_of = {});
  RankTraffic(const RankTraffic&) = delete; // parts refer to each other
  RankTraffic& operator=(const RankTraffic&) = delete;

  std::int64_t rank() const { return rank_; }

  /// The messages of a tallied send; nothing if it sends to nobody. Losses are added to `loss`.
  std::optional<MessagesSent> messages_of(const TalliedCall& call, TrafficLoss& loss) const;

  /// The messages of a tallied one-sided call: there, back or both. Their sources are this rank and
  /// the target.
  std::vector<MessagesSent> one_sided_messages_of(const TalliedCall& call, TrafficLoss& loss) const;

  /// The process outside MPI_COMM_WORLD that a tallied send or one-sided call speaks to, as its
  /// rank in the communicator; nothing if it speaks to a rank or to nobody.
  std::optional<std::int64_t> outsider_of(const TalliedCall& call) const;

  /// Bytes that one execution moves; see CallBytes.
  std::uint64_t bytes_moved_by(const TalliedCall& call) const;

  /// The executions of a tallied collective.
  CollectiveCalls collectives_of(const TalliedCall& call, TrafficLoss& loss) const;

  /// The messages that a tallied collective sends, counted in this way; on each rank those that are
  /// its own business, which together are all: also such as another rank sends to it.
  std::vector<MessagesSent> collective_messages_of(const TalliedCall& call,
                                                   CollectiveCounting counting,
                                                   TrafficLoss& loss) const;

  /// Where a tallied call communicates; nullptr for MPI_COMM_WORLD.
  const trace::CommDefinition* comm_of(const TalliedCall& call) const;

  /// Of what a tallied send sends; kNothing if its tags were not tallied.
  std::int64_t tag_of(const TalliedCall& call) const;

  /// The slot of that communicator; kNothing for a window whose communicator is not known.
  std::int64_t comm_slot_of(const TalliedCall& call) const;

private:
  struct Amounts { // a scalar or an array of counts, with one datatype or one for each
    std::vector<std::int64_t> counts;
    std::vector<std::int64_t> types;
    std::uint64_t times = 1;
  };

  std::int64_t value_of(const TalliedCall& call, int word) const;
  std::vector<std::int64_t> values_of(const TalliedCall& call, int word) const;
  const trace::Positions::Position* position_of(const TalliedCall& call) const;
  std::optional<std::int64_t> world_rank(std::int64_t comm, std::int64_t peer) const;
  std::uint64_t bytes_of(const Amounts& amounts, std::uint64_t executions, TrafficLoss& loss) const;
  void count_lost(const TalliedCall& call, std::uint64_t bytes, TrafficLoss& loss) const;
  Amounts message_amounts(const TalliedCall& call) const;
  Amounts handed_over(const TalliedCall& call, TrafficLoss& loss) const;
  // trace_rank_one_sided.cpp
  struct Ways { // bytes of one execution
    std::optional<std::uint64_t> there{};
    std::optional<std::uint64_t> back{};
  };
  Ways ways_of(const TalliedCall& call, TrafficLoss& loss) const;
  std::int64_t comm_of_window(std::int64_t window) const;
  std::int64_t find_comm_of_window(std::int64_t window) const;
  // trace_rank_collectives.cpp
  std::vector<std::uint64_t> blocks_of(const TalliedCall& call, int counts, int types,
                                       TrafficLoss& loss) const;
  std::uint64_t block_of(const TalliedCall& call, int count, int type, TrafficLoss& loss) const;
  trace::CollectivePart part_of(const TalliedCall& call, TrafficLoss& loss) const;
  void set_blocks(const TalliedCall& call, trace::CollectivePart& part, TrafficLoss& loss) const;
  void set_neighbors(const TalliedCall& call, trace::CollectivePart& part, TrafficLoss& loss) const;
  trace::Members peers_of(std::int64_t comm) const;
  struct WayThroughRoot;
  WayThroughRoot way_through_root(const TalliedCall& call, const trace::CollectivePart& part,
                                  TrafficLoss& loss) const;

  const trace::Trace* trace_;
  const trace::Program* program_;
  std::int64_t rank_;
  PeerOf peer_of_;
  trace::Positions positions_;
  mutable RankNeighbors neighbors_; // remembers what it found
  std::unordered_map<std::int64_t, std::uint64_t> size_bytes_; // by slot of datatype
  mutable std::unordered_map<std::int64_t, std::int64_t> comm_of_window_; // slots
  mutable std::unordered_map<std::int64_t, trace::Members>
      peers_; // by slot of communicator: -1 for unknown ones
};

} // namespace rondo::matrix::internal
