// SPDX-License-Identifier: Apache-2.0
#include "rondo/topology/parts.hpp"

#include "rondo/topology/groups.hpp"
#include "rondo/topology/headline.hpp"
#include "tests/support/recorded.hpp"

#include <algorithm>
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <numeric>

namespace rondo::topology {
namespace {

using support::Caller;
using support::kDouble;
using support::recorded;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using trace::Trace;

constexpr std::int64_t kSide = 4; // of a square of ranks

// To the neighbours in the square, in the order in which programs exchange borders.
void exchange_borders(Caller& c, std::int64_t count) {
  const std::int64_t row = c.rank / kSide;
  const std::int64_t column = c.rank % kSide;
  if (column + 1 < kSide) c.send(c.rank + 1, count);
  if (column > 0) c.send(c.rank - 1, count);
  if (row + 1 < kSide) c.send(c.rank + kSide, count);
  if (row > 0) c.send(c.rank - kSide, count);
}

// Towards rank 0.
void reduce(Caller& c) {
  for (std::int64_t bit = 1; bit < c.ranks; bit *= 2) {
    if ((c.rank & bit) == 0) continue;
    c.send(c.rank - bit, 1);
    return;
  }
}

void sweep(Caller& c, std::int64_t down) {
  const std::int64_t row = c.rank / kSide + down;
  const std::int64_t column = c.rank % kSide + down;
  if (column >= 0 && column < kSide) c.send(c.rank + down, 3);
  if (row >= 0 && row < kSide) c.send(c.rank + down * kSide, 3);
}

void barrier(Caller& c) { c.call("MPI_Barrier", {{"comm", -1}}); }

std::vector<TrafficPart> parts_of(const Trace& trace) {
  return topology::parts_of(matrix::layers_of(trace), trace.run.ranks, {});
}

std::vector<std::string> titles(const std::vector<TrafficPart>& parts) {
  std::vector<std::string> result;
  for (const TrafficPart& part : parts) {
    const std::string direction = describe(part.direction);
    result.push_back(title(part.found) + (direction.empty() ? "" : ", " + direction));
  }
  return result;
}

// A grid in every step, a tree in every fourth, and a master to whom all report at the end.
void grid_tree_and_master(Caller& c) {
  for (int round = 0; round < 10; ++round) {
    for (int step = 0; step < 4; ++step) {
      c.site = 1;
      exchange_borders(c, 100);
    }
    c.site = 2;
    reduce(c);
    barrier(c);
  }
  c.site = 3;
  if (c.rank != 0) c.send(0, 50);
}

TEST(Parts, GridTreeAndMasterAreTakenApart) {
  const Trace trace = recorded(kSide * kSide, grid_tree_and_master);
  const auto parts = parts_of(trace);
  EXPECT_THAT(titles(parts), ElementsAre("4x4 grid", "binomial tree of 16 ranks, towards rank 0",
                                         "star of 16 ranks, towards rank 0"));
  EXPECT_EQ(parts[0].traffic, (Traffic{40 * 48, 40 * 48 * 800}));
  EXPECT_EQ(parts[1].traffic, (Traffic{10 * 15, 10 * 15 * 8}));
  EXPECT_EQ(parts[2].traffic, (Traffic{15, 15 * 400}));
  const auto matrix = matrix::matrix_of(trace);
  ASSERT_TRUE(matrix);
  TopologyOptions unfiltered;
  unfiltered.filter = FilterKind::kNone;
  EXPECT_EQ(title(recognize(matrix->matrix, unfiltered)), "irregular graph");
}

// Three pairs compute apart, and exchange what they have found from time to time.
TEST(Parts, PairsWhoseFirstRanksSeldomTalkAreNoTree) {
  const auto run = [](int rounds) {
    return titles(parts_of(recorded(6, [&](Caller& c) {
      c.site = 1;
      for (int i = 0; i < rounds; ++i) c.send(c.rank ^ 1, 100);
      c.site = 2;
      if (c.rank % 2 == 0 && c.rank + 2 < c.ranks) c.send(c.rank + 2, 1);
    })));
  };
  EXPECT_THAT(run(50), ElementsAre("3 pairs", "chain of 3 ranks, pipeline from rank 0"));
  EXPECT_THAT(run(1), SizeIs(1)) << "as many messages by each edge";
}

// Whoever is last reports to the first rank, once: with one of the directions that is a chain.
TEST(Parts, ADirectionOfAGridAndAReportAreNoChain) {
  const auto parts = parts_of(recorded(4, [](Caller& c) {
    const auto send_across = [&](std::uint32_t site, bool is_there, std::int64_t rank) {
      c.site = site;
      if (is_there) c.send(rank, 60);
    };
    for (int i = 0; i < 50; ++i) {
      send_across(1, c.rank % 2 == 0, c.rank + 1);
      send_across(2, c.rank % 2 == 1, c.rank - 1);
      send_across(3, c.rank < 2, c.rank + 2);
      send_across(4, c.rank >= 2, c.rank - 2);
    }
    send_across(5, c.rank == 3, 0);
  }));
  ASSERT_THAT(parts, SizeIs(2));
  EXPECT_EQ(title(parts[0].found), "2x2 grid");
  EXPECT_EQ(parts[1].traffic, (Traffic{1, 480}));
}

// As many ranks as there is a power of two exchange in pairs, and then all hear from rank 0;
// together they would be recursive doubling.
TEST(Parts, AButterflyOfSomeRanksIsNoPartOfTheTreeOfAll) {
  for (const std::int64_t ranks : {5, 7, 12}) {
    const auto parts = parts_of(recorded(ranks, [](Caller& c) {
      std::int64_t core = 1;
      while (2 * core <= c.ranks) core *= 2;
      c.site = 1;
      for (std::int64_t bit = 1; bit < core && c.rank < core; bit *= 2) c.send(c.rank ^ bit, 8);
      c.site = 2;
      for (std::int64_t bit = 1; bit < c.ranks; bit *= 2)
        if (c.rank < bit && c.rank + bit < c.ranks) c.send(c.rank + bit, 16);
    }));
    ASSERT_THAT(parts, SizeIs(2)) << ranks;
    EXPECT_EQ(parts[0].found.silent_ranks, ranks == 12 ? 4 : ranks - 4);
    EXPECT_EQ(title(parts[1].found) + ", " + describe(parts[1].direction),
              "binomial tree of " + std::to_string(ranks) + " ranks, away from rank 0");
  }
}

// The first ranks, half as many each time, each time on a communicator of their own.
TEST(Parts, RingsOnOverlappingCommunicatorsAreApart) {
  const std::vector<std::int64_t> sizes = {13, 6, 3};
  Trace trace = recorded(13, [&](Caller& c) {
    c.site = 1;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      if (c.rank < sizes[i])
        c.send((c.rank + 1) % sizes[i], 8, kDouble, static_cast<std::int64_t>(i));
    }
  });
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    std::vector<std::int64_t> members(static_cast<std::size_t>(sizes[i]));
    std::iota(members.begin(), members.end(), 0);
    support::define_comm(trace, static_cast<std::int64_t>(i), std::move(members));
  }
  EXPECT_THAT(
      titles(parts_of(trace)),
      ElementsAre("ring of 13 ranks, shift", "ring of 6 ranks, shift", "ring of 3 ranks, shift"));
}

