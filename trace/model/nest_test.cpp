// SPDX-License-Identifier: Apache-2.0
#include "rondo/trace/nest.hpp"

#include "tests/support/nest_text.hpp"
#include "tests/support/streams.hpp"

#include <gtest/gtest.h>
#include <limits>

namespace rondo::trace {
namespace {

using support::expand;
using support::IsNest;
using support::IsStream;
using support::Random;
using support::Stream;

constexpr std::uint32_t kSymbols = 5;
constexpr std::int64_t kHuge = std::int64_t{1} << 60;

Term a() { return Term::symbol(0); }

Loop loop(std::vector<Term> body, std::vector<Run> counts) {
  return {std::move(body), Column::from_runs(std::move(counts))};
}

TEST(Nest, ExpandsByItsTripCounts) {
  const Nest nest(
      {loop({a()}, {{2, 1}, {0, 1}, {3, 1}}), loop({Term::loop(0), Term::symbol(1)}, {{3, 1}})},
      {Term::loop(1)});
  EXPECT_THAT(nest, IsNest("((a)*{2,0,3} b)*3"));
  EXPECT_THAT(expand(nest), IsStream(support::letters("aabbaaab")));
  EXPECT_EQ(nest.terms(), 4U);
}

TEST(Nest, CountsOccurrencesLikeItsExpansion) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    Random random(seed);
    const auto [nest, stream] = support::random_nest(random, kSymbols);
    ASSERT_TRUE(nest.is_valid(kSymbols)) << "seed " << seed;
    ASSERT_THAT(expand(nest), IsStream(stream)) << "seed " << seed;
    std::vector<std::uint64_t> counted(kSymbols, 0);
    for (const std::uint32_t symbol : stream) ++counted[symbol];
    ASSERT_EQ(nest.occurrences(kSymbols), counted) << "seed " << seed;
  }
}

// What comes in pieces of any length is what comes one by one, and the end is an end.
template <class Reader, class Value>
void expect_pieces(Reader reader, const std::vector<Value>& wanted, Random& random) {
  std::vector<Value> read;
  for (std::size_t wish = 1; wish > 0;) {
    std::vector<Value> piece(1 + support::pick(random, 70));
    const std::size_t count = reader.read(piece);
    read.insert(read.end(), piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(count));
    wish = count == piece.size() ? 1 : 0;
    if (const auto one = wish > 0 ? reader.next() : std::nullopt) read.push_back(*one);
  }
  EXPECT_EQ(read, wanted);
  EXPECT_FALSE(reader.next());
}

TEST(Nest, IsReadInPieces) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    const auto [nest, stream] = support::random_nest(random, kSymbols);
    expect_pieces(NestReader(nest), stream, random);
    const std::vector<std::int64_t> dictionary{3, -1, 0, 1000, -7};
    std::vector<std::int64_t> values{42};
    for (const std::uint32_t symbol : stream) values.push_back(values.back() + dictionary[symbol]);
    const Column differences = Column::from_differences(42, dictionary, nest);
    expect_pieces(ColumnReader(differences), values, random);
    const Column plain = Column::from_values(values);
    expect_pieces(ColumnReader(plain), values, random);
    std::vector<trace::Run> runs;
    for (const std::int64_t value : values) runs.push_back({value, 1 + support::pick(random, 40)});
    const Column of_runs = Column::from_runs(runs);
    expect_pieces(ColumnReader(of_runs), expand(of_runs), random);
  }
}

// Every random nest with one column changed is refused.
TEST(Nest, IsNotValidIfAColumnDoesNotFit) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    Random random(seed);
    const auto [nest, stream] = support::random_nest(random, kSymbols);
    for (std::size_t i = 0; i < nest.loops().size(); ++i) {
      std::vector<Loop> loops = nest.loops();
      std::vector<trace::Run> counts = loops[i].trip_counts.runs();
      counts.push_back({1, 1});
      loops[i].trip_counts = Column::from_runs(counts);
      EXPECT_FALSE(Nest(loops, nest.top()).is_valid(kSymbols)) << "seed " << seed;
    }
  }
}

