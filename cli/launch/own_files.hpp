// SPDX-License-Identifier: Apache-2.0
// Files that belong to this Rondo: recorders and the like.
#pragma once

#include "cli/launch/program.hpp"
#include "rondo/base/result.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace rondo::cli {

/// The file in the folder of libraries beside this program, in the build tree or installed.
/// @param what   "recorder", for the message
/// @error  kNotFound, with what to do
Result<std::filesystem::path> own_file(const std::string& name, const std::string& what, Mpi mpi);

/// Folders where own_file() looks.
std::vector<std::filesystem::path> own_library_folders();

/// A file that is no library, in share/rondo beside this program's folder. @error kNotFound
Result<std::filesystem::path> own_data(const std::string& name);

} // namespace rondo::cli
