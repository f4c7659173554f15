// SPDX-License-Identifier: Apache-2.0
// Which words stand in a text more than once? Maximal repeats: words with two occurrences at least
// that do not overlap, and that no symbol on either side could be added to without losing some
// occurrence.
//
//   for (const Repeat& r : repeats_of(text, {})) use(r.word(text), r.starts);
#pragma once

#include "rondo/patterns/collapsed_stream.hpp"

#include <cstdint>
#include <vector>

namespace rondo::patterns {

struct Repeat {
  std::size_t length = 0;
  std::vector<std::size_t> starts; // ascending; they may overlap
  std::size_t apart = 0; // of them that do not overlap, taken from the left
  bool is_supermaximal = false; // part of no other maximal repeat

  Word word(const Word& text) const {
    const auto first = text.begin() + static_cast<std::ptrdiff_t>(starts.front());
    return {first, first + static_cast<std::ptrdiff_t>(length)};
  }
  friend bool operator==(const Repeat&, const Repeat&) = default;
};

struct RepeatOptions {
  std::size_t least_length = 2;
};

/// In the order of their first occurrences, longer ones first.
/// @complexity  O(n) for the order of the suffixes; then the sum of the occurrences, which is what
///              is given back, and their sorting: O(n log n) of them where there is no order
/// @source      [patternrecognition, sec. IV.B]; the intervals of a suffix array [abouelhoda2004]
///              in place of the paper's n-grams give all maximal repeats
std::vector<Repeat> repeats_of(const Word& text, const RepeatOptions& options);

/// Starts of a word in a text, overlapping or not.
/// @complexity  O(text + word)
/// @source      [kmp1977]
std::vector<std::size_t> occurrences_of(const Word& word, const Word& text);

/// How many of these starts do not overlap, taken from the left.
std::size_t apart(const std::vector<std::size_t>& starts, std::size_t length);

} // namespace rondo::patterns
