// SPDX-License-Identifier: Apache-2.0
// Numbers for things that come and go: the lowest that is free.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

namespace rondo::record {

class SlotNumbers {
public:
  /// @complexity O(log of the free ones)
  std::uint64_t take() {
    if (free_.empty()) return made_++;
    const std::uint64_t lowest = free_.top();
    free_.pop();
    return lowest;
  }
  /// A number that was taken, and is free from now on.
  void release(std::uint64_t number) { free_.push(number); }

private:
  std::priority_queue<std::uint64_t, std::vector<std::uint64_t>, std::greater<>> free_;
  std::uint64_t made_ = 0;
};

} // namespace rondo::record
