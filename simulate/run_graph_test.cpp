// SPDX-License-Identifier: Apache-2.0
// A run's graph says what playing the run says, whatever is computed and what calls take.
#include "rondo/simulate/run_graph.hpp"

#include "tests/support/predicted.hpp"

#include <gtest/gtest.h>

#include <array>
#include <functional>

namespace rondo::simulate {
namespace {

using support::Caller;
using support::kMsInNs;

// Differs from rank to rank and place to place, by up to four.
double uneven(std::int64_t rank, CallPlace place) {
  return 0.5 + static_cast<double>((rank * 7 + place.site * 5 + place.function) % 16) / 8;
}

double of_calls_s(std::int64_t rank, CallPlace place) { return 1e-3 * uneven(rank + 3, place); }

void work(Caller& s, std::uint32_t site) {
  const trace::Function& function = *trace::find_function("MPI_Pcontrol");
  std::vector<std::int64_t> event(fold::kEventHead + function.words(), 0);
  event[0] = fold::header_word(function.id, 0);
  event[1] = site;
  const auto ms = static_cast<std::uint64_t>(1 + (s.rank * 5 + site * 3) % 11);
  s.builder.record(event.data(), event.size(), ms * kMsInNs, 0);
}

void around(Caller& s, std::string_view send, bool waits) {
  const std::int64_t next = (s.rank + 1) % s.ranks;
  const std::int64_t before = (s.rank + s.ranks - 1) % s.ranks;
  s.call("MPI_Irecv", {{"count", 1},
                       {"datatype", support::kDouble},
                       {"source", before},
                       {"tag", 0},
                       {"comm", support::kWorld}});
  work(s, 4);
  s.send(next, 1, support::kDouble, support::kWorld, send);
  work(s, 5);
  if (!waits)
    s.call("MPI_Wait", {{"request", trace::request_by_age(0)}});
  else
    s.call("MPI_Waitall",
           {{"array_of_requests", s.array({trace::request_by_age(1), trace::request_by_age(0)})}});
}

void behind(Caller& s) {
  s.call("MPI_Iallreduce",
         {{"sendbuf", 0}, {"count", 1}, {"datatype", support::kDouble}, {"comm", support::kWorld}});
  work(s, 6);
  s.call("MPI_Wait", {{"request", trace::request_by_age(0)}});
}

const std::array<std::function<void(Caller&)>, 7> kPrograms{
    [](Caller& s) { around(s, "MPI_Send", false); },
    [](Caller& s) { around(s, "MPI_Ssend", false); },
    [](Caller& s) { around(s, "MPI_Isend", true); },
    [](Caller& s) { support::block_of_all(s, "MPI_Allreduce"); },
    [](Caller& s) { support::rooted(s, "MPI_Gather", 2); },
    [](Caller& s) {
      s.call("MPI_Barrier", {{"comm", support::kWorld}});
    },
    behind,
};

trace::Trace of_program(std::size_t number, std::int64_t ranks) {
  return support::recorded(ranks, [&](Caller& s) {
    for (std::uint32_t pass = 0; pass < 3; ++pass) {
      work(s, 1);
      kPrograms[number](s);
      work(s, 2 + pass % 2);
      kPrograms[(number + pass) % kPrograms.size()](s);
    }
  });
}

TEST(RunGraph, SaysWhatPlayingSays) {
  for (std::size_t number = 0; number < kPrograms.size(); ++number) {
    for (const std::int64_t ranks : {3, 5, 12, 16}) {
      const trace::Trace trace = of_program(number, ranks);
      const NetworkModel none; // takes no time
      RunGraph graph(100'000);
      SimulateOptions options;
      options.graph = &graph;
      const double as_it_was_s = support::predicted(trace, none, options).seconds;
      ASSERT_TRUE(graph.is_whole());
      const auto same = [](const RunGraph::Spot&) { return 1.0; };
      EXPECT_NEAR(graph.seconds(same), as_it_was_s, 1e-12) << number << " on " << ranks;
      SimulateOptions changed;
      const auto scale = [](const RunGraph::Spot& spot) { return uneven(spot.rank, spot.place); };
      changed.scale = scale;
      changed.inside_s = of_calls_s;
      const double changed_s = support::predicted(trace, none, changed).seconds;
      EXPECT_NE(changed_s, as_it_was_s);
      const auto inside = [](const RunGraph::Spot& spot) {
        return of_calls_s(spot.rank, spot.place);
      };
      EXPECT_NEAR(graph.seconds(scale, inside), changed_s, 1e-12) << number << " on " << ranks;
    }
  }
}

TEST(RunGraph, PlaysSeveralScalesAsOneAfterTheOther) {
  const trace::Trace trace = of_program(6, 5);
  RunGraph graph(100'000);
  SimulateOptions options;
  options.graph = &graph;
  support::predicted(trace, NetworkModel{}, options);
  const auto inside = [](const RunGraph::Spot& spot) { return of_calls_s(spot.rank, spot.place); };
  std::vector<RunGraph::Scale> scales;
  std::vector<double> expected_s;
  for (std::int64_t i = 0; i < 6; ++i) { // more than are played in one pass
    scales.push_back([i](const RunGraph::Spot& spot) { return uneven(spot.rank + i, spot.place); });
    expected_s.push_back(graph.seconds(scales.back(), inside));
  }
  EXPECT_EQ(graph.seconds_of_each(scales, inside), expected_s);
}

// A rank that did nothing for long goes on, and another one has waited for it since.
TEST(RunGraph, RemembersWhatWasLongAgoWhereSomethingHangsOnIt) {
  RunGraph graph(100'000);
  const RunGraph::Point early = graph.compute(0, {0, {1, 0}, 0}, 5);
  RunGraph::Point other = 0;
  for (int i = 0; i < 3000; ++i) other = graph.compute(other, {1, {1, 0}, 1}, 0.001);
  graph.end(graph.join(other, early)); // at 5
  graph.end(graph.compute(early, {0, {1, 0}, 0}, 2)); // at 7
  for (int i = 0; i < 3000; ++i) other = graph.compute(other, {1, {1, 0}, 1}, 0);
  EXPECT_EQ(graph.seconds([](const RunGraph::Spot&) { return 1.0; }), 7);
  EXPECT_NEAR(graph.seconds([](const RunGraph::Spot& spot) { return spot.rank == 1 ? 3.0 : 0.0; }),
              9, 1e-9);
}

TEST(RunGraph, TellsWhoIsTheSlowestPassByPass) {
  for (const bool changes : {false, true}) {
    RunGraph graph(100);
    for (std::int64_t pass = 0; pass < 6; ++pass) {
      const std::int64_t slow = pass == 0 ? 0 : changes ? pass % 3 : 2;
      for (std::int64_t rank = 0; rank < 3; ++rank)
        graph.compute(0, {rank, {1, 0}, rank}, rank == slow ? 4.0 : 1.0);
    }
    const RunGraph::Slowest slowest = graph.slowest_at({1, 0});
    EXPECT_NEAR(slowest.share, changes ? 1.0 / 3 : 5.0 / 6, 1e-12);
    EXPECT_EQ(slowest.rank, changes ? 0 : 2);
  }
}

TEST(RunGraph, NamesNobodyWhereSeveralAreAsSlow) {
  RunGraph graph(100);
  for (std::int64_t pass = 0; pass < 6; ++pass) {
    for (std::int64_t rank = 0; rank < 4; ++rank)
      graph.compute(0, {rank, {1, 0}, rank}, (rank + pass) % 2 == 0 ? 4.0 : 1.0);
  }
  EXPECT_EQ(graph.slowest_at({1, 0}).share, 0);
}

TEST(RunGraph, IsNotWholeAboveItsBound) {
  RunGraph graph(5);
  SimulateOptions options;
  options.graph = &graph;
  support::predicted(of_program(0, 3), NetworkModel{}, options);
  EXPECT_FALSE(graph.is_whole());
}

} // namespace
} // namespace rondo::simulate