// On four ranks a ring and a butterfly together are all pairs, beside a star that stands apart.
TEST(Parts, AnAllToAllByChanceIsTakenApartBesideOtherPartsToo) {
  const auto parts = parts_of(recorded(4, [](Caller& c) {
    for (int step = 0; step < 9; ++step) {
      c.site = 1;
      c.send((c.rank + 1) % 4, 100);
      c.site = 2;
      for (const std::int64_t bit : {1, 2}) c.send(c.rank ^ bit, 1);
    }
    c.site = 3;
    for (std::int64_t to = 1; c.rank == 0 && to < 4; ++to) c.send(to, 5);
  }));
  EXPECT_THAT(titles(parts), ElementsAre("ring of 4 ranks, shift", "2x2 grid",
                                         "star of 4 ranks, away from rank 0"));
}

// Where one function sends all that there is to send, tags tell a token on a ring from the word
// that it is over.
TEST(Parts, PatternsOfOneCallSiteAreToldByTheirTags) {
  for (const std::int64_t ranks : {5, 6, 9}) {
    const auto parts = parts_of(recorded(ranks, [](Caller& c) {
      const auto send = [&](std::int64_t to, std::int64_t tag) {
        c.call("MPI_Send",
               {{"count", 5}, {"datatype", kDouble}, {"dest", to}, {"tag", tag}, {"comm", -1}});
      };
      c.site = 1;
      for (int round = 0; round < 3; ++round) send((c.rank + 1) % c.ranks, 9);
      for (std::int64_t to = 1; c.rank == 0 && to < c.ranks; ++to) send(to, 10);
    }));
    const std::string all = " of " + std::to_string(ranks) + " ranks";
    EXPECT_THAT(titles(parts),
                ElementsAre("ring" + all + ", shift", "star" + all + ", away from rank 0"));
  }
}

