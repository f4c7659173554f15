// SPDX-License-Identifier: Apache-2.0
// Messages of few ranks whose graph has a name but no coordinates: each has a direction.
#include "rondo/logical/logical_text.hpp"
#include "tests/support/recorded.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace rondo::logical {
namespace {

using support::Caller;

std::string text_by_directions(const trace::Trace& trace) {
  return logical_text(text_of(logicalize_for_text(trace), nullptr), {.times = false});
}

// Two readers send a block to each of four workers.
TEST(SmallGraphs, TwoSidesTalkToWhoIsOpposite) {
  const std::string text = text_by_directions(support::recorded(6, [](Caller& s) {
    for (int image = 0; image < 6; ++image) {
      s.site = 1;
      for (std::int64_t worker = 2; worker < 6 && s.rank < 2; ++worker) s.send(worker, 10);
      s.site = 2;
      for (std::int64_t reader = 0; reader < 2 && s.rank >= 2; ++reader) s.receive(reader, 10);
    }
  }));
  EXPECT_NE(text.find("  on complete bipartite 2+4: opposite 0..3\n"
                      "ranks 0-1, if on the first side:\n"
                      "  loop 24:\n"
                      "    send opposite 10 double  tag 0\n"
                      "ranks 2-5, if on the second side:\n"
                      "  loop 12:\n"
                      "    recv opposite 10 double  tag 0\n"
                      "# off topology: 0 of 96 "),
            std::string::npos)
      << text;
}

// A ring and who is half way round it say more.
TEST(SmallGraphs, TwoSidesAreNoneWhereCallSitesHaveTopologiesOfTheirOwn) {
  const std::string text = text_by_directions(support::recorded(6, [](Caller& s) {
    for (int step = 0; step < 6; ++step) {
      s.site = 1;
      s.send((s.rank + 1) % 6, 10);
      s.site = 2;
      s.receive((s.rank + 5) % 6, 10);
      s.site = 3;
      s.send((s.rank + 3) % 6, 20);
      s.site = 4;
      s.receive((s.rank + 3) % 6, 20);
    }
  }));
  EXPECT_NE(text.find("  on ring of 6 ranks: "), std::string::npos) << text;
  EXPECT_NE(text.find("  on 3 pairs: partner\n"), std::string::npos) << text;
}

// 2x3 ranks tell all neighbours how much comes, around as well, and have much for those beside
// them: `rondo topology` says 3x2 grid, and 2x3 torus with the light messages.
TEST(SmallGraphs, ATorusOfLightMessagesHasTheAxesOfItsGrid) {
  const std::string text = text_by_directions(support::recorded(6, [](Caller& s) {
    const std::int64_t row = s.rank / 3 * 3;
    const std::int64_t place = s.rank % 3;
    for (int step = 0; step < 50; ++step) {
      for (const std::int64_t way : {1, 2}) { // up, or down
        s.site = way == 1 ? 1 : 2;
        s.send(row + (place + way) % 3, 1);
        s.receive(row + (place + 3 - way) % 3, 1);
        s.site += 2;
        if (way == 1 ? place < 2 : place > 0) s.send(row + (place + way) % 3, 1000);
        if (way == 1 ? place > 0 : place < 2) s.receive(row + (place + 3 - way) % 3, 1000);
      }
      s.site = 5;
      s.send((s.rank + 3) % 6, 1000);
      s.receive((s.rank + 3) % 6, 1000);
    }
  }));
  EXPECT_NE(text.find("  on 3x2 torus: -x, +x, across y\n"), std::string::npos) << text;
}

// Nine ranks whose upper half sends to the lower one, (n + 1) / 2 of n are left each time. Numbered
// the other way round, the root is the last rank.
TEST(SmallGraphs, ATreeOfNoFamilyHasItsRootWhereAllMessagesGo) {
  for (const bool is_last : {false, true}) {
    const std::string text = text_by_directions(support::recorded(9, [&](Caller& s) {
      const auto numbered = [&](std::int64_t rank) { return is_last ? 8 - rank : rank; };
      const std::int64_t own = numbered(s.rank);
      for (std::int64_t left = 9; left > 1; left = (left + 1) / 2) {
        const std::int64_t half = (left + 1) / 2;
        s.site = 1;
        if (own >= half && own < left) s.send(numbered(own - half), 10);
        s.site = 2;
        if (own + half < left) s.receive(numbered(own + half), 10);
      }
    }));
    EXPECT_NE(text.find("  on tree of 9 ranks: parent, child 0..3\n"), std::string::npos) << text;
    EXPECT_NE(text.find("  send parent 10 double  tag 0\n# off topology: 0 of 16 "),
              std::string::npos)
        << text;
  }
}

// To the rank one, two or three further, as many ranks as there are: of seven it is called the
// same.
TEST(SmallGraphs, FewRanksInAChainOfSomeRadiusSayHowFar) {
  for (const int ranks : {6, 7}) {
    const std::string text = text_by_directions(support::recorded(ranks, [](Caller& s) {
      for (int repeat = 0; repeat < 5; ++repeat) {
        for (const std::int64_t step : {1, 3, 2}) {
          s.site = 1;
          if (s.rank + step < s.ranks) s.send(s.rank + step, 10);
          s.site = 2;
          if (s.rank >= step) s.receive(s.rank - step, 10);
        }
      }
    }));
    EXPECT_NE(text.find("  on radius-3 chain of " + std::to_string(ranks) +
                        " ranks: x-3, x-2, west, east, x+2, x+3\n"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("# off topology: 0 of "), std::string::npos) << text;
  }
}

// A mesh of five parts is a clique of three and a pair by chance.
TEST(SmallGraphs, CliquesWhoseLeadersTalkHaveNeighbours) {
  const std::string text = text_by_directions(support::recorded(5, [](Caller& s) {
    constexpr std::int64_t kEdges[][2] = {{0, 1}, {1, 2}, {2, 3}, {2, 4}, {3, 4}};
    const auto to_neighbours = [&](const auto& call) {
      for (const auto& edge : kEdges) {
        if (edge[0] == s.rank) call(edge[1]);
        if (edge[1] == s.rank) call(edge[0]);
      }
    };
    for (int step = 0; step < 10; ++step) {
      s.site = 1;
      to_neighbours([&](std::int64_t peer) { s.send(peer, 10); });
      s.site = 2;
      to_neighbours([&](std::int64_t peer) { s.receive(peer, 10); });
    }
  }));
  EXPECT_NE(text.find("      send neighbour 10 double  tag 0\n"), std::string::npos) << text;
  EXPECT_NE(text.find("# off topology: 0 of 200 "), std::string::npos) << text;
}

} // namespace
} // namespace rondo::logical
