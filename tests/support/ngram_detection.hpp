// SPDX-License-Identifier: Apache-2.0
// The pattern detection of [patternrecognition], Algorithms 1 and 2, as the paper has it: an
// n-gram that grows while it has been seen before. For comparison; it finds some repeats only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace rondo::support {

/// Patterns with two positions at least, and their positions from 0.
std::map<std::vector<std::uint32_t>, std::set<std::size_t>>
ngram_patterns(const std::vector<std::uint32_t>& text);

} // namespace rondo::support
