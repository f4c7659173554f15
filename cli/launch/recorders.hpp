// SPDX-License-Identifier: Apache-2.0
// The recorders that there are: those that came with this Rondo, one for each family of MPIs, and
// those that `rondo build-recorder` made for an MPI of the site's.
#pragma once

#include "cli/launch/program.hpp"
#include "rondo/base/result.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace rondo::cli {

struct Recorder {
  std::string name; // librondo_record_NAME.so, and what --mpi takes
  Mpi mpi = Mpi::kOpenMpi;
  std::filesystem::path file;
  std::string built_for; // "Open MPI 5.0.3, /opt/openmpi/include/mpi.h"; empty: came with Rondo
};

/// Where recorders are looked for, and new ones put: beside those of this Rondo, then in the user's
/// own folder, ~/.local/share/rondo/recorders.
std::vector<std::filesystem::path> recorder_folders();

/// Each name once, those that came with Rondo first.
std::vector<Recorder> recorders();

/// Which MPI --mpi means: "" stays so, a keyword too, a recorder's name is the keyword of its
/// family. @error kUsage with the names there are
Result<std::string> mpi_meant(const std::string& wanted);

/// The recorder for programs of this MPI.
/// @param wanted   what --mpi said, which mpi_meant() has seen
/// @error  kNotFound if there is none, kUsage if there are several and none is named; with what to
/// do
Result<Recorder> recorder_for(Mpi mpi, const std::string& wanted);

} // namespace rondo::cli
