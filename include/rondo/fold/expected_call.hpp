// SPDX-License-Identifier: Apache-2.0
// The short way of a call into a program that is being built: the expected call within a loop is
// compared, and changes some numbers. To be inlined where calls come from, for it calls nothing.
#pragma once

#include "rondo/fold/program_builder.hpp"

#include <cstddef>
#include <cstdint>

namespace rondo::fold {

// Two words at a time: one instruction of all processors of today.
using WordPair [[gnu::vector_size(2 * sizeof(std::int64_t))]] = std::int64_t;

inline WordPair difference_of_pair(const std::int64_t* a, const std::int64_t* b) {
  WordPair x;
  WordPair y;
  __builtin_memcpy(&x, a, sizeof x);
  __builtin_memcpy(&y, b, sizeof y);
  return x ^ y;
}

/// Whether two events of `size` words, at least the head, are equal. Few words: that costs less
/// than the call of memcmp. The last words are looked at together, some of them for the second
/// time.
inline bool same_words(const std::int64_t* a, const std::int64_t* b, std::size_t size) {
  static_assert(kEventHead == 2);
  WordPair difference = difference_of_pair(a + size - 2, b + size - 2);
  for (std::size_t i = (size - 1) & ~std::size_t{1}; i != 0;) {
    i -= 2;
    difference |= difference_of_pair(a + i, b + i);
  }
  return (difference[0] | difference[1]) == 0;
}

inline bool ProgramBuilder::is_array(std::int64_t word, const std::int64_t* values,
                                     std::size_t size) const {
  if (static_cast<std::uint64_t>(word) >= array_count_) return false;
  const std::vector<std::int64_t>& array = arrays_[static_cast<std::size_t>(word)];
  if (array.size() != size) return false;
  return size < 2 ? array[0] == values[0] : same_words(array.data(), values, size);
}

inline bool ProgramBuilder::is_expected_array(const std::int64_t* values, std::size_t size,
                                              std::size_t place, std::int64_t& word) const {
  const std::uint32_t expected = nest_.expected();
  if (expected == NestBuilder::kNothing || place >= symbols_[expected].size) return false;
  word = words_[symbols_[expected].offset + place];
  return is_array(word, values, size);
}

inline bool ProgramBuilder::expects(const std::int64_t* event, std::size_t size) const {
  const std::uint32_t symbol = nest_.expected();
  if (symbol == NestBuilder::kNothing || log_room_ == 0) [[unlikely]]
    return false;
  const Symbol& entry = symbols_[symbol];
  return entry.last_places[0].before == previous_ && entry.exact_size == size &&
         same_words(words_.data() + entry.offset, event, size);
}

inline CallTimes* ProgramBuilder::log_call(std::uint32_t symbol) {
  Symbol& entry = symbols_[symbol];
  ++entry.count;
  previous_ = symbol;
  CallTimes& times = log_[--log_room_];
  times.place = entry.last_places[0].place;
  return &times;
}

inline CallTimes* ProgramBuilder::record_next_in_body() {
  const std::uint32_t symbol = nest_.expected();
  return nest_.push_next_in_body() ? log_call(symbol) : nullptr;
}

inline CallTimes* ProgramBuilder::record_round_body() {
  const std::uint32_t symbol = nest_.expected();
  return nest_.push_round_body() ? log_call(symbol) : nullptr;
}

} // namespace rondo::fold
