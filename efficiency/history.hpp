// SPDX-License-Identifier: Apache-2.0
// What is remembered of a rank that is played: what it computed, and for whom it waited.
#pragma once

#include "rondo/efficiency/wait_states.hpp"

#include <cstdint>

namespace rondo::efficiency::internal {

struct Computed {
  double from_s = 0;
  float seconds = 0;
  std::uint32_t spot = 0;
  double until_s() const { return from_s + static_cast<double>(seconds); }
};

/// A stretch of one rank's history: indices into its computation and its waits.
struct Stretch {
  std::uint32_t computed_from = 0, computed_to = 0;
  std::uint32_t waits_from = 0, waits_to = 0;
};

struct Waited {
  WaitKind kind = WaitKind::kLateSender;
  std::uint32_t spot = 0;
  std::int32_t rank = 0;
  std::int32_t other = 0;
  double from_s = 0;
  double until_s = 0;
  Stretch own; // since they were last at one time
  Stretch others;
  double seconds() const { return until_s - from_s; }
};

} // namespace rondo::efficiency::internal