// A mesh in which the coarse blocks get less than the fine ones.
TEST(Parts, AMeshIsOnePartThoughNeighboursGetUnequallyMuch) {
  const std::vector<std::vector<std::int64_t>> neighbours = {
      {1, 2, 3}, {0, 4}, {0, 3}, {0, 2, 4}, {1, 3}};
  const auto parts = parts_of(recorded(5, [&](Caller& c) {
    for (int step = 0; step < 20; ++step) {
      c.site = 1;
      for (const std::int64_t to : neighbours[static_cast<std::size_t>(c.rank)])
        c.send(to, to >= 2 ? 50 : 100);
      c.site = 2;
      barrier(c);
    }
  }));
  EXPECT_THAT(parts, SizeIs(1)) << titles(parts)[0];
}

// A wall of bricks, two to a row: neighbours up to some place in their order form a tree or a
// butterfly, and those behind it a chain, by chance.
TEST(Parts, NeighboursOfOneStatementAreNotApartOnFewRanks) {
  using Neighbours = std::vector<std::vector<std::int64_t>>;
  for (const Neighbours& neighbours : {Neighbours{{1, 2}, {0, 3, 2}, {3, 1, 0, 4}, {2, 1}, {2}},
                                       Neighbours{{1, 2}, {2, 3, 0}, {3, 1, 4, 0}, {2, 1}, {2}},
                                       Neighbours{{1, 2}, {3, 0, 2}, {0, 4, 1, 3}, {2, 1}, {2}}}) {
    const auto parts = parts_of(recorded(5, [&](Caller& c) {
      for (int step = 0; step < 20; ++step) {
        c.site = 1;
        for (const std::int64_t to : neighbours[static_cast<std::size_t>(c.rank)]) c.send(to, 32);
        c.site = 2;
        barrier(c);
      }
    }));
    EXPECT_THAT(titles(parts), ElementsAre("irregular graph"));
  }
}

// Call stacks make several sites of one statement: these are no patterns on top of each other.
TEST(Parts, AnAllToAllStandsBesideARingThoughItIsCalledFromManyPlaces) {
  constexpr std::uint32_t kSites = 16;
  Trace trace = recorded(7, [](Caller& c) {
    for (int step = 0; step < 9; ++step) {
      c.site = 1;
      c.send((c.rank + 1) % 7, 5000);
      for (c.site = 2; c.site < kSites; ++c.site) {
        for (std::int64_t to = 0; to < 7; ++to) {
          if (to != c.rank) c.send(to, 10);
        }
      }
    }
  });
  trace.sites.resize(kSites);
  for (std::uint32_t site = 1; site < kSites; ++site)
    trace.sites[site] = {"app", site == 1 ? 16U : 32U, 0};
  EXPECT_THAT(titles(parts_of(trace)),
              ElementsAre("ring of 7 ranks, shift", "all-to-all of 7 ranks"));
}

