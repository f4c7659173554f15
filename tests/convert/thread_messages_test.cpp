// SPDX-License-Identifier: Apache-2.0
// Several threads of a rank on one channel: both ends of a message have one number, which no other
// message has.
#include "convert/calls/call_messages.hpp"
#include "tests/support/recorded.hpp"

#include <gtest/gtest.h>
#include <map>

namespace rondo::convert::internal {
namespace {

using support::Caller;

// Each thread sends to, and receives from, the same thread of the other rank, a different number of
// times: on one channel, if they are all of one tag.
trace::Trace exchanged(bool has_own_tags) {
  return support::recorded_threads(2, 3, [&](Caller& s, std::uint32_t thread) {
    const std::int64_t tag = has_own_tags ? thread : 0;
    for (std::uint32_t i = 0; i < 4 * (thread + 1); ++i) {
      s.call("MPI_Irecv", {{"count", 1},
                           {"datatype", support::kInt},
                           {"source", 1 - s.rank},
                           {"tag", tag},
                           {"comm", support::kWorld}});
      s.call("MPI_Send", {{"count", 1},
                          {"datatype", support::kInt},
                          {"dest", 1 - s.rank},
                          {"tag", tag},
                          {"comm", support::kWorld}});
      s.call("MPI_Wait", {{"request", trace::request_by_age(0)}});
    }
  });
}

struct Ends {
  int sent = 0, received = 0;
};

std::map<std::uint64_t, Ends> ends_by_number(const trace::Trace& trace) {
  std::map<std::uint64_t, Ends> ends;
  MessageRun run(trace);
  for (const trace::RankClass& c : trace.classes) {
    for (const std::int64_t rank : c.ranks.ranks()) {
      trace::CallReader reader(trace, c, rank);
      CallMessages messages(run, reader, c.thread);
      while (const trace::CallInstance* call = reader.next()) {
        for (const CallMessage& message : messages.of(*call))
          ++(message.is_sent ? ends[message.id].sent : ends[message.id].received);
      }
    }
  }
  return ends;
}

TEST(ThreadMessages, HaveANumberOfTheirOwn) {
  for (const bool has_own_tags : {true, false}) {
    const auto ends = ends_by_number(exchanged(has_own_tags));
    EXPECT_EQ(ends.size(), 2U * (4 + 8 + 12)) << has_own_tags;
    for (const auto& [number, both] : ends) {
      EXPECT_EQ(both.sent, 1) << has_own_tags;
      EXPECT_EQ(both.received, 1) << has_own_tags;
    }
  }
}

// The probe takes the message, whatever order the receives come in.
TEST(MatchedMessages, HaveBothEnds) {
  const auto ends = ends_by_number(support::recorded(3, [](Caller& s) {
    if (s.rank > 0) return s.send(0, 10 * s.rank);
    for (const std::int64_t source : {2, 1}) {
      s.call("MPI_Mprobe", {{"source", trace::kAnySource},
                            {"tag", 0},
                            {"comm", support::kWorld},
                            {"message", source},
                            {"status", source},
                            {"status.tag", 0},
                            {"status.bytes", 80 * source}});
    }
    for (const std::int64_t message : {1, 2})
      s.call("MPI_Mrecv", {{"count", 99}, {"datatype", support::kDouble}, {"message", message}});
  }));
  EXPECT_EQ(ends.size(), 2U);
  for (const auto& [number, both] : ends) {
    EXPECT_EQ(both.sent, 1);
    EXPECT_EQ(both.received, 1);
  }
}

} // namespace
} // namespace rondo::convert::internal
