// SPDX-License-Identifier: Apache-2.0
// Call sites: return addresses turned into (module, offset), which are the same on every rank and
// in every run although modules are loaded at random addresses. With call stacks, a site is told
// apart by its caller's too, so that one call reached in two ways is two sites.
#pragma once

#include "record/process/stack_walk.hpp"
#include "rondo/trace/trace.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace rondo::record {

class Sites {
public:
  static constexpr std::size_t kMostFrames = 64;

  /// @param frames   how much of the call stack is kept: 1 is the call itself, at most kMostFrames
  explicit Sites(std::size_t frames = 1);

  /// The index of a return address; with more frames, of the stack from it outwards, where it must
  /// be on this thread's stack. The stack ends where libc calls the program: at main, mostly.
  /// @complexity O(frames), a few ns each after the first time (docs/recording.md)
  std::uint32_t index_of(const void* address) {
    if (frames_ > 1) [[unlikely]]
      return index_of_stack(address);
    return index_in(0, address);
  }
  bool are_shallow() const { return frames_ == 1; } // sites tell no callers apart
  /// Where they are shallow, the index of an address that was looked up not long ago; else nullptr.
  const std::uint32_t* find(const void* address) const {
    const Entry& entry = cache_[slot_of(0, address)];
    return entry.address == address ? &entry.index : nullptr; // its caller is 0
  }
  const std::vector<trace::CallSite>& sites() const { return sites_; } // callers first
  const std::vector<trace::Module>& modules() const { return modules_; } // those of sites()

private:
  struct Entry {
    const void* address = nullptr;
    std::uint32_t caller = 0; // as in trace::CallSite
    std::uint32_t index = 0;
  };
  static constexpr std::size_t kCacheSize = 1024;
  static std::size_t slot_of(std::uint32_t caller, const void* address) {
    const auto bits = reinterpret_cast<std::uintptr_t>(address) + std::uintptr_t{caller} * 0x9e37;
    return (bits ^ (bits >> 10)) & (kCacheSize - 1);
  }
  std::uint32_t index_in(std::uint32_t caller, const void* address) {
    Entry& entry = cache_[slot_of(caller, address)];
    const bool known = entry.address == address && entry.caller == caller;
    return known ? entry.index : look_up(caller, address);
  }
  std::uint32_t look_up(std::uint32_t caller, const void* address);
  std::uint32_t index_of_stack(const void* address);

  std::vector<Entry> cache_; // first, with what else all calls look at
  std::size_t frames_;
  StackWalk walk_;
  std::pair<std::uintptr_t, std::uintptr_t> libc_; // begin and end of its addresses
  std::map<std::pair<std::uint32_t, const void*>, std::uint32_t> known_; // by caller and address
  std::vector<trace::CallSite> sites_;
  std::vector<trace::Module> modules_;
};

} // namespace rondo::record
