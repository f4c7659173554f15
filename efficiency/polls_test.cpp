// SPDX-License-Identifier: Apache-2.0
#include "rondo/efficiency/wait_states.hpp"

#include "tests/support/predicted.hpp"

#include <gtest/gtest.h>

namespace rondo::efficiency {
namespace {

using support::Caller;
using support::compute;
using support::kMs;
using support::kMsInNs;
using support::recorded;

struct Timed {
  std::uint64_t computation = 0; // ms
  std::uint64_t inside = 0;
};

// A rank that sends two messages late, and one that asks for them.
trace::Trace polled(const std::vector<std::int64_t>& flags) {
  return recorded(2, [&](Caller& s) {
    if (s.rank == 0) {
      compute(s, 30 * kMsInNs);
      s.send(1, 1);
      s.send(1, 1);
      return;
    }
    for (int i = 0; i < 2; ++i)
      s.call("MPI_Irecv", {{"count", 1},
                           {"datatype", support::kDouble},
                           {"source", 0},
                           {"tag", 0},
                           {"comm", support::kWorld}});
    const std::int64_t both = s.array({trace::request_by_age(1), trace::request_by_age(0)});
    for (const std::int64_t flag : flags)
      s.call("MPI_Testall", {{"array_of_requests", both}, {"flag", flag}});
  });
}

void set_lengths(trace::Trace& trace, std::int64_t rank, const std::vector<Timed>& calls) {
  trace::TimeStampWriter writer;
  std::uint64_t from = 0;
  for (const Timed& call : calls) {
    from += call.computation;
    writer.add({from * kMsInNs, call.computation * kMsInNs, call.inside * kMsInNs});
    from += call.inside;
  }
  trace.stamps.push_back(writer.take());
  trace.stamps.back().rank = rank;
  trace.stamps.back().origin_unix_ns = 1;
}

WaitStates measured(const std::vector<Timed>& polls) {
  std::vector<std::int64_t> flags(polls.size(), 0);
  flags.back() = 1;
  trace::Trace trace = polled(flags);
  set_lengths(trace, 0, {{30, 0}, {0, 0}, {0, 0}});
  std::vector<Timed> calls = {{0, 0}, {0, 0}};
  calls.insert(calls.end(), polls.begin(), polls.end());
  set_lengths(trace, 1, calls);
  auto waits = wait_states(trace);
  EXPECT_TRUE(waits.has_value()) << (waits ? "" : waits.error().text());
  return waits ? *waits : WaitStates{};
}

void expect_wait(const WaitStates& waits, double ms) {
  EXPECT_TRUE(waits.is_measured);
  EXPECT_NEAR(waits.by_kind[static_cast<std::size_t>(WaitKind::kPolling)], ms * kMs, 1e-9);
  EXPECT_NEAR(waits.seconds, ms * kMs, 1e-9);
}

// Both messages come between two polls; what both are waited for counts once.
TEST(Polls, ThatFindNothingAreOneWaitWithThatWhichEndsThem) {
  const WaitStates waits = measured({{10, 5}, {0, 8}, {0, 9}});
  expect_wait(waits, 20);
  ASSERT_EQ(waits.causes.size(), 1u);
  EXPECT_EQ(waits.causes[0].rank, 0);
  EXPECT_EQ(waits.causes[0].what, Cause::What::kComputation);
  EXPECT_NEAR(waits.causes[0].seconds, 20 * kMs, 1e-6);
}

TEST(Polls, AreOneWaitEvenIfTheMessageIsThereBeforeTheLastBegins) {
  expect_wait(measured({{10, 15}, {0, 15}, {0, 1}}), 20);
}

TEST(Polls, BetweenLongerWorkAreNoneUpToTheLast) {
  expect_wait(measured({{8, 1}, {9, 1}, {9, 1}, {9, 1}}), 0);
  expect_wait(measured({{8, 1}, {9, 1}, {5, 10}}), 6); // it begins the last at 24
}

// No more is waited than was spent in polls.
TEST(Polls, WaitForLessWhereThereIsALittleWorkBetweenThem) {
  expect_wait(measured({{10, 10}, {3, 10}}), 17);
}

// Whoever asks for a partition waits for the message, up to the call that completes it.
TEST(Polls, ForAPartitionBelongToTheWaitForAll) {
  trace::Trace trace = recorded(2, [](Caller& s) {
    const std::int64_t request = trace::request_by_slot(0);
    s.call(s.rank == 0 ? "MPI_Psend_init" : "MPI_Precv_init",
           {{"partitions", 1},
            {"count", 1},
            {"datatype", support::kDouble},
            {s.rank == 0 ? "dest" : "source", 1 - s.rank},
            {"tag", 0},
            {"comm", support::kWorld}});
    s.start(0);
    if (s.rank == 0) s.call("MPI_Pready", {{"partition", 0}, {"request", request}});
    if (s.rank == 1) {
      for (const std::int64_t flag : {0, 1})
        s.call("MPI_Parrived", {{"request", request}, {"partition", 0}, {"flag", flag}});
    }
    s.call("MPI_Wait", {{"request", request}});
  });
  set_lengths(trace, 0, {{0, 0}, {0, 0}, {30, 0}, {0, 0}});
  set_lengths(trace, 1, {{0, 0}, {0, 0}, {10, 10}, {0, 12}, {0, 1}});
  const auto waits = wait_states(trace);
  ASSERT_TRUE(waits.has_value());
  EXPECT_TRUE(waits->is_measured);
  EXPECT_NEAR(waits->seconds, 20 * kMs, 1e-9);
}

TEST(Polls, WaitInARunThatIsPlayed) {
  trace::Trace trace = polled({0, 0, 1});
  const auto waits = wait_states(trace);
  ASSERT_TRUE(waits.has_value());
  EXPECT_FALSE(waits->is_measured);
  EXPECT_NEAR(waits->by_kind[static_cast<std::size_t>(WaitKind::kPolling)], 30 * kMs, 1e-9);
  EXPECT_NEAR(waits->seconds, 30 * kMs, 1e-9);
}

} // namespace
} // namespace rondo::efficiency
