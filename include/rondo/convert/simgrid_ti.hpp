// SPDX-License-Identifier: Apache-2.0
// Reader and writer of SimGrid's time-independent traces, as `smpirun -trace-ti` writes them and
// `smpirun -replay` runs them: one text file
// for each rank with one action in a line (docs/formats/simgrid.md has the grammar).
//
//   auto imported = convert::read_simgrid_ti("lu.A.16", {});
//   if (!imported) return propagate(imported);
//   archive::write(imported->trace, "lu.rondo", Overwrite::kRefuse);
//
// Each rank's lines are folded while they are read, so memory follows the size of the folded
// programs.
#pragma once

#include "rondo/base/files.hpp"
#include "rondo/base/result.hpp"
#include "rondo/convert/imported.hpp"

#include <string>
#include <vector>

namespace rondo::convert {

/// times: whether durations of computation are kept; time inside MPI is always 0, the trace has
/// none.
struct SimgridTiOptions : ImportOptions {
  double flops_per_second = 1e9; // turns the trace's amounts of computation into time; > 0
};

/// Reads a folder of rank files (the last number in a file's name is its rank) or one of them, a
/// text file that lists one rank file a line, one text of all ranks, or a .tar or .tar.zst of such
/// a folder.
/// @error  kNotFound: no such place, no rank file in it, or a rank without file; kFormat with file
/// and line: what
///         was found and what was expected; kDamaged: a file or a packed folder that is cut;
///         kUnsupported: an action that SimGrid writes but that does not say enough to be a call;
///         kUsage for options
/// @complexity  O(lines); folders are read in parallel, packed ones and one text by one thread
/// @source [casanova2014]
Result<Imported> read_simgrid_ti(const std::string& path, const SimgridTiOptions& options);

struct SimgridTiWriting {
  double flops_per_second = 1e9; // of the host that replays it; > 0
  /// Calls that no action says are written as what is nearest to them, with remarks: collective
  /// operations on a part of the ranks or without blocking as their messages, other sends as
  /// standard sends; probes and files are left out.
  bool approximates = false;
};

struct SimgridTiWritten {
  std::vector<std::string>
      remarks; // what costs nothing in a replay or was guessed, one sentence each
};

/// Writes the folder: rank-0.txt, rank-1.txt, ... and `trace.list`, which `smpirun -replay` takes.
/// Receives name whom they got their message from. Computation is its time times the speed.
/// @error  kUnsupported with the list of calls that no action says; kExists if the folder is there
///         and may not be replaced or has other files in it; kIo. Then nothing was written.
/// @complexity  O(calls), read twice
/// @source [casanova2014]
Result<SimgridTiWritten> write_simgrid_ti(const trace::Trace& trace, const std::string& folder,
                                          const SimgridTiWriting& options, Overwrite overwrite);

} // namespace rondo::convert
