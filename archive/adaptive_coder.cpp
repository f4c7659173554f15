// SPDX-License-Identifier: Apache-2.0
// The interval that stands for all bits so far is cut in two by each bit's chance; bytes on which
// both of its ends agree are done.
#include "archive/adaptive_coder.hpp"

#include <algorithm>

namespace rondo::archive {
namespace {

constexpr std::uint32_t kCertain = 65536;
constexpr std::uint32_t kSurest = 24; // of kCertain: what is left for what never came
constexpr std::uint32_t kForget = 512; // from so many on, older bits count half
constexpr std::uint32_t kTop = 0xff000000;

// 1 / n, as quotients take longer.
constexpr int kPartBits = 30;
constexpr auto kParts = [] {
  std::array<std::uint32_t, 2 * kForget + BitContexts::kMostWorth + 1> parts{};
  for (std::uint32_t n = 1; n < parts.size(); ++n) parts[n] = (std::uint32_t{1} << kPartBits) / n;
  return parts;
}();

std::uint32_t middle_of(std::uint32_t low, std::uint32_t high, std::uint32_t chance) {
  return low + static_cast<std::uint32_t>(std::uint64_t{high - low} * chance >> 16);
}

} // namespace

std::uint32_t BitChances::of(const BitContexts& contexts, std::uint32_t node) {
  std::uint32_t chance = contexts.chance();
  const std::uint32_t worth = contexts.worth();
  used_ = 0;
  for (const std::uint64_t key : contexts) {
    const std::uint64_t mixed =
        (key ^ (std::uint64_t{node} + 1) * 0xbf58476d1ce4e5b9U) * 0x94d049bb133111ebU;
    const auto slot = static_cast<std::uint32_t>(mixed >> shift_);
    last_[used_++] = slot;
    Counts& own = counts_[slot];
    const auto check = static_cast<std::uint16_t>(mixed >> 16);
    if (are_checked_ && own.check != check) own = {0, 0, check};
    // A bit of its own weighs 2; the general chance weighs what it is worth.
    const std::uint32_t seen = 2U * (std::uint32_t{own.zeros} + own.ones);
    const std::uint64_t shares = std::uint64_t{kCertain} * 2U * own.ones + chance * worth;
    chance = static_cast<std::uint32_t>(shares * kParts[seen + worth] >> kPartBits);
  }
  return std::clamp(chance, kSurest, kCertain - kSurest);
}

void BitChances::learn(bool bit) {
  for (std::size_t i = 0; i < used_; ++i) {
    Counts& own = counts_[last_[i]];
    ++(bit ? own.ones : own.zeros);
    if (std::uint32_t{own.zeros} + own.ones < kForget) continue;
    own.zeros /= 2;
    own.ones /= 2;
  }
}

void AdaptiveWriter::put(std::uint32_t chance, bool bit) {
  const std::uint32_t middle = middle_of(low_, high_, chance);
  (bit ? high_ : low_) = bit ? middle : middle + 1;
  while (((low_ ^ high_) & kTop) == 0) {
    bytes_ += static_cast<char>(high_ >> 24);
    low_ <<= 8;
    high_ = high_ << 8 | 0xff;
  }
}

bool AdaptiveWriter::bit(const BitContexts& contexts, std::uint32_t node, bool bit) {
  put(chances_.of(contexts, node), bit);
  chances_.learn(bit);
  return bit;
}

std::uint64_t AdaptiveWriter::noise(int count, std::uint64_t value) {
  for (int i = count; i > 0; --i) put(kCertain / 2, (value >> (i - 1) & 1) != 0);
  return value;
}

// One byte between the ends is enough, as readers take zeros for what is missing; if there is none,
// the lower end is.
std::string AdaptiveWriter::bytes() && {
  if (low_ > 0) {
    const std::uint32_t byte = (low_ >> 24) + 1;
    if (byte <= 0xff && byte << 24 <= high_) {
      bytes_ += static_cast<char>(byte);
    } else {
      for (int shift = 24; shift >= 0; shift -= 8) bytes_ += static_cast<char>(low_ >> shift);
    }
  }
  return std::move(bytes_);
}

AdaptiveReader::AdaptiveReader(std::string_view bytes, Slots slots)
    : bytes_(bytes), chances_(slots) {
  for (int i = 0; i < 4; ++i) value_ = value_ << 8 | next();
}

std::uint8_t AdaptiveReader::next() {
  const std::size_t at = at_++;
  return at < bytes_.size() ? static_cast<std::uint8_t>(bytes_[at]) : std::uint8_t{0};
}

bool AdaptiveReader::get(std::uint32_t chance) {
  const std::uint32_t middle = middle_of(low_, high_, chance);
  const bool bit = value_ <= middle;
  (bit ? high_ : low_) = bit ? middle : middle + 1;
  while (((low_ ^ high_) & kTop) == 0) {
    low_ <<= 8;
    high_ = high_ << 8 | 0xff;
    value_ = value_ << 8 | next();
  }
  return bit;
}

bool AdaptiveReader::bit(const BitContexts& contexts, std::uint32_t node, bool) {
  const bool bit = get(chances_.of(contexts, node));
  chances_.learn(bit);
  return bit;
}

std::uint64_t AdaptiveReader::noise(int count, std::uint64_t) {
  std::uint64_t value = 0;
  for (int i = 0; i < count; ++i) value = value << 1 | (get(kCertain / 2) ? 1U : 0U);
  return value;
}

} // namespace rondo::archive
