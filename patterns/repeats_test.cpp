// SPDX-License-Identifier: Apache-2.0
#include "rondo/patterns/repeats.hpp"

#include "patterns/suffix_array.hpp"
#include "tests/support/ngram_detection.hpp"
#include "tests/support/streams.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <span>

namespace rondo::patterns {
namespace {

using support::letters;
using support::Random;

// Every word that stands twice, with its starts.
std::map<Word, std::vector<std::size_t>> all_words(const Word& text) {
  std::map<Word, std::vector<std::size_t>> words;
  for (std::size_t first = 0; first < text.size(); ++first) {
    Word word;
    for (std::size_t end = first; end < text.size(); ++end) {
      word.push_back(text[end]);
      words[word].push_back(first);
    }
  }
  return words;
}

std::set<std::int64_t> neighbours(const Word& text, const std::vector<std::size_t>& starts,
                                  std::ptrdiff_t offset) {
  std::set<std::int64_t> result;
  std::int64_t outside = -1; // each end of the text is a neighbour of its own
  for (const std::size_t start : starts) {
    const auto at = static_cast<std::ptrdiff_t>(start) + offset;
    const bool is_inside = at >= 0 && at < std::ssize(text);
    result.insert(is_inside ? text[static_cast<std::size_t>(at)] : outside--);
  }
  return result;
}

std::vector<Repeat> brute_force(const Word& text) {
  std::vector<Repeat> result;
  const auto words = all_words(text);
  for (const auto& [word, starts] : words) {
    if (word.size() < 2 || apart(starts, word.size()) < 2) continue;
    const auto left = neighbours(text, starts, -1);
    const auto right = neighbours(text, starts, std::ssize(word));
    if (left.size() < 2 || right.size() < 2) continue;
    const bool is_super = left.size() == starts.size() && right.size() == starts.size();
    result.push_back({word.size(), starts, apart(starts, word.size()), is_super});
  }
  std::sort(result.begin(), result.end(), [](const Repeat& a, const Repeat& b) {
    return a.starts.front() != b.starts.front() ? a.starts.front() < b.starts.front()
                                                : a.length > b.length;
  });
  return result;
}

TEST(Repeats, AreAllMaximalOnesOfShortTexts) {
  Random random(1);
  for (int i = 0; i < 3000; ++i) {
    const auto alphabet = static_cast<std::uint32_t>(2 + i % 4);
    const Word text =
        support::random_letters(random, 1 + static_cast<std::size_t>(i % 30), alphabet);
    ASSERT_EQ(repeats_of(text, {}), brute_force(text)) << testing::PrintToString(text);
  }
}

TEST(Repeats, ComeFromSuffixesInTheirOrder) {
  for (const auto& [name, text] : support::hostile_streams(400)) {
    std::vector<std::uint32_t> wanted(text.size());
    std::iota(wanted.begin(), wanted.end(), 0);
    const auto suffix = [&text = text](std::uint32_t start) {
      return std::span(text).subspan(start);
    };
    std::sort(wanted.begin(), wanted.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::ranges::lexicographical_compare(suffix(a), suffix(b));
    });
    const internal::SuffixArray array = internal::suffix_array(text);
    ASSERT_EQ(array.starts, wanted) << name;
    for (std::size_t i = 1; i < wanted.size(); ++i) {
      const auto differ = std::ranges::mismatch(suffix(wanted[i - 1]), suffix(wanted[i]));
      EXPECT_EQ(array.common[i], differ.in2 - suffix(wanted[i]).begin()) << name << " " << i;
    }
  }
  EXPECT_TRUE(internal::suffix_array({}).starts.empty());
  EXPECT_EQ(internal::suffix_array({0xffffffff}).starts, (std::vector<std::uint32_t>{0}));
}

TEST(Repeats, SupermaximalOnesAreInNoOther) {
  // the example of the paper, in letters: abc at three places, abcd at two
  const Word text = letters("abcxabcdyabcdz");
  const auto repeats = repeats_of(text, {});
  ASSERT_EQ(repeats.size(), 2u);
  EXPECT_EQ(repeats[0].word(text), letters("abc"));
  EXPECT_FALSE(repeats[0].is_supermaximal);
  EXPECT_EQ(repeats[1].word(text), letters("abcd"));
  EXPECT_TRUE(repeats[1].is_supermaximal);
}

TEST(Repeats, OccurrencesMayOverlap) {
  EXPECT_EQ(occurrences_of(letters("aba"), letters("ababaxaba")),
            (std::vector<std::size_t>{0, 2, 6}));
  EXPECT_EQ(apart({0, 2, 6}, 3), 2u);
  EXPECT_TRUE(occurrences_of(letters("ab"), letters("a")).empty());
}

TEST(Repeats, HoldWhatTheNgramAlgorithmFinds) {
  Random random(2);
  int found = 0;
  for (int i = 0; i < 300; ++i) {
    CollapsedStream stream; // the paper takes contiguous repetitions away first
    for (const Symbol s : support::random_letters(random, 200, 4 + i % 5)) stream.push(s);
    Word text;
    for (const CollapsedItem& item : stream.items()) text.push_back(item.symbol);
    const auto repeats = repeats_of(text, {});
    for (const auto& [word, positions] : support::ngram_patterns(text)) {
      ++found;
      const bool is_held =
          std::any_of(repeats.begin(), repeats.end(), [&, &word = word](const Repeat& repeat) {
            return !occurrences_of(word, repeat.word(text)).empty() && repeat.starts.size() >= 2;
          });
      EXPECT_TRUE(is_held) << testing::PrintToString(word);
      EXPECT_LE(positions.size(), occurrences_of(word, text).size());
    }
  }
  EXPECT_GT(found, 1000);
}

} // namespace
} // namespace rondo::patterns
