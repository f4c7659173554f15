// SPDX-License-Identifier: Apache-2.0
// Courses of computation in few bytes: each code by the chance that the place's histogram gives it,
// corrected by what the place's codes were so far. docs/formats/rondo.md says in which order.
#pragma once

#include "rondo/base/budget.hpp"
#include "rondo/trace/times.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace rondo::archive {

/// Lossless, with their peaks; empty if there are none.
/// @complexity O(places + passes that are kept), some 0.5 us a pass
std::string pack_modelled_courses(const std::vector<const std::vector<trace::PlaceTimes>*>& times);

/// Puts them to the places, whose histograms must be there. Their ranks ascend, passes of peaks,
/// too, and no course is longer than any is made.
/// @return  false if the bytes are not sound, or the budget does not pay for what they say
bool unpack_modelled_courses(std::string_view bytes, Budget* budget,
                             std::vector<std::vector<trace::PlaceTimes>>& times);

} // namespace rondo::archive
