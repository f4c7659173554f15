// SPDX-License-Identifier: Apache-2.0
#include "rondo/patterns/approximate_search.hpp"

#include "tests/support/streams.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace rondo::patterns {
namespace {

using support::letters;
using support::Random;

// Sellers' dynamic programme [sellers1980]: the last row, in which a piece may start anywhere.
std::vector<std::size_t> sellers(const Word& word, const Word& text) {
  std::vector<std::size_t> column(word.size() + 1);
  for (std::size_t i = 0; i < column.size(); ++i) column[i] = i;
  std::vector<std::size_t> result;
  for (const Symbol symbol : text) {
    std::vector<std::size_t> next(column.size(), 0);
    for (std::size_t i = 1; i < column.size(); ++i) {
      next[i] = std::min(
          {column[i - 1] + (word[i - 1] == symbol ? 0 : 1), column[i] + 1, next[i - 1] + 1});
    }
    column = next;
    result.push_back(column.back());
  }
  return result;
}

TEST(ApproximateSearch, DistancesAreThoseOfTheDynamicProgramme) {
  Random random(5);
  for (std::size_t m = 1; m <= 200; ++m) {
    const auto alphabet = static_cast<std::uint32_t>(2 + m % 5);
    const Word word = support::random_letters(random, m, alphabet);
    Word text = support::random_letters(random, 300, alphabet + 1);
    std::copy_n(word.begin(), std::min<std::size_t>(m, 100), text.begin() + 120);
    if (m % 3 == 0) text[7] = 1u << 20; // symbols may be any number
    const auto expected = sellers(word, text);
    DistanceScanner scanner(word);
    for (std::size_t i = 0; i < text.size(); ++i)
      ASSERT_EQ(scanner.push(text[i]), expected[i]) << "m " << m << ", at " << i;
  }
}

TEST(ApproximateSearch, FindsEveryEndWithinTheDistance) {
  Random random(6);
  std::size_t occurrences = 0;
  for (int i = 0; i < 400; ++i) {
    const std::size_t m = 3 + support::pick(random, 10);
    const std::size_t k = support::pick(random, 4);
    const Word word = support::random_letters(random, m, 4);
    const Word text = support::random_letters(random, 200, 4);
    const auto found = find_similar(word, text, k);
    occurrences += found.size();
    for (const Occurrence& o : found) {
      const Word piece(text.begin() + static_cast<std::ptrdiff_t>(o.start),
                       text.begin() + static_cast<std::ptrdiff_t>(o.start + o.length));
      EXPECT_EQ(edit_distance(word, piece), o.distance);
      EXPECT_LE(o.distance, std::min(k, m - 1));
      EXPECT_LE(o.length, m + k);
      EXPECT_GE(o.length + k, m);
    }
    for (std::size_t a = 1; a < found.size(); ++a)
      EXPECT_GE(found[a].start, found[a - 1].start + found[a - 1].length);
    // What ends within the distance is one of them or overlaps one with no more differences.
    const auto ends = sellers(word, text);
    for (std::size_t end = 0; end < ends.size(); ++end) {
      if (ends[end] > std::min(k, m - 1)) continue;
      EXPECT_TRUE(std::any_of(found.begin(), found.end(), [&](const Occurrence& o) {
        return o.distance <= ends[end] && o.start <= end && end < o.start + o.length + m + k;
      }));
    }
  }
  EXPECT_GT(occurrences, 1000u);
}

TEST(ApproximateSearch, SaysWhatDiffers) {
  using Kind = Edit::Kind;
  EXPECT_EQ(edits(letters("abcd"), letters("axcde")), (std::vector<Edit>{{Kind::kSame, 0, 0},
                                                                         {Kind::kChanged, 1, 1},
                                                                         {Kind::kSame, 2, 2},
                                                                         {Kind::kSame, 3, 3},
                                                                         {Kind::kAdded, 4, 4}}));
  EXPECT_EQ(edits(letters("abc"), letters("ac")),
            (std::vector<Edit>{{Kind::kSame, 0, 0}, {Kind::kMissing, 1, 1}, {Kind::kSame, 2, 1}}));
}

// Figure 6 of the paper: m = 6, n = 2, k = 1, so three shared bigrams are needed.
const Word kFigure6 = letters("abcdmhkobcdefyeabhdefrsabcdef");

TEST(PatternMatching, HasTheWindowsOfFigure6) {
  const Word word = letters("abcdef");
  const auto distance = [&](std::ptrdiff_t window) { // numbered from 1
    return edit_distance(word, {kFigure6.begin() + window - 1, kFigure6.begin() + window + 5});
  };
  EXPECT_EQ(distance(1), 2u);
  EXPECT_EQ(distance(9), 2u);
  EXPECT_EQ(distance(16), 1u);
  EXPECT_EQ(distance(24), 0u);
  // The paper takes window 8 (obcdef, distance 1), as its text says of 16 too.
  EXPECT_EQ(find_similar_windows(word, kFigure6, 1),
            (std::vector<Occurrence>{{7, 6, 1}, {15, 6, 1}, {23, 6, 0}}));
}

TEST(PatternMatching, FindsAlsoWhatIsShorterThanTheWindow) {
  // bcdef at 9 is the pattern without its first event; windows of six events see it as obcdef only
  EXPECT_EQ(find_similar(letters("abcdef"), kFigure6, 1),
            (std::vector<Occurrence>{{7, 6, 1}, {15, 6, 1}, {23, 6, 0}}));
  EXPECT_EQ(find_similar(letters("abcdef"), letters("xxbcdef"), 1),
            (std::vector<Occurrence>{{1, 6, 1}}));
  EXPECT_EQ(find_similar(letters("abcdef"), letters("bcdefyy"), 1),
            (std::vector<Occurrence>{{0, 5, 1}}));
  EXPECT_TRUE(find_similar_windows(letters("abcdef"), letters("bcdefyy"), 1).empty());
}

} // namespace
} // namespace rondo::patterns
