// SPDX-License-Identifier: Apache-2.0
// Which of the texts of a program is written.
#include "rondo/logical/logical_text.hpp"
#include "tests/support/recorded.hpp"

#include <gtest/gtest.h>

namespace rondo::logical {
namespace {

using support::Caller;

void receive(Caller& s, std::int64_t from, std::int64_t count) {
  s.call("MPI_Recv", {{"count", count},
                      {"datatype", support::kDouble},
                      {"source", from},
                      {"tag", 0},
                      {"comm", support::kWorld}});
}

std::string folded_text(const trace::Trace& trace) {
  return logical_text(text_of(logicalize_for_text(trace), nullptr), {.times = false});
}

// Two ranks that swap would be shorter: one receives, both send and receive, the other one sends.
TEST(TextFolding, APingPongWithoutCallSitesIsOne) {
  const trace::Trace trace = support::recorded(2, [](Caller& s) {
    for (std::int64_t count = 1; count <= 128; count *= 2) {
      if (s.rank == 0) s.send(1, count);
      receive(s, 1 - s.rank, count);
      if (s.rank == 1) s.send(0, count);
    }
    s.call("MPI_Barrier", {{"comm", support::kWorld}});
  });
  const std::string text = folded_text(trace);
  EXPECT_NE(text.find("  loop 8:\n"
                      "    if not west:\n"
                      "      send east 1..128 double  tag 0\n"
                      "      recv east 1..128 double  tag 0\n"
                      "    if west:\n"
                      "      recv west 1..128 double  tag 0\n"
                      "      send west 1..128 double  tag 0\n"),
            std::string::npos)
      << text;
}

// Solves along rows forth and back, one after the other: each says where it goes.
TEST(TextFolding, SolvesWithoutCallSitesSayWhichWayTheyGo) {
  const trace::Trace trace = support::recorded(6, [](Caller& s) {
    for (int step = 0; step < 20; ++step) {
      if (s.rank > 0) receive(s, s.rank - 1, 10);
      if (s.rank < s.ranks - 1) s.send(s.rank + 1, 10);
      if (s.rank < s.ranks - 1) receive(s, s.rank + 1, 10);
      if (s.rank > 0) s.send(s.rank - 1, 10);
    }
  });
  const std::string text = folded_text(trace);
  EXPECT_NE(text.find("  loop 20:\n"
                      "    recv west 10 double  tag 0\n"
                      "    send east 10 double  tag 0\n"
                      "    recv east 10 double  tag 0\n"
                      "    send west 10 double  tag 0\n"),
            std::string::npos)
      << text;
}

} // namespace
} // namespace rondo::logical
