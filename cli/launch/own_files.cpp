// SPDX-License-Identifier: Apache-2.0
#include "cli/launch/own_files.hpp"

#include <fmt/core.h>

namespace rondo::cli {

namespace fs = std::filesystem;
namespace {

fs::path own_folder() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path();
}

} // namespace

std::vector<fs::path> own_library_folders() {
  const fs::path up = (own_folder() / "..").lexically_normal();
  std::vector<fs::path> folders;
  std::error_code error;
  for (const char* name : {RONDO_LIBDIR "/rondo", "lib/rondo"}) {
    const bool is_first = folders.empty() || folders.front() != up / name;
    if (is_first && fs::is_directory(up / name, error)) folders.push_back(up / name);
  }
  if (folders.empty()) folders.push_back(up / "lib"); // of a build tree
  return folders;
}

Result<fs::path> own_data(const std::string& name) {
  const fs::path file = (own_folder() / "../share/rondo" / name).lexically_normal();
  std::error_code error;
  if (fs::exists(file, error)) return file;
  return fail(ErrorCode::kNotFound, "this Rondo has come without this file",
              {file.string(), {}, {}, {}});
}

Result<fs::path> own_file(const std::string& name, const std::string& what, Mpi mpi) {
  std::error_code error;
  for (const fs::path& folder : own_library_folders()) {
    if (fs::exists(folder / name, error)) return fs::canonical(folder / name, error);
  }
  return fail(ErrorCode::kNotFound,
              fmt::format("this Rondo has no {} for {} ({} is not beside it); build it "
                          "with that MPI's development package installed",
                          what, name_of(mpi), name));
}

} // namespace rondo::cli
