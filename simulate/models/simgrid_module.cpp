// SPDX-License-Identifier: Apache-2.0
// Loads SimGrid when a platform is asked for: it and what it needs are most of what the loader
// would have to map and relocate for every command. Once loaded the module stays, as SimGrid does.
#include "simulate/models/simgrid_module.hpp"

#include <dlfcn.h>
#include <filesystem>
#include <fmt/core.h>
#include <link.h>
#include <string>
#include <vector>

namespace rondo::simulate::internal {
namespace {

namespace fs = std::filesystem;

constexpr const char* kModule = "librondo_simgrid.so";
#define RONDO_TEXT_OF(name) #name
#define RONDO_TEXT(name) RONDO_TEXT_OF(name)
constexpr const char* kDoor = RONDO_TEXT(RONDO_SIMGRID_DOOR);

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

Result<fs::path> module_file() {
  std::string looked;
  std::error_code error;
  for (const fs::path& folder : folders_to_look_in()) {
    if (fs::exists(folder / kModule, error)) return folder / kModule;
    looked += (looked.empty() ? "" : ", ") + folder.string();
  }
  return fail(ErrorCode::kUnsupported,
              fmt::format("networks with contention need {}, which is not there (looked in {}); it "
                          "comes with the program (Debian: package rondo), install it whole",
                          kModule, looked));
}

Result<MakeCarrier*> load() {
  const auto file = module_file();
  if (!file) return propagate(file);
  void* const module = ::dlopen(file->c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (module == nullptr) {
    return fail(ErrorCode::kUnsupported,
                fmt::format("does not load ({}); networks with contention need it, and the "
                            "SimGrid that it was built with",
                            ::dlerror()),
                {file->string(), {}, {}, {}});
  }
  void* const door = ::dlsym(module, kDoor);
  if (door == nullptr) {
    return fail(
        ErrorCode::kUnsupported,
        fmt::format("is of another version of Rondo: it has no {}; install both anew", kDoor),
        {file->string(), {}, {}, {}});
  }
  return reinterpret_cast<MakeCarrier*>(door);
}

const Result<MakeCarrier*>& loaded() {
  static const Result<MakeCarrier*> door = load();
  return door;
}

} // namespace

Status simgrid_is_there(const Platform&) { return loaded() ? Status() : propagate(loaded()); }

Result<std::unique_ptr<Carrier>> simgrid_carrier(const Platform& platform, std::int64_t ranks) {
  if (!loaded()) return propagate(loaded());
  Result<std::unique_ptr<Carrier>> made;
  (*loaded())(platform, ranks, made);
  return made;
}

} // namespace rondo::simulate::internal

namespace rondo::simulate {

Status has_contention() {
  const auto file = internal::module_file();
  return file ? Status() : propagate(file);
}

} // namespace rondo::simulate
