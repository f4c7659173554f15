// SPDX-License-Identifier: Apache-2.0
#include "rondo/trace/matching.hpp"
#include "rondo/trace/resolved_receives.hpp"

#include "tests/support/message_simulator.hpp"
#include "tests/support/recorded.hpp"

#include <gtest/gtest.h>

#include <set>

namespace rondo::trace {
namespace {

using support::Caller;
using support::kDouble;
using support::kInt;
using support::kWorld;
using support::MessageSimulator;
using support::recorded;
using Match = MessageSimulator::Match;

std::set<Match> matches_of(const Trace& trace, MatchSummary& summary) {
  std::set<Match> matches;
  MatchVisitor visitor;
  visitor.message = [&](const Message& m) {
    EXPECT_TRUE(matches.insert({m.send.rank, m.send.call, m.receive.rank, m.receive.call}).second);
  };
  summary = match_messages(trace, visitor);
  return matches;
}

void receive(Caller& s, std::int64_t source, std::int64_t tag = 0) {
  s.call("MPI_Recv",
         {{"count", 1}, {"datatype", kInt}, {"source", source}, {"tag", tag}, {"comm", kWorld}});
}

void receive_later(Caller& s, std::int64_t source, std::int64_t tag = 0) {
  s.call("MPI_Irecv",
         {{"count", 1}, {"datatype", kInt}, {"source", source}, {"tag", tag}, {"comm", kWorld}});
}

class RandomPrograms : public testing::TestWithParam<int> {};

TEST_P(RandomPrograms, AreMatchedAsTheyWereDelivered) {
  const int seed = GetParam();
  MessageSimulator simulator(2 + seed % 5, static_cast<std::uint32_t>(seed), seed % 3 == 0);
  simulator.run(40 + seed * 7 % 900);
  MatchSummary summary;
  EXPECT_EQ(matches_of(simulator.trace(), summary), simulator.matches());
  EXPECT_EQ(summary.messages, simulator.matches().size());
  EXPECT_EQ(summary.inferred, 0u);
  EXPECT_EQ(summary.unmatched_sends, simulator.sends() - simulator.matches().size());
  EXPECT_EQ(summary.unmatched_receives, simulator.receives() - simulator.matches().size());
  EXPECT_EQ(summary.cancelled, simulator.cancelled());
  EXPECT_EQ(summary.collectives, simulator.operations());
  EXPECT_EQ(summary.unmatched_collectives, 0u);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomPrograms, testing::Range(0, 150));

TEST(MessageMatching, SaysWhatHasNoOtherSide) {
  const Trace trace = recorded(3, [](Caller& s) {
    if (s.rank == 0) s.send(1, 4, kInt);
    if (s.rank == 0) s.send(2, 5, kInt);
    if (s.rank == 1) receive(s, 0);
    if (s.rank == 1) receive(s, 2, 9);
    if (s.rank != 1) s.call("MPI_Barrier", {{"comm", kWorld}});
  });
  MatchSummary summary;
  EXPECT_EQ(matches_of(trace, summary), (std::set<Match>{{0, 0, 1, 0}}));
  EXPECT_EQ(summary.bytes, 16u);
  EXPECT_EQ(summary.unmatched_sends, 1u);
  EXPECT_EQ(summary.unmatched_receives, 1u);
  EXPECT_EQ(summary.unmatched_collectives, 1u);
  EXPECT_FALSE(summary.is_whole());
  ASSERT_EQ(summary.unmatched.size(), 3u);
  EXPECT_EQ(summary.unmatched[0].end, (MessageEnd{0, 1, 0, 1}));
  EXPECT_EQ(summary.unmatched[0].text,
            "MPI_Send(count=5, datatype=MPI_INT, dest=2, tag=0, comm=MPI_COMM_WORLD)");
  EXPECT_EQ(summary.unmatched[1].text,
            "MPI_Recv(count=1, datatype=MPI_INT, source=2, tag=9, comm=MPI_COMM_WORLD)");
  EXPECT_EQ(summary.unmatched[2].kind, UnmatchedKind::kCollective);
  EXPECT_EQ(summary.unmatched[2].text, "MPI_Barrier(comm=MPI_COMM_WORLD)");
}

TEST(MessageMatching, LeavesOutFailedCallsAndNoProcess) {
  const Trace trace = recorded(2, [](Caller& s) {
    s.send(kProcNull, 1);
    receive(s, kProcNull);
    s.call("MPI_Send",
           {{"count", 1}, {"datatype", kInt}, {"dest", 1 - s.rank}, {"tag", 0}, {"comm", kWorld}},
           5);
  });
  MatchSummary summary;
  EXPECT_TRUE(matches_of(trace, summary).empty());
  EXPECT_TRUE(summary.is_whole());
}

TEST(MessageMatching, ReceivesThatWereCancelledAndFreedGetNothing) {
  const Trace trace = recorded(2, [](Caller& s) {
    receive_later(s, 1 - s.rank);
    s.call("MPI_Cancel", {{"request", request_by_age(0)}});
    s.call("MPI_Request_free", {{"request", request_by_age(0)}});
  });
  MatchSummary summary;
  EXPECT_TRUE(matches_of(trace, summary).empty());
  EXPECT_EQ(summary.cancelled, 2u);
  EXPECT_TRUE(summary.is_whole());
}

// A thread waits for what comes, and another one ends that.
TEST(MessageMatching, RequestsMayBeCancelledByAnotherThread) {
  Trace trace = recorded(1, [](Caller& s) {
    receive_later(s, 0);
    receive_later(s, 0, 2);
    s.send(0, 4, kInt);
    s.call("MPI_Wait", {{"request", request_by_age(1)}});
    s.call("MPI_Wait", {{"request", request_by_age(0)}});
  });
  const Trace other = recorded(1, [](Caller& s) {
    s.call("MPI_Cancel", {{"request", request_of_thread({0, false, 2})}});
  });
  trace.classes.push_back(other.classes.front());
  trace.classes.back().thread = 1;
  trace.run.thread_level = 3;
  MatchSummary summary;
  EXPECT_EQ(matches_of(trace, summary), (std::set<Match>{{0, 2, 0, 0}}));
  EXPECT_EQ(summary.cancelled, 1u);
  EXPECT_EQ(summary.unmatched_receives, 0u);
}

TEST(MessageMatching, InfersTheSourceWhereNoStatusWasRecorded) {
  const Trace trace = recorded(3, [](Caller& s) {
    if (s.rank == 0) {
      receive_later(s, kAnySource);
      s.call("MPI_Wait", {{"request", request_by_age(0)}});
      receive(s, 1); // takes a message of rank 1, so the wildcard has rank 2's
    } else {
      s.send(0, 1, kInt);
    }
  });
  MatchSummary summary;
  EXPECT_EQ(matches_of(trace, summary), (std::set<Match>{{1, 0, 0, 2}, {2, 0, 0, 0}}));
  EXPECT_EQ(summary.inferred, 1u);
  EXPECT_TRUE(summary.is_whole());
}

TEST(MessageMatching, ATagThatAStatusDoesNotSayIsTheOneAskedFor) {
  const Trace trace = recorded(2, [](Caller& s) {
    if (s.rank == 0) {
      s.call("MPI_Recv", {{"count", 1},
                          {"datatype", kInt},
                          {"source", kAnySource},
                          {"tag", 3},
                          {"comm", kWorld},
                          {"status", 1}}); // the source, and no tag
    } else {
      s.call("MPI_Send",
             {{"count", 1}, {"datatype", kInt}, {"dest", 0}, {"tag", 3}, {"comm", kWorld}});
    }
  });
  MatchSummary summary;
  EXPECT_EQ(matches_of(trace, summary), (std::set<Match>{{1, 0, 0, 0}}));
  EXPECT_TRUE(summary.is_whole());
}

// The first wildcard without a status comes late, when channels have been used and many are new.
TEST(MessageMatching, InfersSourcesAlsoBehindOtherMessages) {
  constexpr int kRounds = 200;
  const Trace trace = recorded(3, [](Caller& s) {
    const auto send = [&](std::int64_t tag) {
      s.call("MPI_Send",
             {{"count", 1}, {"datatype", kInt}, {"dest", 0}, {"tag", tag}, {"comm", kWorld}});
    };
    for (int i = 0; i < kRounds; ++i) {
      if (s.rank > 0) send(0);
      if (s.rank == 0) {
        receive(s, 2);
        receive(s, 1);
      }
    }
    for (int i = 0; i < kRounds; ++i) {
      if (s.rank > 0) send(1 + i);
      if (s.rank != 0) continue;
      receive_later(s, kAnySource, 1 + i);
      s.call("MPI_Wait", {{"request", request_by_age(0)}});
      receive(s, 1, 1 + i); // so the wildcard has rank 2's
    }
  });
  MatchSummary summary;
  const auto matches = matches_of(trace, summary);
  EXPECT_EQ(summary.inferred, std::uint64_t{kRounds});
  EXPECT_TRUE(summary.is_whole());
  for (std::uint64_t i = 0; i < kRounds; ++i) {
    EXPECT_TRUE(matches.contains({2, kRounds + i, 0, 2 * kRounds + 3 * i})) << i;
    EXPECT_TRUE(matches.contains({1, kRounds + i, 0, 2 * kRounds + 3 * i + 2})) << i;
  }
}

// Each thread's receive is its first call, so that only the thread tells them apart.
TEST(ResolvedReceives, AreThoseOfEachThread) {
  const Trace trace = support::recorded_threads(2, 2, [](Caller& s, std::uint32_t thread) {
    if (s.rank == 0) {
      s.call(
          "MPI_Send",
          {{"count", 1}, {"datatype", kInt}, {"dest", 1}, {"tag", 10 + thread}, {"comm", kWorld}});
    } else {
      receive(s, kAnySource, 10 + thread);
    }
  });
  const ResolvedReceives receives(trace);
  for (const std::uint32_t thread : {1u, 0u}) {
    EnvelopeReader reader(receives, 1, thread);
    const auto envelope = reader.take(0);
    ASSERT_TRUE(envelope.has_value()) << thread;
    EXPECT_EQ(envelope->source, 0);
    EXPECT_EQ(envelope->tag, 10 + thread);
    EXPECT_FALSE(reader.take(0).has_value());
  }
}

TEST(MessageMatching, GoesFarAheadOnlyWhereItMust) {
  // Rank 0 sends everything before rank 1 may receive anything, in the other order.
  const Trace trace = recorded(2, [](Caller& s) {
    for (const std::int64_t tag : {s.rank, 1 - s.rank}) {
      for (int i = 0; i < 1000; ++i) {
        if (s.rank == 0) {
          s.call("MPI_Send",
                 {{"count", i}, {"datatype", kInt}, {"dest", 1}, {"tag", tag}, {"comm", kWorld}});
        } else {
          receive(s, 0, tag);
        }
      }
    }
  });
  MatchSummary summary;
  const auto matches = matches_of(trace, summary);
  EXPECT_EQ(matches.size(), 2000u);
  EXPECT_TRUE(matches.contains({0, 0, 1, 1000}));
  EXPECT_TRUE(matches.contains({0, 1999, 1, 999}));
}

TEST(MessageMatching, PartitionedRequestsAreMatchedInTheOrderTheyWereMade) {
  const Trace trace = recorded(2, [](Caller& s) {
    for (int i = 0; i < 2; ++i) {
      s.call(s.rank == 0 ? "MPI_Psend_init" : "MPI_Precv_init",
             {{"partitions", 4},
              {"count", 1},
              {"datatype", kDouble},
              {s.rank == 0 ? "dest" : "source", 1 - s.rank},
              {"tag", 0},
              {"comm", kWorld}});
    }
    s.start(static_cast<std::uint64_t>(s.rank));
    s.start(static_cast<std::uint64_t>(1 - s.rank));
  });
  MatchSummary summary;
  EXPECT_EQ(matches_of(trace, summary), (std::set<Match>{{0, 2, 1, 3}, {0, 3, 1, 2}}));
  EXPECT_EQ(summary.bytes, 64u);
}

TEST(MessageMatching, CollectivesAreOneOperationOnEachCommunicator) {
  Trace trace = recorded(4, [](Caller& s) {
    s.builder.set_position(s.rank % 2, s.rank / 2, 2);
    for (int i = 0; i < 3; ++i) {
      s.call("MPI_Allreduce", {{"count", 1}, {"datatype", kInt}, {"comm", s.rank % 2}});
      if (i == 1) s.call(s.rank == 3 ? "MPI_Bcast" : "MPI_Barrier", {{"comm", kWorld}});
    }
  });
  support::define_comm(trace, 0, {0, 2});
  support::define_comm(trace, 1, {1, 3});
  std::vector<std::size_t> sizes;
  MatchVisitor visitor;
  visitor.collective = [&](const CollectiveOperation& operation) {
    sizes.push_back(operation.ends.size());
    EXPECT_EQ(operation.agrees, operation.comm != 0);
  };
  const MatchSummary summary = match_messages(trace, visitor);
  EXPECT_EQ(summary.collectives, 7u);
  EXPECT_EQ(summary.disagreeing_collectives, 1u);
  std::sort(sizes.begin(), sizes.end());
  EXPECT_EQ(sizes, (std::vector<std::size_t>{2, 2, 2, 2, 2, 2, 4}));
}

} // namespace
} // namespace rondo::trace
