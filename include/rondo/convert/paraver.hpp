// SPDX-License-Identifier: Apache-2.0
// Reader of Paraver traces, as Extrae and other tools of BSC write them: a text of records sorted
// by time (.prv, packed by gzip or not), the names of its values (.pcf) and of its hosts (.row)
// beside it. docs/formats/paraver.md says what becomes of each record.
//
//   auto imported = convert::read_paraver("epoch.prv.gz", {});
//   if (!imported) return propagate(imported);
//   archive::write(imported->trace, "epoch.rondo", Overwrite::kRefuse);
//
// All ranks are folded while the records are read, so memory follows the folded programs and the
// calls under way, not the length of the text.
#pragma once

#include "rondo/base/result.hpp"
#include "rondo/convert/imported.hpp"

#include <string>
#include <string_view>

namespace rondo::convert {

/// Whether a text begins as a Paraver trace does.
bool is_paraver(std::string_view start);

/// Computation of a call is the time in state Running since the call before; what is in other
/// states between calls is neither computation nor MPI. RankFacts::computation_ns is all of a
/// rank's time in that state, what comes behind its last call included, and span_ns the duration
/// of the trace. Calls start at ns of the trace, so the first does not at 0.
/// @param path   the .prv or .prv.gz; without .pcf Extrae's numbers of functions are taken, without
///               .row hosts have no names
/// @error  kNotFound, kIo; kFormat with file and line: what was found and what was expected;
///         kDamaged: cut in the middle of a line, or packed and cut; kUnsupported: more than the
///         budget of a file of that size
/// @complexity  O(bytes); one thread
/// @source [paraver]
Result<Imported> read_paraver(const std::string& path, const ImportOptions& options);

} // namespace rondo::convert