// With the functions on the stack each level of a recursive cycle has call sites of its own, and
// what goes down and up is a tree.
TEST(Parts, LevelsOfACycleAreOnePartThoughEachIsCalledFromElsewhere) {
  for (const std::int64_t ranks : {7, 12}) {
    const auto parts = parts_of(recorded(ranks, [](Caller& c) {
      std::int64_t step = 1;
      for (c.site = 1; step < c.ranks; step *= 2, ++c.site) {
        if (c.rank % step != 0) continue;
        if (c.rank + step < c.ranks) c.send(c.rank + step, 64 / step);
        if (c.rank >= step) c.send(c.rank - step, 64 / step);
      }
      for (c.site = 5; step > 1; ++c.site) {
        step /= 2;
        if (c.rank % (2 * step) == 0 && c.rank + step < c.ranks) c.send(c.rank + step, 32);
      }
    }));
    ASSERT_THAT(parts, SizeIs(1)) << ranks;
    EXPECT_EQ(title(parts[0].found), std::to_string(ranks == 7 ? 3 : 4) +
                                         " multigrid levels on a chain of " +
                                         std::to_string(ranks) + " ranks");
  }
}

TEST(Parts, WhatHasANameAsAWholeIsOnePart) {
  const auto parts = parts_of(recorded(kSide * kSide, [](Caller& c) {
    exchange_borders(c, 7);
    barrier(c);
    for (int step = 0; step < 9; ++step) exchange_borders(c, 100);
  }));
  EXPECT_THAT(titles(parts), ElementsAre("4x4 grid"));
  EXPECT_THAT(parts[0].sweeps, IsEmpty());
}

TEST(Parts, SweepsOfAGridAreItsPartsToo) {
  const auto parts = parts_of(recorded(kSide * kSide, [](Caller& c) {
    for (int step = 0; step < 12; ++step) {
      for (int plane = 0; plane < 6; ++plane) sweep(c, 1);
      barrier(c);
      for (int plane = 0; plane < 6; ++plane) sweep(c, -1);
    }
  }));
  ASSERT_THAT(titles(parts), ElementsAre("4x4 grid"));
  EXPECT_THAT(titles(parts[0].sweeps),
              ElementsAre("4x4 grid, wavefront from rank 0", "4x4 grid, wavefront from rank 15"));
  EXPECT_EQ(parts[0].sweeps[0].traffic.messages, 12u * 6u * 24u);
}

// Call sites of a small program as everybody writes it: borders behind ifs, a barrier written by
// hand, and results for rank 0.
void halo_barrier_and_gather(Caller& c) {
  std::int64_t columns = 1;
  for (std::int64_t i = 2; i * i <= c.ranks; ++i) {
    if (c.ranks % i == 0) columns = i;
  }
  columns = c.ranks / columns;
  const std::int64_t x = c.rank % columns;
  for (int step = 0; step < 10; ++step) {
    c.site = 1;
    if (x > 0) c.send(c.rank - 1, 33);
    c.site = 2;
    if (x + 1 < columns) c.send(c.rank + 1, 33);
    c.site = 3;
    if (c.rank >= columns) c.send(c.rank - columns, 34);
    c.site = 4;
    if (c.rank + columns < c.ranks) c.send(c.rank + columns, 34);
    barrier(c);
  }
  c.site = 5;
  for (std::int64_t far = 1; far < c.ranks; far *= 2) c.send((c.rank + far) % c.ranks, 0);
  c.site = 6;
  if (c.rank != 0) c.send(0, 1000);
}

// On few ranks these three lie on top of each other as an all-to-all, or nearly one.
TEST(Parts, SmallProgramsAreTakenApartOnAnyNumberOfRanks) {
  for (const auto& [ranks, shape] : std::map<std::int64_t, std::string>{{4, "2x2 grid"},
                                                                        {5, "chain of 5 ranks"},
                                                                        {7, "chain of 7 ranks"},
                                                                        {8, "4x2 grid"},
                                                                        {9, "3x3 grid"},
                                                                        {12, "4x3 grid"},
                                                                        {16, "4x4 grid"}}) {
    const auto parts = parts_of(recorded(ranks, halo_barrier_and_gather));
    const std::string all = " of " + std::to_string(ranks) + " ranks";
    EXPECT_THAT(titles(parts),
                ElementsAre(shape, "dissemination" + all, "star" + all + ", towards rank 0"))
        << ranks << " ranks";
  }
}

