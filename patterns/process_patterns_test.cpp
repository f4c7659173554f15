// SPDX-License-Identifier: Apache-2.0
#include "rondo/patterns/process_patterns.hpp"

#include "rondo/matrix/trace_traffic.hpp"
#include "tests/support/random_spmd.hpp"
#include "tests/support/recorded.hpp"

#include <gtest/gtest.h>

namespace rondo::patterns {
namespace {

using support::Caller;
using support::kInt;
using support::kWorld;
using support::recorded;

void receive(Caller& s, std::int64_t source, std::int64_t tag = 0) {
  s.call("MPI_Recv",
         {{"count", 1}, {"datatype", kInt}, {"source", source}, {"tag", tag}, {"comm", kWorld}});
}

trace::Trace random_trace(std::uint64_t seed) {
  const auto ranks = support::random_spmd(seed, 2, 3);
  std::vector<fold::RecordingPart> parts;
  for (const auto& rank : ranks) parts.push_back(rank->part());
  std::vector<std::size_t> order(parts.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  return fold::resolve(support::merged(std::move(parts), order));
}

// Means of all ranks of a class stand with its times: a copy for each rank makes ranks times ranks.
TEST(ProcessPatterns, NoRankTakesTheTimesOfItsClass) {
  const trace::Trace trace = random_trace(1);
  for (const trace::RankClass& c : trace.classes) {
    EXPECT_FALSE(c.program->times.empty());
    EXPECT_TRUE(trace::program_of(trace, c, c.ranks.front()).times.empty());
  }
}

TEST(ProcessPatterns, FoldedAndCallByCallAreEqual) {
  std::size_t patterns = 0;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const trace::Trace trace = random_trace(seed);
    PatternOptions options;
    options.envelope = {seed % 2 == 0, seed % 3 == 0, seed % 5 == 0};
    const ProcessPatterns folded = process_patterns(trace, options);
    options.call_by_call = true;
    const ProcessPatterns raw = process_patterns(trace, options);
    ASSERT_EQ(folded.streams.size(), raw.streams.size());
    for (std::size_t i = 0; i < raw.streams.size(); ++i) {
      const StreamPatterns& a = folded.streams[i];
      const StreamPatterns& b = raw.streams[i];
      EXPECT_EQ(a.calls, b.calls);
      ASSERT_EQ(a.items.size(), b.items.size()) << seed;
      for (std::size_t k = 0; k < a.items.size(); ++k) {
        EXPECT_EQ(folded.events[a.items[k].symbol], raw.events[b.items[k].symbol]);
        EXPECT_EQ(a.items[k].executions, b.items[k].executions);
        EXPECT_EQ(a.items[k].bytes, b.items[k].bytes);
        EXPECT_EQ(a.items[k].first, b.items[k].first);
        EXPECT_EQ(a.items[k].last, b.items[k].last);
        EXPECT_EQ(a.items[k].phase, b.items[k].phase);
      }
      ASSERT_EQ(a.patterns.size(), b.patterns.size());
      patterns += a.patterns.size();
      for (std::size_t k = 0; k < a.patterns.size(); ++k) {
        EXPECT_EQ(a.patterns[k].places, b.patterns[k].places);
        EXPECT_EQ(a.patterns[k].executions, b.patterns[k].executions);
        EXPECT_EQ(a.patterns[k].tandem, b.patterns[k].tandem);
        EXPECT_EQ(a.patterns[k].bytes, b.patterns[k].bytes);
      }
    }
  }
  EXPECT_GT(patterns, 200u);
}

TEST(ProcessPatterns, KeepOfTheEnvelopeWhatIsWanted) {
  const trace::Trace trace = recorded(4, [](Caller& s) {
    for (std::int64_t i = 0; i < 3; ++i) { // tags and sizes differ each time
      s.call("MPI_Send", {{"count", i + 1},
                          {"datatype", kInt},
                          {"dest", (s.rank + 1) % 4},
                          {"tag", i},
                          {"comm", kWorld}});
      receive(s, (s.rank + 3) % 4, i);
      if (i == 1) s.call("MPI_Barrier", {{"comm", kWorld}});
    }
  });
  const auto patterns = [&](Envelope envelope) {
    PatternOptions options;
    options.envelope = envelope;
    return process_patterns(trace, options).streams[0].patterns;
  };
  const auto peers = patterns({true, false, false});
  ASSERT_EQ(peers.size(), 1u);
  EXPECT_EQ(peers[0].executions, 3u);
  EXPECT_EQ(peers[0].bytes, 24u);
  EXPECT_EQ(peers[0].calls, 6u);
  EXPECT_TRUE(patterns({true, true, false}).empty());
  EXPECT_TRUE(patterns({true, false, true}).empty());
}

void take_first(Caller& s, std::int64_t who) {
  s.call("MPI_Recv", {{"count", 1},
                      {"datatype", kInt},
                      {"source", trace::kAnySource},
                      {"tag", 0},
                      {"comm", kWorld},
                      {"status", who}});
}

// Who comes first is another one in the next run, and with it whom a master answers.
TEST(ProcessPatterns, OfAMasterItIsNotSaidWhoCameFirst) {
  const trace::Trace trace = recorded(4, [](Caller& s) {
    for (const std::int64_t worker : {1, 2, 3, 1, 1, 2, 3, 2, 2, 3, 1, 1}) {
      if (s.rank == 0) {
        take_first(s, worker);
        s.send(worker, 1, kInt);
      } else if (s.rank == worker) {
        s.send(0, 1, kInt);
        receive(s, 0, 0);
      }
    }
  });
  const ProcessPatterns found = process_patterns(trace, {});
  const StreamPatterns& master = found.streams[0];
  ASSERT_EQ(master.patterns.size(), 1u);
  EXPECT_EQ(master.patterns[0].executions, 12u);
  EXPECT_EQ(found.events.text_of(master.items[0].symbol), "recv any");
  EXPECT_EQ(found.events.text_of(master.items[1].symbol), "send any");
}

TEST(ProcessPatterns, AReceiveThatAlwaysHearsOneRankIsFromThere) {
  const trace::Trace trace = recorded(3, [](Caller& s) {
    for (int i = 0; i < 5; ++i) {
      s.send((s.rank + 1) % 3, 1, kInt);
      take_first(s, (s.rank + 2) % 3);
      s.call("MPI_Barrier", {{"comm", kWorld}});
    }
  });
  const ProcessPatterns found = process_patterns(trace, {});
  EXPECT_EQ(found.events.text_of(found.streams[2].items[1].symbol), "recv 1");
}

TEST(ProcessPatterns, EventsHaveTheRanksOfTheWorld) {
  trace::Trace trace = recorded(4, [](Caller& s) {
    s.builder.set_position(0, 3 - s.rank, 4);
    for (const std::int64_t root : {0, 1})
      s.call("MPI_Bcast", {{"count", 1}, {"datatype", kInt}, {"root", root}, {"comm", 0}});
  });
  support::define_comm(trace, 0, {3, 2, 1, 0});
  const ProcessPatterns found = process_patterns(trace, {});
  const StreamPatterns& stream = found.streams[2];
  ASSERT_EQ(stream.items.size(), 2u);
  EXPECT_EQ(found.events.text_of(stream.items[1].symbol), "bcast root 2 (on comm#1)");
}

// A block of an alltoall is not all that a rank hands over, an alltoallv has no count of its own,
// and only the root of a bcast has anything to give.
TEST(ProcessPatterns, BytesOfCollectivesAreThoseOfTheStatistics) {
  const trace::Trace trace = recorded(4, [](Caller& s) {
    for (int i = 0; i < 10; ++i) {
      s.call("MPI_Bcast", {{"count", 7}, {"datatype", kInt}, {"root", 0}, {"comm", kWorld}});
      s.call("MPI_Alltoall", {{"sendbuf", 0},
                              {"sendcount", 5},
                              {"sendtype", kInt},
                              {"recvcount", 5},
                              {"recvtype", kInt},
                              {"comm", kWorld}});
      s.call("MPI_Alltoallv", {{"sendbuf", 0},
                               {"sendcounts", s.array({i, 2, 3, 4})},
                               {"sendtype", kInt},
                               {"comm", kWorld}});
    }
  });
  for (const bool call_by_call : {false, true}) {
    PatternOptions options;
    options.call_by_call = call_by_call;
    std::uint64_t bytes = 0;
    for (const StreamPatterns& stream : process_patterns(trace, options).streams) {
      for (const CollapsedItem& item : stream.items) bytes += item.bytes;
    }
    EXPECT_EQ(bytes, 10u * 28 + 40u * 80 + 40u * 36 + 4u * 45 * 4);
    EXPECT_EQ(bytes, matrix::statistics_of(trace).statistics.collective_bytes);
  }
}

} // namespace
} // namespace rondo::patterns
