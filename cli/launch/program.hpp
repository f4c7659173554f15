// SPDX-License-Identifier: Apache-2.0
// Which program a command line starts, and with which MPI library: what has to be known before a
// recorder can be preloaded.
#pragma once

#include "rondo/base/result.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace rondo::cli {

enum class Mpi {
  kOpenMpi,
  kMpich,
  kAbi, // any library with the standard's binary interface, libmpi_abi.so.0
};
enum class Launcher {
  kNone, // the program itself, or a launcher that hands its environment on (srun)
  kOpenMpi, // mpirun of Open MPI: an environment for the ranks only, by a setting of its own
  kHydra, // mpiexec of MPICH and its kin: by -genv
};

struct Target {
  std::string program; // as the command has it
  Mpi mpi = Mpi::kOpenMpi;
  Launcher launcher = Launcher::kNone;
  bool is_linked = false; // with that MPI; else it loads one when it runs
  bool has_asan = false; // linked with AddressSanitizer's library, which wants to be the first
};

const char* name_of(Mpi mpi); // "Open MPI"
const char* keyword_of(Mpi mpi); // "openmpi", as in the recorder's file name
/// The MPI with this keyword. @error kUsage with the keywords there are
Result<Mpi> parse_mpi(const std::string& keyword);

/// The MPI that the command's first word launches programs of, by its name or what it says of its
/// version.
/// @param forced    as below
/// @error  kNotFound if there is no such program, kUsage if it is no launcher or says nothing, or
/// launches programs of another MPI than the forced one
Result<Mpi> find_launchers_mpi(const std::vector<std::string>& command, const std::string& forced);

/// Finds the program in the command and the MPI that it is linked with, which its own file says, or
/// those of its libraries; a script and what runs scripts are taken to use the launcher's.
/// @param command   at least one word; the launcher, if any, comes first
/// @param forced    keyword of the MPI if the user named one, else empty
/// @error  kNotFound if there is no such program, kUsage if it does not use MPI, cannot be found
/// in the command, or is linked with another MPI than its launcher's or the forced one
Result<Target> find_target(const std::vector<std::string>& command, const std::string& forced);

/// The program in a command, whether it uses MPI or not: what find_target() looks at.
struct FoundProgram {
  std::string word; // as the command has it
  std::filesystem::path file;
  Launcher launcher = Launcher::kNone;
};
/// @error  as find_target() where there is none
Result<FoundProgram> find_any_program(const std::vector<std::string>& command);

} // namespace rondo::cli
