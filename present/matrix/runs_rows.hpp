// SPDX-License-Identifier: Apache-2.0
// What tables and pictures of several runs have in common.
#pragma once

#include "present/matrix/runs.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace rondo::present {

/// The collectives of all runs: those of the first with most calls first, then what others add.
std::vector<std::string> collectives_of(std::span<const MeasuredRun> runs);

/// A collective of all ranks is one.
double calls_per_rank(const matrix::Statistics& statistics, const std::string& function);

/// Of point-to-point, and of collectives as far as they are counted.
std::uint64_t messages_in(const matrix::Statistics& statistics, std::size_t bucket);

} // namespace rondo::present
