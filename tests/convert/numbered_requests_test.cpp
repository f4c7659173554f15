// SPDX-License-Identifier: Apache-2.0
#include "convert/calls/numbered_requests.hpp"

#include <gtest/gtest.h>

namespace rondo::convert::internal {
namespace {

TEST(NumberedRequests, AreFoundUntilTheyAreErased) {
  NumberedRequests<int> open;
  EXPECT_EQ(open.find(0), nullptr);
  EXPECT_EQ(open.find(1), nullptr);
  for (int i = 1; i <= 10; ++i) open.add(100 + i);
  EXPECT_EQ(open.last(), 10U);
  for (std::uint64_t number = 1; number <= 10; ++number) {
    ASSERT_NE(open.find(number), nullptr);
    EXPECT_EQ(*open.find(number), static_cast<int>(100 + number));
  }
  for (const std::uint64_t number : {1, 5, 10}) {
    open.erase(number);
    EXPECT_EQ(open.find(number), nullptr);
  }
  EXPECT_EQ(*open.find(9), 109);
  EXPECT_EQ(open.find(11), nullptr);
  open.erase(11); // never made
  open.add(111);
  EXPECT_EQ(*open.find(11), 111);
}

// One that is never completed, among many that are.
TEST(NumberedRequests, OldOnesStayUntilTheyAreErased) {
  NumberedRequests<int> open;
  open.add(1);
  for (int i = 2; i < 100'000; ++i) {
    open.add(i);
    if (i % 1000 != 0) open.erase(static_cast<std::uint64_t>(i));
  }
  EXPECT_EQ(*open.find(1), 1);
  EXPECT_EQ(*open.find(3000), 3000);
  EXPECT_EQ(open.find(3001), nullptr);
  open.erase(1);
  open.erase(3000);
  EXPECT_EQ(open.find(1), nullptr);
  EXPECT_EQ(open.find(3000), nullptr);
  EXPECT_EQ(*open.find(99'000), 99'000);
}

} // namespace
} // namespace rondo::convert::internal
