// SPDX-License-Identifier: Apache-2.0
// What a reader of the text takes for a rank is one, and what is said at a place holds there.
#include "rondo/logical/accuracy.hpp"
#include "rondo/logical/logical_text.hpp"
#include "rondo/trace/program_text.hpp"
#include "tests/support/recorded.hpp"
#include "tests/support/shuffled.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace rondo::logical {
namespace {

using support::Caller;

std::string checked_text(const trace::Trace& trace) {
  const LogicalText text = text_of(logicalize(trace), nullptr);
  const std::string written = logical_text(text, {.times = false});
  const auto again = parse_logical_text(written, "text");
  EXPECT_TRUE(again) << (again ? "" : again.error().text());
  return written;
}

void send_and_receive(Caller& s, std::int64_t to, std::int64_t from, std::int64_t count) {
  s.send(to, count);
  s.receive(from, count);
}

std::string text_by_numbers(const trace::Trace& trace) {
  LogicalizeOptions options;
  options.by_rank_numbers = true;
  return logical_text(text_of(logicalize(trace, options), nullptr), {.times = false});
}

// To the left first, as many programs are written, in rows of four or of three.
TEST(RanksInText, TheNextRankIsEastAndTheNextRowSouth) {
  for (const std::int64_t columns : {4, 3}) {
    const std::string text = text_by_numbers(support::recorded(12, [&](Caller& s) {
      const std::int64_t column = s.rank % columns;
      const auto send = [&](std::uint32_t site, bool is_there, std::int64_t to) {
        s.site = site;
        if (is_there) s.send(to, site);
      };
      send(1, column > 0, s.rank - 1);
      send(2, column < columns - 1, s.rank + 1);
      send(3, s.rank >= columns, s.rank - columns);
      send(4, s.rank + columns < s.ranks, s.rank + columns);
    }));
    EXPECT_NE(text.find("on 4x3 grid: "), std::string::npos) << text;
    for (const char* line : {"send west 1 ", "send east 2 ", "send north 3 ", "send south 4 "})
      EXPECT_NE(text.find(line), std::string::npos) << text;
  }
}

// Beside an exchange on a square, which is a grid of 2x2.
TEST(RanksInText, FourRanksThatSendAroundAreARing) {
  const std::string text = text_by_numbers(support::recorded(4, [](Caller& s) {
    const auto exchange = [&](std::uint32_t site, std::int64_t to, std::int64_t from) {
      s.site = site;
      send_and_receive(s, to, from, site);
    };
    for (int i = 0; i < 20; ++i) {
      exchange(1, (s.rank + 1) % 4, (s.rank + 3) % 4);
      exchange(2, s.rank ^ 1, s.rank ^ 1);
      exchange(3, s.rank ^ 2, s.rank ^ 2);
    }
  }));
  EXPECT_NE(text.find("on ring of 4 ranks: west, east\n"), std::string::npos) << text;
  EXPECT_NE(text.find("    send east 1 double  tag 0\n    recv west 1 double  tag 0\n"),
            std::string::npos)
      << text;
}

// Nine ranks that all talk to each other are a torus with corners, too, in which each would go
// other ways one after the other.
TEST(RanksInText, TurnsOfAnAllToAllAreDistances) {
  const std::string text = text_by_numbers(support::recorded(9, [](Caller& s) {
    for (std::int64_t step = 1; step < 9; ++step) {
      s.site = 1;
      s.send((s.rank + step) % 9, 64);
      s.site = 2;
      s.receive((s.rank + 9 - step) % 9, 64);
    }
  }));
  EXPECT_NE(text.find("on all-to-all of 9 ranks: +1, +2, +3, +4, -1, "), std::string::npos) << text;
}

// The lower of two ranks sends first: one statement of the source for as many ranks as there are
// above, and one for those below.
TEST(RanksInText, MeetingsInTheOrderOfRanksAreALoopBeforeAndBehindOnesOwnTurn) {
  const trace::Trace trace = support::recorded(7, [](Caller& s) {
    for (std::int64_t other = 0; other < s.ranks; ++other) {
      if (other == s.rank) continue;
      for (const bool sends : {s.rank<other, s.rank> other}) {
        s.site = 1 + (sends ? 1 : 0) + (s.rank < other ? 2 : 0);
        if (sends) s.send(other, 64);
        if (!sends) s.receive(other, 64);
      }
    }
  });
  const std::string text =
      logical_text(text_of(logicalize_for_text(trace), nullptr), {.times = false});
  const std::size_t below = text.find("    loop rank:\n      recv ");
  const std::size_t above = text.find("    loop 6 - rank:\n      send ");
  ASSERT_NE(below, std::string::npos) << text;
  ASSERT_NE(above, std::string::npos) << text;
  EXPECT_GT(above, below) << text;
}

// Twelve ranks tell all others what they found, among them four that say nothing.
TEST(RanksInText, WhoOnlyHearsOfAnAllToAllIsNoPartOfIt) {
  const std::string text = text_by_numbers(support::recorded(16, [](Caller& s) {
    for (std::int64_t from = 0; from < 12; ++from) {
      s.site = 1;
      for (std::int64_t to = 0; from == s.rank && to < s.ranks; ++to)
        if (to != s.rank) s.send(to, 1);
      s.site = 2;
      if (from != s.rank) s.receive(from, 1);
    }
  }));
  EXPECT_TRUE(parse_logical_text(text, "text")) << text;
}

// Particles move on around a ring while borders are exchanged along a chain: the former are few
// bytes, and a part of the calls.
TEST(RanksInText, SmallMessagesThatCloseAChainFollowTheRing) {
  const std::string text = text_by_numbers(support::recorded(5, [](Caller& s) {
    const std::int64_t east = (s.rank + 1) % 5;
    const std::int64_t west = (s.rank + 4) % 5;
    for (int i = 0; i < 40; ++i) {
      s.site = 1;
      if (s.rank > 0) s.send(west, 1000);
      s.site = 2;
      if (s.rank < 4) s.receive(east, 1000);
      s.site = 3;
      if (s.rank < 4) s.send(east, 1000);
      s.site = 4;
      if (s.rank > 0) s.receive(west, 1000);
      if (i % 5 != 0) continue;
      s.site = 5;
      s.send(east, 1);
      s.site = 6;
      s.receive(west, 1);
    }
  }));
  EXPECT_NE(text.find("  on chain of 5 ranks: west, east\n  on ring of 5 ranks: west, east\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("off topology: 0 of "), std::string::npos) << text;
}

TEST(RanksInText, ThreadsOfTheSameRanksAreToldApartByTheirNumbersOnly) {
  const trace::Trace trace = support::recorded_threads(3, 2, [](Caller& s, std::uint32_t thread) {
    const std::int64_t centre = 0;
    for (int i = 0; i < 5; ++i) {
      s.site = 2 * thread;
      if (s.rank != centre) s.send(centre, 1 + thread);
      s.site = 2 * thread + 1;
      s.call("MPI_Barrier", {{"comm", support::kWorld}});
    }
  });
  const std::string text = checked_text(trace);
  EXPECT_NE(text.find("\nranks 0-2, thread 0:\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\nranks 0-2, thread 1:\n"), std::string::npos) << text;
}

// One message up the chain before the many that go down it.
TEST(RanksInText, AStrayMessageDoesNotSayWhichWayIsEast) {
  const trace::Trace trace = support::recorded(7, [](Caller& s) {
    s.site = 1;
    if (s.rank == 1 || s.rank == 3) s.send(s.rank - 1, 1);
    for (int i = 0; i < 20; ++i) {
      s.site = 2;
      if (s.rank + 1 < s.ranks) s.send(s.rank + 1, 9);
    }
  });
  EXPECT_NE(checked_text(trace).find("send east 9 "), std::string::npos) << checked_text(trace);
}

// Only the root says how many processes it wants: no rank has a number that means nothing.
TEST(RanksInText, WhatMpiDoesNotReadOnARankIsNotPrinted) {
  const trace::Trace trace = support::recorded(3, [](Caller& s) {
    const std::int64_t wanted = s.rank == 1 ? 2 : trace::kNothing;
    s.call("MPI_Comm_spawn",
           {{"maxprocs", wanted}, {"root", 1}, {"comm", support::kWorld}, {"intercomm", 0}});
  });
  const std::string text = trace::merged_text(trace, 0, {.times = false});
  EXPECT_NE(text.find("maxprocs=2,"), std::string::npos) << text;
  EXPECT_EQ(text.find("92233"), std::string::npos) << text;
}

// As in an elimination whose rows are dealt out; ranks that do the same are played once for all.
TEST(RanksInText, RootsThatGoAroundAreTheSameOnAllRanks) {
  const trace::Trace trace = support::recorded(5, [](Caller& s) {
    for (int i = 0; i < 40; ++i)
      s.call("MPI_Bcast", {{"count", 41 - i},
                           {"datatype", support::kDouble},
                           {"root", i % 5},
                           {"comm", support::kWorld}});
    for (std::int64_t rank = 1; rank < s.ranks; ++rank) {
      if (s.rank == rank) s.send(0, 100);
      if (s.rank == 0)
        s.call("MPI_Recv", {{"count", 100},
                            {"datatype", support::kDouble},
                            {"source", rank},
                            {"tag", 0},
                            {"comm", support::kWorld}});
    }
  });
  EXPECT_NE(trace::merged_text(trace, 0, {.times = false}).find("root=<0..4>"), std::string::npos)
      << trace::merged_text(trace, 0, {.times = false});
  EXPECT_NE(checked_text(trace).find("bcast 2..41 double  root 0..4\n"), std::string::npos)
      << checked_text(trace);
}

// A torus of 4x4, and then a bcast and a call of the rank after that.
trace::Trace torus_with_root() {
  return support::recorded(16, [](Caller& s) {
    for (int i = 0; i < 20; ++i) {
      s.site = 1;
      const std::int64_t row = s.rank / 4 * 4;
      send_and_receive(s, row + (s.rank + 1) % 4, row + (s.rank + 3) % 4, 5);
      s.site = 2;
      send_and_receive(s, (s.rank + 4) % 16, (s.rank + 12) % 16, 6);
    }
    s.site = 3;
    s.call("MPI_Bcast", {{"count", 1}, {"root", 0}, {"comm", support::kWorld}});
    s.site = 4;
    if (s.rank == 0) s.call("MPI_Barrier", {{"comm", support::kSelf}});
  });
}

// On a torus; also where it is kept from whom messages came.
TEST(RanksInText, RanksThatDoTheSameArePlayedOnceWithStatuses) {
  const trace::Trace trace = support::recorded(16, [](Caller& s) {
    for (int i = 0; i < 20; ++i) {
      const std::int64_t row = s.rank / 4 * 4;
      send_and_receive(s, row + (s.rank + 1) % 4, row + (s.rank + 3) % 4, 5);
      send_and_receive(s, (s.rank + 4) % 16, (s.rank + 12) % 16, 6);
    }
  });
  LogicalizeOptions options;
  std::size_t played = 0;
  options.progress = [&](std::uint64_t, std::uint64_t) { ++played; };
  const auto text = [&] { return logical_text(text_of(logicalize(trace, options), nullptr)); };
  const std::string each = text();
  EXPECT_EQ(played, 16U);
  played = 0;
  options.plays_alike_once = true;
  EXPECT_EQ(text(), each);
  EXPECT_EQ(played, 1U);
}

TEST(LogicalText, SaysTheRanksThatTheProgramHad) {
  const trace::Trace trace = torus_with_root();
  for (const std::int64_t step : {1, 3, 7}) {
    std::vector<std::int64_t> numbers(16);
    for (std::int64_t rank = 0; rank < 16; ++rank)
      numbers[static_cast<std::size_t>(rank)] = (5 + step * rank) % 16;
    const std::string text = checked_text(support::shuffled(trace, numbers));
    EXPECT_NE(text.find("root 5\n"), std::string::npos) << text;
    EXPECT_NE(text.find("\n  rank 5:\n"), std::string::npos) << text;
  }
}

TEST(LogicalText, WritesColoursAndKeysAsFormulas) {
  const std::string text = checked_text(support::recorded(16, [](Caller& s) {
    s.call("MPI_Comm_split", {{"comm", support::kWorld},
                              {"color", s.rank / 4},
                              {"key", s.rank % 4 * 4 + s.rank / 4},
                              {"newcomm", 0}});
  }));
  EXPECT_NE(text.find("comm_split color=rank / 4 key=rank % 4 * 4 + rank / 4  makes split#1"),
            std::string::npos)
      << text;
}

// Rank 3 of the second half is rank 7 of the run.
TEST(LogicalText, SaysWhoseRankARootIs) {
  trace::Trace trace = support::recorded(8, [](Caller& s) {
    s.call("MPI_Comm_split",
           {{"comm", support::kWorld}, {"color", s.rank / 4}, {"key", 0}, {"newcomm", 0}});
    s.builder.set_position(0, s.rank % 4, 4);
    s.call("MPI_Bcast", {{"count", 1}, {"root", 3}, {"comm", 0}});
    s.call("MPI_Bcast", {{"count", 1}, {"root", 3}, {"comm", support::kWorld}});
  });
  support::define_comm(trace, 0, {0, 1, 2, 3});
  support::define_comm(trace, 0, {4, 5, 6, 7});
  const std::string text = checked_text(trace);
  EXPECT_NE(text.find("root 3 of split#1\n"), std::string::npos) << text;
  EXPECT_NE(text.find("root 3\n"), std::string::npos) << text;
}

std::string short_text_of(const trace::Trace& trace) {
  return logical_text(text_of(logicalize_for_text(trace), nullptr), {.times = false});
}

// Each rank goes round once for each side on which it has a neighbour, in an order of its own.
TEST(LogicalText, LoopsOverTheNeighboursOfAGridSaySo) {
  constexpr int kColumns = 3;
  constexpr int kRows = 2;
  const trace::Trace trace = support::recorded(kColumns * kRows, [&](Caller& s) {
    const auto x = s.rank % kColumns;
    std::vector<std::int64_t> partners;
    if (s.rank >= kColumns) partners.push_back(s.rank - kColumns);
    if (x > 0) partners.push_back(s.rank - 1);
    if (x + 1 < kColumns) partners.push_back(s.rank + 1);
    if (s.rank < kColumns) partners.push_back(s.rank + kColumns);
    if (s.rank % 2 == 1) std::reverse(partners.begin(), partners.end());
    for (int step = 0; step < 20; ++step) {
      for (const std::int64_t partner : partners) {
        s.site = 1;
        s.send(partner, x + 2);
      }
      for (const std::int64_t partner : partners) {
        s.site = 2;
        s.receive(partner, partner % kColumns + 2);
      }
    }
  });
  const std::string text = short_text_of(trace);
  EXPECT_NE(text.find("3x2 grid"), std::string::npos) << text;
  EXPECT_NE(text.find("    loop neighbours:\n      send "), std::string::npos) << text;
  EXPECT_NE(text.find("    loop neighbours:\n      recv "), std::string::npos) << text;
  EXPECT_EQ(text.find(" if "), std::string::npos) << text;
  EXPECT_TRUE(parse_logical_text(text, "text"));
}

// The parts of an unstructured mesh: whom each is with, only a list could say.
// A cube of blocks that sums up at the nodes that blocks share, and waits one by one.
TEST(LogicalText, MoreDirectionsThanAListHasRoomForAreNeighbours) {
  constexpr std::int64_t kSide = 3;
  const trace::Trace trace = support::recorded(kSide * kSide * kSide, [&](Caller& s) {
    const auto at = [&](std::int64_t rank, std::int64_t stride) { return rank / stride % kSide; };
    std::vector<std::int64_t> partners;
    std::vector<std::int64_t> counts;
    for (std::int64_t other = 0; other < s.ranks; ++other) {
      std::int64_t count = 64;
      bool is_near = other != s.rank;
      for (const std::int64_t stride : {1, 3, 9}) {
        const std::int64_t distance = std::abs(at(other, stride) - at(s.rank, stride));
        is_near = is_near && distance < 2;
        if (distance > 0) count /= 4;
      }
      if (!is_near) continue;
      partners.push_back(other);
      counts.push_back(count);
    }
    for (const std::int64_t fields : {3, 6}) {
      for (std::size_t i = 0; i < partners.size(); ++i) {
        s.site = 1;
        s.send(partners[i], fields * counts[i]);
      }
      for (std::size_t i = 0; i < partners.size(); ++i) {
        s.site = 2;
        s.receive(partners[i], fields * counts[i]);
      }
      for (std::size_t i = 0; i < partners.size(); ++i) {
        s.site = 3;
        s.call("MPI_Wait", {});
      }
    }
  });
  const std::string text = short_text_of(trace);
  EXPECT_NE(text.find("loop neighbours:\n      send neighbour "), std::string::npos) << text;
  EXPECT_NE(text.find("loop neighbours:\n      recv neighbour "), std::string::npos) << text;
  EXPECT_NE(text.find("loop neighbours:\n      wait\n"), std::string::npos) << text;
  EXPECT_EQ(text.find(" if "), std::string::npos) << text;
  EXPECT_TRUE(parse_logical_text(text, "text"));
}

TEST(LogicalText, PartsOfAMeshHaveNeighbours) {
  const std::vector<std::pair<int, int>> edges = {
      {0, 1}, {0, 2},  {0, 4}, {0, 7}, {1, 2}, {1, 9}, {2, 3},  {2, 8},  {3, 5},  {3, 11},
      {4, 6}, {4, 10}, {5, 6}, {5, 9}, {6, 8}, {7, 8}, {7, 11}, {9, 10}, {10, 11}};
  const trace::Trace trace = support::recorded(12, [&](Caller& s) {
    std::vector<std::int64_t> partners;
    for (const auto& [a, b] : edges) {
      if (a == s.rank || b == s.rank) partners.push_back(a == s.rank ? b : a);
    }
    for (int step = 0; step < 20; ++step) {
      for (const std::int64_t partner : partners) {
        s.site = 1;
        s.send(partner, 10 + s.rank + partner);
      }
      for (const std::int64_t partner : partners) {
        s.site = 2;
        s.receive(partner, 10 + s.rank + partner);
      }
      s.site = 3;
      s.call("MPI_Barrier", {{"comm", support::kWorld}});
    }
  });
  const std::string text = short_text_of(trace);
  EXPECT_NE(text.find("on irregular graph of 12 ranks: neighbour 0..3\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("    loop neighbours:\n      send neighbour 11..31 double"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("    loop neighbours:\n      recv neighbour 11..31 double"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("# off topology: 0 of "), std::string::npos) << text;
  EXPECT_TRUE(parse_logical_text(text, "text"));
}

// Few distances, of which no edge is missing, say more than neighbours, and fewer partners than a
// mesh has are enough where all go round a list of them.
TEST(LogicalText, BandsAndSmallMeshesHaveNeighboursToo) {
  const auto text_of = [](int ranks, auto are_neighbours) {
    return short_text_of(support::recorded(ranks, [&](Caller& s) {
      for (int step = 0; step < 20; ++step) {
        for (int other = 0; other < s.ranks; ++other) {
          if (!are_neighbours(std::min<int>(s.rank, other), std::max<int>(s.rank, other))) continue;
          s.site = 1;
          s.send(other, 8);
        }
        for (int other = 0; other < s.ranks; ++other) {
          if (!are_neighbours(std::min<int>(s.rank, other), std::max<int>(s.rank, other))) continue;
          s.site = 2;
          s.receive(other, 8);
        }
      }
    }));
  };
  const std::string band = text_of(12, [](int a, int b) { return b == a + 1 || b == a + 3; });
  EXPECT_NE(band.find("on band of 12 ranks with steps 1 and 3: +1, +3, -1, -3\n"),
            std::string::npos)
      << band;
  EXPECT_NE(band.find("loop neighbours:\n      send neighbour 8 double"), std::string::npos)
      << band;
  const std::string mesh =
      text_of(9, [](int a, int b) { return a != b && (a * b % 5 == 1 || b == a + 1); });
  EXPECT_NE(mesh.find("on irregular graph of 9 ranks: neighbour 0..2\n"), std::string::npos)
      << mesh;
  const std::string few = // distances 1 and 2, but two pairs alone are at the latter
      text_of(7, [](int a, int b) { return a * b % 7 == 1 || b == a + 1; });
  EXPECT_NE(few.find("on irregular graph of 7 ranks: neighbour 0..2\n"), std::string::npos) << few;
  for (const std::string& text : {band, mesh, few})
    EXPECT_NE(text.find("# off topology: 0 of "), std::string::npos) << text;
}

// Each time all ranks send as far round, as by a shift that is drawn anew each time.
TEST(LogicalText, ShiftsByManyDistancesAreSteps) {
  const std::string text = short_text_of(support::recorded(13, [](Caller& s) {
    for (const std::int64_t shift : {10, 2, 2, 6, 5}) {
      s.site = 1;
      s.send((s.rank + shift) % s.ranks, 8);
      s.site = 2;
      s.receive((s.rank - shift + s.ranks) % s.ranks, 8);
    }
  }));
  EXPECT_NE(text.find("on ring of 13 ranks with steps 2, 3, 5 and 6: +2, +3, +5, +6, -2, -3, -5, "
                      "-6\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("send -3, +2, +2, +6, +5 8 double"), std::string::npos) << text;
  EXPECT_NE(text.find("# off topology: 0 of "), std::string::npos) << text;
}

// Ranks that have fewer children than others send to these at the same statement.
TEST(LogicalText, ToChildrenThatNotAllHaveIsOneList) {
  for (const int ranks : {5, 9, 13}) {
    const std::string text = short_text_of(support::recorded(ranks, [](Caller& s) {
      for (int step = 0; step < 5; ++step) {
        s.site = 1;
        if (s.rank > 0) s.receive((s.rank - 1) / 3, 8);
        s.site = 2;
        for (std::int64_t child = 3 * s.rank + 1; child <= 3 * s.rank + 3; ++child)
          if (child < s.ranks) s.send(child, 8);
      }
    }));
    EXPECT_NE(text.find("    loop 3:\n      send child 0, child 1, child 2 8 double"),
              std::string::npos)
        << text;
  }
}

// What a rank does with itself breaks no loop of what all do.
void calls_alone(Caller& s) {
  for (int i = 0; i < 6; ++i) {
    s.site = 1;
    s.call("MPI_Barrier", {{"comm", support::kWorld}});
    s.site = 2;
    for (int k = 0; k < i % 4; ++k) s.call("MPI_Barrier", {{"comm", support::kSelf}});
    s.site = 3;
    s.call("MPI_Op_create", {{"commute", 1}, {"op", i}});
  }
}

TEST(LogicalText, LeavesOutOfSightWhatARankDoesAlone) {
  const std::string text = short_text_of(support::recorded(4, calls_alone));
  EXPECT_EQ(text, "program   # 4 ranks, 2 records\n"
                  "  loop 6:\n"
                  "    barrier\n"
                  "# left out of sight: local calls, 28 barrier on one rank, 24 op_create\n"
                  "# off topology: no point-to-point calls\n");
}

TEST(LogicalText, OfASingleRankIsAllThatItDoes) {
  const std::string text = short_text_of(support::recorded(1, calls_alone));
  EXPECT_NE(text.find("barrier  on comm_self"), std::string::npos) << text;
}

// A communicator of one rank for some is part of what the others do.
TEST(LogicalText, ShowsWhatOnlySomeRanksDoAlone) {
  trace::Trace trace = support::recorded(3, [](Caller& s) {
    s.call("MPI_Comm_split",
           {{"comm", support::kWorld}, {"color", s.rank / 2}, {"key", 0}, {"newcomm", 0}});
    s.builder.set_position(0, s.rank % 2, s.rank < 2 ? 2 : 1);
    for (int i = 0; i < 5; ++i) s.call("MPI_Barrier", {{"comm", 0}});
  });
  support::define_comm(trace, 0, {0, 1});
  support::define_comm(trace, 0, {2});
  const std::string text = short_text_of(trace);
  EXPECT_NE(text.find("    barrier  on split#1\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("on one rank"), std::string::npos) << text;
}

TEST(LogicalText, LeavesLocalCallsOutOfSight) {
  const trace::Trace trace = support::recorded(4, [](Caller& s) {
    for (int i = 0; i < 3; ++i) {
      s.site = 1;
      s.call("MPI_Type_commit", {{"datatype", 0}});
      s.site = 2;
      s.call("MPI_Barrier", {{"comm", support::kWorld}});
    }
  });
  const std::string text = checked_text(trace);
  EXPECT_EQ(text.find("\n  type_commit"), std::string::npos) << text;
  EXPECT_NE(text.find("# left out of sight: local calls, 12 type_commit\n"), std::string::npos)
      << text;
  LogicalProgram all = logicalize(trace);
  all.shows_local = true;
  EXPECT_NE(logical_text(logical::text_of(all, nullptr), {}).find("type_commit"),
            std::string::npos);
}

// What is asked at irregular times would break the loop.
TEST(LogicalText, FoldsAsIfNobodyHadMadeLocalCalls) {
  const trace::Trace trace = support::recorded(4, [](Caller& s) {
    for (int i = 0; i < 60; ++i) {
      for (int asked = 0; asked < i * i % 7; ++asked) {
        s.site = 1;
        s.call("MPI_Type_commit", {{"datatype", 0}});
      }
      s.site = 2;
      s.call("MPI_Barrier", {{"comm", support::kWorld}});
      s.site = 3;
      s.send((s.rank + 1) % 4, 5);
    }
  });
  const LogicalProgram program = logicalize_for_text(trace);
  const LogicalText text = text_of(program, nullptr);
  EXPECT_EQ(text.records(), 3U) << logical_text(text, {.times = false});
  ASSERT_EQ(text.local.size(), 1U);
  EXPECT_EQ(text.local[0].name, "type_commit");
  ASSERT_EQ(program.sites.size(), 1U);
  for (const auto& sites : program.sites[0]) EXPECT_EQ(sites.size(), 1U);
  const LogicalText all = text_of(logicalize_for_text(trace, true, true), nullptr);
  EXPECT_GT(all.records(), 3U);
  EXPECT_TRUE(all.local.empty());
}

// How often a rank asked before its neighbour was there differs from rank to rank and each time;
// the poll that found something stays, and the site of each call is still its own.
TEST(LogicalText, PassesOverPollsThatFoundNothing) {
  constexpr std::int64_t kTimes = 60;
  const trace::Trace trace = support::recorded(4, [](Caller& s) {
    const auto test = [&](std::int64_t flag) {
      s.site = 2;
      s.call("MPI_Test", {{"request", trace::request_by_age(0)}, {"flag", flag}});
    };
    const std::int64_t left = (s.rank + 3) % 4;
    for (std::int64_t i = 0; i < kTimes; ++i) {
      s.site = 1;
      s.send((s.rank + 1) % 4, 5, support::kDouble, support::kWorld, "MPI_Isend");
      s.site = 3;
      for (std::int64_t asked = 0; asked < i * (s.rank + 2) % 5; ++asked)
        s.call("MPI_Iprobe",
               {{"source", left}, {"tag", 0}, {"comm", support::kWorld}, {"flag", 0}});
      s.site = 4;
      s.call("MPI_Recv", {{"count", 5},
                          {"datatype", support::kDouble},
                          {"source", left},
                          {"tag", 0},
                          {"comm", support::kWorld}});
      for (std::int64_t asked = 0; asked < (i * i + s.rank) % 7; ++asked) test(0);
      test(1);
    }
  });
  std::uint64_t tests = 0;
  std::uint64_t probes = 0;
  for (std::int64_t rank = 0; rank < 4; ++rank) {
    for (std::int64_t i = 0; i < kTimes; ++i) {
      tests += static_cast<std::uint64_t>((i * i + rank) % 7);
      probes += static_cast<std::uint64_t>(i * (rank + 2) % 5);
    }
  }
  const LogicalProgram program = logicalize_for_text(trace);
  const LogicalText text = text_of(program, nullptr);
  const std::string written = logical_text(text, {.times = false});
  EXPECT_EQ(text.records(), 4U) << written; // a loop, and three calls
  EXPECT_NE(written.find("    test\n"), std::string::npos) << written;
  EXPECT_EQ(written.find("    iprobe"), std::string::npos) << written;
  EXPECT_TRUE(parse_logical_text(written, "text"));
  ASSERT_EQ(text.local.size(), 2U) << written;
  EXPECT_EQ(text.local[0].name, "test that found nothing");
  EXPECT_EQ(text.local[0].calls, tests);
  EXPECT_EQ(text.local[1].name, "iprobe that found nothing");
  EXPECT_EQ(text.local[1].calls, probes);
  ASSERT_EQ(program.sites.size(), 1U);
  for (const auto& sites : program.sites[0]) EXPECT_EQ(sites.size(), 1U);
  const OffTopology off = off_topology(trace, program);
  EXPECT_TRUE(
      std::none_of(off.left_out[0].begin(), off.left_out[0].end(), [](bool b) { return b; }));
  const LogicalText all = text_of(logicalize_for_text(trace, true, true), nullptr);
  EXPECT_NE(logical_text(all, {}).find("iprobe"), std::string::npos);
  EXPECT_TRUE(all.local.empty());
}

// As BLACS does: a datatype for each message.
TEST(LogicalText, SaysBytesWhereATypeIsMadeForEachMessage) {
  trace::Trace trace = support::recorded(4, [](Caller& s) {
    for (std::int64_t type = 0; type < 24; ++type) {
      s.site = 1;
      s.call("MPI_Type_contiguous",
             {{"count", 1 + type}, {"oldtype", support::kDouble}, {"newtype", type}});
      s.site = 2;
      s.call("MPI_Bcast",
             {{"count", 1}, {"datatype", type}, {"root", 0}, {"comm", support::kWorld}});
    }
  });
  for (std::int64_t type = 0; type < 24; ++type)
    trace.datatypes.push_back(
        {type, "", 8 * (1 + type), 8 * (1 + type), trace::RankSet::from_range({0, 1, 4})});
  const LogicalText text = text_of(logicalize_for_text(trace), nullptr);
  const std::string written = logical_text(text, {.times = false});
  EXPECT_NE(written.find("bcast 8..192 bytes of a type"), std::string::npos) << written;
  EXPECT_NE(written.find("local calls, 96 type_contiguous\n"), std::string::npos) << written;
  EXPECT_TRUE(parse_logical_text(written, "text"));
}

TEST(LogicalText, SaysAtEachPlaceWhatASharedColumnHasThere) {
  const std::string text = checked_text(support::recorded(8, [](Caller& s) {
    for (const std::int64_t first : {1, 101}) {
      s.site = 1;
      for (std::int64_t i = 0; i < 40; ++i)
        send_and_receive(s, (s.rank + 1) % 8, (s.rank + 7) % 8, first + i);
      s.site = 2;
      s.call(first == 1 ? "MPI_Barrier" : "MPI_Allreduce", {{"comm", support::kWorld}});
    }
  }));
  EXPECT_NE(text.find(" 1..40 double"), std::string::npos) << text;
  EXPECT_NE(text.find(" 101..140 double"), std::string::npos) << text;
  EXPECT_EQ(text.find(" 1..140 double"), std::string::npos) << text;
}

// A warm-up, and then the same again and again.
TEST(LogicalText, HasNoLoopThatGoesRoundOnce) {
  const std::string text = checked_text(support::recorded(8, [](Caller& s) {
    const auto step = [&] {
      for (std::uint32_t site = 1; site < 4; ++site) {
        s.site = site;
        send_and_receive(s, (s.rank + 1) % 8, (s.rank + 7) % 8, 9 * site);
      }
    };
    step();
    s.site = 5;
    s.call("MPI_Barrier", {{"comm", support::kWorld}});
    for (int i = 0; i < 50; ++i) step();
  }));
  EXPECT_NE(text.find("loop 50:"), std::string::npos) << text;
  EXPECT_EQ(text.find("loop 1:"), std::string::npos) << text;
}

// A compiler has made two of a loop's rounds into one. Its statements are joined as a loop, which
// what comes at the end shares.
TEST(LogicalText, HasNoLoopThatNeverGoesRound) {
  const trace::Trace trace = support::recorded(2, [](Caller& s) {
    const auto call = [&](std::uint32_t site, std::string_view name, std::int64_t root) {
      s.site = site;
      if (root < 0)
        s.call(name, {{"comm", support::kWorld}});
      else
        s.call(name, {{"count", 9}, {"root", root}, {"comm", support::kWorld}});
    };
    call(1, "MPI_Barrier", -1);
    for (int round = 1; round <= 13; ++round) {
      call(2, "MPI_Bcast", 0);
      for (int pair = 0; pair < 2; ++pair) {
        call(3, "MPI_Bcast", 1);
        call(4, "MPI_Bcast", 0);
        call(5, "MPI_Bcast", 1);
        call(6, "MPI_Bcast", 0);
      }
      call(3, "MPI_Bcast", 1);
      call(7, "MPI_Barrier", -1);
      call(8, "MPI_Allreduce", -1);
      call(9, "MPI_Barrier", -1);
      for (const std::uint32_t site : {10U, 11U})
        if (round < 13) call(site, "MPI_Reduce", 0);
    }
    for (const std::uint32_t site : {12U, 13U}) call(site, "MPI_Barrier", -1);
  });
  const std::string text =
      logical_text(text_of(logicalize_for_text(trace), nullptr), {.times = false});
  EXPECT_EQ(text.find("loop 0:"), std::string::npos) << text;
  EXPECT_NE(text.find("loop 13:"), std::string::npos) << text;
}

} // namespace
} // namespace rondo::logical
