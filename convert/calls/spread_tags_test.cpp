// SPDX-License-Identifier: Apache-2.0
#include "convert/calls/spread_tags.hpp"

#include <gtest/gtest.h>

namespace rondo::convert::internal {
namespace {

TEST(SpreadTags, OfOneCommunicatorStayAsTheyAre) {
  SpreadTags tags;
  tags.of(0, 7);
  tags.of(0, 3);
  EXPECT_TRUE(tags.spread(7));
  EXPECT_EQ(tags.of(0, 3), 3);
  EXPECT_FALSE(tags.is_of_several_communicators());
}

TEST(SpreadTags, OfSeveralAreSideBySideWithRoomForCollectives) {
  SpreadTags tags;
  tags.of(0, 5);
  tags.of(2, 1);
  tags.of_steps(1);
  EXPECT_TRUE(tags.spread(20));
  EXPECT_EQ(tags.of(0, 5), 5);
  EXPECT_EQ(tags.of_steps(0), 6);
  EXPECT_EQ(tags.of_steps(1), 13);
  EXPECT_EQ(tags.of(2, 1), 15);
  EXPECT_EQ(tags.of_steps(2), 20);
}

TEST(SpreadTags, NearTheHighestOfMpiAreMovedDown) {
  constexpr std::int64_t kHighest = 0x7fffffff;
  SpreadTags tags;
  tags.of(4, kHighest);
  tags.of(4, kHighest - 2);
  tags.of(6, kHighest - 1);
  tags.of_steps(5);
  EXPECT_TRUE(tags.spread(kHighest));
  EXPECT_EQ(tags.of(4, kHighest - 2), 0);
  EXPECT_EQ(tags.of(4, kHighest), 2);
  EXPECT_EQ(tags.of_steps(4), 3);
  EXPECT_EQ(tags.of_steps(5), 4);
  EXPECT_EQ(tags.of(6, kHighest - 1), 5);
  EXPECT_EQ(tags.of_steps(6), 6);
}

TEST(SpreadTags, ThatDoNotFitAreSaid) {
  SpreadTags tags;
  for (const std::uint32_t comm : {0U, 1U}) {
    tags.of(comm, 0);
    tags.of(comm, 9);
  }
  EXPECT_FALSE(tags.spread(18));
  EXPECT_TRUE(tags.spread(19));
}

} // namespace
} // namespace rondo::convert::internal
