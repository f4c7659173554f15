// SPDX-License-Identifier: Apache-2.0
#include "rondo/matrix/tagged_sends.hpp"

#include "rondo/trace/matching.hpp"
#include "tests/support/recorded.hpp"

#include <gtest/gtest.h>
#include <set>
#include <tuple>

namespace rondo::matrix {
namespace {

using support::kInt;
using support::kWorld;
using support::recorded;

using Sends = std::set<std::tuple<std::int64_t, std::int64_t, std::int64_t>>; // from, to, tag

Sends sends_of(const trace::Trace& trace) {
  Sends sends;
  for_each_tagged_send(trace, [&](const TaggedSend& send) {
    sends.emplace(send.source, send.destination, send.tag);
  });
  return sends;
}

TEST(TaggedSends, TagsThatVaryAreApart) {
  const trace::Trace trace = recorded(3, [](support::Caller& c) {
    for (int i = 0; i < 20; ++i)
      c.call("MPI_Send", {{"count", i},
                          {"datatype", kInt},
                          {"dest", (c.rank + 1) % 3},
                          {"tag", i % 2 * 7},
                          {"comm", kWorld}});
  });
  EXPECT_EQ(sends_of(trace),
            (Sends{{0, 1, 0}, {0, 1, 7}, {1, 2, 0}, {1, 2, 7}, {2, 0, 0}, {2, 0, 7}}));
}

TEST(TaggedSends, APersistentSendCountsWhereItIsStarted) {
  const trace::Trace trace = recorded(2, [](support::Caller& c) {
    for (const int tag : {3, 4})
      c.call(
          "MPI_Send_init",
          {{"count", 1}, {"datatype", kInt}, {"dest", 1 - c.rank}, {"tag", tag}, {"comm", kWorld}});
    c.start(1);
  });
  EXPECT_EQ(sends_of(trace), (Sends{{0, 1, 4}, {1, 0, 4}}));
}

TEST(TaggedSends, AreThoseOfAllMessages) {
  for (int seed = 1; seed <= 20; ++seed) {
    const trace::Trace trace = recorded(4, [&](support::Caller& c) {
      const auto message = [&](const char* function, const char* peer, std::int64_t of, int i) {
        c.call(function, {{"count", i % 3},
                          {"datatype", kInt},
                          {peer, of},
                          {"tag", seed * i % 5},
                          {"comm", kWorld}});
      };
      for (int i = 0; i < 30; ++i) {
        const int step = 1 + seed * i * i % 3;
        message("MPI_Send", "dest", (c.rank + step) % 4, i);
        message("MPI_Recv", "source", (c.rank + 4 - step) % 4, i);
      }
    });
    Sends matched;
    trace::MatchVisitor visitor;
    visitor.message = [&](const trace::Message& m) {
      matched.emplace(m.send.rank, m.receive.rank, m.tag);
    };
    trace::match_messages(trace, visitor);
    EXPECT_FALSE(matched.empty());
    EXPECT_EQ(sends_of(trace), matched) << "seed " << seed;
  }
}

} // namespace
} // namespace rondo::matrix
