// SPDX-License-Identifier: Apache-2.0
// What a rank computes pass after pass, as few numbers: the blocks that were kept of a long run,
// each for as many passes as it stands for, and apart from them the passes that no block has, as
// those that took far longer than the others.
#pragma once

#include "rondo/generate/benchmark.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rondo::generate::internal {

/// All that the passes say, if that takes a few numbers, as it does where they were read from one
/// course of an archive; else one block in so many, and the longest passes.
/// @param most   numbers in blocks, in the latter case
/// @complexity O(passes)
Course::Row row_from(const std::vector<double>& seconds, std::size_t most);

/// Of the pass, from 0. @complexity O(log passes apart)
double time_of(const Course::Row& row, std::int64_t pass);
/// Of all passes, as a program goes through the row. @complexity O(passes)
double mean_of(const Course::Row& row);
/// Multiplies all times.
void scale(Course::Row& row, double factor);

} // namespace rondo::generate::internal
