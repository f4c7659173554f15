// SPDX-License-Identifier: Apache-2.0
#include "rondo/trace/rank_set.hpp"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace rondo::trace {
namespace {

using Ranks = std::vector<std::int64_t>;

Ranks every(std::int64_t first, std::int64_t stride, std::int64_t count) {
  Ranks ranks;
  for (std::int64_t i = 0; i < count; ++i) ranks.push_back(first + i * stride);
  return ranks;
}

TEST(RankSet, IsWrittenAsRanges) {
  EXPECT_EQ(RankSet::of({}).text(), "");
  EXPECT_EQ(RankSet::of({5}).text(), "5");
  EXPECT_EQ(RankSet::of({0, 1, 2, 3}).text(), "0-3");
  EXPECT_EQ(RankSet::of({3, 7}).text(), "3,7");
  EXPECT_EQ(RankSet::of({1, 2, 4, 5, 7, 8}).text(), "1-2,4-5,7-8");
  EXPECT_EQ(RankSet::of({12, 8, 3, 2, 1, 0, 16, 20}).text(), "0-3,8-20:4");
}

TEST(RankSet, OfManyRegularRanksIsSmall) {
  EXPECT_EQ(RankSet::of(every(0, 1, 65536)).gaps().total_items(), 1U);
  EXPECT_EQ(RankSet::of(every(7, 256, 256)).gaps().total_items(), 1U);
}

// Inner ranks of a grid: strided products.
TEST(RankSet, OfAGridsInteriorIsSmall) {
  Ranks ranks;
  for (std::int64_t z = 1; z < 63; ++z) {
    for (std::int64_t y = 1; y < 31; ++y) {
      for (std::int64_t x = 1; x < 31; ++x) ranks.push_back((z * 32 + y) * 32 + x);
    }
  }
  const RankSet set = RankSet::of(ranks);
  EXPECT_EQ(set.ranks(), ranks);
  EXPECT_LT(set.gaps().total_items(), 24U);
}

TEST(RankSet, WritesRangesThatRepeatOnce) {
  Ranks ranks;
  for (std::int64_t y = 1; y < 15; ++y) {
    for (std::int64_t x = 1; x < 15; ++x) ranks.push_back(y * 16 + x);
  }
  EXPECT_EQ(RankSet::of(ranks).text(), "17-30(+16 x14)");
}

TEST(RankSet, AddsOtherRanksInAnyOrder) {
  std::mt19937 random(3);
  for (int round = 0; round < 2000; ++round) {
    std::vector<Ranks> parts(4);
    Ranks all;
    for (std::int64_t rank = 0; rank < 30; ++rank) {
      const std::size_t part = random() % 5;
      if (part == 4) continue;
      parts[round % 2 == 0 ? part : static_cast<std::size_t>(rank / 8)].push_back(rank);
      all.push_back(rank);
    }
    std::shuffle(parts.begin(), parts.end(), random);
    RankSet set;
    for (const Ranks& part : parts) set.add(RankSet::of(part));
    ASSERT_EQ(set.ranks(), all);
    ASSERT_EQ(set, RankSet::of(all));
    for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(set.index_of(all[i]), i);
    if (!all.empty()) {
      ASSERT_EQ(set.back(), all.back());
    }
  }
}

TEST(RankSet, FindsRanksBesideMembersThatAreNone) {
  const RankSet set = RankSet::of({-1, 0, 1, -1, 3});
  EXPECT_EQ(set.index_of(0), 2u);
  EXPECT_EQ(set.index_of(3), 4u);
  EXPECT_FALSE(set.index_of(2));
}

TEST(RankSet, HasTheRanksItWasMadeOf) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    Ranks ranks;
    const unsigned share = 1 + random() % 4;
    for (std::int64_t rank = 0; rank < 40; ++rank) {
      if (random() % 4 < share) ranks.push_back(rank);
    }
    const Ranks sorted = ranks;
    std::shuffle(ranks.begin(), ranks.end(), random);
    const RankSet set = RankSet::of(ranks);
    ASSERT_EQ(set.size(), static_cast<std::int64_t>(sorted.size()));
    ASSERT_THAT(set.ranks(), testing::UnorderedElementsAreArray(sorted));
    ASSERT_TRUE(sorted.empty() || set.front() == sorted.front());
    for (std::int64_t rank = -2; rank < 43; ++rank) {
      ASSERT_EQ(set.contains(rank), std::binary_search(sorted.begin(), sorted.end(), rank)) << rank;
    }
  }
}

TEST(RankRanges, KeepTheOrderOfAnySequence) {
  std::mt19937 random(2);
  for (int round = 0; round < 5000; ++round) {
    Ranks sequence(random() % 12);
    for (std::int64_t& rank : sequence) rank = static_cast<std::int64_t>(random() % 5) - 1;
    ASSERT_EQ(sequence_of(ranges_of(sequence)), sequence);
  }
}

TEST(RankRanges, TakeFallingAndEqualRanksAsOneRange) {
  EXPECT_EQ(ranges_of({9, 6, 3, 0}).size(), 1U);
  EXPECT_EQ(ranges_of({-1, -1, -1}).size(), 1U);
  const std::int64_t least = std::numeric_limits<std::int64_t>::min(); // nothing, between ranks
  const Ranks with_nothing{4, least + 2, 8, least + 2, least + 2, 3, 5, 7};
  EXPECT_EQ(sequence_of(ranges_of(with_nothing)), with_nothing);
}

} // namespace
} // namespace rondo::trace
