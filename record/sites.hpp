// SPDX-License-Identifier: Apache-2.0
// Call sites: return addresses turned into (module, offset), which are the same on every rank and
// in every run although modules are loaded at random addresses.
#pragma once

#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <vector>

namespace rondo::record {

class Sites {
public:
  Sites();

  /// The index of a return address. @complexity O(1), a few ns after the first time
  std::uint32_t index_of(const void* address) {
    Entry& entry = cache_[slot_of(address)];
    return entry.address == address ? entry.index : look_up(address);
  }
  const std::vector<trace::CallSite>& sites() const { return sites_; }
  const std::vector<trace::Module>& modules() const { return modules_; } // those of sites()

private:
  struct Entry {
    const void* address = nullptr;
    std::uint32_t index = 0;
  };
  static constexpr std::size_t kCacheSize = 1024;
  static std::size_t slot_of(const void* address) {
    const auto bits = reinterpret_cast<std::uintptr_t>(address);
    return (bits ^ (bits >> 10)) & (kCacheSize - 1);
  }
  std::uint32_t look_up(const void* address);

  std::vector<Entry> cache_;
  std::vector<Entry> known_; // sorted by address
  std::vector<trace::CallSite> sites_;
  std::vector<trace::Module> modules_;
};

} // namespace rondo::record
