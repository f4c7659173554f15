// SPDX-License-Identifier: Apache-2.0
// The first line of a Paraver trace: when it was made, how long it is, who took part.
#pragma once

#include "rondo/base/result.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace rondo::convert::internal {

struct ParaverTask {
  std::uint64_t threads = 1;
  std::uint64_t node = 0; // from 1; 0 unknown
};

struct ParaverHeader {
  std::int64_t start_unix_ns = 0; // to the minute, as if it was UTC; 0 if it does not say
  std::uint64_t unit_ns = 1000; // of all times in the file
  std::uint64_t duration_ns = 0;
  std::uint64_t nodes = 0;
  std::uint64_t applications = 0;
  std::vector<ParaverTask> tasks; // of the first application
};

constexpr std::uint64_t kMostParaverTime_ns = 9'000'000'000'000'000'000U; // 285 years

/// @error  kFormat without a place, with what was expected
Result<ParaverHeader> parse_paraver_header(std::string_view line);

} // namespace rondo::convert::internal
