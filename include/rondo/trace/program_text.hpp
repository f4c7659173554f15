// SPDX-License-Identifier: Apache-2.0
// A program as text, loops as loops: what `rondo print` shows. Peers are written as they depend on
// the rank, columns by what they hold, requests by age (@0 is the newest one made, p0 a persistent
// one by its slot).
#pragma once

#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rondo::trace {

class CommunicatorNames;

struct ProgramTextOptions {
  /// Behind each call: mean times, the rank that computes longest, and which lines share them.
  bool times = true;
  std::size_t first_line = 1; // its number where the text is read
  bool local = true; // calls that no other rank hears of (is_local); else a last line counts them
  /// Where a call stands, in words; empty for what is not to be said.
  std::function<std::string(const Call&)> site = nullptr;
  /// Of a call that receives with room for more than comes: the least and the most bytes that come.
  std::function<std::optional<std::pair<std::int64_t, std::int64_t>>(const Call&)> arrived =
      nullptr;
  int indent = 2;
};

/// What one rank of the class does: one line per term, each ending in a line feed. Times are its
/// own if those of every call were kept, else those of the class.
std::string program_text(const Trace& trace, const RankClass& c, std::int64_t rank,
                         const ProgramTextOptions& options);

/// All ranks' program: terms that not all of them execute stand below "ranks 0-3,12:". Words that
/// differ between ranks are written in the order of the ranks, repetitions folded: "rank[{+1 x3,
/// -3} x4]".
std::string merged_text(const Trace& trace, std::size_t index, const ProgramTextOptions& options);

/// "rank 0", "ranks 0-3,12"
std::string guard_text(const RankSet& ranks);

/// "rank % 4 * 4 + rank / 4": a formula in the rank that holds for all values, one for each of some
/// ranks of MPI_COMM_WORLD, ascending; nothing if none is found. The one simplifier for all text.
/// @complexity   O(ranks * (divisors of the number of ranks + powers of two))
std::optional<std::string> formula_text(FieldKind kind, const std::vector<std::int64_t>& ranks,
                                        const std::vector<std::int64_t>& values);

/// One call without times: "MPI_Send(count=1, datatype=MPI_INT, dest=rank+1, tag=0,
/// comm=MPI_COMM_WORLD)".
/// @param comms  of the trace: for many calls they are found once, in O(calls of all programs)
std::string call_text(const Trace& trace, const Program& program, const Call& call,
                      const CommunicatorNames* comms = nullptr);
std::string call_text(const Trace& trace, const MergedProgram& program, const Call& call,
                      const CommunicatorNames* comms = nullptr);

/// "62", "3..17 (mean 9.2)"
std::string trip_count_text(const Column& column);
std::string trip_count_text(const MergedProgram& program, const MergedLoop& loop);

} // namespace rondo::trace
