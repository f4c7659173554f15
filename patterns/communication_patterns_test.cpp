// SPDX-License-Identifier: Apache-2.0
#include "rondo/patterns/communication_patterns.hpp"

#include "rondo/patterns/catalogue.hpp"
#include "tests/support/recorded.hpp"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vector>

namespace rondo::patterns {
namespace {

using support::Caller;
using support::kInt;
using support::kWorld;
using support::recorded;

void receive(Caller& s, std::int64_t source) {
  s.call("MPI_Recv",
         {{"count", 3}, {"datatype", kInt}, {"source", source}, {"tag", 0}, {"comm", kWorld}});
}

// Sends to the right and receives from the left: messages of one step cross over to the next.
void shift(Caller& s) {
  s.send((s.rank + 1) % s.ranks, 3, kInt);
  receive(s, (s.rank + s.ranks - 1) % s.ranks);
}

TEST(CommunicationPatterns, JoinRanksByTheirPartners) {
  const trace::Trace trace = recorded(5, [](Caller& s) {
    for (int i = 0; i < 10; ++i) shift(s);
    s.call("MPI_Barrier", {{"comm", kWorld}});
    shift(s);
  });
  const CommunicationPatterns found = communication_patterns(trace, {});
  ASSERT_EQ(found.patterns.size(), 1u);
  const CommunicationPattern& ring = found.patterns[0];
  EXPECT_EQ(ring.parts.size(), 5u);
  EXPECT_EQ(ring.places.size(), 2u);
  EXPECT_EQ(ring.executions, 11u);
  EXPECT_EQ(ring.messages, 55u);
  EXPECT_EQ(ring.bytes, 660u);
  ASSERT_EQ(ring.links.size(), 5u);
  EXPECT_EQ(ring.links[0].from_event, 0u);
  EXPECT_EQ(ring.links[0].to_event, 1u);
  const auto sent = matrix_of(found, ring, 5);
  EXPECT_EQ(sent.entries().size(), 5u);
}

// As libraries receive what they do not know the size of.
TEST(CommunicationPatterns, AProbeReceivesWhereItFindsAMessage) {
  const trace::Trace trace = recorded(5, [](Caller& s) {
    const std::int64_t left = (s.rank + s.ranks - 1) % s.ranks;
    const auto probe = [&](std::int64_t flag) {
      s.call("MPI_Improbe", {{"source", left},
                             {"tag", 0},
                             {"comm", kWorld},
                             {"flag", flag},
                             {"message", flag},
                             {"status", flag == 1 ? left : trace::kNothing}});
    };
    for (int i = 0; i < 10; ++i) {
      if (s.rank % 2 == 1) probe(0);
      s.send((s.rank + 1) % s.ranks, 3, kInt);
      for (int miss = 0; miss < (i * (s.rank + 1)) % 3; ++miss) probe(0);
      probe(1);
      s.call("MPI_Mrecv", {{"count", 3}, {"datatype", kInt}, {"message", 1}});
      s.call("MPI_Barrier", {{"comm", kWorld}});
    }
  });
  const CommunicationPatterns found = communication_patterns(trace, {});
  ASSERT_EQ(found.patterns.size(), 1u);
  EXPECT_EQ(found.patterns[0].messages, 50u);
  EXPECT_EQ(found.patterns[0].executions, 10u);
  for (const PatternPart& part : found.patterns[0].parts)
    EXPECT_EQ(part.length, 3u); // send, receive, barrier
}

void receive_from_any(Caller& s, std::int64_t who) {
  s.call("MPI_Recv", {{"count", 3},
                      {"datatype", kInt},
                      {"source", trace::kAnySource},
                      {"tag", 0},
                      {"comm", kWorld},
                      {"status", who}});
}

// Who answers first is no part of what the rank does that asks all of them.
TEST(CommunicationPatterns, TheOrderInWhichAnswersComeIsNone) {
  const trace::Trace trace = recorded(4, [](Caller& s) {
    constexpr int kOrders[][3] = {{1, 2, 3}, {2, 1, 3}, {3, 1, 2}, {1, 3, 2}, {2, 3, 1}};
    for (const auto& order : kOrders) {
      if (s.rank > 0) {
        receive(s, 0);
        s.send(0, 3, kInt);
        continue;
      }
      for (const std::int64_t worker : {1, 2, 3}) s.send(worker, 3, kInt);
      for (const int worker : order) receive_from_any(s, worker);
    }
  });
  const CommunicationPatterns found = communication_patterns(trace, {});
  ASSERT_EQ(found.patterns.size(), 1u);
  EXPECT_EQ(found.patterns[0].executions, 5u);
  EXPECT_EQ(found.patterns[0].messages, 30u);
}

// A master gets a result from each of these workers in turn, and answers it.
trace::Trace served(const std::vector<int>& workers) {
  return recorded(4, [&](Caller& s) {
    for (const int worker : workers) {
      if (s.rank == 0) {
        receive_from_any(s, worker);
        s.send(worker, 3, kInt);
      } else if (s.rank == worker) {
        s.send(0, 3, kInt);
        receive(s, 0);
      }
    }
  });
}

// All workers come equally often, but whoever has finished is served next.
TEST(CommunicationPatterns, WhoIsServedNextIsNoPartOfThem) {
  const trace::Trace trace = served({1, 1, 2, 3, 2, 3, 1, 3, 2});
  const CommunicationPatterns found = communication_patterns(trace, {});
  EXPECT_TRUE(found.takers.at(0)); // a master
  ASSERT_EQ(found.patterns.size(), 1u);
  EXPECT_EQ(found.patterns[0].messages, 18u);
}

// The workers swap with their neighbours when all tasks of a round are done.
TEST(CommunicationPatterns, AMasterWhoseWorkersAlsoTalkIsOnePattern) {
  const std::vector<std::vector<int>> rounds = {
      {1, 1, 2, 3, 4}, {4, 2, 3, 2, 1}, {3, 3, 4, 1, 2}, {1, 2, 4, 3, 4}, {2, 1, 1, 3, 4}};
  const trace::Trace trace = recorded(5, [&](Caller& s) {
    for (const auto& workers : rounds) {
      for (const int worker : workers) {
        if (s.rank == 0) {
          receive_from_any(s, worker);
          s.send(worker, 3, kInt);
        } else if (s.rank == worker) {
          s.send(0, 3, kInt);
          receive(s, 0);
        }
      }
      if (s.rank > 1) s.send(s.rank - 1, 3, kInt);
      if (s.rank > 0 && s.rank < 4) s.send(s.rank + 1, 3, kInt);
      if (s.rank > 1) receive(s, s.rank - 1);
      if (s.rank > 0 && s.rank < 4) receive(s, s.rank + 1);
    }
  });
  const CommunicationPatterns found = communication_patterns(trace, {});
  EXPECT_TRUE(found.takers.at(0));
  ASSERT_EQ(found.patterns.size(), 1u);
  const Documentation known = documented(found, found.patterns[0]);
  ASSERT_EQ(known.phases.size(), 2u);
  EXPECT_EQ(known.phases[0].what, "master and workers over 5 ranks, rank 0 being the root");
  EXPECT_EQ(known.phases[1].what, "halo exchange over 4 ranks, on a chain of 4 ranks");
  EXPECT_EQ(known.unnamed, 0u);
}

// A gather ends when all have been heard; a master that happens to hear all in turn ends anywhere.
TEST(CommunicationPatterns, AMasterMayHearAllInTurn) {
  const auto is_master = [](const std::vector<int>& workers) {
    return communication_patterns(served(workers), {}).takers.at(0);
  };
  EXPECT_FALSE(is_master({1, 2, 3, 2, 1, 3}));
  EXPECT_TRUE(is_master({1, 2, 3, 2, 1, 3, 2}));
}

// The root of a scatter hears nobody there, whomever it hears elsewhere.
TEST(CommunicationPatterns, AMasterScatters) {
  const trace::Trace trace = recorded(4, [](Caller& s) {
    for (const int worker : {1, 1, 2, 3, 2, 3, 1, 3, 2}) {
      if (s.rank == 0) receive_from_any(s, worker);
      if (s.rank == worker) s.send(0, 3, kInt);
    }
    for (int step = 0; step < 5; ++step) {
      for (const std::int64_t worker : {1, 2, 3}) {
        if (s.rank == 0) s.send(worker, 30, kInt);
      }
      if (s.rank > 0) receive(s, 0);
      s.call("MPI_Allreduce", {{"count", 1}, {"comm", kWorld}});
    }
  });
  const CommunicationPatterns found = communication_patterns(trace, {});
  EXPECT_TRUE(found.takers.at(0));
  ASSERT_FALSE(found.patterns.empty());
  const Documentation known = documented(found, found.patterns[0]);
  ASSERT_EQ(known.phases.size(), 1u);
  EXPECT_EQ(known.phases[0].name, PatternName::kScatter);
  for (const std::string& sentence : known.phases[0].evidence)
    EXPECT_THAT(sentence, testing::Not(testing::HasSubstr("takes what comes first")));
}

// Two steps that nearly always are the first half of four are not a pattern of their own.
TEST(CommunicationPatterns, PiecesOfOthersAreLeftOut) {
  const trace::Trace trace = recorded(5, [](Caller& s) {
    const auto by = [&](std::int64_t step) {
      s.send((s.rank + step) % s.ranks, 3, kInt);
      receive(s, (s.rank + s.ranks - step) % s.ranks);
    };
    for (const int behind : {0, 1, 2, 3, 4}) {
      by(1);
      by(2);
      if (behind < 4) {
        by(3);
        by(4);
      }
      s.call("MPI_Bcast", {{"count", 1}, {"root", behind}, {"comm", kWorld}});
    }
  });
  const CommunicationPatterns found = communication_patterns(trace, {});
  ASSERT_EQ(found.patterns.size(), 1u);
  EXPECT_EQ(found.patterns[0].executions, 4u);
  EXPECT_EQ(found.patterns[0].events, 40u);
}

// The first time there is nothing to send, as where LAMMPS's atoms are still where they were.
TEST(CommunicationPatterns, SizesAreThoseOfAllOccurrences) {
  const trace::Trace trace = recorded(3, [](Caller& s) {
    for (const std::int64_t count : {0, 0, 700, 900}) {
      s.send((s.rank + 1) % s.ranks, count, kInt);
      receive(s, (s.rank + 2) % s.ranks);
      if (count != 0) s.call("MPI_Barrier", {{"comm", kWorld}});
      if (count == 700) s.call("MPI_Bcast", {{"count", 1}, {"root", 0}, {"comm", kWorld}});
    }
  });
  const CommunicationPatterns found = communication_patterns(trace, {});
  const auto ring = std::find_if(found.patterns.begin(), found.patterns.end(),
                                 [](const auto& p) { return p.events == 6; });
  ASSERT_NE(ring, found.patterns.end());
  ASSERT_GT(ring->places.size(), 1u);
  for (const PatternLink& link : ring->links) {
    EXPECT_EQ(link.least_bytes, 0u);
    EXPECT_EQ(link.most_bytes, 3600u);
  }
  const Documentation known = documented(found, *ring);
  ASSERT_EQ(known.phases.size(), 1u);
  EXPECT_EQ(known.phases[0].evidence.front(),
            "each rank sends to the next one around one circle: 0 B to 3.6 kB, 1.6 kB on average");
}

// Sweeps over 2x2 ranks from each corner in turn, as Sweep3D has them: what a rank sends last in
// one sweep it sends first in the next, and both are one event.
void sweep(Caller& s, std::int64_t corner) {
  const std::int64_t seen = s.rank ^ corner; // as if it came from rank 0
  for (int plane = 0; plane < 5; ++plane) {
    for (const std::int64_t bit : {1, 2}) {
      if ((seen & bit) != 0) receive(s, s.rank ^ bit);
    }
    for (const std::int64_t bit : {1, 2}) {
      if ((seen & bit) == 0) s.send(s.rank ^ bit, 3, kInt);
    }
  }
}

TEST(CommunicationPatterns, SweepsThatFollowEachOtherAreWavefronts) {
  const trace::Trace trace = recorded(4, [](Caller& s) {
    for (int step = 0; step < 3; ++step) {
      for (const std::int64_t corner : {3, 1, 2, 0}) sweep(s, corner);
      s.call("MPI_Barrier", {{"comm", kWorld}});
    }
  });
  const CommunicationPatterns found = communication_patterns(trace, {});
  const auto step =
      std::max_element(found.patterns.begin(), found.patterns.end(),
                       [](const auto& a, const auto& b) { return a.events < b.events; });
  const Documentation known = documented(found, *step);
  std::vector<std::int64_t> roots;
  for (const NamedPhase& phase : known.phases) {
    EXPECT_EQ(phase.name, PatternName::kWavefront) << phase.what;
    EXPECT_EQ(phase.messages, 4u);
    roots.push_back(phase.root);
  }
  EXPECT_EQ(roots, (std::vector<std::int64_t>{3, 1, 2, 0}));
  EXPECT_TRUE(known.advice.empty());
}

// Pairs of ranks exchange apart from each other, rank 4 gets something once a round: no pattern of
// its own, but a partner.
TEST(CommunicationPatterns, AreApartWhereRanksDoNotTalk) {
  const trace::Trace trace = recorded(5, [](Caller& s) {
    for (int round = 0; round < 2; ++round) {
      if (s.rank < 4) {
        const std::int64_t partner = s.rank ^ 1;
        s.send(partner, 1, kInt);
        receive(s, partner);
        if (s.rank == 3) s.send(4, 1, kInt);
      } else if (round == 0) {
        receive(s, 3);
      } else {
        s.call("MPI_Allreduce", {{"count", 1}, {"datatype", kInt}, {"comm", support::kSelf}});
        receive(s, 3);
      }
      s.call("MPI_Allreduce", {{"count", 1}, {"datatype", kInt}, {"comm", support::kSelf}});
      if (round == 0)
        s.call("MPI_Allreduce", {{"count", 2}, {"datatype", kInt}, {"comm", support::kSelf}});
    }
  });
  const CommunicationPatterns found = communication_patterns(trace, {});
  std::vector<std::size_t> sizes;
  for (const CommunicationPattern& pattern : found.patterns) sizes.push_back(pattern.parts.size());
  std::sort(sizes.begin(), sizes.end());
  EXPECT_EQ(sizes, (std::vector<std::size_t>{2, 3}));
}

// Ranks 0 and 2, and ranks 1 and 3, of which the latter do some more at the end.
trace::Trace two_communicators(int more) {
  trace::Trace trace = recorded(4, [&](Caller& s) {
    s.builder.set_position(s.rank % 2, s.rank / 2, 2);
    for (int i = 0; i < 3 + (s.rank % 2) * more; ++i) {
      s.call("MPI_Allreduce", {{"count", 1}, {"datatype", kInt}, {"comm", s.rank % 2}});
      s.call("MPI_Bcast", {{"count", 1}, {"datatype", kInt}, {"root", 0}, {"comm", s.rank % 2}});
    }
  });
  support::define_comm(trace, 0, {0, 2});
  support::define_comm(trace, 1, {1, 3});
  return trace;
}

TEST(CommunicationPatterns, CollectivesJoinTheirRanks) {
  const CommunicationPatterns found = communication_patterns(two_communicators(1), {});
  ASSERT_EQ(found.patterns.size(), 2u);
  for (const CommunicationPattern& pattern : found.patterns) {
    EXPECT_EQ(pattern.parts.size(), 2u);
    EXPECT_EQ(pattern.messages, 0u);
    EXPECT_EQ(pattern.links.size(), 2u);
  }
}

// send 1, send 1, send 2, send 2, ...: no pattern with each of them.
TEST(CommunicationPatterns, TwoMessagesToEachInTurnAreOneStar) {
  const trace::Trace trace = recorded(5, [](Caller& s) {
    for (int to = 1; s.rank == 0 && to < s.ranks; ++to) {
      s.send(to, 1, kInt);
      s.send(to, 3, kInt);
    }
    for (int i = 0; s.rank > 0 && i < 2; ++i) receive(s, 0);
    s.call("MPI_Barrier", {{"comm", kWorld}});
    for (int i = 0; s.rank > 0 && i < 3; ++i) s.send(0, 3, kInt);
    for (int from = 1; s.rank == 0 && from < s.ranks; ++from) {
      for (int i = 0; i < 3; ++i) receive(s, from);
    }
  });
  const CommunicationPatterns found = communication_patterns(trace, {});
  ASSERT_EQ(found.patterns.size(), 2u);
  for (const CommunicationPattern& pattern : found.patterns) {
    EXPECT_EQ(pattern.ranks, 5u);
    EXPECT_EQ(pattern.parts.front().length, 4u);
    EXPECT_EQ(pattern.messages, 4 * pattern.executions);
    const Documentation known = documented(found, pattern);
    ASSERT_EQ(known.phases.size(), 1u);
    EXPECT_EQ(known.phases[0].name,
              pattern.executions == 3 ? PatternName::kGather : PatternName::kScatter);
    EXPECT_EQ(known.phases[0].root, 0);
  }
}

TEST(CommunicationPatterns, GroupsThatDoTheSameApartAreOne) {
  const CommunicationPatterns found = communication_patterns(two_communicators(0), {});
  ASSERT_EQ(found.patterns.size(), 1u);
  const CommunicationPattern& pattern = found.patterns.front();
  EXPECT_EQ(pattern.executions, 3u);
  EXPECT_EQ(pattern.ranks, 4u);
  EXPECT_EQ(pattern.links.size(), 4u);
  std::vector<std::int64_t> ranks;
  for (const PatternPart& part : pattern.parts)
    ranks.push_back(found.processes.streams[part.stream].rank);
  EXPECT_EQ(ranks, (std::vector<std::int64_t>{0, 1, 2, 3}));
  for (const PatternLink& link : pattern.links) EXPECT_EQ(ranks[link.from] % 2, ranks[link.to] % 2);
}

} // namespace
} // namespace rondo::patterns
