// SPDX-License-Identifier: Apache-2.0
#include "record/live/live_thread.hpp"

#include <gtest/gtest.h>

namespace rondo::record {
namespace {

constexpr std::uint64_t kMicrosecond_ns = 1000;

// Of so many questions, those that had real time pass.
int answered_in_real_time(LiveThread& thread, int questions, std::uint64_t computed_ns) {
  int answered = 0;
  for (int i = 0; i < questions; ++i) answered += thread.asks_again(computed_ns) ? 1 : 0;
  return answered;
}

TEST(LiveThread, GetsRealTimeIfItDoesNextToNothingButAskForTheTime) {
  LiveThread thread;
  EXPECT_EQ(answered_in_real_time(thread, 1000, 5 * kMicrosecond_ns), 0);
  EXPECT_EQ(answered_in_real_time(thread, 1000, 5 * kMicrosecond_ns), 1000);
}

TEST(LiveThread, GetsNoneIfItComputesBetweenQuestions) {
  for (const std::uint64_t computed_ns :
       {12 * kMicrosecond_ns, 50 * kMicrosecond_ns, 20'000 * kMicrosecond_ns}) {
    LiveThread thread;
    EXPECT_EQ(answered_in_real_time(thread, 10'000, computed_ns), 0) << computed_ns;
  }
}

// On a busy host, a question takes 50 microseconds now and then.
TEST(LiveThread, IsNotTakenForOneThatComputesWhereItIsInterrupted) {
  LiveThread thread;
  int answered = 0;
  for (int i = 0; i < 2000; ++i)
    answered += thread.asks_again(i % 10 == 0 ? 50 * kMicrosecond_ns : kMicrosecond_ns) ? 1 : 0;
  EXPECT_EQ(answered, 1000);
  EXPECT_FALSE(thread.asks_again(20'000 * kMicrosecond_ns)); // it computes again
  EXPECT_EQ(answered_in_real_time(thread, 1000, kMicrosecond_ns), 0);
}

} // namespace
} // namespace rondo::record
