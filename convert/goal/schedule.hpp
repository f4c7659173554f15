// SPDX-License-Identifier: Apache-2.0
// A GOAL schedule as its text has it: operations of each rank in the order of the text, and which
// of them waits for which.
//
//   auto schedule = read_schedule(path, budget, progress);
//   use(schedule->ranks[3].operations.size());
#pragma once

#include "rondo/base/budget.hpp"
#include "rondo/base/result.hpp"
#include "rondo/convert/imported.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace rondo::convert::internal {

struct GoalOperation {
  enum class Kind : std::uint8_t { kSend, kReceive, kCompute };
  static constexpr std::uint32_t kAny = 0xffffffff; // source or tag

  std::uint64_t size = 0; // bytes, or ns of computation
  std::uint32_t peer = 0;
  std::uint32_t tag = 0;
  Kind kind = Kind::kCompute;
};

struct GoalDependency {
  std::uint32_t later = 0; // indices of operations of the rank
  std::uint32_t earlier = 0;
  bool on_start = false; // irequires: earlier need only have begun
};

struct GoalRank {
  std::vector<GoalOperation> operations;
  std::vector<GoalDependency> dependencies;
  std::uint64_t line = 0; // where it begins
};

struct GoalSchedule {
  std::vector<GoalRank> ranks;
  std::uint64_t on_other_cpus = 0; // operations that name a CPU other than 0
  std::uint64_t on_other_nics = 0;
};

/// @error  as read_goal()
Result<GoalSchedule> read_schedule(const std::string& path, Budget budget,
                                   const Progress& progress);

} // namespace rondo::convert::internal
