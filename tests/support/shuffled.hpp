// SPDX-License-Identifier: Apache-2.0
// For tests: a run with its ranks numbered in another way, and the check that a logical program
// expands to a trace.
#pragma once

#include "rondo/logical/logical_program.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace rondo::support {

/// The run as it would have been recorded had the ranks had these numbers.
/// @param new_rank  a permutation of all ranks
trace::Trace shuffled(const trace::Trace& trace, const std::vector<std::int64_t>& new_rank);

/// What is different first between the expansion and the calls of any rank; empty if nothing.
std::string difference(const trace::Trace& trace, const logical::LogicalProgram& program);

} // namespace rondo::support
