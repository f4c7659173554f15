// SPDX-License-Identifier: Apache-2.0
// Where in a text does something like a given word stand? Finds the occurrences of a word of m
// symbols with at most k differences (a symbol changed, missing or added), whatever their length,
// m - k to m + k.
//
//   for (const Occurrence& o : find_similar(word, text, 2)) use(o.start, o.length, o.distance);
//
// Of occurrences that overlap, the one with fewest differences is kept; of equal ones that whose
// length is nearest to m, then the first.
#pragma once

#include "rondo/patterns/collapsed_stream.hpp"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace rondo::patterns {

struct Occurrence {
  std::uint64_t start = 0; // in the text, from 0
  std::size_t length = 0;
  std::size_t distance = 0; // differences
  friend bool operator==(const Occurrence&, const Occurrence&) = default;
};

/// Least number of differences of the word to any piece that ends behind each symbol of a text.
/// @complexity  O(m / 64) for each symbol
/// @source      [myers1999]
class DistanceScanner {
public:
  explicit DistanceScanner(const Word& word);
  /// The distance at the end of the text so far; a symbol that the word lacks may be any number.
  std::size_t push(Symbol symbol);

private:
  std::size_t words_;
  std::size_t distance_;
  std::uint64_t last_bit_;
  std::unordered_map<Symbol, std::size_t> row_of_; // symbol -> row of masks_
  std::vector<std::uint32_t> small_rows_; // the same for small symbols
  std::vector<std::uint64_t> masks_; // where each symbol stands in the word; row 0: nowhere
  std::vector<std::uint64_t> plus_; // vertical differences: +1
  std::vector<std::uint64_t> minus_; // and -1
};

/// All occurrences with at most k differences, none of them overlapping.
/// @complexity  O(text * m / 64), O(m * (m + k)) for each end with a small distance
std::vector<Occurrence> find_similar(const Word& word, const Word& text, std::size_t k);

/// As the paper has it: windows of exactly m symbols; after a hit the search goes on behind it. A
/// window is looked at closely if it shares at least m - n + 1 - k n of the word's pieces of n
/// symbols.
/// @complexity  O(text * m) for the filter, O(m^2) for each window that passes it
/// @source      [patternrecognition, Algorithm 3]; the paper's lemma has a wrong sign, its
/// algorithm
///              > for >=; both are as in its worked example here
std::vector<Occurrence> find_similar_windows(const Word& word, const Word& text, std::size_t k,
                                             std::size_t n = 2);

/// Edit distance. @complexity O(a * b)
std::size_t edit_distance(const Word& a, const Word& b);

/// One step from a word to what was found.
struct Edit {
  enum class Kind : std::uint8_t { kSame, kChanged, kMissing, kAdded };
  Kind kind = Kind::kSame;
  std::size_t in_word = 0; // index; of kAdded: of the symbol before which it stands
  std::size_t in_text = 0; // likewise in the piece; of kMissing: where it should stand
  friend bool operator==(const Edit&, const Edit&) = default;
};
/// Steps with the fewest differences. @complexity O(a * b)
std::vector<Edit> edits(const Word& word, const Word& piece);

} // namespace rondo::patterns
