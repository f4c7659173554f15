// SPDX-License-Identifier: Apache-2.0
// The trace for programs, in loops or call by call: what `rondo print --json` writes. It is said
// piece by piece, as a whole it may be many times what the archive takes.
//
//   say_program_json(trace, classes, std::nullopt, &resolver, [](const std::string& text) { ... });
#pragma once

#include "present/run/flat_times.hpp"
#include "rondo/sites/resolver.hpp"
#include "rondo/trace/call_reader.hpp"
#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace rondo::present {

using Say = std::function<void(const std::string& text)>;

/// Of one rank: all its calls, loops unrolled.
std::uint64_t calls_in(const trace::Program& program);

/// One document: {"classes": [...], "programs": [...], "ranks", "schema", "site_remarks"}.
/// @param rank  of the classes, if only this one is wanted: then no word depends on the rank, and
///   there are no programs of several ranks
/// @param resolver  nullptr if call sites are not wanted
void say_program_json(const trace::Trace& trace,
                      const std::vector<const trace::RankClass*>& classes,
                      std::optional<std::int64_t> rank, sites::Resolver* resolver, const Say& say);

/// A call of a rank as a document of one line.
/// @param text  the call as a line
/// @param resolver,times  nullptr if they are not wanted
std::string call_line_json(std::int64_t rank, const trace::CallInstance& call,
                           const std::string& text, sites::Resolver* resolver,
                           const FlatTimes* times);

} // namespace rondo::present
