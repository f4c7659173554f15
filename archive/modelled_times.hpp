// SPDX-License-Identifier: Apache-2.0
// The times of all classes in few bytes: each number by the chance that it has where it stands, and
// no finer than times are told; docs/formats/rondo.md says what comes in which order.
#pragma once

#include "archive/image.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::archive {

/// Counts, bins and means of ranks come back as they are. Durations are good to 0.8 %, and to 8 us;
/// so is the mean of a histogram; its spread is to 1.1 %. What was read is mostly written as it is.
/// @param classes  with the calls of their merged programs; which places share their times is not
///                 in it, nor are courses
/// @complexity   O(size of the programs + places * (ranks of the class + bins))
std::string pack_foretold_times(const std::vector<trace::RankClass>& classes);

/// Nothing if the bytes are not what pack_foretold_times() makes, or not worth what they cost.
/// @param classes  those that were packed; their times are not looked at
std::optional<TimesOfClasses> unpack_foretold_times(std::string_view bytes,
                                                    const std::vector<trace::RankClass>& classes,
                                                    Budget* budget);

/// The same as files of version 5 have it, which does not need the programs.
std::optional<TimesOfClasses> unpack_modelled_times(std::string_view bytes, Budget* budget);

} // namespace rondo::archive
