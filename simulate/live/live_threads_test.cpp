// SPDX-License-Identifier: Apache-2.0
// Ranks of live runs in which several threads call MPI.
#include "simulate/live/live_run.hpp"

#include "rondo/fold/program_builder.hpp"
#include "rondo/trace/functions.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

namespace rondo::simulate::internal {
namespace {

namespace live = trace::live;
using Words = std::vector<std::int64_t>;

constexpr double kMessage_s = 5e-6;

NetworkModel plain_network() {
  NetworkModel result;
  result.latency_s = result.handshake_s = kMessage_s;
  return result;
}

class Threads : public testing::Test {
protected:
  Threads() {
    for (const std::int64_t rank : {0, 1}) run_.add(rank, true);
  }

  bool say(std::int64_t rank, live::ItemKind kind, const Words& words) {
    return run_.calls(rank)->take({kind, words});
  }
  void call(std::int64_t rank, std::int64_t thread, std::int64_t computing_ns,
            std::string_view name,
            std::initializer_list<std::pair<std::string_view, std::int64_t>> arguments) {
    const trace::Function& function = *trace::find_function(name);
    Words words{thread, computing_ns, fold::header_word(function.id, 0), 0};
    words.resize(words.size() + function.words(), trace::kNothing);
    for (const auto& [field, value] : arguments)
      words[4 + static_cast<std::size_t>(function.word_of(field))] = value;
    EXPECT_TRUE(say(rank, live::ItemKind::kCall, words));
    run_.play();
  }
  void barrier(std::int64_t rank, std::int64_t thread, std::int64_t computing_ns) {
    call(rank, thread, computing_ns, "MPI_Barrier", {{"comm", trace::kWorldSlot}});
  }
  void local(std::int64_t rank, std::int64_t thread, std::int64_t computing_ns) {
    call(rank, thread, computing_ns, "MPI_Type_commit", {{"datatype", 0}});
  }
  void slept(std::int64_t rank, const Words& words) {
    EXPECT_TRUE(say(rank, live::ItemKind::kSlept, words));
  }
  double now_s(std::int64_t rank, std::int64_t thread) {
    run_.play();
    EXPECT_TRUE(run_.is_played(rank, thread));
    return run_.calls(rank)->thread(thread)->now_s().value_or(-1);
  }