TEST(Parts, LeadersOfNodesFormTheirRing) {
  const auto parts = parts_of(recorded(17, [](Caller& c) {
    for (int step = 0; step < 5; ++step) {
      c.site = 1;
      if ((c.rank ^ 1) < c.ranks) c.send(c.rank ^ 1, 50);
      c.site = 2;
      if (c.rank % 4 != 0) c.send(c.rank / 4 * 4, 10);
      c.site = 3;
      if (c.rank % 4 == 0) c.send(c.rank == 16 ? 0 : c.rank + 4, 10);
    }
  }));
  EXPECT_THAT(titles(parts), ElementsAre("8 pairs", "two-level hierarchy: 4 stars of 4 and one of "
                                                    "1, leaders in ring of 5 ranks"));
}

// Of one call site: a loop over all others is one statement, however it was written out.
TEST(Parts, OneStatementIsOnePart) {
  const auto parts = parts_of(recorded(12, [](Caller& c) {
    c.site = 1;
    for (std::int64_t far = 1; far < c.ranks; ++far) c.send((c.rank + far) % c.ranks, 8);
  }));
  EXPECT_THAT(titles(parts), ElementsAre("all-to-all of 12 ranks"));
}

TEST(Parts, TheWidestGapTellsHeavyFromLight) {
  const auto parts = [](std::vector<std::uint64_t> bytes) {
    std::vector<TrafficPart> result(bytes.size());
    for (std::size_t i = 0; i < bytes.size(); ++i) result[i].traffic = {1, bytes[i]};
    return result;
  };
  const auto weights = [&](std::vector<std::uint64_t> bytes) {
    const PartWeights w = weigh(parts(std::move(bytes)), WeightMeasure::kBytes);
    return std::pair{w.heavy, w.light};
  };
  using Both = std::pair<std::vector<std::size_t>, std::vector<std::size_t>>;
  EXPECT_EQ(weights({5, 1000, 6}), (Both{{1}, {2, 0}}));
  EXPECT_EQ(weights({700, 1000, 6}), (Both{{1, 0}, {2}}));
  EXPECT_EQ(weights({400, 1000}), (Both{{1, 0}, {}}));
  EXPECT_EQ(weights({0, 0}), (Both{{0, 1}, {}}));
}

// Cannon's algorithm on 4x4 ranks: rows and columns are turned by as many steps as their number,
// and then by one at a time.
Headline cannon(int steps) {
  const Trace trace = recorded(kSide * kSide, [&](Caller& c) {
    const std::int64_t row = c.rank / kSide;
    const std::int64_t column = c.rank % kSide;
    const auto turn = [&](std::int64_t along_row, std::int64_t along_column) {
      c.send(row * kSide + (column + kSide - along_row) % kSide, 100);
      c.send((row + kSide - along_column) % kSide * kSide + column, 100);
    };
    c.site = 1;
    turn(row, column);
    barrier(c);
    c.site = 2;
    for (int step = 0; step < steps; ++step) turn(1, 1);
  });
  const Graph all = Graph::from_matrix(matrix::matrix_of(trace)->matrix);
  return headline_of(all, recognize(all, {}), parts_of(trace), {});
}

TEST(Parts, WhatIsIrregularStandsAsideWhereTheRestCarriesTwiceAsMuch) {
  const Headline often = cannon(3);
  EXPECT_EQ(title(often.found), "4x4 torus");
  EXPECT_THAT(often.light, Not(IsEmpty()));
  const Headline once = cannon(1);
  EXPECT_NE(title(once.found), "4x4 torus");
  EXPECT_THAT(once.light, IsEmpty());
}

