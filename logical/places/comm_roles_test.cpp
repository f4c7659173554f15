// SPDX-License-Identifier: Apache-2.0
// What one statement makes is one communicator in the text, however each rank numbers it.
#include "logical/places/comm_roles.hpp"
#include "rondo/logical/logical_text.hpp"
#include "tests/support/recorded.hpp"

#include <gtest/gtest.h>

namespace rondo::logical {
namespace {

using support::Caller;
using support::kWorld;

std::int64_t split(Caller& s, std::uint32_t site, std::int64_t color, std::int64_t slot) {
  s.site = site;
  s.call("MPI_Comm_split", {{"comm", kWorld}, {"color", color}, {"key", 0}, {"newcomm", slot}});
  return slot;
}

void barrier(Caller& s, std::uint32_t site, std::int64_t comm) {
  s.site = site;
  s.call("MPI_Barrier", {{"comm", comm}});
}

std::string text_of_run(const trace::Trace& trace) {
  const LogicalText text = text_of(logicalize_for_text(trace), nullptr);
  std::string written = logical_text(text, {.times = false});
  const auto again = parse_logical_text(written, "text");
  EXPECT_TRUE(again) << (again ? "" : again.error().text());
  return written;
}

// Even ranks make one more before it, so that theirs is their second one, and that of odd ranks the
// first.
trace::Trace pairs_after_an_extra_one() {
  trace::Trace trace = support::recorded(4, [](Caller& s) {
    const bool has_more = s.rank % 2 == 0;
    if (has_more) {
      s.site = 1;
      s.call("MPI_Comm_dup", {{"comm", support::kSelf}, {"newcomm", 0}});
    }
    const std::int64_t pair = split(s, 2, s.rank / 2, has_more ? 1 : 0);
    s.builder.set_position(pair, s.rank % 2, 2);
    for (int i = 0; i < 5; ++i) {
      barrier(s, 3, pair);
      s.site = 4;
      s.call("MPI_Recv", {{"count", 1},
                          {"datatype", support::kInt},
                          {"source", trace::kAnySource},
                          {"tag", 0},
                          {"comm", pair},
                          {"status", 1 - s.rank % 2},
                          {"status.tag", 0}});
      s.site = 5;
      s.send(1 - s.rank % 2, 1, support::kInt, pair);
    }
  });
  for (const std::int64_t rank : {0, 2}) {
    support::define_comm(trace, 0, {rank});
    trace.comms.push_back({1, {{rank, 1, 2}}, {}, trace::RankSet::of({rank})});
    trace.comms.push_back({0, {{rank, 1, 2}}, {}, trace::RankSet::of({rank + 1})});
  }
  return trace;
}

TEST(CommRoles, AreTheSameOnRanksThatNumberThemOtherwise) {
  const std::string text = text_of_run(pairs_after_an_extra_one());
  EXPECT_NE(text.find("\n  comm_split color=rank / 2 key=0  makes split#1\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("\n  loop 5:\n    barrier  on split#1\n    recv any of partner 1 int  tag 0  "
                      "on split#1\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("\n  ranks "), text.rfind("\n  ranks ")) << text; // of the extra one alone
}

// A slot stands for members: what is made of others has another one.
TEST(CommRoles, AreTheSameEachTimeThatOneIsFreedAndMadeAnew) {
  const trace::Trace trace = support::recorded(6, [](Caller& s) {
    for (std::int64_t i = 0; i < 4; ++i) {
      const std::int64_t comm = split(s, 1, s.rank / 2, i);
      barrier(s, 2, comm);
      s.site = 3;
      s.call("MPI_Comm_free", {{"comm", comm}});
    }
  });
  const std::string text = text_of_run(trace);
  EXPECT_NE(text.find("\n  loop 4:\n    comm_split "), std::string::npos) << text;
  EXPECT_NE(text.find("\n    barrier  on split#1\n    comm_free  on split#1\n"), std::string::npos)
      << text;
}

TEST(CommRoles, AreTwoWhileBothAreInUse) {
  const trace::Trace trace = support::recorded(4, [](Caller& s) {
    for (std::int64_t i = 0; i < 2; ++i) split(s, 1, s.rank % 2, i);
    for (int i = 0; i < 3; ++i) {
      barrier(s, 2, 0);
      barrier(s, 3, 1);
    }
  });
  EXPECT_FALSE(internal::CommRoles(trace).is_renaming());
  EXPECT_NE(text_of_run(trace).find("barrier  on split#1\n    barrier  on split#2\n"),
            std::string::npos);
}

// Both programs of a coupled run divide MPI_COMM_WORLD, each by a call of its own.
TEST(CommRoles, AreNamedByHowTheyAreMadeWhereARankHasAnotherNumber) {
  trace::Trace trace = support::recorded(5, [](Caller& s) {
    if (s.rank < 3) {
      const std::int64_t ocean = split(s, 0, 1, 0);
      for (int i = 0; i < 4; ++i) barrier(s, 1, ocean);
    } else {
      const std::int64_t air = split(s, 3, 0, 0);
      for (int i = 0; i < 10; ++i) {
        s.site = 4;
        s.call("MPI_Bcast",
               {{"count", 8}, {"datatype", support::kInt}, {"root", 0}, {"comm", air}});
      }
    }
  });
  trace.comms.push_back({0, {{0, 1, 3}}, {}, trace::RankSet::of({0, 1, 2})});
  trace.comms.push_back({0, {{3, 1, 2}}, {}, trace::RankSet::of({3, 4})});
  for (std::size_t site = 0; site < 5; ++site)
    trace.sites[site].module = site < 3 ? "/opt/ocean" : "/opt/air";
  const std::string text = text_of_run(trace);
  const std::string ocean = "if in ocean:\n  comm_split color=1 key=0  makes split#1\n  loop 4:\n  "
                            "  barrier  on split#1\n";
  const std::string air = "if in air:\n  comm_split color=0 key=0  makes split#2\n  loop 10:\n    "
                          "bcast 8 int  root 0 of "
                          "split#2\n";
  EXPECT_NE(text.find(ocean), std::string::npos) << text;
  EXPECT_NE(text.find(air), std::string::npos) << text;
}

TEST(CommRoles, AreNotLookedForWhereThreadsMakeThem) {
  const trace::Trace trace = support::recorded_threads(2, 2, [](Caller& s, std::uint32_t thread) {
    split(s, 1, 0, thread);
    barrier(s, 2, thread);
  });
  EXPECT_FALSE(internal::CommRoles(trace).is_renaming());
}

} // namespace
} // namespace rondo::logical
