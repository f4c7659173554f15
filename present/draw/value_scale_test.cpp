// SPDX-License-Identifier: Apache-2.0
#include "present/draw/value_scale.hpp"

#include "present/draw/colours.hpp"
#include "present/draw/rank_ticks.hpp"

#include <gtest/gtest.h>

namespace rondo::present {
namespace {

using Values = std::vector<double>;

TEST(ValueScale, IsLogarithmicOnItsOwnAboveAFactorOfAHundred) {
  EXPECT_FALSE(ValueScale(ScaleKind::kAuto, 1, 100).logarithmic());
  EXPECT_TRUE(ValueScale(ScaleKind::kAuto, 1, 101).logarithmic());
  EXPECT_FALSE(ValueScale(ScaleKind::kLogarithmic, 5, 5).logarithmic());
  EXPECT_FALSE(ValueScale(ScaleKind::kAuto, 0, 0).logarithmic());
}

TEST(ValueScale, PlacesValuesBetweenItsEnds) {
  const ValueScale even(ScaleKind::kLinear, 1, 8);
  EXPECT_DOUBLE_EQ(even.position(2), 0.25);
  const ValueScale decades(ScaleKind::kLogarithmic, 1, 10000);
  EXPECT_DOUBLE_EQ(decades.position(100), 0.5);
  EXPECT_EQ(decades.position(0.1), 0);
  EXPECT_EQ(decades.position(1e9), 1);
}

TEST(ValueScale, ValueUndoesPosition) {
  for (const auto kind : {ScaleKind::kLinear, ScaleKind::kLogarithmic}) {
    const ValueScale scale(kind, 3, 7000);
    for (const double value : {3.0, 50.0, 6999.0}) {
      EXPECT_NEAR(scale.value(scale.position(value)), value, 1e-9 * value);
    }
  }
}

TEST(ValueScale, TicksAreRound) {
  EXPECT_EQ(ValueScale(ScaleKind::kLinear, 1, 54).ticks(8), (Values{0, 10, 20, 30, 40, 50}));
  EXPECT_EQ(ValueScale(ScaleKind::kLogarithmic, 160, 860e3).ticks(8), (Values{1e3, 1e4, 1e5}));
  EXPECT_EQ(ValueScale(ScaleKind::kLogarithmic, 2, 30).ticks(8), (Values{2, 5, 10, 20}));
  EXPECT_EQ(ValueScale(ScaleKind::kLinear, 0, 0).ticks(8), (Values{0}));
}

TEST(HeatColours, GrowDarkerEvenly) {
  double before = heat_lightness(0);
  for (int i = 1; i <= 20; ++i) {
    const double now = heat_lightness(i / 20.0);
    EXPECT_NEAR(before - now, 0.715 / 20, 1e-12);
    before = now;
  }
}

TEST(HeatColours, StayInsideWhatAScreenShows) {
  for (int i = 0; i <= 100; ++i) {
    const auto colour = heat_colour(i / 100.0);
    for (const double channel : {colour.red, colour.green, colour.blue}) {
      EXPECT_GT(channel, 0) << i; // 0 and 1 would mean that it was cut there
      EXPECT_LT(channel, 1) << i;
    }
  }
}

TEST(RankTicks, FollowPowersOfTwoWhereTheRanksDo) {
  EXPECT_EQ(rank_step(64, 2.3), 4);
  EXPECT_EQ(rank_step(1 << 20, 60000), 65536);
  EXPECT_EQ(rank_step(36, 2.3), 5);
  EXPECT_EQ(rank_step(1000, 60), 100);
  EXPECT_EQ(rank_step(1, 0.1), 1);
}

} // namespace
} // namespace rondo::present
