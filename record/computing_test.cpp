// SPDX-License-Identifier: Apache-2.0
// What computation goes by where ranks share processors, or poll; of the whole,
// tests/cli/info_test.py and efficiency_test.py.
#include "record/polling.hpp"
#include "record/process/processors.hpp"
#include "record/taken_off.hpp"
#include "record/usual_computation.hpp"

#include <gtest/gtest.h>

namespace rondo::record {
namespace {

constexpr std::uint64_t kUs = 1000; // a clock that is not calibrated has ticks of a nanosecond

UsualComputation begun() {
  UsualComputation usual;
  usual.begin(Clock());
  return usual;
}

TEST(UsualComputation, WhatIsShortOrAsLongAsTheLastTimeIsUsual) {
  UsualComputation usual = begun();
  EXPECT_FALSE(usual.is_unusual(1, 15 * kUs));
  EXPECT_TRUE(usual.is_unusual(1, 100 * kUs));
  usual.note(1, 100 * kUs, false);
  EXPECT_FALSE(usual.is_unusual(1, 90 * kUs));
  EXPECT_FALSE(usual.is_unusual(1, 110 * kUs));
  EXPECT_TRUE(usual.is_unusual(1, 130 * kUs));
  EXPECT_TRUE(usual.is_unusual(1, 50 * kUs));
  EXPECT_TRUE(usual.is_unusual(2, 100 * kUs));
}

// There is time to ask.
TEST(UsualComputation, WhatIsLongIsNeverUsual) {
  UsualComputation usual = begun();
  usual.note(1, 300 * kUs, false);
  EXPECT_TRUE(usual.is_unusual(1, 300 * kUs));
}

TEST(UsualComputation, ReadingsAreWantedBehindACallUntilItIsAsUsual) {
  UsualComputation usual = begun();
  EXPECT_FALSE(usual.may_need_reading(60 * kUs));
  usual.note(1, 100 * kUs, false);
  for (int i = 0; i < UsualComputation::kReadings; ++i) {
    EXPECT_TRUE(usual.may_need_reading(60 * kUs));
    EXPECT_FALSE(usual.may_need_reading(40 * kUs));
    EXPECT_TRUE(usual.needs_reading(1, 60 * kUs));
    EXPECT_FALSE(usual.needs_reading(2, 60 * kUs));
    usual.note_reading(2);
    usual.note_reading(1);
  }
  EXPECT_FALSE(usual.may_need_reading(60 * kUs));
  EXPECT_FALSE(usual.needs_reading(1, 60 * kUs));
  EXPECT_TRUE(usual.may_need_reading(3000 * kUs));
  EXPECT_TRUE(usual.needs_reading(2, 3000 * kUs));
}

TEST(UsualComputation, NotingTwiceWantsReadingsOfOnePlace) {
  UsualComputation usual = begun();
  usual.note(1, 100 * kUs, false);
  usual.note(1, 150 * kUs, false);
  for (int i = 0; i < UsualComputation::kReadings; ++i) usual.note_reading(1);
  EXPECT_FALSE(usual.may_need_reading(60 * kUs));
}

TEST(UsualComputation, ItIsKnownWhereTheThreadSleeps) {
  UsualComputation usual = begun();
  EXPECT_FALSE(usual.slept(1));
  usual.note(1, 100 * kUs, true);
  EXPECT_TRUE(usual.slept(1));
  EXPECT_FALSE(usual.slept(2));
  usual.note(1, 130 * kUs, false);
  EXPECT_FALSE(usual.slept(1));
}

TEST(UsualComputation, SleepsAreCountedSeldomOfWhoDoesNotSleepButNotNever) {
  const UsualComputation usual = begun();
  EXPECT_TRUE(usual.counts_sleeps(0, 0));
  EXPECT_FALSE(usual.counts_sleeps(UsualComputation::kWakeful, 500 * kUs));
  EXPECT_TRUE(usual.counts_sleeps(UsualComputation::kWakeful, 1'100 * kUs));
}

TEST(UsualComputation, NothingNoticeableIsShorterThanItsBits) {
  const UsualComputation usual = begun();
  const std::uint64_t bound = std::uint64_t{1} << usual.noticeable_bits();
  EXPECT_LE(bound, usual.noticeable_ticks());
  EXPECT_GT(2 * bound, usual.noticeable_ticks());
}

TEST(TakenOffs, AreSummedUpForACallAndTakenOnce) {
  TakenOffs offs;
  const std::int64_t* const first = log_words;
  const std::int64_t* const second = log_words + 5;
  const std::int64_t* const third = log_words + 10;
  offs.note({first, 0, 3});
  offs.note({first, 100, 4});
  offs.note({third, 200, 0});
  const TakenOff off = offs.take(first);
  EXPECT_EQ(off.displaced_ticks, 100U);
  EXPECT_EQ(off.own_ticks, 7U);
  EXPECT_EQ(offs.take(first).entry, nullptr);
  EXPECT_EQ(offs.take(second).entry, nullptr);
  EXPECT_EQ(offs.take(third).displaced_ticks, 200U);
}

TEST(TakenOffs, ThoseOfALogThatBeginsAnewAreForgotten) {
  TakenOffs offs;
  offs.note({log_words, 100, 0});
  offs.clear();
  EXPECT_EQ(offs.take(log_words).entry, nullptr);
  offs.note({log_words, 7, 0});
  EXPECT_EQ(offs.take(log_words).displaced_ticks, 7U);
}

constexpr std::uint16_t kTestall = 43;

struct After {
  After(std::uint16_t function, bool found_nothing) {
    thread.call.function = function;
    thread.polling.found_nothing = found_nothing;
  }
  OnThread thread;
};

TEST(Polling, GoesOnBehindAPollThatFoundNothingOnly) {
  EXPECT_TRUE(goes_on_polling(After(kTestall, true).thread));
  EXPECT_FALSE(goes_on_polling(After(kTestall, false).thread));
  EXPECT_FALSE(goes_on_polling(After(kTestall + 300, true).thread));
  EXPECT_FALSE(is_poll(40)); // MPI_Waitall
  EXPECT_FALSE(is_poll(200)); // MPI_Win_wait
}

TEST(Polling, AShortTimeBetweenPollsIsPartOfTheSecond) {
  After after(kTestall, true);
  OnThread& thread = after.thread;
  EXPECT_EQ(start_of_poll(thread, true, false, 101 * kUs, 100 * kUs), 100 * kUs);
  EXPECT_TRUE(thread.polling.found_nothing);
  EXPECT_EQ(start_of_poll(thread, true, true, 110 * kUs, 100 * kUs), 110 * kUs);
  EXPECT_FALSE(thread.polling.found_nothing);
  EXPECT_EQ(start_of_poll(thread, false, true, 101 * kUs, 100 * kUs), 101 * kUs);
}

// A thread that has worked between polls may sleep between those of another loop.
TEST(Polling, AnotherLoopIsAskedWhatItDoesBetween) {
  After after(kTestall, true);
  Polling& polling = after.thread.polling;
  polling.busy = kBusy + 20;
  EXPECT_EQ(idle_between_polls(polling, 100 * kUs), 0U);
  EXPECT_EQ(polling.reading_ticks, 0U); // not asked
  start_of_poll(after.thread, false, false, 200 * kUs, 100 * kUs);
  EXPECT_EQ(idle_between_polls(polling, 100 * kUs), 0U); // nothing is known of before
  EXPECT_NE(polling.reading_ticks, 0U);
  const std::uint64_t slept_from = monotonic_ns();
  const timespec length = {0, 5'000'000};
  nanosleep(&length, nullptr);
  EXPECT_GT(idle_between_polls(polling, monotonic_ns() - slept_from), 2'000 * kUs);
  EXPECT_EQ(polling.busy, 0U);
}

// The first is looked at alone: nothing is known of the time before it.
TEST(Polling, OnlyWhoSleepsBetweenPollsDoesNotCompute) {
  const auto work = [](std::uint64_t us) {
    const std::uint64_t end = thread_cpu_ns() + us * kUs;
    while (thread_cpu_ns() < end) {
    }
  };
  Polling polling;
  work(100);
  EXPECT_EQ(idle_between_polls(polling, 100 * kUs), 0U);
  const std::uint64_t worked_from = monotonic_ns();
  work(500);
  EXPECT_EQ(idle_between_polls(polling, monotonic_ns() - worked_from), 0U);
  EXPECT_FALSE(polling.sleeps);
  const std::uint64_t slept_from = monotonic_ns();
  const timespec length = {0, 5'000'000};
  nanosleep(&length, nullptr);
  const std::uint64_t passed = monotonic_ns() - slept_from;
  const std::uint64_t idle = idle_between_polls(polling, passed);
  EXPECT_LE(idle, passed);
  EXPECT_GT(idle, passed / 2);
  EXPECT_TRUE(polling.sleeps);
}

} // namespace

std::int64_t log_words[kLogWords]; // of no recorder

constinit Process process; // its clock is that of the system

} // namespace rondo::record
