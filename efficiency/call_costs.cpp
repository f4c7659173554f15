// SPDX-License-Identifier: Apache-2.0
#include "efficiency/call_costs.hpp"

#include <algorithm>

namespace rondo::efficiency::internal {
namespace {

// What was measured and is not waited for where the run is played again stays as it was.
bool is_played(WaitKind kind, bool is_measured) {
  return !is_measured || (kind != WaitKind::kLateReceiver && kind != WaitKind::kLock);
}

} // namespace

CallCosts::CallCosts(const trace::Trace& trace, const WaitStates& waits) : inside_(trace) {
  for (const WaitState& state : waits.states) {
    InsideTimes::Place* const found = inside_.of(state.place);
    if (found == nullptr || !is_played(state.kind, waits.is_measured)) continue;
    for (std::size_t rank = 0; rank < state.by_rank.size(); ++rank)
      found->seconds[rank] -= state.by_rank[rank];
  }
  inside_.for_each([](InsideTimes::Place& place) {
    for (std::size_t rank = 0; rank < place.seconds.size(); ++rank)
      place.seconds[rank] =
          place.calls[rank] > 0 ? std::max(place.seconds[rank], 0.0) / place.calls[rank] : 0;
  });
}

} // namespace rondo::efficiency::internal
