// SPDX-License-Identifier: Apache-2.0
#include "record/process/surroundings.hpp"

#include <algorithm>
#include <cstdlib>
#include <mpi.h>

namespace rondo::record {
namespace {

#if defined(OPEN_MPI)
constexpr const char* kOwnFamily = "Open MPI";
constexpr const char* kOtherFamily = "MPICH";
constexpr const char* kOthersSizes[] = {"PMI_SIZE", "MPI_LOCALNRANKS"}; // of hydra
constexpr const char* kOwnLauncher = "mpirun.openmpi";
#elif defined(RONDO_STANDARD_ABI) // any launcher may be that of the library behind it
constexpr const char* kOwnFamily = "the standard ABI";
constexpr const char* kOtherFamily = "another MPI";
constexpr const char* kOthersSizes[] = {""}; // there is none of no name
constexpr const char* kOwnLauncher = "that of its library";
#else
constexpr const char* kOwnFamily = "MPICH";
constexpr const char* kOtherFamily = "Open MPI";
constexpr const char* kOthersSizes[] = {"OMPI_COMM_WORLD_SIZE"};
constexpr const char* kOwnLauncher = "mpiexec.mpich";
#endif

std::int64_t number_in(const char* variable) {
  const char* text = std::getenv(variable);
  return text == nullptr ? 0 : std::strtoll(text, nullptr, 10);
}

} // namespace

std::int64_t launched_rank() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"}) {
    if (std::getenv(name) != nullptr) return number_in(name);
  }
  return 0;
}

std::string stranger_launcher(std::int64_t world_size) {
  std::int64_t launched = 0;
  for (const char* name : kOthersSizes) launched = std::max(launched, number_in(name));
  if (world_size != 1 || launched < 2) return "";
  return std::to_string(launched) + " processes were started by a launcher of " + kOtherFamily +
         ", but the program uses " + kOwnFamily +
         ": each runs alone, as rank 0 of 1; start it with a launcher of " + kOwnFamily + " (" +
         kOwnLauncher + ")";
}

} // namespace rondo::record
