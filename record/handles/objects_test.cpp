// SPDX-License-Identifier: Apache-2.0
#include "record/handles/objects.hpp"

#include "record/handles/slot_numbers.hpp"

#include <gtest/gtest.h>

namespace rondo::record {
namespace {

TEST(Slots, AreTheLowestThatHadTheMeaning) {
  Slots slots;
  for (std::int64_t i = 0; i < 3; ++i) EXPECT_EQ(slots.take("a").slot, i);
  EXPECT_EQ(slots.take("b").slot, 3);
  slots.release(2);
  slots.release(1);
  EXPECT_TRUE(slots.take("b").is_new);
  const Slots::Taken taken = slots.take("a");
  EXPECT_EQ(taken.slot, 1);
  EXPECT_FALSE(taken.is_new);
}

TEST(Slots, ThatTheTraceKnowsAreNotUsedAgainAfterAQuietRelease) {
  Slots slots;
  slots.release(slots.take("a").slot, true);
  EXPECT_EQ(slots.take("a", true).slot, 1);
  slots.release(1, true); // unseen: as if it had never been
  EXPECT_EQ(slots.take("a").slot, 1);
}

// As a program that makes a datatype for each message.
TEST(Slots, KeepLittleOfObjectsThatAreGone) {
  Slots slots;
  for (std::int64_t i = 0; i < 200'000; ++i) {
    const Slots::Taken taken = slots.take(std::to_string(i));
    EXPECT_TRUE(taken.is_new);
    EXPECT_EQ(taken.slot, i); // which never means anything else
    slots.release(taken.slot);
  }
  EXPECT_LE(slots.meanings(), Slots::kMostFree);
}

TEST(HandleWords, AreRecentOnceTheyWereLookedUpOrSeen) {
  HandleWords words;
  EXPECT_EQ(words.recent(7), nullptr);
  EXPECT_EQ(words.recent(0), nullptr);
  EXPECT_EQ(words.word_of(0), HandleWords::kUnknown);
  words.set(7, 3);
  EXPECT_EQ(words.word_unseen(7), 3);
  EXPECT_EQ(words.recent(7), nullptr);
  EXPECT_EQ(words.word_of(7), 3);
  ASSERT_NE(words.recent(7), nullptr);
  EXPECT_EQ(*words.recent(7), 3);
  words.set(7, 4); // another object
  EXPECT_EQ(words.recent(7), nullptr);
  words.see(7, 4);
  ASSERT_NE(words.recent(7), nullptr);
  EXPECT_EQ(*words.recent(7), 4);
}

TEST(HandleWords, OfFreedObjectsAreNeverRecent) {
  HandleWords words;
  words.set(7, 3);
  words.see(7, 3);
  words.forget(7, 3);
  EXPECT_EQ(words.recent(7), nullptr);
  EXPECT_EQ(words.word_of(7), HandleWords::kFreed);
  EXPECT_EQ(words.recent(7), nullptr);
}

TEST(HandleWords, OfWhatAnotherThreadWasGivenMeanwhileStay) {
  HandleWords words;
  words.set(7, 3); // freed by one thread, which has not said so when MPI gives it to another
  words.set(7, 4);
  words.forget(7, 3);
  EXPECT_EQ(words.word_of(7), 4);
  words.set(7, 5); // the program was given one object twice
  words.forget(7, 5);
  EXPECT_EQ(words.word_of(7), 4);
  words.forget(7, 4);
  EXPECT_EQ(words.word_of(7), HandleWords::kFreed);
}

TEST(SlotNumbers, AreTheLowestThatAreFree) {
  SlotNumbers numbers;
  for (std::uint64_t i = 0; i < 5; ++i) EXPECT_EQ(numbers.take(), i);
  numbers.release(3);
  numbers.release(1);
  EXPECT_EQ(numbers.take(), 1U);
  EXPECT_EQ(numbers.take(), 3U);
  EXPECT_EQ(numbers.take(), 5U);
}

} // namespace
} // namespace rondo::record
