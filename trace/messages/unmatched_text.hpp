// SPDX-License-Identifier: Apache-2.0
// The calls that matching found no other side for, in words.
#pragma once

#include "rondo/trace/matching.hpp"

namespace rondo::trace::internal {

/// The `most` of them that come first in their streams, each with its call as text.
/// @complexity O(calls of the streams up to there)
std::vector<Unmatched> first_with_text(const Trace& trace, std::vector<Unmatched> all,
                                       std::size_t most);

} // namespace rondo::trace::internal
