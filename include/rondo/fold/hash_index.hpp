// SPDX-License-Identifier: Apache-2.0
// Finds things that stand in a table of their own by a hash of each: the index has their numbers
// only, and asks its caller whether one is meant. Numbers are never removed one by one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace rondo::fold {

/// Numbers of things, found by their hashes: one flat array with open addressing. Programs that do
/// not repeat add something with each call; an entry is a word here, where a map of lists would
/// take two blocks of memory for each.
class HashIndex {
public:
  static constexpr std::uint32_t kNone = 0xffffffff;

  /// @param is_it  is_it(number): whether that is what is looked for, asked of numbers whose hash
  ///               may be this one
  /// @return       the number, or kNone
  /// @complexity   O(1) expected
  template <class IsIt> std::uint32_t find(std::uint64_t hash, IsIt is_it) const {
    if (entries_.empty()) return kNone;
    const std::uint32_t tag = tag_of(hash);
    for (std::size_t at = tag & mask();; at = (at + 1) & mask()) {
      const Entry& entry = entries_[at];
      if (entry.number == kNone) return kNone;
      if (entry.tag == tag && is_it(entry.number)) return entry.number;
    }
  }

  /// Adds a number, whatever is known of this hash already.
  /// @param number  not kNone
  /// @complexity    O(1) amortized
  void add(std::uint64_t hash, std::uint32_t number) {
    if (2 * (used_ + 1) > entries_.size()) grow();
    put({tag_of(hash), number});
    ++used_;
  }

  /// Forgets all numbers, and keeps the memory for as many.
  void clear() {
    std::fill(entries_.begin(), entries_.end(), Entry());
    used_ = 0;
  }

  /// Memory in use, in bytes.
  std::size_t memory() const { return entries_.capacity() * sizeof(Entry); }

private:
  struct Entry {
    std::uint32_t tag = 0;
    std::uint32_t number = kNone;
  };
  static constexpr std::size_t kFirstSize = 32; // a power of two, as all sizes are

  // Keys may be numbers side by side: the multiplication spreads them.
  static std::uint32_t tag_of(std::uint64_t hash) {
    return static_cast<std::uint32_t>((hash * 0x9e3779b97f4a7c15u) >> 32);
  }
  std::size_t mask() const { return entries_.size() - 1; }

  void put(Entry entry) {
    std::size_t at = entry.tag & mask();
    while (entries_[at].number != kNone) at = (at + 1) & mask();
    entries_[at] = entry;
  }

  // The entries are brought together first, as whether a place has one cannot be foreseen.
  void grow() {
    std::vector<Entry> old = std::move(entries_);
    entries_.assign(old.empty() ? kFirstSize : 2 * old.size(), {});
    std::size_t kept = 0;
    for (const Entry entry : old) {
      old[kept] = entry;
      kept += static_cast<std::size_t>(entry.number != kNone);
    }
    for (std::size_t i = 0; i < kept; ++i) put(old[i]);
  }

  std::vector<Entry> entries_;
  std::size_t used_ = 0;
};

} // namespace rondo::fold
