// SPDX-License-Identifier: Apache-2.0
// What other threads do than the one that calls MPI_Init, as functions of the benchmark, and when
// they may do it: nothing was recorded of how the threads waited for each other, but what a thread
// uses has to be there. So each begins as soon as the first thread has made the objects that it
// uses, and is waited for before the first of them is freed; where no such time is common to all
// that it does, it does this in phases.
#pragma once

#include "rondo/generate/benchmark.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace rondo::generate::internal {

using ThreadBodies = std::map<std::uint32_t, std::vector<Statement>>; // by number

/// Adds the threads, and to main where they begin and end.
/// @param benchmark  whose main begins with MPI_Init
/// @error  kUnsupported where threads use objects of which it is not known when they are there
rondo::Status add_threads(Benchmark& benchmark, ThreadBodies bodies);

} // namespace rondo::generate::internal
