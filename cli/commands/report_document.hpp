// SPDX-License-Identifier: Apache-2.0
// The document that a report shows: what the commands say of each run, and what pictures need.
#pragma once

#include "rondo/base/result.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace rondo::cli {

enum class Lists { kWritten, kPacked }; // of the matrices, for reading and for a page

/// docs/report.md has its keys. What is left out for its cost is said in `left_out` of its run.
/// @error  those of reading a file
/// @param lists  kPacked: the matrix is binary, present::packed_list()
Result<nlohmann::json> report_document(const std::vector<std::string>& files, Lists lists);

} // namespace rondo::cli
