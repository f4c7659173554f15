// SPDX-License-Identifier: Apache-2.0
#include "rondo/base/joined.hpp"

#include <array>
#include <gtest/gtest.h>
#include <set>
#include <vector>

namespace rondo {
namespace {

TEST(Joined, HasTheTextBetweenNeighboursOnly) {
  EXPECT_EQ(joined(std::vector<std::string>(), ", "), "");
  EXPECT_EQ(joined(std::vector<std::string>{"ring"}, ", "), "ring");
  EXPECT_EQ(joined(std::set<std::string>{"torus", "", "ring"}, ", "), ", ring, torus");
}

TEST(Joined, WritesNumbersAsNumbers) {
  EXPECT_EQ(joined(std::vector<std::uint8_t>{65, 255}, "x"), "65x255");
  EXPECT_EQ(joined(std::array<std::int64_t, 2>{-1, 2}, ","), "-1,2");
}

} // namespace
} // namespace rondo
