// SPDX-License-Identifier: Apache-2.0
// Formats whose trace is one text, given by the folder that it is in.
#pragma once

#include "rondo/base/result.hpp"

#include <string>

namespace rondo::convert::internal {

/// The one Paraver trace or GOAL schedule in a folder, by its name; empty if there is none.
/// @error  kFormat: more than one
Result<std::string> text_trace_in(const std::string& folder);

/// The file itself, or the one in the folder. @error  as text_trace_in()
Result<std::string> text_trace_at(const std::string& path);

} // namespace rondo::convert::internal
