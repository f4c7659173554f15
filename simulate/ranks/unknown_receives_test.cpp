// SPDX-License-Identifier: Apache-2.0
#include "simulate/ranks/unknown_receives.hpp"

#include <gtest/gtest.h>

namespace rondo::simulate::internal {
namespace {

UnknownReceive from_anywhere(Request& request, std::int64_t tag) {
  return {&request, trace::kWorldSlot, trace::kAnySource, tag, 0, true};
}

TEST(UnknownReceives, ANamedSourceWaitsForWildcardsThatCouldTakeItsMessage) {
  Request wild, same, other;
  const UnknownReceive same_tag{&same, trace::kWorldSlot, 3, 7, 0, false};
  UnknownReceives unknown;
  unknown.add(from_anywhere(wild, 7));
  EXPECT_TRUE(unknown.hold_up(same_tag));
  EXPECT_FALSE(unknown.hold_up({&other, trace::kWorldSlot, 3, 8, 0, false}));
  EXPECT_FALSE(unknown.hold_up({&other, trace::kWorldSlot + 1, 3, 7, 0, false}));

  unknown.add(same_tag);
  EXPECT_TRUE(unknown.take({}).empty());
  const UnknownReceives::Completion done{&wild, Envelope{2, 7}};
  const std::vector<UnknownReceive> known = unknown.take({&done, 1});
  ASSERT_EQ(known.size(), 2U);
  EXPECT_EQ(known[0].request, &wild);
  EXPECT_EQ(known[0].envelope->source, 2);
  EXPECT_EQ(known[1].request, &same);
  EXPECT_TRUE(unknown.is_empty());
}

TEST(UnknownReceives, HeldOnesAreNotWithMpi) {
  Request first, second;
  UnknownReceive held = from_anywhere(first, 1), later = from_anywhere(second, 2);
  held.held_since = 5;
  later.held_since = 6;
  UnknownReceives unknown;
  unknown.add(held);
  unknown.add(later);
  EXPECT_FALSE(unknown.has_posted());
  EXPECT_EQ(unknown.take_held(1)->request, &second);
  EXPECT_FALSE(unknown.take_held(1));
  unknown.give_up_held(5);
  EXPECT_TRUE(unknown.has_posted());
  EXPECT_FALSE(unknown.take_held(0));
}

TEST(UnknownReceives, AFreedOneIsForgotten) {
  Request request;
  UnknownReceives unknown;
  unknown.add(from_anywhere(request, 1));
  EXPECT_TRUE(unknown.has(&request));
  unknown.forget(&request);
  EXPECT_FALSE(unknown.has(&request));
  EXPECT_TRUE(unknown.is_empty());
}

} // namespace
} // namespace rondo::simulate::internal
