// SPDX-License-Identifier: Apache-2.0
// Call stacks cut short: a library that is called from everywhere has as many ways to each of its
// calls as there are callers, and a text that tells all of them apart may be too long to read.
#pragma once

#include "rondo/matrix/layers.hpp"
#include "rondo/trace/trace.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace rondo::logical::internal {

struct ShortStacks {
  trace::Trace trace;
  std::vector<std::uint32_t> site_for; // by site before
};

/// The trace with call sites whose innermost frames are the same as one, the first of them.
/// Nothing if that joins none.
/// @param frames      at least 1, the call itself
/// @complexity        O(call sites * frames * log(call sites) + calls of the programs)
std::optional<ShortStacks> with_short_stacks(const trace::Trace& trace, std::size_t frames);

/// matrix::layers_of() the trace with short stacks, of which no call is gone through again.
/// @param traffic  of the trace `of`, of which the other one was made
matrix::LayeredTraffic with_short_stacks(matrix::LayeredTraffic traffic, const trace::Trace& of,
                                         const ShortStacks& shorter);

} // namespace rondo::logical::internal
