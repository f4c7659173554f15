// SPDX-License-Identifier: Apache-2.0
// Courses of computation as packed bytes; docs/formats/rondo.md gives the grammar.
#pragma once

#include "archive/packed.hpp"
#include "rondo/trace/times.hpp"

#include <string>
#include <vector>

namespace rondo::archive {

/// Lossless; empty if there are none.
std::string pack_courses(const std::vector<const std::vector<trace::PlaceTimes>*>& times);

/// Puts them to the places. Their ranks ascend, and no course is longer than any is made; `in` is
/// refused if not.
void unpack_courses(Unpacker& in, std::vector<std::vector<trace::PlaceTimes>>& times);

/// The peaks of these courses; empty if there are none.
std::string pack_peaks(const std::vector<const std::vector<trace::PlaceTimes>*>& times);
/// Puts them to the courses. Their passes ascend, and are no more than any course has; `in` is
/// refused if not.
void unpack_peaks(Unpacker& in, std::vector<std::vector<trace::PlaceTimes>>& times);

} // namespace rondo::archive
