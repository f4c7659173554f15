// SPDX-License-Identifier: Apache-2.0
// A list that grows at its end and takes memory piece by piece: what is in it is never moved, so
// that a list of many millions takes no more than its items, also while it grows.
#pragma once

#include "rondo/base/piece_memory.hpp"

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <vector>

namespace rondo {

/// @tparam kPiece  items that are allocated together, a power of two
template <class T, std::size_t kPiece = 4096> class Chunked {
  static_assert(std::is_trivially_copyable_v<T>); // nothing is constructed

public:
  std::size_t size() const { return size_; }
  /// @param index  below size()
  T& operator[](std::size_t index) { return pieces_[index / kPiece][index % kPiece]; }
  const T& operator[](std::size_t index) const { return pieces_[index / kPiece][index % kPiece]; }
  /// The new item, whose members are not set where T sets none.
  T& add() {
    if (size_ % kPiece == 0) pieces_.push_back(static_cast<T*>(memory_.take(kPiece * sizeof(T))));
    return (*this)[size_++];
  }
  void push_back(const T& item) { add() = item; }
  /// Calls visit(item) in order.
  template <class Visit> void for_each(Visit visit) const {
    for (std::size_t first = 0; first < size_; first += kPiece) {
      const T* const items = pieces_[first / kPiece];
      const std::size_t count = std::min(kPiece, size_ - first);
      for (std::size_t i = 0; i < count; ++i) visit(items[i]);
    }
  }
  void clear() {
    pieces_.clear();
    memory_ = {};
    size_ = 0;
  }

private:
  PieceMemory memory_;
  std::vector<T*> pieces_;
  std::size_t size_ = 0;
};

} // namespace rondo
