// SPDX-License-Identifier: Apache-2.0
// Operations that nobody leaves before all have come: barriers, and reductions of all. Their
// messages are played at once when the last rank comes, round by round, which takes no request, no
// channel and no turn of a rank for each of them.
//
//   if (Gatherings::knows(part, ranks)) gatherings.come(comm, part, activity, transport);
#pragma once

#include "simulate/transport/activity.hpp"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace rondo::simulate::internal {

/// Not with ports or a carrier, where it counts in which order messages go, and not where somebody
/// is told of each.
class Gatherings {
public:
  /// @param ranks  of the run: archives may say that a communicator has more
  static bool knows(const CollectivePart& part, std::size_t ranks) {
    return !part.is_inter && part.members.size() > 1 &&
           static_cast<std::size_t>(part.members.size()) <= ranks && part.rank >= 0 &&
           part.rank < part.members.size() &&
           (part.operation == Operation::kBarrier || part.operation == Operation::kAllreduce);
  }
  /// Comes, and goes on when all have.
  void come(std::uint32_t comm, const CollectivePart& part, Activity& activity,
            Transport& transport);
  bool is_empty() const { return waiting_ == 0; }
  /// Others never come: message by message, who has come may go on for a while.
  /// @return whether there was anybody
  bool give_up();

private:
  struct Gathering {
    bool is_uneven = false; // not the same for all, or with sends that wait
    std::size_t come = 0;
    Members members;
    std::vector<RoundSide> sides; // by rank in the communicator
  };

  void go_by_messages(std::uint32_t comm, Gathering& gathering, const Activity* last = nullptr);
  void end(Gathering& gathering);

  std::unordered_map<std::uint32_t, Gathering> gatherings_; // by communicator
  std::size_t waiting_ = 0; // ranks, at all of them
};

} // namespace rondo::simulate::internal
