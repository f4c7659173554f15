// SPDX-License-Identifier: Apache-2.0
#include "rondo/patterns/communication_patterns.hpp"

#include "rondo/patterns/catalogue.hpp"
#include "tests/support/recorded.hpp"

#include <gtest/gtest.h>

namespace rondo::patterns {
namespace {

using support::Caller;
using support::kInt;
using support::kWorld;
using support::recorded;
using Texts = std::vector<std::string>;

// The events of a rank, without contiguous repetitions; the same folded and call by call.
Texts texts_of(const trace::Trace& trace, std::int64_t rank, Envelope envelope = {}) {
  Texts texts[2];
  for (const bool call_by_call : {false, true}) {
    PatternOptions options;
    options.envelope = envelope;
    options.call_by_call = call_by_call;
    const ProcessPatterns found = process_patterns(trace, options);
    for (const CollapsedItem& item : found.streams[static_cast<std::size_t>(rank)].items)
      texts[call_by_call ? 1 : 0].push_back(found.events.text_of(item.symbol));
  }
  EXPECT_EQ(texts[0], texts[1]);
  return texts[0];
}

void make(Caller& s, bool is_send, std::int64_t peer) {
  s.call(is_send ? "MPI_Send_init" : "MPI_Recv_init", {{"count", 3},
                                                       {"datatype", kInt},
                                                       {is_send ? "dest" : "source", peer},
                                                       {"tag", 7},
                                                       {"comm", kWorld}});
}

void barrier(Caller& s) { s.call("MPI_Barrier", {{"comm", kWorld}}); }

TEST(Events, AStartHasTheEnvelopeOfItsRequest) {
  const trace::Trace trace = recorded(4, [](Caller& s) {
    make(s, true, (s.rank + 1) % 4);
    make(s, false, (s.rank + 3) % 4);
    for (int i = 0; i < 5; ++i) {
      s.start(1);
      s.start(0);
    }
  });
  EXPECT_EQ(texts_of(trace, 2), (Texts{"start recv 1", "start send 3"}));
  EXPECT_EQ(texts_of(trace, 2, {true, true, true}),
            (Texts{"start recv 1 (12 B, tag 7)", "start send 3 (12 B, tag 7)"}));
  const CommunicationPatterns found = communication_patterns(trace, {});
  ASSERT_EQ(found.patterns.size(), 1u);
  EXPECT_EQ(found.patterns[0].bytes, 4u * 5 * 12);
  EXPECT_EQ(documented(found, found.patterns[0]).phases.at(0).name, PatternName::kRingShift);
}

TEST(Events, StartallIsOneEventWithAllThatItStarts) {
  const trace::Trace trace = recorded(4, [](Caller& s) {
    for (const std::int64_t step : {1, 3}) {
      make(s, false, (s.rank + step) % 4);
      make(s, true, (s.rank + step) % 4);
    }
    const std::int64_t requests = s.array({1, 3, 5, 7});
    for (int i = 0; i < 5; ++i) {
      s.call("MPI_Startall", {{"array_of_requests", requests}});
      s.call("MPI_Waitall", {{"array_of_requests", requests}});
      barrier(s);
    }
  });
  EXPECT_EQ(texts_of(trace, 0), (Texts{"startall {recv 1, send 1, recv 3, send 3}", "barrier"}));
  const CommunicationPatterns found = communication_patterns(trace, {});
  ASSERT_EQ(found.patterns.size(), 1u);
  EXPECT_EQ(found.patterns[0].messages, 4u * 5 * 2);
  EXPECT_EQ(documented(found, found.patterns[0]).phases.at(0).name, PatternName::kHaloExchange);
}

// The same call starts a message to somebody else in each pass.
TEST(Events, ARequestMadeAgainHasItsNewPeer) {
  const trace::Trace trace = recorded(4, [](Caller& s) {
    make(s, true, (s.rank + 1) % 4);
    for (int i = 0; i < 6; ++i) {
      s.start(0);
      s.free(0);
      make(s, true, (s.rank + 2) % 4);
    }
  });
  EXPECT_EQ(texts_of(trace, 0), (Texts{"start send 1", "start send 2"}));
}

TEST(Events, OneSidedTransfersHaveTheirTarget) {
  trace::Trace trace = recorded(4, [](Caller& s) {
    s.builder.set_position(0, 3 - s.rank, 4);
    s.call("MPI_Win_create", {{"comm", 0}, {"win", 0}});
    for (int i = 0; i < 4; ++i) {
      for (const char* call : {"MPI_Put", "MPI_Get"})
        s.call(call, {{"origin_count", 2},
                      {"origin_datatype", kInt},
                      {"target_rank", (4 - s.rank) % 4},
                      {"win", 0}});
      s.call("MPI_Win_fence", {{"win", 0}});
    }
  });
  support::define_comm(trace, 0, {3, 2, 1, 0});
  EXPECT_EQ(texts_of(trace, 2, {true, true, false}),
            (Texts{"put 1 (8 B, on comm#1)", "get 1 (8 B, on comm#1)"}));
}

TEST(Events, RootsBetweenGroupsAreSaidInWords) {
  const trace::Trace trace = recorded(3, [](Caller& s) {
    const std::int64_t root = s.rank == 0 ? trace::kRootHere : s.rank == 1 ? trace::kProcNull : 0;
    for (int i = 0; i < 2; ++i)
      s.call("MPI_Bcast", {{"count", 3}, {"datatype", kInt}, {"root", root}, {"comm", kWorld}});
  });
  EXPECT_EQ(texts_of(trace, 0), Texts{"bcast root itself"});
  EXPECT_EQ(texts_of(trace, 1), Texts{"bcast without part in it"});
}

TEST(Events, ItemsKnowTheirPhase) {
  const trace::Trace trace = recorded(2, [](Caller& s) {
    barrier(s);
    for (int i = 0; i < 3; ++i) {
      s.phase("solve", true);
      s.send(1 - s.rank, 1);
      s.phase("exchange", true);
      s.call("MPI_Recv",
             {{"count", 1}, {"datatype", kInt}, {"source", 1 - s.rank}, {"comm", kWorld}});
      s.phase("exchange", false);
      s.phase("solve", false);
    }
  });
  const ProcessPatterns found = process_patterns(trace, {});
  Texts phases;
  for (const CollapsedItem& item : found.streams[0].items)
    phases.push_back(found.events.phase_name(item.phase));
  EXPECT_EQ(phases, (Texts{"", "solve", "exchange"}));
}

} // namespace
} // namespace rondo::patterns
