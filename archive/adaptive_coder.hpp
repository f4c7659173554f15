// SPDX-License-Identifier: Apache-2.0
// An arithmetic coder of bits, each with a chance that is learned from the bits before it that had
// the same contexts. Only whole numbers are computed with, so that writer and reader agree
// everywhere.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rondo::archive {

/// Where a bit stands, from what is general to what is special: the chance of a special context is
/// that of the general one until it has seen bits of its own.
class BitContexts {
public:
  static constexpr std::size_t kMost = 4;
  static constexpr std::uint32_t kMostWorth = 64;
  BitContexts(std::initializer_list<std::uint64_t> keys) {
    for (const std::uint64_t key : keys) {
      keys_[size_] = (key + 1) * 0x9e3779b97f4a7c15U + size_;
      if (++size_ == kMost) break;
    }
  }
  /// What is known without any context, in place of a half.
  /// @param chance  of a 1, of 65536
  /// @param worth   of this, in bits of a context's own, twice; kMostWorth at most
  void begin_with(std::uint32_t chance, std::uint32_t worth) {
    chance_ = chance;
    worth_ = worth;
  }
  std::uint32_t chance() const { return chance_; }
  std::uint32_t worth() const { return worth_; }
  const std::uint64_t* begin() const { return keys_.data(); }
  const std::uint64_t* end() const { return keys_.data() + size_; }

private:
  std::array<std::uint64_t, kMost> keys_{};
  std::size_t size_ = 0;
  std::uint32_t chance_ = 32768;
  std::uint32_t worth_ = 12; // of what is general, beside a context's own bits
};

/// Where chances are kept: contexts that fall on one slot are taken for one, unless slots are
/// checked; then the last one has it. Bytes are lost by that, nothing else.
struct Slots {
  int bits = 16; // 2^bits of them
  bool are_checked = false;
  static constexpr std::uint64_t kBytesOfEach = 6;
};

/// How often bits were 0 and 1, by context and node: where in a number the bit is.
class BitChances {
public:
  explicit BitChances(Slots slots)
      : counts_(std::size_t{1} << slots.bits), shift_(64 - slots.bits),
        are_checked_(slots.are_checked) {}
  /// Of a 1, of 65536; never 0 or 65536.
  std::uint32_t of(const BitContexts& contexts, std::uint32_t node);
  /// Of the contexts and the node of the last of().
  void learn(bool bit);

private:
  struct Counts {
    std::uint16_t zeros = 0;
    std::uint16_t ones = 0;
    std::uint16_t check = 0;
  };
  std::vector<Counts> counts_;
  int shift_;
  bool are_checked_;
  std::array<std::uint32_t, BitContexts::kMost> last_{};
  std::size_t used_ = 0;
};

class AdaptiveWriter {
public:
  static constexpr bool kWrites = true;
  explicit AdaptiveWriter(Slots slots = {}) : chances_(slots) {}
  bool bit(const BitContexts& contexts, std::uint32_t node, bool bit);
  /// Bits that nothing is known of.
  std::uint64_t noise(int count, std::uint64_t value);
  /// What was written, complete.
  std::string bytes() &&;
  bool pay(std::uint64_t, std::uint64_t) const { return true; }
  bool is_ok() const { return true; }

private:
  void put(std::uint32_t chance, bool bit);

  BitChances chances_;
  std::uint32_t low_ = 0;
  std::uint32_t high_ = ~std::uint32_t{0};
  std::string bytes_;
};

/// Reads zeros behind the end, and is not ok then.
class AdaptiveReader {
public:
  static constexpr bool kWrites = false;
  explicit AdaptiveReader(std::string_view bytes, Slots slots = {});
  bool bit(const BitContexts& contexts, std::uint32_t node, bool = false);
  std::uint64_t noise(int count, std::uint64_t = 0);
  bool is_ok() const { return at_ <= bytes_.size() + kBeyond; }
  bool at_end() const { return is_ok() && at_ >= bytes_.size(); }

private:
  static constexpr std::size_t kBeyond = 4; // bytes that are read ahead
  std::uint8_t next();
  bool get(std::uint32_t chance);

  std::string_view bytes_;
  std::size_t at_ = 0;
  BitChances chances_;
  std::uint32_t low_ = 0;
  std::uint32_t high_ = ~std::uint32_t{0};
  std::uint32_t value_ = 0;
};

/// How large, for contexts.
inline std::uint64_t size_class(std::uint64_t n) {
  return n == 0 ? 0
                : std::min<std::uint64_t>(12, 64 - static_cast<std::uint64_t>(__builtin_clzll(n)));
}

/// A number whose small values are frequent: how many bits it has, one by one, then these, of which
/// the highest are learned. A reader gives the number; a writer what it was given.
template <class Coder>
std::uint64_t code_number(Coder& coder, const BitContexts& contexts, std::uint64_t value = 0) {
  constexpr int kLearned = 2;
  const int width_given = value == 0 ? 0 : 64 - __builtin_clzll(value);
  int width = 0;
  while (width < 64 && coder.bit(contexts, static_cast<std::uint32_t>(width), width < width_given))
    ++width;
  if (width < 2) return static_cast<std::uint64_t>(width);
  std::uint64_t number = 1;
  int left = width - 1;
  for (int i = 0; i < kLearned && left > 0; ++i) {
    --left;
    const std::uint32_t node =
        64 + static_cast<std::uint32_t>(width) * 8 + static_cast<std::uint32_t>(number);
    number = number << 1 | (coder.bit(contexts, node, (value >> left & 1) != 0) ? 1U : 0U);
  }
  if (left == 0) return number;
  return number << left | coder.noise(left, value & ((std::uint64_t{1} << left) - 1));
}

/// A number of either sign that is mostly near 0.
template <class Coder>
std::int64_t code_signed(Coder& coder, const BitContexts& contexts, std::int64_t value = 0) {
  const std::uint64_t folded = code_number(coder, contexts,
                                           (static_cast<std::uint64_t>(value) << 1) ^
                                               static_cast<std::uint64_t>(value >> 63));
  return static_cast<std::int64_t>(folded >> 1) ^ -static_cast<std::int64_t>(folded & 1);
}

} // namespace rondo::archive
