// SPDX-License-Identifier: Apache-2.0
// Where the calls of a logical program come in the source, also of one that was folded without call
// sites.
#pragma once

#include "rondo/logical/logical_program.hpp"

#include <cstdint>
#include <vector>

namespace rondo::logical::internal {

/// LogicalProgram::places: of each call the place of where a rank first makes it.
/// @param trace    that the program was made of, with call sites
/// @param order    as fold::order_of_sites() has it; empty: not known
/// @return         empty if nothing is known
/// @complexity     O(calls of one rank of each class until all have come once, but 2^16 at most)
std::vector<std::vector<std::uint32_t>> places_of_calls(const trace::Trace& trace,
                                                        const LogicalProgram& program,
                                                        const std::vector<std::uint32_t>& order);

} // namespace rondo::logical::internal
