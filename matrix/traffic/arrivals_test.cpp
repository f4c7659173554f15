// SPDX-License-Identifier: Apache-2.0
#include "rondo/matrix/arrivals.hpp"

#include "tests/support/recorded.hpp"

#include <gtest/gtest.h>

namespace rondo::matrix {
namespace {

using support::Caller;
using support::kInt;
using support::kWorld;
using support::recorded;

void message(Caller& c, const char* function, const char* peer, std::int64_t rank,
             std::int64_t count, std::uint32_t site) {
  c.site = site;
  c.call(function,
         {{"count", count}, {"datatype", kInt}, {peer, rank}, {"tag", 0}, {"comm", kWorld}});
}

TEST(Arrivals, AreOfMessagesToBuffersThatAreNeverFull) {
  const trace::Trace trace = recorded(3, [](Caller& c) {
    for (int i = 0; i < 6; ++i) {
      message(c, "MPI_Send", "dest", (c.rank + 1) % 3, 10 + c.rank, 1);
      message(c, "MPI_Recv", "source", (c.rank + 2) % 3, 1000, 2);
    }
    message(c, "MPI_Send", "dest", (c.rank + 1) % 3, 5, 1);
    message(c, "MPI_Recv", "source", (c.rank + 2) % 3, 1000, 3);
  });
  EXPECT_EQ(arrivals_of(trace), (Arrivals{{2, {40, 44, 48}}, {3, {20}}}));
}

TEST(Arrivals, OfManyAmountsTheLeastAndTheGreatestStay) {
  const trace::Trace trace = recorded(2, [](Caller& c) {
    for (int i = 9; i > 0; --i) {
      message(c, "MPI_Send", "dest", 1 - c.rank, i, 1);
      message(c, "MPI_Recv", "source", 1 - c.rank, 100, 2);
    }
  });
  const std::set<std::int64_t> came = arrivals_of(trace).at(2);
  EXPECT_EQ(came.size(), 4u);
  EXPECT_EQ(*came.begin(), 4);
  EXPECT_EQ(*came.rbegin(), 36);
}

TEST(Arrivals, ACallWithRoomForMoreHasTheLeastAndTheMost) {
  const trace::Trace trace = recorded(2, [](Caller& c) {
    for (int i = 1; i < 4; ++i) {
      message(c, "MPI_Send", "dest", 1 - c.rank, i, 1);
      message(c, "MPI_Recv", "source", 1 - c.rank, 100, 2);
    }
    message(c, "MPI_Send", "dest", 1 - c.rank, 50, 1);
    message(c, "MPI_Recv", "source", 1 - c.rank, 50, 3);
  });
  const Arrivals arrivals = arrivals_of(trace);
  std::map<std::uint32_t, std::optional<std::pair<std::int64_t, std::int64_t>>> came;
  for (const trace::Call& call : trace.classes[0].program->calls)
    came[call.site] = arrived_at(trace, arrivals, call);
  EXPECT_EQ(came.at(2), std::pair(std::int64_t{4}, std::int64_t{12}));
  EXPECT_EQ(came.at(1), std::nullopt) << "a send";
  EXPECT_EQ(came.at(3), std::nullopt) << "no room for more";
}

TEST(Arrivals, NothingIsSaidWhereTheSenderIsAGuess) {
  const trace::Trace trace = recorded(2, [](Caller& c) {
    message(c, "MPI_Send", "dest", 1 - c.rank, 5, 1);
    message(c, "MPI_Recv", "source", trace::kAnySource, 100, 2);
  });
  EXPECT_TRUE(arrivals_of(trace).empty());
}

TEST(Arrivals, NothingIsLookedForWhereBuffersHaveTheSizesOfMessages) {
  const trace::Trace trace = recorded(2, [](Caller& c) {
    message(c, "MPI_Send", "dest", 1 - c.rank, 5, 1);
    message(c, "MPI_Recv", "source", 1 - c.rank, 5, 2);
  });
  EXPECT_TRUE(arrivals_of(trace).empty());
}

} // namespace
} // namespace rondo::matrix
