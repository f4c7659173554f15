// SPDX-License-Identifier: Apache-2.0
// Statements that stand in several places become a function.
#pragma once

#include "rondo/generate/benchmark.hpp"

namespace rondo::generate::internal {

/// Sequences of statements that differ by a few integers or times only, and save lines as functions
/// with those as parameters; the one that saves most first.
/// @return      functions that were made
/// @complexity  O(functions made * statements * longest sequence)
int share_repeats(Benchmark& benchmark);

} // namespace rondo::generate::internal
