// SPDX-License-Identifier: Apache-2.0
// Files that a program expects to be there.
#pragma once

#include "rondo/trace/trace.hpp"

#include <functional>
#include <string>

namespace rondo::generate {

/// Makes, full of zeros, each file that the trace opens without creating it, or deletes.
/// @param name_of   program's name -> the file that stands for it
/// @return  what went wrong, empty if nothing did
/// @complexity O(calls of ranks that use files)
std::string make_input_files(const trace::Trace& trace,
                             const std::function<std::string(const std::string&)>& name_of);

} // namespace rondo::generate
