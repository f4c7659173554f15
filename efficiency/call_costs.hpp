// SPDX-License-Identifier: Apache-2.0
// What calls take themselves: time inside MPI that is no waiting for other ranks, so that it stays
// if nobody has to wait.
#pragma once

#include "efficiency/inside_times.hpp"
#include "rondo/efficiency/wait_states.hpp"

#include <cstdint>

namespace rondo::efficiency::internal {

class CallCosts {
public:
  /// @param waits  of the trace
  /// @complexity   O(places * ranks) time and memory
  CallCosts(const trace::Trace& trace, const WaitStates& waits);

  /// Of one call, in seconds: the mean of the rank's calls there. @complexity O(1)
  double of(std::int64_t rank, CallPlace place) const {
    const InsideTimes::Place* const found = inside_.of(place);
    return found == nullptr ? 0 : found->seconds[static_cast<std::size_t>(rank)];
  }

private:
  InsideTimes inside_; // less what is waited, of one call
};

} // namespace rondo::efficiency::internal
