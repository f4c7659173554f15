// SPDX-License-Identifier: Apache-2.0
// A list that grows at its end and takes memory piece by piece: what is in it is never moved, so
// that a list of many millions takes no more than its items, also while it grows.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace rondo {

/// @tparam kPiece  items that are allocated together, a power of two
template <class T, std::size_t kPiece = 4096> class Chunked {
public:
  std::size_t size() const { return size_; }
  /// @param index  below size()
  T& operator[](std::size_t index) { return pieces_[index / kPiece][index % kPiece]; }
  const T& operator[](std::size_t index) const { return pieces_[index / kPiece][index % kPiece]; }
  /// The new item, whose members are not set where T sets none.
  T& add() {
    if (size_ % kPiece == 0) pieces_.push_back(std::make_unique_for_overwrite<T[]>(kPiece));
    return (*this)[size_++];
  }
  void push_back(const T& item) { add() = item; }
  void clear() {
    pieces_.clear();
    size_ = 0;
  }

private:
  std::vector<std::unique_ptr<T[]>> pieces_;
  std::size_t size_ = 0;
};

} // namespace rondo
