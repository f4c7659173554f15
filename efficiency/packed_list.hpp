// SPDX-License-Identifier: Apache-2.0
// A list that grows at its end, for histories of a hundred million calls: where lists have become
// long in all, what was added long ago is packed. A piece that is looked at again is unpacked for a
// while, so that going along a list, or looking around some place of it, costs little.
#pragma once

#include "efficiency/history_codec.hpp"
#include "rondo/base/piece_memory.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace rondo::efficiency::internal {

/// What lists hold as it is, in all, before they pack.
struct PlainRoom {
  std::size_t most_bytes = std::size_t{256} << 20;
  std::size_t bytes = 0; // of whole pieces
  std::size_t packed_bytes = 0; // what the others take
  PieceMemory memory{}; // for pieces as they are
};

/// Takes whole pieces from their room, and what becomes one from anywhere.
template <class T, std::size_t kPiece> class PieceAllocator {
public:
  using value_type = T;
  using propagate_on_container_move_assignment = std::true_type;
  template <class Other> struct rebind { using other = PieceAllocator<Other, kPiece>; };

  explicit PieceAllocator(std::shared_ptr<PlainRoom> room) : room_(std::move(room)) {}
  T* allocate(std::size_t count) {
    if (count == kPiece) return static_cast<T*>(room_->memory.take(count * sizeof(T)));
    return std::allocator<T>().allocate(count);
  }
  void deallocate(T* items, std::size_t count) {
    if (count == kPiece) return room_->memory.give_back(items, count * sizeof(T));
    std::allocator<T>().deallocate(items, count);
  }
  friend bool operator==(const PieceAllocator&, const PieceAllocator&) = default;

private:
  std::shared_ptr<PlainRoom> room_; // which outlives what is taken from it
};

/// Reading changes what is unpacked: one thread at a time.
template <class T> class PackedList {
public:
  static constexpr std::size_t kPiece = 1024; // items that are packed together

  explicit PackedList(std::shared_ptr<PlainRoom> room)
      : room_(std::move(room)), tail_(no_items()) {}

  std::size_t size() const { return pieces_.size() * kPiece + tail_.size(); }
  bool empty() const { return size() == 0; }
  /// @param index  below size()
  T operator[](std::size_t index) const { return at(index); }
  T back() const { return at(size() - 1); }
  void push_back(const T& item) {
    if (tail_.size() == kPiece) end_piece();
    tail_.push_back(item);
  }
  /// Calls change(item).
  template <class Change> void change(std::size_t index, Change change) {
    change(at(index));
    if (index / kPiece < pieces_.size()) forget_packed(pieces_[index / kPiece]);
  }
  /// What its items take now. @complexity O(pieces)
  std::size_t bytes() const {
    std::size_t sum = tail_.capacity() * sizeof(T);
    for (const Piece& piece : pieces_)
      sum += piece.plain.capacity() * sizeof(T) + piece.packed.capacity();
    return sum;
  }
  /// What it took is there for other lists again.
  void clear() {
    room_->bytes -= (pieces_.size() - first_plain_) * kPiece * sizeof(T);
    for (const Piece& piece : pieces_) room_->packed_bytes -= piece.packed.size();
    pieces_.clear();
    unpacked_.clear();
    tail_.clear();
    first_plain_ = 0;
  }

private:
  using Items = std::vector<T, PieceAllocator<T, kPiece>>;
  struct Piece { // of it there is the one, or the other, or both
    Items plain;
    std::string packed;
  };
  static constexpr std::size_t kKept = 4; // pieces at the end that stay as they are
  static constexpr std::size_t kUnpacked = 8; // that were looked at last

  Items no_items() const { return Items(PieceAllocator<T, kPiece>(room_)); }
  T& at(std::size_t index) const {
    const std::size_t number = index / kPiece;
    if (number == pieces_.size()) return tail_[index % kPiece];
    Piece& piece = pieces_[number];
    if (piece.plain.empty()) unpack(number);
    return piece.plain[index % kPiece];
  }

  void end_piece() {
    pieces_.push_back({std::move(tail_), {}});
    tail_ = no_items();
    tail_.reserve(kPiece);
    room_->bytes += kPiece * sizeof(T);
    if (room_->bytes <= room_->most_bytes) return;
    for (; first_plain_ + kKept < pieces_.size(); ++first_plain_) {
      pack(pieces_[first_plain_]);
      room_->bytes -= kPiece * sizeof(T);
    }
  }
  void pack(Piece& piece) const {
    if (piece.packed.empty()) {
      piece.packed = internal::pack(std::span<const T>(piece.plain));
      room_->packed_bytes += piece.packed.size();
    }
    piece.plain = no_items(); // clear() would keep the memory
  }
  void unpack(std::size_t number) const {
    if (unpacked_.size() == kUnpacked) {
      pack(pieces_[unpacked_.front()]);
      unpacked_.erase(unpacked_.begin());
    }
    unpacked_.push_back(number);
    Piece& piece = pieces_[number];
    piece.plain.resize(kPiece);
    internal::unpack(piece.packed, std::span<T>(piece.plain));
  }
  void forget_packed(Piece& piece) {
    room_->packed_bytes -= piece.packed.size();
    piece.packed.clear();
  }

  std::shared_ptr<PlainRoom> room_;
  mutable std::vector<Piece> pieces_;
  mutable std::vector<std::size_t> unpacked_; // again, the longest ago first
  mutable Items tail_; // what fills no piece yet
  std::size_t first_plain_ = 0; // that was not packed yet
};

/// How many at the front are as `is_before` says: most often almost all, so that it is looked for
/// from the end. @complexity O(log(items behind them))
template <class Items, class IsBefore>
std::uint32_t count_before(const Items& items, IsBefore is_before) {
  std::size_t end = items.size();
  std::size_t step = 1;
  while (end >= step && !is_before(items[end - step])) {
    end -= step;
    step *= 2;
  }
  std::size_t first = end >= step ? end - step : 0;
  while (first < end) {
    const std::size_t middle = first + (end - first) / 2;
    if (is_before(items[middle])) {
      first = middle + 1;
    } else {
      end = middle;
    }
  }
  return static_cast<std::uint32_t>(first);
}

} // namespace rondo::efficiency::internal
