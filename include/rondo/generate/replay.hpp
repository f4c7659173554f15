// SPDX-License-Identifier: Apache-2.0
// Whether a trace can be played back, by `rondo replay` or by a program made from it.
//
//   for (const ReplayObstacle& obstacle : replay_obstacles(trace)) say(obstacle.what);
//
// What is no obstacle can be played with the same arguments (docs/replay.md).
#pragma once

#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace rondo::generate {

/// Something of which a trace keeps too little to do it again.
struct ReplayObstacle {
  std::string what; // "MPI_Comm_spawn", "MPI_Recv that failed with MPI_ERR_TRUNCATE"
  std::uint64_t calls = 0; // of all ranks; 0 for what is no call
  bool in_replay_only = false; // a program made from the trace can do it
};

/// Empty if all of it can be played; most calls first.
/// @param progress  told of streams done and in all
/// @complexity  O(calls of all ranks)
std::vector<ReplayObstacle>
replay_obstacles(const trace::Trace& trace,
                 const std::function<void(std::uint64_t, std::uint64_t)>& progress = {});

} // namespace rondo::generate
