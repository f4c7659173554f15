// SPDX-License-Identifier: Apache-2.0
#include "record/handles/comm_slots.hpp"

#include <gtest/gtest.h>

namespace rondo::record {
namespace {

TEST(CommSlots, ALoopThatMakesAndFreesSeesOneSlot) {
  CommSlots slots;
  for (int i = 0; i < 5; ++i) {
    const auto taken = slots.take("world", {});
    EXPECT_EQ(taken.slot, 0);
    EXPECT_EQ(taken.ordinal, i);
    EXPECT_EQ(taken.is_new, i == 0);
    slots.release(taken.slot, {});
  }
}

TEST(CommSlots, MeaningsAreCountedApart) {
  CommSlots slots;
  EXPECT_EQ(slots.take("a", {}).ordinal, 0);
  EXPECT_EQ(slots.take("b", {}).ordinal, 0);
  EXPECT_EQ(slots.take("a", {}).ordinal, 1);
}

// Two ranks may free and make in different orders where making does not block.
TEST(CommSlots, NonblockingCallsDoNotDependOnWhatHasJustBeenFreed) {
  CommSlots early;
  CommSlots late;
  const CommSlots::By nonblocking{.is_nonblocking = true};
  std::int64_t previous_early = early.take("world", nonblocking).slot;
  std::int64_t previous_late = late.take("world", nonblocking).slot;
  for (int i = 0; i < 100; ++i) {
    early.release(previous_early, {}); // frees, then makes
    previous_early = early.take("world", nonblocking).slot;
    const std::int64_t made = late.take("world", nonblocking).slot; // makes, then frees
    late.release(previous_late, {});
    previous_late = made;
    EXPECT_EQ(previous_early, previous_late) << i;
    EXPECT_LE(made, CommSlots::kBehindNonblocking);
  }
}

TEST(CommSlots, WhatAnotherThreadFreedIsNotUsedAgainSoon) {
  CommSlots slots;
  const CommSlots::By worker{.thread = 1};
  for (std::int64_t i = 0; i < CommSlots::kBehindThreads; ++i) {
    EXPECT_TRUE(slots.take("world", {}).is_new);
    slots.release(i, worker);
  }
  EXPECT_EQ(slots.take("world", {}).slot, 0); // but in the end it is: a run may be long
}

TEST(CommSlots, ASlotThatWasFreedUnseenIsNotUsedAgain) {
  CommSlots slots;
  const CommSlots::By quiet{.quietly = true};
  slots.release(slots.take("world", {}).slot, quiet);
  EXPECT_EQ(slots.take("world", quiet).slot, 1);
  slots.release(1, quiet);
  EXPECT_EQ(slots.take("world", {}).slot, 1);
}

} // namespace
} // namespace rondo::record