  const SimulateOptions options_;
  LiveRun run_{plain_network(), options_, 2};
};

TEST_F(Threads, HaveClocksOfTheirOwn) {
  local(0, 0, 1000);
  local(0, 1, 3000);
  local(0, 0, 500);
  EXPECT_DOUBLE_EQ(now_s(0, 0), 1.5e-6);
  EXPECT_DOUBLE_EQ(now_s(0, 1), 3e-6);
}

TEST_F(Threads, GoOnBehindWhatTheySleptFor) {
  local(0, 0, 1000);
  slept(0, {1, 0, 0, 1, 250}); // thread 1 begins 250 ns behind thread 0's first call
  local(0, 1, 400);
  EXPECT_DOUBLE_EQ(now_s(0, 1), 1.65e-6);
  slept(0, {0, 100, 1, 1, 50}); // thread 0 computes, and then waits for the end of thread 1
  EXPECT_DOUBLE_EQ(now_s(0, 0), 1.7e-6);
  local(0, 0, 30);
  EXPECT_DOUBLE_EQ(now_s(0, 0), 1.73e-6);
  for (const std::int64_t rank : {0, 1}) run_.calls(rank)->end();
  run_.play();
  const auto found = run_.prediction();
  ASSERT_TRUE(found.has_value());
  EXPECT_DOUBLE_EQ(found->ranks[0].computing_s, 1.13e-6); // its first thread's
  EXPECT_DOUBLE_EQ(found->ranks[0].waiting_s, 0.6e-6);
  EXPECT_EQ(found->ranks[0].calls, 3u);
  ASSERT_EQ(found->remarks.size(), 1u);
  EXPECT_EQ(found->remarks[0].find("1 rank had calls of 1 further thread:"), 0u)
      << found->remarks[0];
}

TEST_F(Threads, WaitUntilIsKnownWhenOthersWereDone) {
  call(0, 0, 1000, "MPI_Recv",
       {{"count", 0}, {"source", 1}, {"tag", 7}, {"comm", trace::kWorldSlot}});
  slept(0, {1, 0, 0, 1, 0});
  local(0, 1, 100);
  EXPECT_FALSE(run_.is_played(0, 1));
  EXPECT_FALSE(run_.calls(0)->thread(1)->now_s().has_value());
  call(1, 0, 2000, "MPI_Send",
       {{"count", 0}, {"dest", 0}, {"tag", 7}, {"comm", trace::kWorldSlot}});
  EXPECT_DOUBLE_EQ(now_s(0, 1), 2e-6 + kMessage_s + 1e-7);
}

// Thread 1 could come first to the barrier in virtual time, but thread 0 had made its own before.
TEST_F(Threads, MeetInTheOrderOfTheProgram) {
  call(0, 0, 1000, "MPI_Recv",
       {{"count", 0}, {"source", 1}, {"tag", 7}, {"comm", trace::kWorldSlot}});
  barrier(0, 0, 0);
  barrier(0, 1, 0);
  barrier(1, 0, 0);
  EXPECT_FALSE(run_.is_played(0, 1));
  EXPECT_FALSE(run_.is_played(1)); // nobody has met it yet
  call(1, 1, 2000, "MPI_Send",
       {{"count", 0}, {"dest", 0}, {"tag", 7}, {"comm", trace::kWorldSlot}});
  EXPECT_DOUBLE_EQ(now_s(0, 0), 2e-6 + kMessage_s);
  barrier(1, 0, 0);
  EXPECT_GT(now_s(0, 1), now_s(0, 0));
}

// The real program does not wait where the model does.
TEST_F(Threads, AreLetGoWhereTheModelStandsStill) {
  call(0, 0, 0, "MPI_Recv", {{"count", 0}, {"source", 1}, {"tag", 7}, {"comm", trace::kWorldSlot}});
  slept(0, {1, 0, 0, 1, 0});
  local(0, 1, 100);
  for (const std::int64_t rank : {0, 1}) run_.calls(rank)->end();
  run_.play();
  EXPECT_TRUE(run_.is_stuck());
  while (run_.is_stuck() && run_.let_go()) run_.play();
  EXPECT_FALSE(run_.has_waiting());
}

TEST_F(Threads, WhoSleepsHoldsUpNobodysTime) {
  bool sleeps = true;
  run_.watch_sleepers(
      [&](std::int64_t rank, std::int64_t thread) { return rank == 0 && thread == 0 && sleeps; });
  local(0, 0, 1000);
  local(0, 1, 3000);
  local(1, 0, 5000);
  EXPECT_DOUBLE_EQ(run_.horizon_s(), 1e-6);
  run_.expect_silence(); // the others wait in MPI
  EXPECT_EQ(run_.horizon_s(), std::numeric_limits<double>::infinity());
  run_.expect_words();
  EXPECT_DOUBLE_EQ(run_.horizon_s(), 3e-6);
  run_.may_wake(0);
  EXPECT_DOUBLE_EQ(run_.horizon_s(), 1e-6);
  run_.expect_silence();
  run_.expect_words();
  EXPECT_DOUBLE_EQ(run_.horizon_s(), 3e-6);
  sleeps = false;
  EXPECT_DOUBLE_EQ(run_.horizon_s(), 1e-6);
}

TEST_F(Threads, WordsThatMakeNoSenseAreRefused) {
  EXPECT_FALSE(say(0, live::ItemKind::kSlept, {0}));
  EXPECT_FALSE(say(0, live::ItemKind::kSlept, {0, 0, 1, 1}));
  EXPECT_FALSE(say(0, live::ItemKind::kSlept, {0, 0, 1, -1, 0}));
  EXPECT_FALSE(say(0, live::ItemKind::kThreadOver, {}));
  EXPECT_FALSE(say(0, live::ItemKind::kCall, {-1, 0, 0, 0}));
  EXPECT_FALSE(say(0, live::ItemKind::kCall, {std::int64_t{1} << 40, 0, 0, 0}));
}

TEST_F(Threads, CanBeRefused) {
  run_.refuse_threads("on this network");
  local(0, 0, 0);
  local(0, 1, 0);
  EXPECT_TRUE(run_.is_refused());
}

} // namespace
} // namespace rondo::simulate::internal
