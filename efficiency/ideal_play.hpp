// SPDX-License-Identifier: Apache-2.0
// Plays a run on the network that takes no time, with sends above some size that wait for their
// receivers.
#pragma once

#include "efficiency/part_clock.hpp"
#include "rondo/simulate/simulate.hpp"

#include <cstdint>
#include <functional>
#include <optional>

namespace rondo::efficiency::internal {

constexpr std::uint64_t kLeastEager = 4096; // bytes, the least that MPIs send without asking

struct IdealPlay {
  simulate::Prediction prediction;
  std::uint64_t eager_bytes = 0; // larger ones wait
};

/// Whether there is anything to play: a trace may have nothing but computation.
bool has_calls(const trace::Trace& trace);

/// @param eager_bytes  unset: as far as the times inside MPI tell, 4 kB at least. Where sends would
///                     wait for longer than they took, or for ever, the run is played again
/// @param begin        gives an observer that knows nothing yet, which it puts into the options;
///                     called for each play
/// @error  as simulate::simulate(); kUnsupported if there are no calls
Result<IdealPlay>
play_ideally(const trace::Trace& trace, simulate::SimulateOptions options,
             std::optional<std::uint64_t> eager_bytes,
             const std::function<PartClock&(simulate::SimulateOptions& options)>& begin);

} // namespace rondo::efficiency::internal
