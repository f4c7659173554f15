// SPDX-License-Identifier: Apache-2.0
// The times of all classes in few bytes: each number by the chance that it has where it stands, and
// no finer than times are told; docs/formats/rondo.md says what comes in which order.
#pragma once

#include "rondo/base/budget.hpp"
#include "rondo/trace/times.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::archive {

/// Counts, bins and means of ranks come back as they are. Durations are good to 0.8 %, and to 8 us;
/// so is the mean of a histogram; its spread is to 1.1 %. What was read is mostly written as it is.
/// @param times  of each class; which places share theirs is not in it, nor are courses
/// @complexity   O(places * (ranks of the class + bins))
std::string pack_modelled_times(const std::vector<const std::vector<trace::PlaceTimes>*>& times);

/// Nothing if the bytes are not what pack_modelled_times() makes, or not worth what they cost.
std::optional<std::vector<std::vector<trace::PlaceTimes>>>
unpack_modelled_times(std::string_view bytes, Budget* budget);

} // namespace rondo::archive
