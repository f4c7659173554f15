// SPDX-License-Identifier: Apache-2.0
#include "rondo/base/seldom.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace rondo {
namespace {

using Text = Seldom<std::string>;

TEST(Seldom, IsAPointer) { EXPECT_EQ(sizeof(Text), sizeof(void*)); }

TEST(Seldom, ReadsAsItIsMadeWhereNothingWasGiven) {
  const Text none;
  EXPECT_EQ(*none, "");
  EXPECT_EQ(none, Text(""));
  EXPECT_FALSE(none == Text("a"));
}

TEST(Seldom, CopiesHaveTheirOwn) {
  Text a;
  a.edit() = "a";
  Text b = a;
  b.edit() += "b";
  EXPECT_EQ(*a, "a");
  EXPECT_EQ(*b, "ab");
  a = std::move(b);
  EXPECT_EQ(a->size(), 2u);
  a = {};
  EXPECT_EQ(*a, "");
}

} // namespace
} // namespace rondo
