// SPDX-License-Identifier: Apache-2.0
// Files that belong to this Rondo: recorders and the like.
#pragma once

#include "cli/program.hpp"
#include "rondo/base/result.hpp"

#include <filesystem>
#include <string>

namespace rondo::cli {

/// The file in the folder of libraries beside this program, in the build tree or installed.
/// @param what   "recorder", for the message
/// @error  kNotFound, with what to do
Result<std::filesystem::path> own_file(const std::string& name, const std::string& what, Mpi mpi);

/// The recorder for this MPI. @error as own_file()
Result<std::filesystem::path> recorder_library(Mpi mpi);

} // namespace rondo::cli
