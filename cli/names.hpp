// SPDX-License-Identifier: Apache-2.0
// Names of functions and lines that an archive keeps, so that it needs no files of the program.
#pragma once

#include "rondo/trace/trace.hpp"

#include <string>

namespace rondo::cli {

/// Puts the names into the trace that it does not have yet, as far as the program's files are here.
/// Says on stderr which files were not.
/// @return  how many sites got a name
std::size_t fill_names(trace::Trace& trace, const std::string& file);

/// The same for the archive that the trace was read from, which is written anew.
void keep_names(trace::Trace& trace, const std::string& file);

} // namespace rondo::cli
