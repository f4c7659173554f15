// SPDX-License-Identifier: Apache-2.0
// The limit on the size of files that a process may have (ulimit -f). Writing beyond it ends the
// process by SIGXFSZ, so writers ask before, and fail as on a disk that is full.
#pragma once

#include <cstdint>

namespace rondo {

/// Whether this process may write a file of so many bytes. errno says why not.
bool may_write_file_of(std::uint64_t bytes);

} // namespace rondo
