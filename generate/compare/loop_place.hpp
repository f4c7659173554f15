// SPDX-License-Identifier: Apache-2.0
// Where in its loops a call of a stream stands.
#pragma once

#include "rondo/trace/nest.hpp"

#include <cstdint>
#include <string>

namespace rondo::generate {

/// "loop 125, iteration 3: loop 4, iteration 0", outermost first, iterations from 0; empty for a
/// call outside all loops.
/// @param call   its number in the nest's expansion, from 0
/// @complexity   O(call)
std::string loops_around(const trace::Nest& nest, std::uint64_t call);

} // namespace rondo::generate
