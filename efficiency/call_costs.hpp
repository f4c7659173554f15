// SPDX-License-Identifier: Apache-2.0
// What calls take themselves: time inside MPI that is no waiting for other ranks, so that it stays
// if nobody has to wait.
#pragma once

#include "rondo/efficiency/wait_states.hpp"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace rondo::efficiency::internal {

class CallCosts {
public:
  /// @param waits  of the trace
  /// @complexity   O(places * ranks) time and memory
  CallCosts(const trace::Trace& trace, const WaitStates& waits);

  /// Of one call, in seconds: the mean of the rank's calls there. @complexity O(1)
  double of(std::int64_t rank, CallPlace place) const {
    const auto found = costs_.find(key(place));
    return found == costs_.end() ? 0 : found->second[static_cast<std::size_t>(rank)];
  }

private:
  static std::uint64_t key(CallPlace place) {
    return static_cast<std::uint64_t>(place.function) << 32 | place.site;
  }
  std::unordered_map<std::uint64_t, std::vector<double>> costs_; // by place; then by rank
};

} // namespace rondo::efficiency::internal
