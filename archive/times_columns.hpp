// SPDX-License-Identifier: Apache-2.0
// The times of all classes as packed bytes, column by column; docs/formats/rondo.md gives the
// grammar.
#pragma once

#include "archive/packed.hpp"
#include "rondo/trace/times.hpp"

#include <optional>
#include <string>
#include <vector>

namespace rondo::archive {

/// Lossless but for the spread of a histogram, which comes back within 0.4 %.
/// @param times  of each class; which places share theirs is not in it
/// @complexity   O(places * (ranks of the class + bins))
std::string pack_times_in_columns(const std::vector<const std::vector<trace::PlaceTimes>*>& times);

/// Where each column of what pack_times_in_columns() makes begins, and where the last one ends.
/// None if the bytes are not that.
std::vector<std::size_t> borders_of_columns(std::string_view bytes);

/// Nothing if the bytes are not what pack_times_in_columns() makes, or not worth what they cost.
std::optional<std::vector<std::vector<trace::PlaceTimes>>>
unpack_times_in_columns(std::string_view bytes, Budget* budget);

} // namespace rondo::archive
