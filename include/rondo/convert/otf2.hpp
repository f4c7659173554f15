// SPDX-License-Identifier: Apache-2.0
// Reader and writer of OTF2 archives, as Score-P, TAU, EZTrace and others write them: an anchor
// file (traces.otf2), the definitions beside it and a file of events for each thread.
// docs/formats/otf2.md says what becomes of each record.
//
//   auto imported = convert::read_otf2("scorep-run/traces.otf2", {});
//   if (!imported) return propagate(imported);
//   archive::write(imported->trace, "run.rondo", Overwrite::kRefuse);
//
// Threads are read and folded one after another, so memory follows the folded programs and the
// receives under way, not the length of the trace. Not thread-safe: the library behind it says its
// errors in one place for the whole process.
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

/// Whether this build has the library that reads and writes OTF2.
bool has_otf2();

/// Whether a file begins as the anchor of an OTF2 archive does.
bool is_otf2(std::string_view start);

/// Whether an anchor claims no more properties than it has room for. @param anchor  all its bytes
bool is_sound_otf2_anchor(std::string_view anchor);

/// The anchor in a folder, whatever its name; empty if there is none.
/// @error  kFormat: more than one
Result<std::string> otf2_anchor_in(const std::string& folder);

/// Computation of a call is the time since the call before, outside of other MPI functions and of
/// the tool's own flushes. Times are ns since the archive's global offset, for all ranks alike.
/// @param path   the anchor, or the folder that it is in
/// @error  kNotFound, kIo; kFormat and kDamaged with the file; kUnsupported: a trace without MPI,
///         more than the budget of a trace of that size, or a build without the library
/// @complexity  O(events); one thread
/// @source [otf2]
Result<Imported> read_otf2(const std::string& path, const ImportOptions& options);

/// The part of a trace that is written.
struct Otf2OutOptions {
  std::optional<trace::RankSet> ranks{}; // only events of these; all ranks stay defined
  /// Only calls that are at least in part between these times, ns since the first rank's MPI_Init.
  std::uint64_t from_ns = 0;
  std::uint64_t until_ns = ~std::uint64_t{0};
  /// Calls whose messages no record says are written without them, with a remark.
  bool approximates = false;
};

/// Writes the archive PATH.otf2, PATH.def and the folder PATH with the events, as Score-P would
/// have: one location a thread, a region for each call, records of messages and collective
/// operations. Receives have the size of the message that matches. Stamps are those of the trace,
/// since the first rank's MPI_Init; where it has none they are reconstructed from the
/// means of each place, which the archive's description and a remark say.
/// @param path   of the anchor, whose name ends in .otf2
/// @return       what was reconstructed, guessed or left out, one sentence each
/// @error  kExists, kIo; kUnsupported: a build without the library, or the list of calls whose
///         messages no record says. Then nothing was written.
/// @complexity  O(calls); locations are written side by side, if the run has no windows and files
/// @source [otf2]
Result<std::vector<std::string>> write_otf2(const trace::Trace& trace, const std::string& path,
                                            const Otf2OutOptions& options, Overwrite overwrite);

} // namespace rondo::convert
