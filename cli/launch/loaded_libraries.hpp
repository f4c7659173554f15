// SPDX-License-Identifier: Apache-2.0
// The libraries that the dynamic linker would load for a program, and theirs, found as it finds
// them but without running it or the program: what ldd says, of files that are only read.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace rondo::cli {

struct LoadedLibrary {
  std::string name; // as the file that needs it has it
  std::filesystem::path file; // empty if it is nowhere
};

/// Each name once, the program's own libraries first. Looks where rpath, LD_LIBRARY_PATH, runpath,
/// ld.so.cache and the system's folders say; what is loaded late is not among them.
/// @complexity  O(symbols of all of them)
std::vector<LoadedLibrary> loaded_libraries(const std::filesystem::path& program);

} // namespace rondo::cli
