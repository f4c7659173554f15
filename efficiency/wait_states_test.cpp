// SPDX-License-Identifier: Apache-2.0
#include "rondo/efficiency/wait_states.hpp"

#include "tests/support/waits.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace rondo::efficiency {
namespace {

using support::barrier;
using support::Caller;
using support::compute;
using support::found;
using support::kMs;
using support::kMsInNs;
using support::kOfCodes;
using support::of_causes;
using support::of_kind;
using support::recorded;
using support::set_times;

TEST(WaitStates, ALateSenderIsBlamed) {
  const WaitStates waits = found(recorded(2, [](Caller& s) {
    compute(s, s.rank == 0 ? 30 * kMsInNs : 10 * kMsInNs);
    if (s.rank == 0) s.send(1, 1);
    if (s.rank == 1) support::receive(s, 0, 1);
  }));
  EXPECT_FALSE(waits.is_measured);
  EXPECT_NEAR(of_kind(waits, WaitKind::kLateSender), 20 * kMs, 1e-9);
  EXPECT_NEAR(waits.seconds, 20 * kMs, 1e-9);
  ASSERT_EQ(waits.states.size(), 1u);
  EXPECT_EQ(waits.states[0].worst_rank, 1);
  ASSERT_FALSE(waits.causes.empty());
  EXPECT_EQ(waits.causes[0].rank, 0);
  EXPECT_EQ(waits.causes[0].what, Cause::What::kComputation);
  EXPECT_NEAR(waits.causes[0].seconds, 20 * kMs, 1e-6);
}

TEST(WaitStates, NothingIsFoundWhereNobodyWaits) {
  const WaitStates waits = found(recorded(4, [](Caller& s) {
    compute(s, 5 * kMsInNs);
    barrier(s);
    compute(s, 5 * kMsInNs);
    support::block_of_all(s, "MPI_Allreduce");
  }));
  EXPECT_EQ(waits.seconds, 0);
  EXPECT_TRUE(waits.states.empty());
  EXPECT_TRUE(waits.causes.empty());
}

TEST(WaitStates, AllWaitAtABarrierForTheLast) {
  constexpr std::int64_t kRanks = 5;
  const WaitStates waits = found(recorded(kRanks, [](Caller& s) {
    compute(s, s.rank == 3 ? 50 * kMsInNs : 10 * kMsInNs);
    barrier(s);
  }));
  EXPECT_NEAR(of_kind(waits, WaitKind::kBarrier), 4 * 40 * kMs, 160 * kMs * kOfCodes);
  EXPECT_NEAR(of_causes(waits), waits.seconds, 1e-9);
  ASSERT_FALSE(waits.causes.empty());
  EXPECT_EQ(waits.causes[0].rank, 3);
  EXPECT_NEAR(waits.causes[0].seconds, 4 * 40 * kMs, 160 * kMs * kOfCodes);
}

// Rank 0 delays 1, which delays 2: the second wait is rank 0's fault, too.
TEST(WaitStates, ChainsLeadToTheirBeginning) {
  const WaitStates waits = found(recorded(3, [](Caller& s) {
    if (s.rank == 0) compute(s, 40 * kMsInNs);
    if (s.rank > 0) support::receive(s, s.rank - 1, 1);
    if (s.rank < 2) s.send(s.rank + 1, 1);
  }));
  EXPECT_NEAR(waits.seconds, 80 * kMs, 1e-9);
  ASSERT_FALSE(waits.causes.empty());
  EXPECT_EQ(waits.causes[0].rank, 0);
  EXPECT_NEAR(waits.causes[0].seconds, 80 * kMs, 1e-6);
  EXPECT_NEAR(waits.causes[0].direct_s, 40 * kMs, 1e-6);
}

// The imbalance is in the first computation, though everybody waits behind the second.
TEST(WaitStates, TheUnevenComputationIsBlamedNotTheLast) {
  const WaitStates waits = found(recorded(2, [](Caller& s) {
    compute(s, s.rank == 0 ? 30 * kMsInNs : 10 * kMsInNs);
    const trace::Function& function = *trace::find_function("MPI_Barrier");
    std::vector<std::int64_t> event(fold::kEventHead + function.words(), support::kWorld);
    event[0] = fold::header_word(function.id, 0);
    event[1] = 2;
    s.builder.record(event.data(), event.size(), 20 * kMsInNs, 0);
  }));
  ASSERT_FALSE(waits.causes.empty());
  EXPECT_EQ(trace::find_function(waits.causes[0].place.function)->name, "MPI_Pcontrol");
  EXPECT_NEAR(waits.causes[0].seconds, 20 * kMs, 20 * kMs * kOfCodes);
  ASSERT_FALSE(waits.imbalances.empty());
  EXPECT_NEAR(waits.imbalances[0].mean_s, 20 * kMs, 20 * kMs * kOfCodes);
  EXPECT_NEAR(waits.imbalances[0].most_s, 30 * kMs, 30 * kMs * kOfCodes);
  EXPECT_EQ(waits.imbalances[0].most_rank, 0);
}

TEST(WaitStates, RootsThatComeLateOrEarlyAreToldApart) {
  const WaitStates late = found(recorded(4, [](Caller& s) {
    compute(s, s.rank == 0 ? 25 * kMsInNs : 5 * kMsInNs);
    s.call("MPI_Bcast",
           {{"count", 10}, {"datatype", support::kDouble}, {"root", 0}, {"comm", support::kWorld}});
  }));
  EXPECT_NEAR(of_kind(late, WaitKind::kLateBroadcast), 3 * 20 * kMs, 60 * kMs * kOfCodes);
  const WaitStates early = found(recorded(4, [](Caller& s) {
    compute(s, s.rank == 0 ? 5 * kMsInNs : 25 * kMsInNs);
    s.call("MPI_Reduce", {{"sendbuf", 0},
                          {"count", 10},
                          {"datatype", support::kDouble},
                          {"root", 0},
                          {"comm", support::kWorld}});
  }));
  EXPECT_NEAR(of_kind(early, WaitKind::kEarlyReduce), 20 * kMs, 20 * kMs * kOfCodes);
}

// Rank 1 waits for the second message while the first is there.
void exchange_two(Caller& s, bool is_in_order) {
  const auto say = [&](std::string_view name, std::string_view peer, std::int64_t tag) {
    s.call(name, {{"count", 1},
                  {"datatype", support::kDouble},
                  {peer, 1 - s.rank},
                  {"tag", tag},
                  {"comm", support::kWorld}});
  };
  if (s.rank == 0) {
    say("MPI_Send", "dest", 1);
    compute(s, 30 * kMsInNs);
    say("MPI_Send", "dest", 2);
  } else {
    compute(s, 10 * kMsInNs);
    say("MPI_Recv", "source", is_in_order ? 1 : 2);
    say("MPI_Recv", "source", is_in_order ? 2 : 1);
  }
}

TEST(WaitStates, MessagesInWrongOrderAreToldFromLateSenders) {
  const WaitStates wrong = found(recorded(2, [](Caller& s) { exchange_two(s, false); }));
  EXPECT_NEAR(of_kind(wrong, WaitKind::kWrongOrder), 20 * kMs, 1e-6);
  EXPECT_EQ(of_kind(wrong, WaitKind::kLateSender), 0);
  EXPECT_NEAR(of_causes(wrong), wrong.seconds, 1e-9);
  const WaitStates right = found(recorded(2, [](Caller& s) { exchange_two(s, true); }));
  EXPECT_EQ(of_kind(right, WaitKind::kWrongOrder), 0);
  EXPECT_NEAR(of_kind(right, WaitKind::kLateSender), 20 * kMs, 1e-6);
}

TEST(WaitStates, OneWaitallCountsItsLatestSenderAlone) {
  const WaitStates waits = found(recorded(3, [](Caller& s) {
    if (s.rank > 0) {
      compute(s, static_cast<std::uint64_t>(s.rank) * 20 * kMsInNs);
      s.send(0, 1);
      return;
    }
    for (std::int64_t source : {2, 1}) {
      s.call("MPI_Irecv", {{"count", 1},
                           {"datatype", support::kDouble},
                           {"source", source},
                           {"tag", 0},
                           {"comm", support::kWorld}});
    }
    s.call("MPI_Waitall",
           {{"array_of_requests", s.array({trace::request_by_age(1), trace::request_by_age(0)})}});
  }));
  EXPECT_NEAR(waits.seconds, 40 * kMs, 1e-9);
  EXPECT_NEAR(of_causes(waits), waits.seconds, 1e-9);
}

// Whatever algorithm the library has.
TEST(WaitStates, ScansWaitForLowerRanksAlone) {
  for (const char* const name : {"MPI_Scan", "MPI_Exscan"}) {
    const WaitStates waits = found(support::recorded(5, [&](Caller& s) {
      compute(s, (s.rank == 2 ? 30 : 10) * kMsInNs);
      s.call(name, {{"count", 1}, {"datatype", support::kDouble}, {"comm", support::kWorld}});
    }));
    EXPECT_NEAR(of_kind(waits, WaitKind::kEarlyScan), 2 * 20 * kMs,
                2 * 30 * kMs * support::kOfCodes)
        << name;
    EXPECT_NEAR(waits.by_rank[3] + waits.by_rank[4], waits.seconds, 1e-9) << name;
  }
}

// Rank 0 is over before rank 1 comes, and has kept nobody waiting.
TEST(WaitStates, MeasuredScansAreTheFaultOfTheLastOfTheLowerRanks) {
  trace::Trace trace = recorded(3, [](Caller& s) {
    s.call("MPI_Scan", {{"count", 1}, {"datatype", support::kDouble}, {"comm", support::kWorld}});
  });
  set_times(trace, 0, {{10, 11}});
  set_times(trace, 1, {{30, 31}});
  set_times(trace, 2, {{10, 31}});
  const WaitStates waits = found(trace);
  EXPECT_TRUE(waits.is_measured);
  EXPECT_NEAR(of_kind(waits, WaitKind::kEarlyScan), 20 * kMs, 1e-9);
  ASSERT_FALSE(waits.causes.empty());
  EXPECT_EQ(waits.causes[0].rank, 1);
  EXPECT_EQ(waits.causes[0].what, efficiency::Cause::What::kComputation);
  EXPECT_NEAR(waits.causes[0].seconds, 20 * kMs, kMs);
}

void write_together(Caller& s) {
  s.call("MPI_File_open", {{"comm", support::kWorld}, {"fh", 0}});
  compute(s, (s.rank == 2 ? 40 : 10) * kMsInNs);
  s.call("MPI_File_write_at_all", {{"fh", 0}, {"count", 10}, {"datatype", support::kDouble}});
  s.call("MPI_File_close", {{"fh", 0}});
}

TEST(WaitStates, AllWaitAtAFileForTheLast) {
  const WaitStates waits = found(recorded(4, write_together)); // as it is closed
  EXPECT_NEAR(of_kind(waits, WaitKind::kFile), 3 * 30 * kMs, 90 * kMs * kOfCodes);
  EXPECT_NEAR(of_causes(waits), waits.seconds, 1e-9);
  ASSERT_FALSE(waits.causes.empty());
  EXPECT_EQ(waits.causes[0].rank, 2);
  ASSERT_FALSE(waits.states.empty());
  EXPECT_EQ(trace::find_function(waits.states[0].place.function)->name, "MPI_File_close");
}

// MPI lets ranks go that have written what is theirs.
TEST(WaitStates, WhoIsDoneWithAFileBeforeTheLastComesHasNotWaited) {
  for (const bool is_done : {false, true}) {
    trace::Trace trace = recorded(4, write_together);
    for (std::int64_t rank = 0; rank < 4; ++rank) {
      const std::uint64_t comes = rank == 2 ? 40 : 10;
      const std::uint64_t ends = is_done ? comes + 5 : 45;
      set_times(trace, rank, {{0, 0}, {comes, comes}, {comes, ends}, {45, 45}});
    }
    const WaitStates waits = found(trace);
    EXPECT_TRUE(waits.is_measured);
    EXPECT_NEAR(of_kind(waits, WaitKind::kFile), is_done ? 0 : 90 * kMs, 1e-9);
  }
}

// As each sets its view of a file.
TEST(WaitStates, WhatAllChangeOfAFileWaitsForTheLast) {
  trace::Trace trace = recorded(3, [](Caller& s) {
    s.call("MPI_File_open", {{"comm", support::kWorld}, {"fh", 0}});
    s.call("MPI_File_set_view", {{"fh", 0}, {"disp", 0}});
  });
  for (std::int64_t rank = 0; rank < 3; ++rank)
    set_times(trace, rank, {{0, 0}, {rank == 1 ? 40U : 10U, 41}});
  EXPECT_NEAR(of_kind(found(trace), WaitKind::kFile), 60 * kMs, 1e-9);
}

// All MPI libraries wait where a view is set, so that a run that is played does, too.
TEST(WaitStates, WhoSetsTheViewOfAFileWaitsInARunThatIsPlayed) {
  const auto waits_in = [](std::string_view change) {
    return of_kind(found(recorded(3,
                                  [&](Caller& s) {
                                    s.call("MPI_File_open", {{"comm", support::kWorld}, {"fh", 0}});
                                    compute(s, (s.rank == 1 ? 40 : 10) * kMsInNs);
                                    s.call(change, {{"fh", 0}});
                                  })),
                   WaitKind::kFile);
  };
  EXPECT_NEAR(waits_in("MPI_File_set_view"), 60 * kMs, 60 * kMs * kOfCodes);
  EXPECT_EQ(waits_in("MPI_File_sync"), 0);
}

// Two large messages for ranks that come 20 and 30 ms later.
TEST(WaitStates, OneWaitallCountsItsLatestReceiverAlone) {
  trace::Trace trace = recorded(3, [](Caller& s) {
    if (s.rank > 0) return support::receive(s, 0, support::kCount);
    for (const std::int64_t dest : {1, 2})
      s.call("MPI_Isend", {{"count", support::kCount},
                           {"datatype", support::kDouble},
                           {"dest", dest},
                           {"tag", 0},
                           {"comm", support::kWorld}});
    const std::int64_t both = s.array({trace::request_by_age(1), trace::request_by_age(0)});
    s.call("MPI_Waitall", {{"array_of_requests", both}});
  });
  set_times(trace, 0, {{8, 8}, {9, 9}, {10, 42}});
  set_times(trace, 1, {{40, 41}});
  set_times(trace, 2, {{30, 31}});
  const WaitStates waits = found(trace);
  EXPECT_NEAR(of_kind(waits, WaitKind::kLateReceiver), 30 * kMs, 1e-9);
  EXPECT_NEAR(waits.seconds, 30 * kMs, 1e-9);
}

// Those of one's own group as well as the others.
TEST(WaitStates, WhoMergesTwoGroupsWaitsForAll) {
  constexpr std::int64_t kBetween = 0;
  trace::Trace trace = recorded(4, [&](Caller& s) {
    compute(s, (s.rank == 1 ? 40 : 10) * kMsInNs);
    s.call("MPI_Intercomm_merge", {{"intercomm", kBetween}, {"newintracomm", trace::kNull}});
  });
  support::define_comm(trace, kBetween, {0, 1}, {2, 3});
  support::define_comm(trace, kBetween, {2, 3}, {0, 1});
  EXPECT_NEAR(of_kind(found(trace), WaitKind::kAllToAll), 90 * kMs, 90 * kMs * kOfCodes);
}

// In its beginning or in its end; a request may be let go before the last has come, too.
TEST(WaitStates, AccessOfAllInTwoPartsWaitsInEither) {
  struct Case {
    std::string_view begin, end;
    std::uint64_t begun, ended; // of ranks that begin at 10 ms, while rank 2 begins at 40
    double begin_s, end_s; // waits of each
  };
  const std::string_view split = "MPI_File_write_all_begin";
  const std::string_view split_end = "MPI_File_write_all_end";
  for (const Case& each :
       {Case{split, split_end, 45, 46, 30 * kMs, 0}, Case{split, split_end, 15, 45, 0, 25 * kMs},
        Case{split, split_end, 15, 16, 0, 0},
        Case{"MPI_File_read_ordered_begin", "MPI_File_read_ordered_end", 15, 45, 0, 25 * kMs},
        Case{"MPI_File_iwrite_all", "MPI_Wait", 15, 45, 0, 25 * kMs},
        Case{"MPI_File_iwrite_all", "MPI_Wait", 15, 16, 0, 0}}) {
    trace::Trace trace = recorded(4, [&](Caller& s) {
      s.call("MPI_File_open", {{"comm", support::kWorld}, {"fh", 0}});
      s.call(each.begin, {{"fh", 0}, {"count", 10}, {"datatype", support::kDouble}});
      if (each.end == "MPI_Wait") {
        s.call(each.end, {{"request", trace::request_by_age(0)}});
      } else {
        s.call(each.end, {{"fh", 0}});
      }
    });
    for (std::int64_t rank = 0; rank < 4; ++rank) {
      const bool is_late = rank == 2;
      const std::uint64_t begun = is_late ? std::max<std::uint64_t>(each.begun, 41) : each.begun;
      const std::uint64_t ended = std::max(each.ended, begun);
      set_times(trace, rank, {{0, 0}, {is_late ? 40U : 10U, begun}, {begun, ended}});
    }
    const WaitStates waits = found(trace);
    EXPECT_TRUE(waits.is_measured);
    EXPECT_NEAR(waits.seconds, 3 * (each.begin_s + each.end_s), 1e-9) << each.begin << each.begun;
    const WaitKind kind = each.end == "MPI_Wait" ? WaitKind::kCompletion : WaitKind::kFile;
    EXPECT_NEAR(of_kind(waits, kind), waits.seconds, 1e-9);
  }
}

// Ranks 1 to 4 hear of rank 0 through each other, while their programs compute.
TEST(WaitStates, OfAnOperationInTheBackgroundAreTheFaultOfWhoCameLast) {
  const WaitStates waits = found(recorded(5, [](Caller& s) {
    compute(s, (s.rank == 0 ? 200 : 10) * kMsInNs);
    s.call(
        "MPI_Iallreduce",
        {{"sendbuf", 0}, {"count", 1}, {"datatype", support::kDouble}, {"comm", support::kWorld}});
    compute(s, 50 * kMsInNs);
    s.call("MPI_Wait", {{"request", trace::request_by_age(0)}});
  }));
  const double all_s = 4 * 140 * kMs;
  EXPECT_NEAR(of_kind(waits, WaitKind::kCompletion), all_s, all_s * kOfCodes);
  EXPECT_NEAR(of_causes(waits), waits.seconds, 1e-9);
  ASSERT_FALSE(waits.causes.empty());
  EXPECT_EQ(waits.causes[0].rank, 0);
  EXPECT_EQ(waits.causes[0].what, Cause::What::kComputation);
  EXPECT_NEAR(waits.causes[0].direct_s, waits.seconds, 1e-6);
}

// Each by its own messages; a rank waits as long as all its threads do.
TEST(WaitStates, ThreadsOfARankWaitEachForItself) {
  trace::Trace trace = support::recorded_threads(2, 2, [](Caller& s, std::uint32_t thread) {
    const std::int64_t other = 1 - s.rank;
    if (s.rank == 0) {
      compute(s, (thread == 0 ? 10 : 30) * kMsInNs);
      s.call("MPI_Send", {{"count", 1},
                          {"datatype", support::kDouble},
                          {"dest", other},
                          {"tag", thread},
                          {"comm", support::kWorld}});
    } else {
      s.call("MPI_Recv", {{"count", 1},
                          {"datatype", support::kDouble},
                          {"source", other},
                          {"tag", thread},
                          {"comm", support::kWorld}});
    }
  });
  trace.run.thread_level = 3;
  const WaitStates waits = found(trace);
  EXPECT_NEAR(of_kind(waits, WaitKind::kLateSender), 40 * kMs, 1e-9);
  ASSERT_EQ(waits.by_rank.size(), 2u);
  EXPECT_NEAR(waits.by_rank[1], 40 * kMs, 1e-9);
  EXPECT_NEAR(of_causes(waits), waits.seconds, 1e-9);
  ASSERT_FALSE(waits.causes.empty());
  EXPECT_EQ(std::pair(waits.causes[0].rank, waits.causes[0].thread), std::pair(0L, 1U));
  EXPECT_NEAR(waits.causes[0].seconds, 30 * kMs, 1e-9);
  ASSERT_FALSE(waits.imbalances.empty());
  const Imbalance& uneven = waits.imbalances[0];
  EXPECT_TRUE(uneven.is_of_threads);
  EXPECT_NEAR(uneven.most_s, 30 * kMs, 1e-9);
  EXPECT_EQ(std::pair(uneven.most_rank, uneven.most_thread), std::pair(0L, 1U));
  EXPECT_NEAR(uneven.mean_s, 10 * kMs, 1e-9); // of two ranks with two threads there
  ASSERT_TRUE(waits.ideal);
  EXPECT_NEAR(waits.ideal->runtime_s, 30 * kMs, 1e-9);
  EXPECT_NEAR(waits.run_s, 4 * 30 * kMs, 1e-9);
  EXPECT_NEAR(waits.ideal->useful_max_s, 20 * kMs, 1e-9); // the mean of two threads
}

// Two ranks start two processes and join them: what is waited for among the two is known, and what
// they wait for in the others is not. A run that is played would need those.
TEST(WaitStates, RanksThatSpawnOthersAreMeasuredAmongThemselves) {
  constexpr std::int64_t kSpawned = 0, kJoined = 1; // communicators
  trace::Trace trace = recorded(2, [&](Caller& s) {
    s.builder.set_position(kSpawned, s.rank, 2);
    s.builder.set_position(kJoined, s.rank, 4);
    s.call("MPI_Comm_spawn",
           {{"maxprocs", 2}, {"root", 0}, {"comm", support::kWorld}, {"intercomm", kSpawned}});
    s.call("MPI_Intercomm_merge",
           {{"intercomm", kSpawned}, {"high", 0}, {"newintracomm", kJoined}});
    s.send(2, 1, support::kDouble, kJoined);
    s.call("MPI_Barrier", {{"comm", kSpawned}});
    s.call("MPI_Barrier", {{"comm", kJoined}});
  });
  const trace::RankSet both = trace::RankSet::of({0, 1});
  trace.comms.push_back({kSpawned, trace::ranges_of({0, 1}), trace::ranges_of({-1, -1}), both});
  trace.comms.push_back({kJoined, trace::ranges_of({0, 1, -1, -1}), {}, both});
  EXPECT_FALSE(wait_states(trace).has_value());
  set_times(trace, 0, {{0, 20}, {20, 21}, {21, 22}, {22, 29}, {70, 90}});
  set_times(trace, 1, {{5, 20}, {20, 21}, {21, 22}, {22, 29}, {30, 90}});
  const WaitStates waits = found(trace);
  EXPECT_TRUE(waits.is_measured);
  EXPECT_NEAR(of_kind(waits, WaitKind::kBarrier), 40 * kMs, 1e-9);
  EXPECT_NEAR(of_kind(waits, WaitKind::kAllToAll), 5 * kMs, 1e-9); // in MPI_Comm_spawn
  EXPECT_NEAR(of_causes(waits), 45 * kMs, 1e-9);
  ASSERT_FALSE(waits.causes.empty());
  EXPECT_EQ(waits.causes[0].rank, 0);
  EXPECT_EQ(waits.causes[0].what, Cause::What::kComputation);
}

} // namespace
} // namespace rondo::efficiency
