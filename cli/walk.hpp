// SPDX-License-Identifier: Apache-2.0
// Commands that go through a run call by call. A small file can stand for more calls than anybody
// waits for, so that they are counted first, which is quick.
#pragma once

#include "rondo/base/result.hpp"
#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace rondo::cli {

/// Which calls a command goes through.
enum class Walk {
  kAll, // of every rank
  kOfClasses, // of one rank of each class of ranks that do the same
  kVarying, // of those again, only calls with values that vary, and rounds of outer loops: the rest
            // stays in loops
  kPlaces, // of those again, only calls with values that vary, and each place of the written-out
           // program: loops that share a body have it as often as they are many
};

/// How many these are, of all ranks or of one; the largest number there is if they are more.
/// @complexity O(size of the programs)
std::uint64_t calls_in(const trace::Trace& trace, Walk walk, std::optional<std::int64_t> rank = {});

/// To be asked before the calls are gone through. Says on stderr how many there are and about how
/// long it takes, if that is long.
/// @error  kUnsupported for more calls than limited(1e9), with what lifts the bound
Status allow_walk(const trace::Trace& trace, const std::string& file, Walk walk = Walk::kAll,
                  std::optional<std::int64_t> rank = {});

/// To be asked before all ranks are played at once: besides its calls, each keeps what it knows of
/// every call of its program, in memory that a small file is not worth.
/// @error  those of allow_walk(); kUnsupported for more memory than such a file may take
/// @complexity O(size of the programs)
Status allow_play(const trace::Trace& trace, const std::string& file);

/// By how much more than it may that takes memory; 1 at most if it is allowed.
double play_excess(const trace::Trace& trace, const std::string& file);

/// To be asked before the ranks' programs are read as one, or compared with each other: ranks whose
/// programs have little in common can be many in few bytes.
/// @error  kUnsupported for more memory or work than such a file may take
/// @complexity O(size of the programs)
Status allow_read(const trace::Trace& trace, const std::string& file);

/// By how much more than it may that takes; 1 at most if it is allowed.
double read_excess(const trace::Trace& trace, const std::string& file);

/// Says on stderr how much there is to go through and about how long it takes, if that is long.
void remark_walk(const trace::Trace& trace, const std::string& file, Walk walk,
                 std::optional<std::int64_t> rank = {});

/// Opens a trace for a command that goes through these calls.
/// @error  those of open_trace() and allow_walk()
Result<trace::Trace> read_for_walk(const std::string& file, Walk walk = Walk::kAll);

} // namespace rondo::cli
