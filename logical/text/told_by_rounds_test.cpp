// SPDX-License-Identifier: Apache-2.0
// Peers that the numbers of the rank and of the round tell.
#include "rondo/logical/logical_text.hpp"
#include "tests/support/recorded.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>

namespace rondo::logical {
namespace {

using support::Caller;

// What stands between the first and the last line of a program whose ranks send and receive by
// turns.
std::string body_of(std::int64_t ranks, const std::function<void(Caller&)>& program) {
  const trace::Trace trace = support::recorded(ranks, program);
  const LogicalText text = text_of(logicalize_for_text(trace, true), nullptr);
  const std::string written = logical_text(text, {.times = false});
  const auto again = parse_logical_text(written, "text");
  EXPECT_TRUE(again) << (again ? "" : again.error().text());
  EXPECT_EQ(again ? logical_text(*again, {.times = false}) : "", written);
  EXPECT_FALSE(leaves_open(text)) << written;
  return written;
}

void send_to(Caller& s, std::int64_t partner, std::int64_t tag = 0) {
  s.site = 1;
  s.call("MPI_Send", {{"count", 8},
                      {"datatype", support::kDouble},
                      {"dest", partner},
                      {"tag", tag},
                      {"comm", support::kWorld}});
}

// To and from one partner, with requests.
void swap_with(Caller& s, std::int64_t partner, std::int64_t tag = 0) {
  s.site = 1;
  s.send(partner, 8, support::kDouble, support::kWorld, "MPI_Isend");
  s.site = 2;
  s.call("MPI_Irecv", {{"count", 8},
                       {"datatype", support::kDouble},
                       {"source", partner},
                       {"tag", tag},
                       {"comm", support::kWorld}});
  s.site = 3;
  s.call("MPI_Waitall", {});
}

// Of an odd number of ranks those at both ends have other numbers of rounds than the rest.
TEST(ToldByRounds, AnOddEvenSortSaysWhoIsThePartner) {
  for (const std::int64_t ranks : {5, 6, 7}) {
    const std::string text = body_of(ranks, [](Caller& s) {
      for (std::int64_t round = 0; round < s.ranks; ++round) {
        const std::int64_t partner = (s.rank + round) % 2 == 0 ? s.rank + 1 : s.rank - 1;
        if (partner >= 0 && partner < s.ranks) send_to(s, partner);
      }
    });
    EXPECT_NE(text.find("  loop " + std::to_string(ranks) +
                        ":\n    send (rank + round) % 2 == 0 ? east : west 8 double  tag 0\n"),
              std::string::npos)
        << text;
  }
}

TEST(ToldByRounds, SortsBehindOneAnotherAreALoopOfThem) {
  const std::string text = body_of(5, [](Caller& s) {
    for (int sort = 0; sort < 4; ++sort) {
      for (std::int64_t round = 0; round < s.ranks; ++round) {
        const std::int64_t partner = (s.rank + round) % 2 == 0 ? s.rank + 1 : s.rank - 1;
        if (partner >= 0 && partner < s.ranks) send_to(s, partner);
      }
    }
  });
  EXPECT_NE(text.find("  loop 4:\n    loop 5:\n      send (rank + round) % 2 == 0 ? east : west 8"),
            std::string::npos)
      << text;
}

TEST(ToldByRounds, PairsOfAnAllToAllAreFormulas) {
  const auto with = [](auto partner_of) {
    return body_of(5, [=](Caller& s) {
      for (std::int64_t round = 0; round < 8; ++round) {
        const std::int64_t partner = partner_of(s, round);
        if (partner >= 0 && partner < s.ranks && partner != s.rank) send_to(s, partner, round);
      }
    });
  };
  const std::string pairs = with([](Caller& s, auto round) { return s.rank ^ round; });
  EXPECT_NE(pairs.find("send rank ^ (round + 1) 8 double  tag round + 1\n"), std::string::npos)
      << pairs;
  const std::string meetings =
      with([](Caller& s, auto round) { return round < 5 ? (2 * round - s.rank + 5) % 5 : -1; });
  EXPECT_NE(meetings.find("  loop 5:\n    send (2 * round - rank) % 5 8 double  tag round\n"),
            std::string::npos)
      << meetings;
}

TEST(ToldByRounds, WhatCompletesRequestsIsMadeWhereTheyAre) {
  const std::string text = body_of(8, [](Caller& s) {
    for (std::int64_t round = 0; round < s.ranks; ++round) {
      const std::int64_t partner = (s.rank + round) % 2 == 0 ? s.rank + 1 : s.rank - 1;
      if (partner >= 0 && partner < s.ranks) swap_with(s, partner);
    }
  });
  EXPECT_NE(text.find("  loop 8:\n"
                      "    isend (rank + round) % 2 == 0 ? east : west 8 double  tag 0\n"
                      "    irecv (rank + round) % 2 == 0 ? east : west 8 double  tag 0\n"
                      "    waitall\n"),
            std::string::npos)
      << text;
}

TEST(ToldByRounds, WhoHasNobodyIsSaidOnce) {
  const std::string text = body_of(8, [](Caller& s) {
    for (std::int64_t round = 0; round < s.ranks; ++round) {
      const std::int64_t partner = (s.rank + round) % 2 == 0 ? s.rank + 1 : s.rank - 1;
      send_to(s, partner >= 0 && partner < s.ranks ? partner : trace::kProcNull);
    }
  });
  EXPECT_NE(text.find("send ((rank + round) % 2 == 0 ? east : west)|nobody 8"), std::string::npos)
      << text;
}

TEST(ToldByRounds, InARoundRobinOneRankMayStandStill) {
  const std::string text = body_of(8, [](Caller& s) {
    for (std::int64_t round = 0; round < 7; ++round) {
      const std::int64_t partner = s.rank == 7       ? round
                                   : s.rank == round ? 7
                                                     : (2 * round - s.rank + 14) % 7;
      swap_with(s, partner);
    }
  });
  EXPECT_NE(text.find("isend rank == 7 ? round : rank == round ? 7 : (2 * round - rank) % 7 8 "),
            std::string::npos)
      << text;
}

// On twelve ranks eight further is four back, which "-1, -2, +8, +4" would be called.
TEST(ToldByRounds, StepsThatDoubleRoundTheEndAreAFormula) {
  const std::string text = body_of(12, [](Caller& s) {
    for (int step = 0; step < 3; ++step) {
      for (std::int64_t d = 1; d < s.ranks; d *= 2) {
        s.site = 1;
        s.send((s.rank + d) % s.ranks, 8);
        s.site = 2;
        s.receive((s.rank - d + s.ranks) % s.ranks, 8);
      }
    }
  });
  EXPECT_NE(text.find("send (rank + (1 << round)) % 12 8 double"), std::string::npos) << text;
  EXPECT_NE(text.find("recv (rank - (1 << round)) % 12 8 double"), std::string::npos) << text;
}

TEST(ToldByRounds, StepsThatDoubleAreAListWhereTheirNamesSaySo) {
  const std::string text = body_of(7, [](Caller& s) {
    for (int step = 0; step < 3; ++step) {
      for (const std::int64_t d : {1, 2, 4}) {
        s.site = 1;
        s.send((s.rank + d) % s.ranks, 8);
      }
    }
  });
  EXPECT_NE(text.find("send +1, +2, +4 8 double"), std::string::npos) << text;
}

// On few ranks no rank does anything twice in it.
TEST(ToldByRounds, FewRoundsBehindAnotherExchangeAreRulesToo) {
  for (const std::int64_t ranks : {5, 7}) {
    const std::string text = body_of(ranks, [](Caller& s) {
      for (int step = 0; step < 4; ++step) {
        send_to(s, (s.rank + 1) % s.ranks);
        for (std::int64_t d = 1; d < s.ranks; ++d) {
          s.site = 5;
          s.send((s.rank + d) % s.ranks, 8);
          s.site = 6;
          s.receive((s.rank - d + s.ranks) % s.ranks, 8);
        }
      }
    });
    EXPECT_NE(text.find("send (rank + round + 1) % " + std::to_string(ranks) + " 8 double"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("recv (rank - round - 1) % " + std::to_string(ranks) + " 8 double"),
              std::string::npos)
        << text;
  }
}

TEST(ToldByRounds, PairsOfFewRanksHaveTheTagsOfTheirRounds) {
  const std::string text = body_of(5, [](Caller& s) {
    for (std::int64_t round = 1; round < 8; ++round) {
      if ((s.rank ^ round) < s.ranks) send_to(s, s.rank ^ round, round);
    }
  });
  EXPECT_NE(text.find("  loop 7:\n    send rank ^ (round + 1) 8 double  tag round + 1\n"),
            std::string::npos)
      << text;
}

TEST(ToldByRounds, WhoWouldMeetItselfRestsOnFiveRanksAsOnSeven) {
  for (const std::int64_t ranks : {5, 7}) {
    const std::string text = body_of(ranks, [](Caller& s) {
      for (std::int64_t round = 0; round < s.ranks; ++round) {
        const std::int64_t partner = (round - s.rank + s.ranks) % s.ranks;
        if (partner != s.rank) swap_with(s, partner);
      }
    });
    const std::string number = std::to_string(ranks);
    EXPECT_NE(text.find("  loop " + number + ":\n    isend (round - rank) % " + number + " 8 "),
              std::string::npos)
        << text;
  }
}

// East and west on three ranks are one and two further, by chance.
TEST(ToldByRounds, FewPeersAreNoFormula) {
  const std::string text = body_of(3, [](Caller& s) {
    for (int step = 0; step < 9; ++step) {
      s.site = 1;
      s.send((s.rank + 1) % 3, 8);
      s.site = 2;
      s.send((s.rank + 2) % 3, 8);
    }
  });
  EXPECT_EQ(text.find("round"), std::string::npos) << text;
}

} // namespace
} // namespace rondo::logical
