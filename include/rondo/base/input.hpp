// SPDX-License-Identifier: Apache-2.0
// Opening what a reader was given. A name may stand for a pipe or a device, in a folder of others
// too: a reader must neither wait for ever nor read without end.
#pragma once

#include "rondo/base/result.hpp"

#include <string>

namespace rondo {

/// A descriptor to read from, which is the caller's to close. A pipe with a name is given some time
/// until somebody writes into it; the shell's own pipes, as of <(COMMAND), wait as ever.
/// @error  kNotFound; kIo with the system's reason, or for a pipe that nobody writes into, a device
///         or a socket
Result<int> open_to_read(const std::string& path);

} // namespace rondo
