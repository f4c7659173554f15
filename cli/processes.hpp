// SPDX-License-Identifier: Apache-2.0
// One of several processes that a launcher started with the same command line.
#pragma once

#include "rondo/base/result.hpp"
#include "rondo/convert/processes.hpp"

#include <string>

namespace rondo::cli {

/// @param part    "1/4" for the second of four; empty: what the launcher says in the environment
///                (Open MPI, those that speak PMI, Flux, Slurm's steps), else one process
/// @param output  beside which they meet
/// @error  kUsage
Result<convert::Processes> processes_of(const std::string& part, const std::string& output);

} // namespace rondo::cli
