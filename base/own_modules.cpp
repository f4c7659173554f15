// SPDX-License-Identifier: Apache-2.0
#include "base/own_modules.hpp"

#include <dlfcn.h>
#include <link.h>
#include <string>
#include <vector>

namespace rondo::internal {
namespace {

namespace fs = std::filesystem;

// The library that this code is linked into; empty if that is the program itself.
fs::path own_library() {
  Dl_info unused;
  void* found = nullptr;
  const auto* const here = reinterpret_cast<const void*>(&own_library);
  if (::dladdr1(here, &unused, &found, RTLD_DL_LINKMAP) == 0) return {};
  return fs::path(static_cast<const link_map*>(found)->l_name);
}

// Where a `lib` may be that came with this code: of the program in bin/; of the Python module in
// a build tree, in a wheel, or installed.
std::vector<fs::path> own_prefixes() {
  std::error_code error;
  const fs::path library = own_library();
  if (library.empty()) {
    const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
    if (folder.filename() != "bin") return {}; // somebody's program with librondo.a
    return {folder.parent_path()};
  }
  const fs::path folder = fs::canonical(library, error).parent_path();
  return {folder / "_installed", folder / "../..", folder / "../../../.."};
}

std::vector<fs::path> folders_to_look_in() {
  std::vector<fs::path> folders;
  for (const fs::path& prefix : own_prefixes()) {
    for (const char* name : {RONDO_LIBDIR "/rondo", "lib/rondo", "lib"}) {
      const fs::path folder = (prefix / name).lexically_normal();
      if (folders.empty() || folders.back() != folder) folders.push_back(folder);
    }
  }
  folders.emplace_back(RONDO_PRIVATE_DIR);
  return folders;
}

// In the folder of a build, of which only a part was made: the command that makes the rest.
std::string advice() {
  std::error_code error;
  for (const fs::path& prefix : own_prefixes()) {
    const fs::path folder = prefix.lexically_normal();
    if (fs::exists(folder / "CMakeCache.txt", error))
      return "this is a build of a part of Rondo; the rest is made by: cmake --build " +
             folder.string();
  }
  return "it comes with the program (Debian: package rondo), install it whole";
}

tl::unexpected<Error> refuse(std::string what, const std::string& file = {}) {
  return fail(ErrorCode::kUnsupported, std::move(what), {file, {}, {}, {}});
}

} // namespace

Result<fs::path> find_module(const OwnModule& module) {
  std::string looked;
  std::error_code error;
  for (const fs::path& folder : folders_to_look_in()) {
    if (fs::exists(folder / module.file, error)) return folder / module.file;
    looked += (looked.empty() ? "" : ", ") + folder.string();
  }
  return refuse(std::string(module.users) + " need " + module.file +
                ", which is not there (looked in " + looked + "); " + advice());
}

Result<void*> load_module(const OwnModule& module) {
  const auto file = find_module(module);
  if (!file) return propagate(file);
  void* const loaded = ::dlopen(file->c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (loaded == nullptr) {
    const std::string reason = ::dlerror();
    return refuse("does not load (" + reason + "); " + module.users + " need it, and the " +
                      module.linked_with + " that it was built with",
                  file->string());
  }
  void* const door = ::dlsym(loaded, module.door);
  if (door != nullptr) return door;
  return refuse(std::string("is of another version of Rondo: it has no ") + module.door +
                    "; build or install both anew",
                file->string());
}

} // namespace rondo::internal