TEST(Nest, IsNotValidWithImpossibleIndices) {
  EXPECT_FALSE(Nest({}, {Term::symbol(kSymbols)}).is_valid(kSymbols));
  EXPECT_FALSE(Nest({}, {Term::loop(0)}).is_valid(kSymbols));
  EXPECT_FALSE(Nest({loop({Term::symbol(9)}, {{1, 1}})}, {Term::loop(0)}).is_valid(kSymbols));
  EXPECT_FALSE(Nest({loop({}, {{1, 1}})}, {Term::loop(0)}).is_valid(kSymbols))
      << "a loop of nothing";
}

TEST(Nest, IsNotValidIfALoopContainsItself) {
  EXPECT_FALSE(Nest({loop({Term::loop(0)}, {{1, 1}})}, {Term::loop(0)}).is_valid(kSymbols));
  EXPECT_FALSE(Nest({loop({Term::loop(1)}, {}), loop({Term::loop(0)}, {})}, {}).is_valid(kSymbols));
}

TEST(Nest, IsNotValidWithNegativeTripCounts) {
  EXPECT_FALSE(Nest({loop({a()}, {{-1, 1}})}, {Term::loop(0)}).is_valid(kSymbols));
  EXPECT_FALSE(
      Nest({loop({a()}, {{-1, 1}, {2, 1}})}, {Term::loop(0), Term::loop(0)}).is_valid(kSymbols));
  const Nest values({{{a()}, Column::from_values({-3, 5})}}, {Term::loop(0), Term::loop(0)});
  EXPECT_FALSE(values.is_valid(kSymbols));
}

