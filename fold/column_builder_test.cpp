// SPDX-License-Identifier: Apache-2.0
#include "rondo/fold/column_builder.hpp"

#include "tests/support/nest_text.hpp"
#include "tests/support/streams.hpp"

#include <functional>
#include <gtest/gtest.h>
#include <limits>

namespace rondo::fold {
namespace {

using support::expand;
using support::pick;
using support::Random;
using trace::Column;
using Values = std::vector<std::int64_t>;

Values sequence(std::size_t size, const std::function<std::int64_t(std::int64_t)>& value) {
  Values values;
  for (std::size_t i = 0; i < size; ++i) values.push_back(value(static_cast<std::int64_t>(i)));
  return values;
}

Column column_of(const Values& values, Polishing polishing = Polishing::kAll) {
  ColumnBuilder builder;
  for (const std::int64_t value : values) {
    builder.push(value);
    EXPECT_EQ(builder.last(), value);
  }
  return builder.finish(polishing);
}

std::size_t size_of(const Column& column) {
  std::size_t size = column.runs().size() + column.values().size() + column.dictionary().size();
  if (column.nest() != nullptr) size += column.nest()->terms();
  return size;
}

void expect_kept(const Values& values) {
  const Column column = column_of(values);
  EXPECT_EQ(column.size(), values.size());
  ASSERT_EQ(expand(column), values);
  ASSERT_EQ(expand(column_of(values, Polishing::kNone)), values);
}

struct Rule {
  const char* name;
  std::function<std::int64_t(std::int64_t)> value;
  std::size_t most; // numbers and terms that the column may take
};

const Rule kRules[] = {
    {"constant", [](std::int64_t) { return 7; }, 1},
    {"two runs", [](std::int64_t i) { return i < 4000 ? 3 : -5; }, 2},
    {"affine", [](std::int64_t i) { return 5 * i - 100; }, 4},
    {"falling", [](std::int64_t i) { return 100'000 - i; }, 4},
    {"nested affine", [](std::int64_t i) { return 100 * (i / 10) + i % 10; }, 8},
    {"three times nested",
     [](std::int64_t i) { return 1000 * (i / 100) + 7 * (i / 10 % 10) + i % 10; }, 16},
    {"periodic", [](std::int64_t i) { return i % 5 * (i % 5); }, 16},
    {"a peak every twentieth", [](std::int64_t i) { return i % 20 == 0 ? 900 : 3; }, 16},
    {"doubling within a period", [](std::int64_t i) { return std::int64_t{1} << (i % 30); }, 70},
};

TEST(ColumnBuilder, KeepsAnEmptyColumnEmpty) {
  EXPECT_EQ(column_of({}).size(), 0U);
  EXPECT_EQ(expand(column_of({})), Values{});
}

TEST(ColumnBuilder, TakesRegularSequencesInConstantSpace) {
  for (const Rule& rule : kRules) {
    SCOPED_TRACE(rule.name);
    const Values values = sequence(10'000, rule.value);
    ASSERT_NO_FATAL_FAILURE(expect_kept(values));
    EXPECT_LE(size_of(column_of(values)), rule.most);
  }
}

TEST(ColumnBuilder, KeepsEveryPrefixOfARegularSequence) {
  for (const Rule& rule : kRules) {
    SCOPED_TRACE(rule.name);
    for (std::size_t size = 0; size < 300; ++size)
      ASSERT_NO_FATAL_FAILURE(expect_kept(sequence(size, rule.value)));
  }
}

TEST(ColumnBuilder, KeepsRandomValues) {
  for (const std::uint64_t range : {2U, 3U, 10U, 1'000'000U}) {
    Random random(range);
    Values values;
    for (int i = 0; i < 20'000; ++i)
      values.push_back(static_cast<std::int64_t>(pick(random, range)));
    ASSERT_NO_FATAL_FAILURE(expect_kept(values));
  }
}

TEST(ColumnBuilder, StoresValuesWithoutARuleAsTheyAre) {
  Random random(3);
  Values values;
  for (int i = 0; i < 20'000; ++i) values.push_back(static_cast<std::int64_t>(random()));
  EXPECT_EQ(column_of(values).kind(), Column::Kind::kValues);
}

TEST(ColumnBuilder, KeepsExtremeValuesWhoseDifferencesWrap) {
  constexpr std::int64_t kLow = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kHigh = std::numeric_limits<std::int64_t>::max();
  expect_kept(sequence(1000, [](std::int64_t i) {
    return i % 3 == 0 ? kLow : i % 3 == 1 ? kHigh : i;
  }));
}

TEST(ColumnBuilder, TakesBackTheLastValueAtAnyPoint) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    ColumnBuilder builder;
    Values values;
    bool may_take_back = false;
    for (int i = 0; i < 700; ++i) {
      if (may_take_back && pick(random, 3) == 0) {
        ASSERT_EQ(builder.take_back(), values.back());
        values.pop_back();
        may_take_back = false;
      } else {
        values.push_back(static_cast<std::int64_t>(seed % 2 == 0 ? pick(random, 4)
                                                                 : static_cast<std::uint64_t>(i)));
        builder.push(values.back());
        may_take_back = true;
      }
    }
    ASSERT_EQ(expand(builder.finish()), values) << "seed " << seed;
  }
}

TEST(ColumnBuilder, SumsToTheSumOfItsValues) {
  for (const Rule& rule : kRules) {
    std::int64_t sum = 0;
    const Values values = sequence(5000, rule.value);
    for (const std::int64_t value : values) sum += value;
    EXPECT_EQ(column_of(values).sum(), sum) << rule.name;
  }
}

// Columns whose regularity comes and goes
// --------------------------------------------------------------------

std::int64_t regular(std::int64_t i) { return i % 10 + i / 10 * 100; }

Values joined(const std::vector<std::pair<bool, std::int64_t>>& stretches) {
  Random random(11);
  Values values;
  for (const auto& [is_regular, length] : stretches) {
    for (std::int64_t i = 0; i < length; ++i) {
      values.push_back(is_regular ? regular(i)
                                  : static_cast<std::int64_t>(pick(random, 1'000'000)));
    }
  }
  return values;
}

TEST(ColumnBuilder, KeepsStretchesWithAndWithoutARuleInAnyOrder) {
  constexpr bool kRegular = true;
  constexpr bool kRandom = false;
  for (const std::int64_t length : {200, 257, 1000, 1300, 5000, 20'000}) {
    SCOPED_TRACE(length);
    expect_kept(joined({{kRegular, length}, {kRandom, length}}));
    expect_kept(joined({{kRandom, length}, {kRegular, length}}));
    expect_kept(joined({{kRegular, length}, {kRandom, length}, {kRegular, length}}));
    expect_kept(joined({{kRandom, length},
                        {kRegular, 3 * length},
                        {kRandom, length},
                        {kRegular, length},
                        {kRandom, 2 * length}}));
  }
}

TEST(ColumnBuilder, KeepsStretchesOfEveryKindAndLength) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Values values;
    while (values.size() < 30'000) {
      const std::uint64_t range = std::uint64_t{1} << pick(random, 20);
      const auto length = static_cast<std::int64_t>(pick(random, 3000));
      const bool is_regular = pick(random, 2) == 0;
      for (std::int64_t i = 0; i < length; ++i) {
        const bool has_rule = is_regular && pick(random, 100) != 0;
        values.push_back(has_rule ? i % 7 : static_cast<std::int64_t>(pick(random, range)));
      }
    }
    ASSERT_NO_FATAL_FAILURE(expect_kept(values));
  }
}

TEST(ColumnBuilder, TakesRoomOnlyForTheStretchesWithoutARule) {
  const Values values = joined({{true, 200'000}, {false, 3000}, {true, 200'000}});
  const Column column = column_of(values);
  ASSERT_EQ(expand(column), values);
  EXPECT_EQ(column.kind(), Column::Kind::kDifferences);
  EXPECT_LT(size_of(column), 3 * (3000U + 1024U + 256U)); // with the pause until the next trial
}

TEST(ColumnBuilder, FindsARuleAfterALongTimeWithoutOne) {
  ColumnBuilder builder;
  for (const std::int64_t value : joined({{false, 100'000}, {true, 2'000'000}}))
    builder.push(value);
  EXPECT_LT(builder.memory(), std::size_t{4} << 20);
}

TEST(ColumnBuilder, FoldsNothingLongerThanItsValues) {
  for (const std::int64_t length : {50, 300, 3000})
    EXPECT_EQ(column_of(joined({{false, length}})).kind(), Column::Kind::kValues);
}

TEST(ColumnBuilder, NeedsLittleMemoryForRegularSequences) {
  ColumnBuilder builder;
  for (std::int64_t i = 0; i < 1'000'000; ++i) builder.push(i % 10 + i / 10 * 100);
  EXPECT_LT(builder.memory(), 4096U);
}

} // namespace
} // namespace rondo::fold
