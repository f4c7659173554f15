// SPDX-License-Identifier: Apache-2.0
#include "record/sites.hpp"

#include <algorithm>
#include <climits>
#include <dlfcn.h>
#include <unistd.h>

namespace rondo::record {
namespace {

std::string path_of_program() {
  char path[PATH_MAX];
  const ssize_t n = ::readlink("/proc/self/exe", path, sizeof path);
  return n > 0 ? std::string(path, static_cast<std::size_t>(n)) : std::string();
}

trace::CallSite find_site(const void* address) {
  Dl_info module{};
  if (dladdr(address, &module) == 0 || module.dli_fbase == nullptr) return {};
  const auto offset = reinterpret_cast<std::uintptr_t>(address) -
                      reinterpret_cast<std::uintptr_t>(module.dli_fbase);
  std::string path = module.dli_fname != nullptr ? module.dli_fname : "";
  if (path.find('/') == std::string::npos)
    path = path_of_program(); // as it stood on the command line
  return {std::move(path), offset};
}

} // namespace

Sites::Sites() : cache_(kCacheSize) {}

std::uint32_t Sites::look_up(const void* address) {
  const auto place =
      std::lower_bound(known_.begin(), known_.end(), address,
                       [](const Entry& e, const void* wanted) { return e.address < wanted; });
  if (place != known_.end() && place->address == address)
    return (cache_[slot_of(address)] = *place).index;
  trace::CallSite site = find_site(address);
  const auto same = std::find(sites_.begin(), sites_.end(), site);
  const Entry entry{address, static_cast<std::uint32_t>(same - sites_.begin())};
  if (same == sites_.end()) sites_.push_back(std::move(site));
  known_.insert(place, entry);
  cache_[slot_of(address)] = entry;
  return entry.index;
}

} // namespace rondo::record
