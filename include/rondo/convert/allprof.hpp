// SPDX-License-Identifier: Apache-2.0
// Reader of liballprof's text traces, as ATLAHS and Schedgen take them: a file for each rank with
// one call in a line. docs/formats/allprof.md says what becomes of each call.
//
//   auto imported = convert::read_allprof("sweep3d-2x2", {});
//
// Each rank's lines are folded while they are read, so memory follows the folded programs.
#pragma once

#include "rondo/base/result.hpp"
#include "rondo/convert/imported.hpp"

#include <string>
#include <string_view>

namespace rondo::convert {

/// Whether a text begins as a rank's file does.
bool is_allprof(std::string_view start);

/// @param path   a folder of rank files (the last number in a name is the rank), or one of them,
///               which stands for its folder
/// @error  kNotFound: no such place, or a rank without a file; kIo; kFormat with file and line;
///         kDamaged: a file that ends in the middle of a line
/// @complexity  O(bytes); one thread
/// @source [allprof]
Result<Imported> read_allprof(const std::string& path, const ImportOptions& options);

} // namespace rondo::convert
