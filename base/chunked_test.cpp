// SPDX-License-Identifier: Apache-2.0
#include "rondo/base/chunked.hpp"

#include <gtest/gtest.h>
#include <utility>

namespace rondo {
namespace {

TEST(Chunked, KeepsItemsWhereTheyAreWhileItGrows) {
  Chunked<int, 4> list;
  list.push_back(0);
  const int* const first = &list[0];
  for (int i = 1; i < 100; ++i) list.push_back(i);
  ASSERT_EQ(list.size(), 100u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(list[static_cast<std::size_t>(i)], i);
  EXPECT_EQ(&list[0], first);
  int next = 0;
  list.for_each([&](int item) { EXPECT_EQ(item, next++); });
  EXPECT_EQ(next, 100);
  list[7] = 70;
  EXPECT_EQ(std::as_const(list)[7], 70);
}

TEST(Chunked, BeginsAnew) {
  Chunked<int, 4> list;
  for (int i = 0; i < 5; ++i) list.push_back(i);
  list.clear();
  EXPECT_EQ(list.size(), 0u);
  list.add() = 8;
  EXPECT_EQ(list[0], 8);
  const Chunked<int, 4> taken = std::exchange(list, {});
  EXPECT_EQ(taken.size(), 1u);
  EXPECT_EQ(list.size(), 0u);
  list.push_back(9);
  EXPECT_EQ(list[0], 9);
  EXPECT_EQ(taken[0], 8);
}

} // namespace
} // namespace rondo