// Three servers, and a ring of as many clients as are left; each client asks one server and hears
// from it.
void servers_and_ring(Caller& c) {
  const std::int64_t servers = 3;
  const std::int64_t clients = c.ranks - servers;
  for (int step = 0; step < 10; ++step) {
    if (c.rank < servers) {
      c.site = 1;
      for (std::int64_t to = servers + c.rank; to < c.ranks; to += servers) c.send(to, 20);
      continue;
    }
    const std::int64_t client = c.rank - servers;
    c.site = 2;
    c.send(servers + (client + 1) % clients, 30);
    c.site = 3;
    c.send(servers + (client + clients - 1) % clients, 30);
    c.site = 4;
    c.send(client % servers, 20);
  }
}

TEST(Parts, WhatOneProgramSendsAndAnotherAnswersIsOnePart) {
  for (const std::int64_t ranks : {11, 13}) {
    const Trace trace = recorded(ranks, servers_and_ring);
    const auto parts = parts_of(trace);
    const std::string stars = fmt::format("3 stars of {} to {} ranks", ranks / 3, ranks / 3 + 1);
    const std::string ring = fmt::format("ring of {} ranks", ranks - 3);
    EXPECT_THAT(titles(parts), ElementsAre(stars, ring));
    const auto matrix = matrix::matrix_of(trace);
    const auto graph = Graph::from_matrix(matrix->matrix);
    EXPECT_THAT(headline_of(graph, recognize(graph, {}), parts, {}).mixture, SizeIs(2));
  }
}

// As where a lock of a rank's own window is taken.
TEST(Parts, WhatRanksSendToThemselvesIsInNoName) {
  const Trace trace = recorded(7, [](Caller& c) {
    for (int step = 0; step < 10; ++step) {
      c.site = 1;
      if (c.rank > 0) c.send(c.rank - 1, 4);
      if (c.rank + 1 < c.ranks) c.send(c.rank + 1, 4);
    }
    barrier(c);
    c.site = 2;
    for (int i = 0; i < 3; ++i) c.send(c.rank, 4);
    barrier(c);
    c.site = 3;
    for (int i = 0; i < 3; ++i)
      if (c.rank != 0) c.send(0, 4);
  });
  const auto parts = parts_of(trace);
  const auto is_to_self = [&](std::size_t i) {
    return parts[i].found.topology.kind == TopologyKind::kEmpty;
  };
  EXPECT_THAT(titles(parts), Contains(HasSubstr("chain of 7 ranks")));
  EXPECT_TRUE(std::any_of(parts.begin(), parts.end(), [](const TrafficPart& part) {
    return part.found.topology.kind == TopologyKind::kEmpty;
  }));
  const Graph graph = Graph::from_matrix(matrix::matrix_of(trace)->matrix);
  const Headline headline = headline_of(graph, recognize(graph, {}), parts, {});
  EXPECT_TRUE(std::none_of(headline.mixture.begin(), headline.mixture.end(), is_to_self));
  EXPECT_TRUE(std::none_of(headline.light.begin(), headline.light.end(), is_to_self));
}

TEST(Parts, WithoutMessagesThereAreNone) { EXPECT_THAT(parts_of(recorded(4, barrier)), IsEmpty()); }

TEST(Groups, MarkedPhasesNameTheirTraffic) {
  const Trace trace = recorded(kSide * kSide, [](Caller& c) {
    for (int step = 0; step < 5; ++step) {
      c.phase("exchange", true);
      exchange_borders(c, 100);
      c.phase("exchange", false);
      c.phase("norm", true);
      reduce(c);
      barrier(c);
      c.phase("norm", false);
    }
    if (c.rank != 0) c.send(0, 50);
  });
  ASSERT_TRUE(has_phases(trace));
  const auto layered = matrix::layers_of(trace);
  std::vector<std::string> lines;
  for (const LayerGroup& group : groups_of(trace, layered, Grouping::kPhase)) {
    const auto part = part_of_layers(layered, group.layers, trace.run.ranks, {});
    lines.push_back(group.name + ": " + title(part.found));
  }
  EXPECT_THAT(lines, ElementsAre("exchange: 4x4 grid", "norm: binomial tree of 16 ranks",
                                 ": star of 16 ranks"));
}

