// SPDX-License-Identifier: Apache-2.0
#include "present/patterns/pattern_picture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rondo::present {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// To both neighbours on a chain, all at once.
std::vector<patterns::PatternMessage> chain_messages(std::int64_t ranks) {
  std::vector<patterns::PatternMessage> messages;
  for (std::int64_t rank = 0; rank + 1 < ranks; ++rank) {
    messages.push_back({rank, rank + 1, 0, 1, 8, 1});
    messages.push_back({rank + 1, rank, 0, 1, 8, 1});
  }
  return messages;
}

std::string drawn(std::int64_t ranks) {
  return *draw_pattern(chain_messages(ranks), PictureFormat::kSvg,
                       {.title = "halo exchange", .subtitle = "number 1", .about = "app"});
}

TEST(PatternPicture, FewRanksHaveALineEach) {
  const std::string svg = drawn(32);
  EXPECT_THAT(svg, HasSubstr(">31</text>"));
  EXPECT_THAT(svg, Not(HasSubstr(" ranks: ")));
  EXPECT_THAT(svg, HasSubstr("<title>30 to 31: 1 message of 8 B</title>"));
  EXPECT_THAT(svg, HasSubstr(">app</text>"));
}

TEST(PatternPicture, ManyRanksAreDrawnAsClasses) {
  const std::string svg = drawn(64);
  EXPECT_THAT(svg, HasSubstr(">2 ranks: 0,63</text>")); // the ends
  EXPECT_THAT(svg, HasSubstr(">62 ranks: 1-62</text>"));
  EXPECT_THAT(svg, HasSubstr("<title>62 ranks: 1-62 to 2 ranks: 0,63: 2 messages of 8 B</title>"));
  EXPECT_LT(svg.size(), 10'000U);
}

TEST(PatternPicture, RanksAroundOneAreAClassHoweverFarTheyAre) {
  std::vector<patterns::PatternMessage> messages;
  for (std::int64_t rank = 1; rank < 64; ++rank) messages.push_back({0, rank, 0, 1, 8, 1});
  const std::string svg = *draw_pattern(
      messages, PictureFormat::kSvg, {.title = "scatter", .subtitle = "number 1", .about = "app"});
  EXPECT_THAT(svg, HasSubstr("<title>0 to 63 ranks: 1-63: 63 messages of 8 B</title>"));
}

} // namespace
} // namespace rondo::present
