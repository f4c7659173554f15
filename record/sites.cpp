// SPDX-License-Identifier: Apache-2.0
#include "record/sites.hpp"

#include "record/modules.hpp"

#include <algorithm>

namespace rondo::record {

Sites::Sites() : cache_(kCacheSize) {}

std::uint32_t Sites::look_up(const void* address) {
  const auto place =
      std::lower_bound(known_.begin(), known_.end(), address,
                       [](const Entry& e, const void* wanted) { return e.address < wanted; });
  if (place != known_.end() && place->address == address)
    return (cache_[slot_of(address)] = *place).index;
  ModulePlace found = find_module(address);
  trace::CallSite site{found.module.path, found.offset};
  const bool is_file = !found.module.path.empty();
  if (is_file && std::find(modules_.begin(), modules_.end(), found.module) == modules_.end())
    modules_.push_back(std::move(found.module));
  const auto same = std::find(sites_.begin(), sites_.end(), site);
  const Entry entry{address, static_cast<std::uint32_t>(same - sites_.begin())};
  if (same == sites_.end()) sites_.push_back(std::move(site));
  known_.insert(place, entry);
  cache_[slot_of(address)] = entry;
  return entry.index;
}

} // namespace rondo::record
