// SPDX-License-Identifier: Apache-2.0
// Reader of DUMPI traces, as SST's libdumpi writes them: a binary file for each rank
// (PREFIX-0000.bin, ...), and PREFIX.meta beside them. docs/formats/dumpi.md says what becomes of
// each record.
//
//   auto imported = convert::read_dumpi("run/dumpi-2013.09.26.meta", {});
//
// Ranks are folded one after another while they are read, so memory follows the folded programs.
#pragma once

#include "rondo/base/result.hpp"
#include "rondo/convert/imported.hpp"

#include <string>
#include <string_view>

namespace rondo::convert {

/// Whether a file begins as a rank's trace does, or as the text that names them.
bool is_dumpi(std::string_view start);

/// The .meta file in a folder, or a rank's file where there is none; empty if neither is there.
/// @error  kFormat: traces of several runs
Result<std::string> dumpi_run_in(const std::string& folder);

/// @param path   the .meta file, a rank's file, which stands for all of its run, or their folder
/// @error  kNotFound: no such place, or a rank without a file; kIo; kFormat and kDamaged with the
///         file and offset; kUnsupported: a record of a function that this reader does not know
/// @complexity  O(bytes); one thread
/// @source [dumpi]
Result<Imported> read_dumpi(const std::string& path, const ImportOptions& options);

} // namespace rondo::convert
