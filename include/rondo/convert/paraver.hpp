// SPDX-License-Identifier: Apache-2.0
// Reader and writer of Paraver traces, as Extrae and other tools of BSC write them: a text of
// records sorted by time (.prv, packed by gzip or not), the names of its values (.pcf) and of its
// hosts (.row) beside it. docs/formats/paraver.md says what becomes of each record.
//
//   auto imported = convert::read_paraver("epoch.prv.gz", {});
//   if (!imported) return propagate(imported);
//   archive::write(imported->trace, "epoch.rondo", Overwrite::kRefuse);
//
// All ranks are folded while the records are read, and written side by side, so memory follows the
// folded programs and the calls and messages under way, not the length of the text.
#pragma once

#include "rondo/base/files.hpp"
#include "rondo/base/result.hpp"
#include "rondo/convert/imported.hpp"
#include "rondo/trace/rank_set.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::convert {

/// Whether a text begins as a Paraver trace does.
bool is_paraver(std::string_view start);

/// Computation of a call is the time in state Running since the call before; what is in other
/// states between calls is neither computation nor MPI. RankFacts::computation_ns is all of a
/// rank's time in that state, what comes behind its last call included, and span_ns the duration
/// of the trace. Calls start at ns of the trace, so the first does not at 0.
/// @param place  the .prv or .prv.gz, or the folder with it alone; without .pcf Extrae's numbers of
///               functions are taken, without .row hosts have no names
/// @error  kNotFound, kIo; kFormat with file and line: what was found and what was expected;
///         kDamaged: cut in the middle of a line, or packed and cut; kUnsupported: more than the
///         budget of a file of that size
/// @complexity  O(bytes); one thread
/// @source [paraver]
Result<Imported> read_paraver(const std::string& place, const ImportOptions& options);

/// The part of a trace that is written.
struct ParaverOutOptions {
  std::optional<trace::RankSet> ranks{}; // only records of these; all ranks stay defined
  /// Only calls that are at least in part between these times, ns since the first rank's MPI_Init.
  std::uint64_t from_ns = 0;
  std::uint64_t until_ns = ~std::uint64_t{0};
  /// One-sided calls, those on files, of neighbours and of parts are written without what they
  /// move.
  bool approximates = false;
};

/// Writes PATH and the .pcf and .row beside it, as Extrae would have: states, an event where each
/// call begins and ends, sizes and communicators of collective operations, and a record of each
/// message that was sent and received. Without stamps times are reconstructed from the means of
/// each place, which the file and a remark say.
/// @return       what was reconstructed or left out, one sentence each
/// @error  kExists, kIo; kUnsupported: calls that move what no record says, with a list
/// @complexity  O(calls log threads); memory for messages under way, 64 MiB of lines at most
/// @source [paraver]
Result<std::vector<std::string>> write_paraver(const trace::Trace& trace, const std::string& path,
                                               const ParaverOutOptions& options,
                                               Overwrite overwrite);

/// Writes what Dimemas replays: for each rank its computation, messages and collective operations,
/// with the sender that came of receives from any source. The first thread of each rank is written.
/// @param approximates   operations that Dimemas does not have become the nearest, or are left out
/// @return       what was lowered, guessed or left out, one sentence each
/// @error  kExists, kIo; kUnsupported: calls that its trace cannot say, with a list
/// @complexity  O(calls)
/// @source [paraver]
Result<std::vector<std::string>> write_dimemas(const trace::Trace& trace, const std::string& path,
                                               bool approximates, Overwrite overwrite);

} // namespace rondo::convert
