// SPDX-License-Identifier: Apache-2.0
// Whether passes of a course go at a pace that is their block's own. Blocks of such courses are no
// samples of one another.
#pragma once

#include "rondo/trace/time_course.hpp"

namespace rondo::trace::internal {

/// How far blocks go at a pace of their own, as where work moves about between ranks: 0 to 1. Other
/// programs, or the other half of a core, hold up single passes, or all passes of a block by half
/// at most; in a program that has more to do at times passes of one block are alike, and some
/// blocks take at least twice as long as others.
/// @complexity O(passes that are kept)
double pace_of_blocks(const TimeCourse& course);

} // namespace rondo::trace::internal
