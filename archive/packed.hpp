// SPDX-License-Identifier: Apache-2.0
// Integers in few bytes: LEB128, signed ones folded to zigzag. A reader that runs off its bytes or
// meets an impossible length fails once and gives zeros from then on, so callers check ok() at the
// end. A budget, if there is one, pays for all that is made of the bytes; one that is spent fails
// in the same way.
#pragma once

#include "rondo/base/budget.hpp"

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rondo::archive {

class Packer {
public:
  void put(std::uint64_t value) {
    char* at = room(10);
    for (; value >= 0x80; value >>= 7) *at++ = static_cast<char>(value | 0x80);
    *at++ = static_cast<char>(value);
    size_ = static_cast<std::size_t>(at - bytes_.data());
  }
  void put_signed(std::int64_t value) {
    put((static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63));
  }
  void put_text(std::string_view text) {
    put(text.size());
    text.copy(room(text.size()), text.size());
    size_ += text.size();
  }
  void put_byte(std::uint8_t byte) {
    *room(1) = static_cast<char>(byte);
    ++size_;
  }
  void reserve(std::size_t bytes) {
    if (bytes > bytes_.size()) bytes_.resize(bytes);
  }
  std::string_view bytes() const& { return {bytes_.data(), size_}; }
  std::string bytes() && {
    bytes_.resize(size_);
    return std::move(bytes_);
  }

private:
  static constexpr std::size_t kAtOnce = 15; // as many as a string holds without memory of its own

  // Where so many bytes may be written.
  char* room(std::size_t bytes) {
    if (bytes_.size() - size_ < bytes) bytes_.resize(2 * (size_ + bytes));
    return bytes_.data() + size_;
  }

  std::string bytes_ = std::string(kAtOnce, '\0'); // and room for more behind them
  std::size_t size_ = 0;
};

class Unpacker {
public:
  explicit Unpacker(std::string_view bytes, Budget* budget = nullptr)
      : bytes_(bytes), budget_(budget) {}

  std::uint64_t get() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (position_ == bytes_.size()) return fail();
      const auto byte = static_cast<std::uint8_t>(bytes_[position_++]);
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    return fail();
  }
  std::int64_t get_signed() {
    const std::uint64_t value = get();
    return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
  }
  double get_float() {
    std::uint32_t bits = 0;
    for (int shift = 0; shift < 32; shift += 8) {
      if (position_ == bytes_.size()) return static_cast<double>(fail());
      bits |= static_cast<std::uint32_t>(static_cast<std::uint8_t>(bytes_[position_++])) << shift;
    }
    return static_cast<double>(std::bit_cast<float>(bits));
  }
  std::uint8_t get_byte() {
    if (position_ == bytes_.size()) return static_cast<std::uint8_t>(fail());
    return static_cast<std::uint8_t>(bytes_[position_++]);
  }
  /// A number of things that each take at least one byte: never more than there are bytes left.
  std::size_t get_count() {
    const std::uint64_t count = get();
    return count <= bytes_.size() - position_ ? static_cast<std::size_t>(count)
                                              : static_cast<std::size_t>(fail());
  }
  std::string get_text() {
    const std::string_view text = get_view();
    return pay(1, text.size()) ? std::string(text) : std::string();
  }
  std::string_view get_view() { // of the bytes being read
    const std::size_t size = get_count();
    const std::string_view text = bytes_.substr(position_, size);
    position_ += text.size();
    return text;
  }
  /// Takes what `count` things of so many bytes cost; false, and a failure, if it is too much.
  bool pay(std::uint64_t count, std::uint64_t bytes_each) {
    if (budget_ == nullptr || budget_->take_items(count, bytes_each)) return true;
    fail();
    return false;
  }
  /// The bytes make no sense: the same as running off them.
  void refuse() { fail(); }
  bool ok() const { return ok_; }
  bool at_end() const { return position_ == bytes_.size(); }
  std::size_t left() const { return bytes_.size() - position_; }

private:
  std::uint64_t fail() {
    ok_ = false;
    position_ = bytes_.size();
    return 0;
  }
  std::string_view bytes_;
  std::size_t position_ = 0;
  bool ok_ = true;
  Budget* budget_;
};

/// As many items as announced, one by one: each takes at least a byte and is paid for, so that
/// memory stays in proportion to the bytes, whatever numbers they claim.
template <class Item, class Read> std::vector<Item> unpack_items(Unpacker& in, Read read) {
  std::vector<Item> items;
  const std::size_t count = in.get_count();
  for (std::size_t i = 0; i < count && in.pay(1, sizeof(Item)); ++i) {
    items.push_back(read());
    if (!in.ok()) break;
  }
  return items;
}

} // namespace rondo::archive
