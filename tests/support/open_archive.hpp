// SPDX-License-Identifier: Apache-2.0
// Opens an archive that nobody vouches for and looks at everything in it, as far as `calls` calls
// of each rank: what a crash or a hang would show in. Used by tests and by the fuzz target.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rondo::support {

/// True if the archive was read; false if it was refused.
bool open_archive(std::string_view bytes, std::uint64_t calls);

/// The same for the raw bytes of the sections, which get a sound file around them without
/// compression's cost.
bool open_sections(std::string_view program, std::string_view times, std::uint64_t calls);

} // namespace rondo::support
