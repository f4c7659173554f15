// SPDX-License-Identifier: Apache-2.0
// The five measurements for people (rounded, with units and bars) and for programs (JSON, exact).
// Both show the same Statistics.
#pragma once

#include "rondo/matrix/statistics.hpp"

#include <string>

namespace rondo::present {

/// Aligned lines with units and short bars, at most 100 columns wide.
std::string statistics_text(const matrix::Statistics& statistics);

/// "up to 64 B"; "above 64 MiB" for the last one.
std::string bucket_label(std::size_t bucket);

enum class Pairs { kOmit, kInclude };

/// One JSON object, "schema": 1; keys are snake_case, sizes carry _bytes. Numbers are exact.
/// @param pairs  kInclude adds every pair of the densities, as to_json() writes them
std::string statistics_json(const matrix::Statistics& statistics, Pairs pairs = Pairs::kOmit);

} // namespace rondo::present
