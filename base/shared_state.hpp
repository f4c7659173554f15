// SPDX-License-Identifier: Apache-2.0
// What a process has once. A module that is loaded has this code a second time, and takes the state
// of whoever loads it: signal handlers and limits hold for both.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace rondo::internal {

struct Mapping {
  std::atomic<std::uintptr_t> begin = 0; // 0: free
  std::atomic<std::uintptr_t> end = 0;
};

// What a handler of a signal may read: no memory that moves.
struct Unfinished {
  std::atomic<bool> is_taken;
  std::atomic<bool> is_named;
  char path[4096];
};

struct SharedState {
  // Where files are mapped, for the handler of SIGBUS, which can take no lock. With all places
  // taken the next file is read instead.
  std::array<Mapping, 256> mappings{};
  std::atomic<bool> has_shrunk = false; // one of these files
  std::array<Unfinished, 16> unfinished{};
  std::atomic<double> factor_of_limits = 0; // 0: nobody said
};

SharedState& shared_state();

/// From here on this library has `other` in place of its own; it is called before anything else is.
void share_state(SharedState& other);

} // namespace rondo::internal