// Rows and columns of 2x3 ranks, numbered row by row.
Trace rows_and_columns(bool counts_from_below = false) {
  Trace trace = recorded(6, [](Caller& c) {
    c.send((c.rank % 3 + 1) % 3, 1, kDouble, 0);
    c.send(1 - c.rank / 3, 1, kDouble, 1);
    c.call("MPI_Bcast", {{"comm", 1}, {"count", 2}, {"datatype", kDouble}, {"root", 0}});
  });
  support::define_comm(trace, 0, {0, 1, 2});
  support::define_comm(trace, 0, {3, 4, 5});
  for (std::int64_t column = 0; column < 3; ++column) {
    const std::int64_t first = counts_from_below ? column + 3 : column;
    support::define_comm(trace, 1, {first, 2 * column + 3 - first});
  }
  return trace;
}

TEST(Groups, CommunicatorsMadeByOneCallAreAFamily) {
  const Trace trace = rows_and_columns();
  const auto layered = matrix::layers_of(trace);
  const auto groups = groups_of(trace, layered, Grouping::kCommunicator);
  ASSERT_THAT(groups, SizeIs(2));
  EXPECT_EQ(title(part_of_layers(layered, groups[0].layers, 6, {}).found),
            "2 copies of ring of 3 ranks");
  EXPECT_EQ(title(part_of_layers(layered, groups[1].layers, 6, {}).found), "3 pairs");
  EXPECT_THAT(groups[0].collectives, IsEmpty());
  EXPECT_THAT(groups[1].collectives, SizeIs(3));
}

TEST(Groups, FamiliesThatCrossAreRowsAndColumns) {
  for (const bool counts_from_below : {false, true}) {
    const auto crossed = crossed_families(rows_and_columns(counts_from_below));
    ASSERT_THAT(crossed, SizeIs(1));
    EXPECT_EQ(crossed[0].rows, 0);
    EXPECT_EQ(crossed[0].columns, 1);
    EXPECT_EQ(crossed[0].row_count, 2);
    EXPECT_EQ(crossed[0].column_count, 3);
  }
}

TEST(Groups, FamiliesOfTheSameRanksMakeOneGrid) {
  Trace trace = rows_and_columns();
  support::define_comm(trace, 7, {0, 1, 2}); // as MPI_Comm_dup makes them
  support::define_comm(trace, 7, {3, 4, 5});
  const auto crossed = crossed_families(trace);
  ASSERT_THAT(crossed, SizeIs(2));
  EXPECT_EQ(crossed[0].columns, crossed[1].columns);
  EXPECT_NE(crossed[0].rows, crossed[1].rows);
  EXPECT_EQ(crossed[0].grid, crossed[1].grid);
}

TEST(Groups, FamiliesThatMeetInTwoRanksAreNot) {
  Trace trace = rows_and_columns();
  trace.comms.back().members = trace::ranges_of({2, 4});
  EXPECT_THAT(crossed_families(trace), IsEmpty());
}

TEST(Groups, AGridOfTheProgramGivesItsName) {
  Trace trace = recorded(12, [](Caller& c) {
    c.call("MPI_Cart_create", {{"comm_old", -1},
                               {"dims", c.array({3, 1, 4})},
                               {"periods", c.array({0, 0, 1})},
                               {"reorder", 0},
                               {"comm_cart", 0}});
    c.send(c.rank / 4 * 4 + (c.rank + 1) % 4, 1);
    if (c.rank + 4 < 12) c.send(c.rank + 4, 1);
  });
  support::define_comm(trace, 0, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  TopologyOptions options;
  options.suggested = cartesian_grids(trace);
  ASSERT_THAT(options.suggested, SizeIs(1));
  EXPECT_THAT(options.suggested[0].dimensions,
              ElementsAre(Dimension{3, false}, Dimension{4, true}));
  const Recognition found = recognize(matrix::matrix_of(trace)->matrix, options);
  EXPECT_EQ(title(found), "3x4 grid, periodic in dimension 2");
  EXPECT_EQ(describe(found.numbering), "row-major in 3x4");
}

} // namespace
} // namespace rondo::topology
