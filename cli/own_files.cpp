// SPDX-License-Identifier: Apache-2.0
#include "cli/own_files.hpp"

#include <fmt/core.h>

namespace rondo::cli {

namespace fs = std::filesystem;

Result<fs::path> own_file(const std::string& name, const std::string& what, Mpi mpi) {
  std::error_code error;
  const fs::path bin = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const fs::path& folder :
       {bin / "../lib", bin / ".." / RONDO_LIBDIR / "rondo", bin / "../lib/rondo"}) {
    if (fs::exists(folder / name, error)) return fs::canonical(folder / name, error);
  }
  return fail(ErrorCode::kNotFound,
              fmt::format("this Rondo has no {} for {} ({} is not beside it); build it "
                          "with that MPI's development package installed",
                          what, name_of(mpi), name));
}

Result<fs::path> recorder_library(Mpi mpi) {
  return own_file(fmt::format("librondo_record_{}.so", keyword_of(mpi)), "recorder", mpi);
}

} // namespace rondo::cli
