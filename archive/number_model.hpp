// SPDX-License-Identifier: Apache-2.0
// Numbers of several kinds, each coded by the numbers of its kind before it. One description serves
// writer and reader: a writer's coder gives back what it was given.
#pragma once

#include "archive/adaptive_coder.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace rondo::archive {

/// Where a number stands.
struct NumberPlace {
  std::uint64_t kind = 0;
  std::uint64_t key = 0; // numbers of one kind and key are compared with each other
  std::uint64_t source = 0; // and so are those of one source, of which fewer are known
  std::uint64_t step =
      0; // by which numbers grow that name new things, one after the other; 0: they do not
};

template <class Coder> class NumberModel {
public:
  explicit NumberModel(Coder& coder) : coder_(coder) {}

  /// New things are named from 0 on again; what is known stays.
  void begin_anew() {
    for (auto& [name, history] : histories_) history.next = 0;
    for (auto& [kind, sequence] : sequences_) sequence.next = {0, 1};
  }

  std::uint64_t code(const NumberPlace& at, std::uint64_t given) {
    const std::uint64_t name = mixed(at.kind, at.key);
    History& own = histories_[name];
    History& of_source = histories_[mixed(name, at.source + 1)];
    BitContexts contexts{name, mixed(name, own.last[0] + 2),
                         mixed(mixed(name, own.last[0]), own.last[1]),
                         mixed(mixed(name, of_source.last[0] + 7), before_)};
    contexts.begin_with(kHalf, kWorth);
    const std::uint64_t next = own.next;
    const bool is_next = at.step > 0 && coder_.bit(contexts, kNext, given == next);
    const std::uint64_t value = is_next ? next : number(contexts, given);
    own.add(value, at.step);
    of_source.add(value, at.step);
    before_ = value;
    return value;
  }

  /// A number of a sequence that is repeated in long pieces: what came behind the same numbers is
  /// tried first. Of each parity the next new one is known.
  std::uint64_t code_repeated(std::uint64_t kind, std::uint64_t given) {
    Sequence& sequence = sequences_[kind];
    const std::uint64_t length = std::min<std::uint64_t>(sequence.length, kLongest);
    if (length > 0) {
      const std::uint64_t expected = sequence.numbers[sequence.match];
      const bool is_so = coder_.bit({mixed(kind, kMatch), mixed(mixed(kind, kMatch), length),
                                     mixed(mixed(kind, expected), length)},
                                    kNext, given == expected);
      if (is_so) return sequence.add(expected), expected;
    }
    const auto& last = sequence.last;
    BitContexts contexts{mixed(kind, 1), mixed(kind, last[0]), mixed(mixed(kind, last[0]), last[1]),
                         mixed(mixed(mixed(kind, last[0]), last[1]), last[2])};
    contexts.begin_with(kHalf, kWorth);
    for (const std::uint64_t parity : {0U, 1U}) {
      if (!coder_.bit(contexts, kNext + static_cast<std::uint32_t>(parity),
                      given == sequence.next[parity]))
        continue;
      const std::uint64_t value = sequence.next[parity];
      return sequence.add(value), value;
    }
    const std::uint64_t value = number(contexts, given);
    sequence.add(value);
    return value;
  }

private:
  static constexpr std::uint32_t kHalf = 32768;
  static constexpr std::uint32_t kWorth = 4; // few numbers of each kind: what is special soon tells
  static constexpr std::uint32_t kNext = 1; // nodes
  static constexpr std::uint32_t kWidth = 4;
  static constexpr std::uint32_t kWideWidth = 32;
  static constexpr std::uint32_t kBelow = 256;
  static constexpr std::uint64_t kManyBits = 15;
  static constexpr std::uint64_t kMatch = ~std::uint64_t{0};
  static constexpr std::uint64_t kLongest = 20;

  struct History {
    std::array<std::uint64_t, 2> last{};
    std::uint64_t next = 0; // above all that came
    void add(std::uint64_t value, std::uint64_t step) {
      last = {value, last[0]};
      if (value >= next) next = value + step;
    }
  };

  struct Sequence {
    std::vector<std::uint64_t> numbers;
    std::array<std::uint64_t, 3> last{kMatch, kMatch, kMatch};
    std::array<std::uint64_t, 2> next{0, 1};
    std::uint64_t length = 0; // of what came before like the last ones
    std::size_t match = 0; // what came behind that
    std::unordered_map<std::uint64_t, std::size_t> ends; // of three numbers, by these

    void add(std::uint64_t value) {
      const bool goes_on = length > 0 && numbers[match] == value;
      numbers.push_back(value);
      last = {value, last[0], last[1]};
      if (value >= next[value % 2]) next[value % 2] = value + 2;
      std::size_t& end = ends[mixed(mixed(last[0], last[1]), last[2])];
      if (goes_on) {
        ++length;
        ++match;
      } else {
        length = end > 0 ? 1 : 0;
        match = end;
      }
      end = numbers.size();
    }
  };

  // Part of the format, as is all arithmetic here: it decides which contexts share a slot.
  static std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
    const std::uint64_t sum = (a ^ (a >> 29)) * 0xbf58476d1ce4e5b9U + b;
    return (sum ^ (sum >> 32)) * 0x94d049bb133111ebU;
  }

  // How many bits it has, in four bits if these do, then all below the highest: the fewer bits, the
  // sooner a number is known that came once.
  std::uint64_t number(const BitContexts& contexts, std::uint64_t given) {
    const std::uint64_t width_given = given == 0 ? 0 : 64 - __builtin_clzll(given);
    std::uint64_t width = bits(contexts, kWidth, 4, std::min(width_given, kManyBits));
    if (width == kManyBits) width = bits(contexts, kWideWidth, 7, width_given);
    if (width < 2 || width > 64) return std::min<std::uint64_t>(width, 1);
    std::uint64_t value = 1;
    for (std::uint64_t left = width - 1; left > 0; --left) {
      const auto node = static_cast<std::uint32_t>(mixed(width, value) >> 33) + kBelow;
      value = value << 1 | (coder_.bit(contexts, node, (given >> (left - 1) & 1) != 0) ? 1U : 0U);
    }
    return value;
  }

  std::uint64_t bits(const BitContexts& contexts, std::uint32_t first_node, int count,
                     std::uint64_t given) {
    std::uint32_t value = 1;
    for (int left = count - 1; left >= 0; --left)
      value =
          value * 2 + (coder_.bit(contexts, first_node + value, (given >> left & 1) != 0) ? 1 : 0);
    return value - (std::uint32_t{1} << count);
  }

  Coder& coder_;
  std::unordered_map<std::uint64_t, History> histories_;
  std::unordered_map<std::uint64_t, Sequence> sequences_;
  std::uint64_t before_ = 0; // of any kind
};

} // namespace rondo::archive
