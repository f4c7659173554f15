// SPDX-License-Identifier: Apache-2.0
// Call stacks cut short: a library that is called from everywhere has as many ways to each of its
// calls as there are callers, and a text that tells all of them apart may be too long to read.
#pragma once

#include "rondo/trace/trace.hpp"

#include <cstddef>
#include <optional>

namespace rondo::logical::internal {

/// The trace with call sites whose innermost frames are the same as one, the first of them.
/// Nothing if that joins none.
/// @param frames      at least 1, the call itself
/// @complexity        O(call sites * frames * log(call sites) + calls of the programs)
std::optional<trace::Trace> with_short_stacks(const trace::Trace& trace, std::size_t frames);

} // namespace rondo::logical::internal