TEST(Nest, CountsALongExpansionWithoutExpandingIt) {
  const std::int64_t many = 1'000'000'000;
  const Nest nest(
      {loop({a()}, {{many, std::uint64_t{1'000'000}}}), loop({Term::loop(0)}, {{1'000'000, 1}})},
      {Term::loop(1)});
  ASSERT_TRUE(nest.is_valid(1));
  EXPECT_EQ(nest.occurrences(1).front(), std::uint64_t{1'000'000'000'000'000});
}

TEST(Nest, IsNotValidIfCountsOverflow) {
  EXPECT_FALSE(
      Nest({loop({a(), a(), a(), a(), a(), a(), a(), a(), a()}, {{kHuge, 1}})}, {Term::loop(0)})
          .is_valid(1));
  EXPECT_FALSE(
      Nest({loop({a()}, {{kHuge, std::uint64_t{1} << 60}}), loop({Term::loop(0)}, {{kHuge, 1}})},
           {Term::loop(1)})
          .is_valid(1));
  const std::uint64_t half = std::uint64_t{1} << 63;
  const Nest wraps({loop({a()}, {{1, half}, {1, half}, {1, 1}})},
                   {Term::loop(0)}); // 2^64 + 1 entries
  EXPECT_FALSE(wraps.is_valid(1));
}

// 2^60 rounds in which nothing happens: a reader would never come back.
TEST(Nest, IsNotValidIfItIteratesLongWithoutSymbols) {
  const Nest nest(
      {loop({Term::loop(1)}, {{kHuge, 1}}), loop({a()}, {{0, static_cast<std::uint64_t>(kHuge)}})},
      {Term::loop(0), a()});
  EXPECT_FALSE(nest.is_valid(1));
}

TEST(NestReader, EndsIfItIteratesLongWithoutSymbols) {
  const Nest nest(
      {loop({Term::loop(1)}, {{kHuge, 1}}), loop({a()}, {{0, static_cast<std::uint64_t>(kHuge)}})},
      {Term::loop(0), a()});
  EXPECT_EQ(NestReader(nest).next(), std::nullopt);
}

// A sum that was not computed but read from a file may be wrong: the reader ends early, no more.
TEST(NestReader, TakesMissingTripCountsAsNone) {
  const Nest nest({loop({a()}, {{2, 1}})}, {Term::loop(0), Term::loop(0), Term::symbol(1)});
  EXPECT_THAT(expand(nest), IsStream(support::letters("aab")));
}

TEST(Column, ReadsEveryKind) {
  EXPECT_EQ(expand(Column::from_runs({{5, 2}, {-1, 1}})), (std::vector<std::int64_t>{5, 5, -1}));
  EXPECT_EQ(expand(Column::from_values({3, 1, 4})), (std::vector<std::int64_t>{3, 1, 4}));
  const Nest ones({loop({a()}, {{4, 1}})}, {Term::loop(0)});
  const Column rising = Column::from_differences(10, {2}, ones);
  EXPECT_EQ(expand(rising), (std::vector<std::int64_t>{10, 12, 14, 16, 18}));
  EXPECT_EQ(rising.size(), 5U);
  EXPECT_EQ(rising.sum(), 70);
}

TEST(Column, IsConstantIfAllValuesAreEqual) {
  EXPECT_EQ(Column::from_runs({{5, 7}}).constant(), 5);
  EXPECT_EQ(Column::from_runs({{5, 7}, {6, 1}}).constant(), std::nullopt);
  EXPECT_EQ(Column().constant(), std::nullopt);
}

TEST(Column, SumsToTheLimitIfTheSumOverflows) {
  EXPECT_EQ(Column::from_runs({{kHuge, 1'000'000}}).sum(),
            std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(Column::from_runs({{-kHuge, 1'000'000}}).sum(),
            std::numeric_limits<std::int64_t>::min());
}

TEST(Column, ComparesByContents) {
  const Nest ones({loop({a()}, {{4, 1}})}, {Term::loop(0)});
  const Nest more({loop({a()}, {{5, 1}})}, {Term::loop(0)});
  const Column column = Column::from_differences(10, {2}, ones);
  const Column copy = column;
  EXPECT_EQ(copy, column);
  EXPECT_FALSE(column == Column::from_differences(10, {2}, more));
  EXPECT_FALSE(column == Column::from_values({10, 12, 14, 16, 18}));
}

TEST(Nest, IsReadTheSameWhenReadersStopAtIterations) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    Random random(seed);
    const auto [nest, stream] = support::random_nest(random, kSymbols);
    NestReader reader(nest);
    reader.stop_at_iterations(1 + support::pick(random, 4), support::pick(random, 6));
    Stream read;
    for (bool goes_on = true; goes_on;) {
      std::vector<std::uint32_t> piece(1 + support::pick(random, 20));
      const std::size_t count = reader.read(piece);
      read.insert(read.end(), piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(count));
      goes_on = count == piece.size() || reader.is_at_iteration();
    }
    ASSERT_EQ(read, stream) << "seed " << seed;
  }
}

TEST(Nest, IterationsCanBeLeftOut) {
  const Nest nest({loop({a()}, {{2, 100}}), loop({Term::loop(0), Term::symbol(1)}, {{100, 1}})},
                  {Term::loop(1), Term::symbol(2)});
  NestReader reader(nest);
  reader.stop_at_iterations(3, 10);
  std::vector<std::uint32_t> piece(1000);
  ASSERT_EQ(reader.read(piece), 3U);
  ASSERT_TRUE(reader.is_at_iteration());
  EXPECT_EQ(reader.iterations_left(), 99U);
  const std::vector<std::uint64_t> trips{98, 0};
  reader.skip_iterations(98, trips);
  EXPECT_EQ(reader.read(piece), 4U); // the last pass, and what is behind it
  EXPECT_FALSE(reader.is_at_iteration());
}

TEST(Column, SkipsAsItReads) {
  const Nest ones({loop({a()}, {{40, 1}})}, {Term::loop(0)});
  for (const Column& column :
       {Column::from_runs({{7, 5}, {8, 20}, {7, 16}}), Column::from_differences(10, {2}, ones),
        Column::from_values(std::vector<std::int64_t>(41, 3))}) {
    for (std::uint64_t count = 0; count <= column.size() + 1; ++count) {
      ColumnReader read(column);
      for (std::uint64_t i = 0; i < count; ++i) read.next();
      ColumnReader skipped(column);
      skipped.next();
      ColumnReader copy(skipped);
      if (count > 0) copy.skip(count - 1);
      EXPECT_EQ(copy.taken(), count == 0 ? 1 : read.taken());
      if (count > 0) {
        EXPECT_EQ(copy.next(), read.next());
      }
    }
  }
}

} // namespace
} // namespace rondo::trace
