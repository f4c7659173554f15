// SPDX-License-Identifier: Apache-2.0
// The document that a report shows: what the commands say of each run, and what pictures need.
#pragma once

#include "rondo/base/result.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace rondo::cli {

/// Up to how many calls an analysis that goes through all of them is made without being asked for.
struct ReportLimits {
  std::uint64_t played_calls = 20'000'000; // efficiency and one network
  std::uint64_t swept_calls = 2'000'000; // thirty networks
  std::uint64_t read_calls = 20'000'000; // logical program and patterns
  std::int64_t read_ranks = 4096; // the same
};

/// docs/report.md has its keys. What is left out for its cost is said in `left_out` of its run.
/// @error  those of reading a file
Result<nlohmann::json> report_document(const std::vector<std::string>& files,
                                       const ReportLimits& limits = {});

} // namespace rondo::cli
