// SPDX-License-Identifier: Apache-2.0
// Communicators by numbers that mean the same on all ranks. A trace names a communicator by a slot,
// which each rank numbers for itself; what two ranks call differently may be one communicator.
//
//   Communicators comms(trace);
//   const Communicators::View& view = comms.of(rank, slot);
//   use(view.id, view.world_rank(peer));
//
// Communicators with the same members are told apart by what they were made from, which is the same
// on all members: see CommOrigin. In archives that do not say it, by the order in which each rank
// first made them. One that is made again after it was freed keeps its number.
#pragma once

#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace rondo::trace {

class Communicators {
public:
  static constexpr std::uint32_t kWorld = 0;
  static constexpr std::uint32_t kSelf = 1; // each rank's own
  static constexpr std::uint32_t kUnknown = 0xffffffff;

  /// What one rank sees of a communicator.
  struct View {
    std::uint32_t id = kUnknown;
    std::int64_t all =
        0; // ranks that take part in collectives, both groups of an inter-communicator
    std::int64_t first_peer = 0; // of communicators without a list: world rank of peer 0
    std::shared_ptr<const std::vector<std::int64_t>> peers; // world ranks; null: consecutive
    std::int64_t peer_count = 0;

    /// -1 for a peer that the communicator does not have, or outside MPI_COMM_WORLD.
    std::int64_t world_rank(std::int64_t peer) const {
      if (peer < 0 || peer >= peer_count) return -1;
      return peers ? (*peers)[static_cast<std::size_t>(peer)] : first_peer + peer;
    }
  };

  /// @complexity O(members of all definitions, log of their number)
  explicit Communicators(const Trace& trace);

  /// View{} for a slot that the trace does not define.
  const View& of(std::int64_t rank, std::int64_t slot) const;
  /// How many there are, ids being below.
  std::uint32_t size() const { return size_; }

private:
  std::vector<std::unordered_map<std::int64_t, View>> of_rank_;
  View unknown_;
  std::uint32_t size_ = 2;
};

} // namespace rondo::trace
