// SPDX-License-Identifier: Apache-2.0
#include "generate/write/copies.hpp"

#include <gtest/gtest.h>

#include <random>
#include <tuple>

namespace rondo::generate::internal {
namespace {

using Entries = std::vector<std::tuple<std::int64_t, std::int64_t, std::int64_t>>;

Entries entries_of(const Series& series) {
  Entries entries;
  for (const auto& row : series.rows)
    for (const Progression& p : row) entries.emplace_back(p.first, p.step, p.count);
  return entries;
}

// As a benchmark does it.
Entries written_out(const ShortSeries& series) {
  Entries entries;
  for (std::size_t r = 0; r < series.rows.size(); ++r) {
    EXPECT_EQ(series.starts[r], entries.size());
    for (const SeriesEntry& entry : series.rows[r]) {
      const Progression& p = entry.progression;
      if (entry.length == 0) entries.emplace_back(p.first, p.step, p.count);
      for (std::int64_t i = 0; i < entry.length; ++i)
        entries.push_back(entries[entries.size() - static_cast<std::size_t>(entry.back)]);
    }
  }
  EXPECT_EQ(series.entries, entries.size());
  return entries;
}

std::size_t length_of(const ShortSeries& series) {
  std::size_t length = 0;
  for (const auto& row : series.rows) length += row.size();
  return length;
}

TEST(ShortSeries, SayWhereStoodWhatComesAgain) {
  Series series;
  for (const std::int64_t end : {7, 8}) {
    std::vector<Progression>& row = series.rows.emplace_back();
    for (int i = 0; i < 50; ++i)
      for (const std::int64_t value : {1, 2, 3}) row.push_back({value, i % 10, 2 * value});
    row.push_back({end, 0, 1});
  }
  const ShortSeries shorter = shortened(series);
  EXPECT_TRUE(shorter.has_copies);
  EXPECT_EQ(written_out(shorter), entries_of(series));
  // Ten times three, the rest of the row, its end; then nearly all of the row before.
  EXPECT_EQ(length_of(shorter), 34U);
}

TEST(ShortSeries, AreWrittenOutAsTheyWere) {
  std::mt19937_64 random(11);
  for (int run = 0; run < 200; ++run) {
    Series series;
    const std::int64_t kinds = 1 + static_cast<std::int64_t>(random() % 5);
    for (std::uint64_t rows = random() % 4; rows > 0; --rows) {
      std::vector<Progression>& row = series.rows.emplace_back();
      for (std::uint64_t n = random() % 200; n > 0; --n)
        row.push_back({static_cast<std::int64_t>(random()) % kinds, 0, 1});
    }
    const ShortSeries shorter = shortened(series);
    EXPECT_EQ(written_out(shorter), entries_of(series));
    EXPECT_LE(length_of(shorter), shorter.entries);
  }
}

TEST(ShortSeries, StayAsTheyAreWhereTheyAreReadable) {
  Series series;
  series.rows.emplace_back(std::vector<Progression>(30, {4, 0, 1}));
  EXPECT_FALSE(shortened(series).has_copies);
}

} // namespace
} // namespace rondo::generate::internal
