// SPDX-License-Identifier: Apache-2.0
// Where the recorded program made a benchmark's calls: functions that are called like its own, and
// comments.
#pragma once

#include "rondo/generate/benchmark.hpp"

#include <functional>
#include <string>
#include <vector>

namespace rondo::generate::internal {

/// Adds the call sites of a statement that does the same to those of this one.
void join_sites(Statement& to, const Statement& from);
void join_sites(std::vector<Statement>& to, const std::vector<Statement>& from);

/// Names functions by the rules of procedures (rondo/logical/procedures.hpp), as C and Python can
/// have them, each once, or else by what their calls do.
/// @param functions  empty: none are known
void name_functions(Benchmark& benchmark,
                    const std::function<std::vector<std::string>(std::uint32_t site)>& functions);

/// Comments of calls from their sites.
void say_sites(Benchmark& benchmark, const std::function<std::string(std::uint32_t site)>& text);

} // namespace rondo::generate::internal
