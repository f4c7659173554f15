// SPDX-License-Identifier: Apache-2.0
// What a benchmark can't repeat.
#pragma once

#include "generate/lower/queries.hpp"
#include "rondo/base/result.hpp"
#include "rondo/trace/trace.hpp"

namespace rondo::generate::internal {

/// @error kUnsupported: what can't be generated, a line each with how many calls and ranks
Status check_limits(const trace::Trace& trace, const Queries& queries);

} // namespace rondo::generate::internal
