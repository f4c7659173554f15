// SPDX-License-Identifier: Apache-2.0
// Slots of the objects that a trace has numbers of its own for.
#pragma once

#include <cstdint>
#include <set>
#include <unordered_map>

namespace rondo::convert::internal {

/// Slots of the windows, or of the files, that one stream has: the lowest that is free, as the
/// recorder gives them.
class ObjectSlots {
public:
  std::int64_t of(std::uint32_t object) {
    const auto known = slots_.find(object);
    if (known != slots_.end()) return known->second;
    std::int64_t slot = next_;
    if (free_.empty())
      ++next_;
    else
      slot = free_.extract(free_.begin()).value();
    return slots_[object] = slot;
  }
  void release(std::uint32_t object) {
    const auto known = slots_.find(object);
    if (known == slots_.end()) return;
    free_.insert(known->second);
    slots_.erase(known);
  }

private:
  std::unordered_map<std::uint32_t, std::int64_t> slots_;
  std::set<std::int64_t> free_;
  std::int64_t next_ = 0;
};

} // namespace rondo::convert::internal
