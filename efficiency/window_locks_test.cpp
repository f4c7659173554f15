// SPDX-License-Identifier: Apache-2.0
#include "rondo/efficiency/wait_states.hpp"

#include "tests/support/waits.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string_view>
#include <utility>

namespace rondo::efficiency {
namespace {

using support::barrier;
using support::Caller;
using support::CallTimes;
using support::found;
using support::kMs;
using support::kMsInNs;
using support::of_causes;
using support::of_kind;
using support::recorded;
using support::set_stamps;
using support::set_times;

struct LockTimes { // of a rank's MPI_Win_lock and MPI_Win_unlock, in ms
  std::uint64_t lock, locked, unlock, unlocked;
};

std::int64_t exclusive_lock() {
  const trace::Function& lock = *trace::find_function("MPI_Win_lock");
  int exclusive = 0;
  while (exclusive < 2 &&
         trace::named_value(lock.fields[0], trace::choice(exclusive)) != "MPI_LOCK_EXCLUSIVE")
    ++exclusive;
  return trace::choice(exclusive);
}

// Two ranks that lock the same window; of the second it may be said that nobody has it.
trace::Trace with_locks(const std::array<LockTimes, 2>& times, bool is_checked = true) {
  trace::Trace trace = recorded(2, [&](Caller& s) {
    s.call("MPI_Win_lock", {{"lock_type", exclusive_lock()},
                            {"rank", 0},
                            {"assert", s.rank == 1 && !is_checked ? 1 : 0}, // MPI_MODE_NOCHECK
                            {"win", 0}});
    s.call("MPI_Win_unlock", {{"rank", 0}, {"win", 0}});
  });
  for (std::int64_t rank = 0; rank < 2; ++rank) {
    const LockTimes& own = times[static_cast<std::size_t>(rank)];
    trace::TimeStampWriter writer;
    writer.add({own.lock * kMsInNs, own.lock * kMsInNs, (own.locked - own.lock) * kMsInNs});
    writer.add({own.unlock * kMsInNs, (own.unlock - own.locked) * kMsInNs,
                (own.unlocked - own.unlock) * kMsInNs});
    set_stamps(trace, rank, writer);
  }
  return trace;
}

TEST(WindowLocks, WhoHoldsALockMakesOthersWait) {
  const WaitStates eager = found(with_locks({{{0, 1, 50, 60}, {10, 50, 51, 52}}}));
  EXPECT_TRUE(eager.is_measured);
  const auto played =
      wait_states(with_locks({{{0, 1, 50, 60}, {10, 50, 51, 52}}}), {.is_played = true});
  ASSERT_TRUE(played.has_value());
  EXPECT_FALSE(played->is_measured);
  EXPECT_NEAR(of_kind(eager, WaitKind::kLock), 40 * kMs, 1e-9); // in MPI_Win_lock
  EXPECT_NEAR(eager.seconds, 40 * kMs, 1e-9);
  EXPECT_NEAR(of_causes(eager), eager.seconds, 1e-9);
  ASSERT_FALSE(eager.causes.empty());
  EXPECT_EQ(eager.causes[0].rank, 0);
  EXPECT_EQ(trace::find_function(eager.causes[0].place.function)->name, "MPI_Win_unlock");
  EXPECT_NEAR(eager.causes[0].seconds, 40 * kMs, 1e-9);
  const WaitStates lazy = found(with_locks({{{0, 1, 50, 51}, {10, 10, 12, 52}}}));
  EXPECT_NEAR(of_kind(lazy, WaitKind::kLock), 38 * kMs, 1e-9); // in MPI_Win_unlock
  const WaitStates apart = found(with_locks({{{0, 1, 5, 6}, {10, 11, 12, 13}}}));
  EXPECT_EQ(apart.seconds, 0);
  const WaitStates unchecked = found(with_locks({{{0, 1, 50, 60}, {10, 50, 51, 52}}}, false));
  EXPECT_EQ(unchecked.seconds, 0);
}

void make_window(Caller& s, std::int64_t comm, std::int64_t window) {
  s.call("MPI_Win_create", {{"comm", comm}, {"win", window}});
}

void lock_and_unlock(Caller& s, std::int64_t window, std::int64_t target = 0) {
  s.call("MPI_Win_lock",
         {{"lock_type", exclusive_lock()}, {"rank", target}, {"assert", 0}, {"win", window}});
  s.call("MPI_Win_unlock", {{"rank", target}, {"win", window}});
}

// Each half of the ranks has a window of its own, which its ranks call by the same number.
TEST(WindowLocks, LocksOfDifferentWindowsKeepNobodyOut) {
  constexpr std::int64_t kHalf = 0;
  trace::Trace trace = recorded(4, [](Caller& s) {
    s.builder.set_position(kHalf, s.rank % 2, 2);
    make_window(s, kHalf, 0);
    if (s.rank % 2 == 1) lock_and_unlock(s, 0);
  });
  support::define_comm(trace, kHalf, {0, 1});
  support::define_comm(trace, kHalf, {2, 3});
  set_times(trace, 0, {{0, 0}});
  set_times(trace, 1, {{0, 0}, {0, 1}, {50, 60}});
  set_times(trace, 2, {{0, 0}});
  set_times(trace, 3, {{0, 0}, {10, 50}, {51, 52}});
  EXPECT_EQ(found(trace).seconds, 0);
}

// Rank 0 has made another window before, so that it calls this one by another number; rank 2 waits
// for a message of rank 1, which waits for the lock that rank 0 holds while it computes.
TEST(WindowLocks, WhoWaitsForOneWhoWaitsForALockIsChargedToItsHolder) {
  trace::Trace trace = recorded(3, [](Caller& s) {
    const std::int64_t window = s.rank == 0 ? 1 : 0;
    if (s.rank == 0) make_window(s, support::kSelf, 0);
    make_window(s, support::kWorld, window);
    if (s.rank < 2) lock_and_unlock(s, window);
    if (s.rank == 1) s.send(2, 1);
    if (s.rank == 2) support::receive(s, 1, 1);
  });
  set_times(trace, 0, {{0, 0}, {0, 0}, {0, 0}, {50, 50}});
  set_times(trace, 1, {{0, 0}, {0, 50}, {50, 51}, {51, 51}});
  set_times(trace, 2, {{0, 0}, {0, 51}});
  const WaitStates waits = found(trace);
  EXPECT_NEAR(of_kind(waits, WaitKind::kLock), 50 * kMs, 1e-9);
  EXPECT_NEAR(of_kind(waits, WaitKind::kLateSender), 51 * kMs, 1e-9);
  EXPECT_NEAR(of_causes(waits), waits.seconds, 1e-9);
  ASSERT_FALSE(waits.causes.empty());
  EXPECT_EQ(waits.causes[0].rank, 0);
  EXPECT_EQ(waits.causes[0].what, Cause::What::kComputation);
  EXPECT_EQ(trace::find_function(waits.causes[0].place.function)->name, "MPI_Win_unlock");
  EXPECT_NEAR(waits.causes[0].seconds, 100 * kMs, 1e-6);
  EXPECT_NEAR(waits.causes[0].direct_s, 50 * kMs, 1e-6);
}

// The target computes up to 40 ms. Rank 1's lock is there as soon as that is over, rank 2's is
// there at once.
TEST(WindowLocks, ALibraryThatNeedsTheTargetWaitsForWhatItComputes) {
  trace::Trace trace = recorded(3, [](Caller& s) {
    make_window(s, support::kWorld, 0);
    if (s.rank == 0) barrier(s);
    if (s.rank > 0) lock_and_unlock(s, 0);
    if (s.rank > 0) barrier(s);
  });
  set_times(trace, 0, {{0, 0}, {40, 60}});
  set_times(trace, 1, {{0, 0}, {10, 41}, {41, 42}, {60, 60}});
  set_times(trace, 2, {{0, 0}, {45, 45}, {46, 46}, {60, 60}});
  const WaitStates waits = found(trace);
  EXPECT_NEAR(of_kind(waits, WaitKind::kTarget), 30 * kMs, 1e-9);
  EXPECT_NEAR(of_causes(waits), waits.seconds, 1e-9);
  const auto computing = std::ranges::find_if(waits.causes, [](const Cause& cause) {
    return cause.rank == 0 && cause.what == Cause::What::kComputation;
  });
  ASSERT_NE(computing, waits.causes.end());
  EXPECT_NEAR(computing->seconds, 30 * kMs, 1e-6);
}

// Rank 0 holds the lock of rank 2 up to 50 ms; rank 1 has all locks from 10 ms on, puts something
// there at 20, and something to rank 0, which nobody keeps it from.
TEST(WindowLocks, OfAllTargetsWaitsAtThoseThatItReaches) {
  const auto locks_all = [](Caller& s, std::initializer_list<std::int64_t> targets) {
    s.call("MPI_Win_lock_all", {{"assert", 0}, {"win", 0}});
    for (const std::int64_t target : targets)
      s.call("MPI_Put", {{"target_rank", target}, {"target_count", 1}, {"win", 0}});
    s.call("MPI_Win_flush_all", {{"win", 0}});
    s.call("MPI_Win_unlock_all", {{"win", 0}});
  };
  const auto run = [&](const std::vector<CallTimes>& of_all) {
    trace::Trace trace = recorded(3, [&](Caller& s) {
      make_window(s, support::kWorld, 0);
      if (s.rank == 0) lock_and_unlock(s, 0, 2);
      if (s.rank == 1) locks_all(s, {0, 2});
    });
    set_times(trace, 0, {{0, 0}, {0, 1}, {50, 51}});
    set_times(trace, 1, of_all);
    set_times(trace, 2, {{0, 0}});
    return found(trace);
  };
  const WaitStates lazy = run({{0, 0}, {10, 10}, {12, 12}, {20, 20}, {25, 55}, {56, 57}});
  EXPECT_NEAR(of_kind(lazy, WaitKind::kLock), 25 * kMs, 1e-9); // in MPI_Win_flush_all
  EXPECT_NEAR(lazy.seconds, 25 * kMs, 1e-9);
  EXPECT_NEAR(of_causes(lazy), lazy.seconds, 1e-9);
  ASSERT_FALSE(lazy.causes.empty());
  EXPECT_EQ(lazy.causes[0].rank, 0);
  const WaitStates at_once = run({{0, 0}, {10, 52}, {53, 53}, {54, 54}, {55, 55}, {56, 57}});
  EXPECT_NEAR(at_once.seconds, 40 * kMs, 1e-9); // in MPI_Win_lock_all
  const WaitStates behind = run({{0, 0}, {60, 61}, {62, 63}, {64, 64}, {65, 66}, {67, 68}});
  EXPECT_EQ(behind.seconds, 0);
}

// What two of its targets keep a call waiting for counts once: up to the later one.
TEST(WindowLocks, OfAllTargetsWaitsForSeveralAtOnce) {
  trace::Trace trace = recorded(4, [](Caller& s) {
    make_window(s, support::kWorld, 0);
    if (s.rank == 0) lock_and_unlock(s, 0, 3);
    if (s.rank == 1) lock_and_unlock(s, 0, 2);
    if (s.rank != 2) return;
    s.call("MPI_Win_lock_all", {{"assert", 0}, {"win", 0}});
    for (const std::int64_t target : {2, 3})
      s.call("MPI_Put", {{"target_rank", target}, {"target_count", 1}, {"win", 0}});
    s.call("MPI_Win_unlock_all", {{"win", 0}});
  });
  set_times(trace, 0, {{0, 0}, {0, 1}, {30, 31}});
  set_times(trace, 1, {{0, 0}, {0, 1}, {40, 41}});
  set_times(trace, 2, {{0, 0}, {10, 10}, {10, 10}, {10, 10}, {10, 50}});
  set_times(trace, 3, {{0, 0}});
  const WaitStates waits = found(trace);
  EXPECT_NEAR(of_kind(waits, WaitKind::kLock), 30 * kMs, 1e-9);
  EXPECT_NEAR(waits.seconds, 30 * kMs, 1e-9);
  ASSERT_FALSE(waits.causes.empty());
  EXPECT_EQ(waits.causes[0].rank, 1);
}

} // namespace
} // namespace rondo::efficiency
