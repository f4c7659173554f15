// SPDX-License-Identifier: Apache-2.0
#include "rondo/patterns/collapsed_stream.hpp"

#include "rondo/patterns/process_patterns.hpp"
#include "tests/support/chosen_cases.hpp"
#include "tests/support/ngram_detection.hpp"
#include "tests/support/streams.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace rondo::patterns {
namespace {

using support::letters;
using support::Random;

// The same, tried with every period after every symbol.
std::vector<CollapsedItem> collapse_slowly(const Word& text) {
  std::vector<CollapsedItem> items;
  for (std::uint64_t at = 0; at < text.size(); ++at) {
    items.push_back({text[at], 0, 0, 0, 1, at, at});
    for (std::size_t period = 1; period * 2 <= items.size();) {
      const auto same = [](const CollapsedItem& a, const CollapsedItem& b) {
        return a.symbol == b.symbol;
      };
      const auto second = items.end() - static_cast<std::ptrdiff_t>(period);
      const auto first = second - static_cast<std::ptrdiff_t>(period);
      if (!std::equal(first, second, second, items.end(), same)) {
        ++period;
        continue;
      }
      for (std::size_t i = 0; i < period; ++i) {
        first[static_cast<std::ptrdiff_t>(i)].executions +=
            second[static_cast<std::ptrdiff_t>(i)].executions;
        first[static_cast<std::ptrdiff_t>(i)].last = second[static_cast<std::ptrdiff_t>(i)].last;
      }
      items.erase(second, items.end());
      period = 1;
    }
  }
  return items;
}

CollapsedStream collapsed(const Word& text) {
  CollapsedStream stream;
  for (const Symbol symbol : text) stream.push(symbol);
  return stream;
}

TEST(CollapsedStream, EqualsTheSlowVersion) {
  Random random(3);
  for (int i = 0; i < 400; ++i) {
    const Word text =
        i % 2 == 0 ? support::random_letters(random, 300, 2 + static_cast<std::uint32_t>(i % 7))
                   : support::random_program(random, {.alphabet = i % 4 == 1 ? 5u : 0u,
                                                      .varying_trips = i % 3 == 0,
                                                      .optional_calls = i % 5 == 0,
                                                      .max_length = 600});
    ASSERT_EQ(collapsed(text).items(), collapse_slowly(text)) << i;
  }
}

TEST(CollapsedStream, KnowsWhereEachSymbolWent) {
  Random random(7);
  for (int i = 0; i < 100; ++i) {
    const Word text = support::random_letters(random, 300, 2 + static_cast<std::uint32_t>(i % 5));
    CollapsedStream stream;
    stream.track();
    for (const Symbol symbol : text) stream.push(symbol);
    const auto item_of = stream.item_of_positions();
    ASSERT_EQ(item_of.size(), text.size());
    std::vector<std::uint64_t> executions(stream.items().size());
    for (std::size_t at = 0; at < text.size(); ++at) {
      ASSERT_EQ(stream.items()[item_of[at]].symbol, text[at]);
      ++executions[item_of[at]];
    }
    for (std::size_t k = 0; k < executions.size(); ++k)
      EXPECT_EQ(executions[k], stream.items()[k].executions);
  }
}

// A loop nest of letters, played with repeat() or call by call.
struct Node {
  Symbol symbol = 0;
  std::uint64_t count = 0; // of a loop
  std::vector<Node> body;
};

Node random_node(Random& random, int depth) {
  Node node;
  node.symbol = static_cast<Symbol>(support::pick(random, 4));
  if (depth == 0 || support::pick(random, 3) == 0) return node;
  node.count = 1 + support::pick(random, 12);
  for (std::uint64_t i = 1 + support::pick(random, 4); i > 0; --i)
    node.body.push_back(random_node(random, depth - 1));
  return node;
}

void play(const Node& node, CollapsedStream& stream, bool at_once) {
  if (node.body.empty()) {
    stream.push({node.symbol, node.symbol + 1u, 5, node.symbol});
    if (node.symbol == 3) stream.skip(2);
    return;
  }
  const auto body = [&] {
    for (const Node& inner : node.body) play(inner, stream, at_once);
  };
  if (at_once) return stream.repeat(node.count, body);
  for (std::uint64_t i = 0; i < node.count; ++i) body();
}

TEST(CollapsedStream, RepeatsAPassWithoutMakingIt) {
  Random random(4);
  const std::uint64_t programs = support::number_of_seeds(800, 3000);
  for (std::uint64_t i = 0; i < programs; ++i) {
    CollapsedStream slow;
    CollapsedStream fast;
    for (int part = 0; part < 3; ++part) {
      const Node node = random_node(random, 3);
      play(node, slow, false);
      play(node, fast, true);
    }
    ASSERT_EQ(fast.items(), slow.items()) << i;
    ASSERT_EQ(fast.length(), slow.length()) << i;
    ASSERT_EQ(fast.tandem_repeats(), slow.tandem_repeats()) << i;
  }
}

TEST(CollapsedStream, TellsShortWordsOfSmallSymbolsApart) {
  CollapsedStream stream;
  std::size_t words = 0;
  for (Symbol first = 0; first < 40; ++first) {
    for (Symbol second = 0; second < 40; ++second) {
      // what separates them is in no other word
      for (const Symbol s : {first, second, first, second, 1000 + 40 * first + second})
        stream.push(s);
      words += first != second ? 1 : 0;
    }
    for (const Symbol s : {first, first, 5000 + first}) stream.push(s);
    ++words;
  }
  EXPECT_EQ(stream.tandem_repeats().size(), words);
}

// Which items the symbols went into, those of passes that were left out written out again.
std::vector<std::uint32_t> all_items(const CollapsedStream& stream) {
  const auto items = stream.item_of_positions();
  const auto passes = stream.long_passes();
  std::vector<std::uint32_t> result;
  std::size_t next = 0;
  const std::function<void(std::uint64_t, std::uint64_t)> read = [&](std::uint64_t at,
                                                                     std::uint64_t end) {
    while (at < end) {
      if (next == passes.size() || passes[next].begin > at || passes[next].end > end) {
        result.push_back(items[at++]);
        continue;
      }
      const auto pass = passes[next++];
      const std::size_t begin = result.size();
      read(at, pass.end);
      const std::vector<std::uint32_t> once(result.begin() + static_cast<std::ptrdiff_t>(begin),
                                            result.end());
      for (std::uint64_t i = 1; i < pass.times; ++i)
        result.insert(result.end(), once.begin(), once.end());
      at = pass.end;
    }
  };
  read(0, items.size());
  return result;
}

TEST(CollapsedStream, KnowsWhereSymbolsOfPassesWentThatItDidNotMake) {
  Random random(5);
  const std::uint64_t programs = support::number_of_seeds(800, 3000);
  std::size_t left_out = 0;
  for (std::uint64_t i = 0; i < programs; ++i) {
    CollapsedStream slow;
    CollapsedStream fast;
    slow.track();
    fast.track();
    for (int part = 0; part < 3; ++part) {
      const Node node = random_node(random, 3);
      play(node, slow, false);
      play(node, fast, true);
    }
    ASSERT_EQ(fast.items(), slow.items()) << i;
    ASSERT_EQ(fast.length(), slow.length()) << i;
    ASSERT_EQ(fast.tandem_repeats(), slow.tandem_repeats()) << i;
    ASSERT_EQ(all_items(fast), slow.item_of_positions()) << i;
    left_out += fast.long_passes().size();
  }
  EXPECT_GT(left_out, programs / 6);
}

TEST(CollapsedStream, TakesTheSameTimeForLongLoops) {
  CollapsedStream stream;
  std::uint64_t passes = 0;
  stream.repeat(1'000'000'000, [&] {
    ++passes;
    for (const Symbol s : {1u, 2u, 2u, 3u}) stream.push(s);
  });
  EXPECT_LT(passes, 10u);
  ASSERT_EQ(stream.items().size(), 3u);
  EXPECT_EQ(stream.items()[1].executions, 2'000'000'000u);
  EXPECT_EQ(stream.items()[2].last, 3'999'999'999u);
}

// Figure 5 of the paper, its events S2 S3 R2 S5 S4 as a b c d e.
TEST(PatternDetection, FindsThePatternOfFigure5) {
  const Word trace = letters("abcdabcabcabceabc");
  ASSERT_EQ(trace.size(), 17u);
  const auto patterns = patterns_of(collapsed(trace), 2);
  ASSERT_EQ(patterns.size(), 1u);
  EXPECT_EQ(patterns[0].word, letters("abc"));
  EXPECT_EQ(patterns[0].executions, 5u);
  EXPECT_EQ(patterns[0].tandem, 2u);
  EXPECT_TRUE(patterns[0].is_maximal);
  EXPECT_TRUE(patterns[0].is_supermaximal);
  // positions 1; 5, 8, 11; 15 when they are counted from 1
  EXPECT_EQ(patterns[0].places,
            (std::vector<PatternPlace>{{0, 1, 0, 0}, {4, 3, 4, 10}, {8, 1, 14, 14}}));
}

TEST(PatternDetection, TheNgramAlgorithmFindsThePatternOfFigure5) {
  const auto patterns = support::ngram_patterns(letters("abcdabcabcabceabc"));
  ASSERT_EQ(patterns.size(), 1u);
  EXPECT_EQ(patterns.begin()->first, letters("abc"));
  EXPECT_EQ(patterns.begin()->second, (std::set<std::size_t>{0, 4, 7, 10, 14}));
}

} // namespace
} // namespace rondo::patterns
