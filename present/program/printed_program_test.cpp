// SPDX-License-Identifier: Apache-2.0
#include "present/program/printed_program.hpp"

#include "present/program/line_statements.hpp"
#include "present/program/told_trace.hpp"
#include "tests/support/recorded.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace rondo::present {
namespace {

using support::Caller;

// Five messages and a sum with this tag, made at these sites.
void exchange(Caller& s, std::int64_t tag, std::uint32_t first_site) {
  for (std::uint32_t i = 0; i < 5; ++i) {
    s.site = first_site + i;
    s.call("MPI_Send", {{"count", 10 * i + 1},
                        {"datatype", support::kDouble},
                        {"dest", (s.rank + 1) % s.ranks},
                        {"tag", tag},
                        {"comm", support::kWorld}});
  }
  s.site = first_site + 5;
  s.call("MPI_Allreduce",
         {{"count", 1}, {"datatype", support::kDouble}, {"op", -3}, {"comm", support::kWorld}});
}

void barrier(Caller& s) { s.call("MPI_Barrier", {{"comm", support::kWorld}}); }

std::string printed(const trace::Trace& trace, bool is_inline, bool has_sites = false,
                    bool is_stored = true) {
  trace::ProgramTextOptions lines{.times = false};
  lines.site = [&](const trace::Call& call) {
    return has_sites ? "x.c:" + std::to_string(call.site) : std::string();
  };
  std::vector<PrintedPart> parts;
  parts.push_back({"all:", trace::lines_of_merged(trace, 0, lines)});
  return printed_text("program x", std::move(parts),
                      {.is_inline = is_inline, .is_stored = is_stored});
}

std::string told(const trace::Trace& trace) { return printed(trace, false, true, false); }

void broadcast(Caller& s, std::int64_t count, std::uint32_t site) {
  s.site = site;
  s.call(
      "MPI_Bcast",
      {{"count", count}, {"datatype", support::kDouble}, {"root", 0}, {"comm", support::kWorld}});
}

TEST(PrintedProgram, WhatComesAgainWithAnotherTagIsAProcedure) {
  const trace::Trace trace = support::recorded(4, [](Caller& s) {
    exchange(s, 5, 1);
    barrier(s);
    exchange(s, 7, 1);
    barrier(s);
    barrier(s);
    exchange(s, 5, 1);
  });
  const std::string text = printed(trace, false);
  EXPECT_NE(text.find("procedure send_and_allreduce(tag):\n  MPI_Send("), std::string::npos)
      << text;
  EXPECT_NE(text.find("tag=$tag, comm=MPI_COMM_WORLD)\n"), std::string::npos) << text;
  EXPECT_NE(text.find("all:\n  call send_and_allreduce(tag=5)\n  MPI_Barrier("), std::string::npos)
      << text;
  EXPECT_NE(text.find("  call send_and_allreduce(tag=7)\n"), std::string::npos) << text;
  const std::string whole = printed(trace, true);
  EXPECT_EQ(whole.find("procedure"), std::string::npos);
  EXPECT_EQ(std::count(whole.begin(), whole.end(), '\n'), 2 + 3 * 6 + 3) << whole;
}

TEST(PrintedProgram, CallsAtOtherSitesAreOthersWhereSitesAreSaid) {
  const trace::Trace trace = support::recorded(4, [](Caller& s) {
    exchange(s, 5, 0);
    barrier(s);
    exchange(s, 5, 5);
    barrier(s);
    barrier(s);
    exchange(s, 5, 10);
  });
  EXPECT_NE(printed(trace, false).find("call send_and_allreduce"), std::string::npos)
      << printed(trace, false);
  EXPECT_EQ(printed(trace, false, true).find("call"), std::string::npos);
}

TEST(ToldProgram, CallsThatDifferInTheirPlaceOnlyAreALoop) {
  const trace::Trace trace = support::recorded(4, [](Caller& s) {
    for (std::uint32_t site = 1; site <= 5; ++site) broadcast(s, 8, site);
  });
  EXPECT_EQ(told(trace), "program x\nall:\n  loop 5:\n    MPI_Bcast(count=8, datatype=MPI_DOUBLE, "
                         "root=0, comm=MPI_COMM_WORLD)  # x.c:1, x.c:2, x.c:3 and 2 more\n");
  EXPECT_EQ(std::ranges::count(printed(trace, false, true), '\n'), 2 + 5);
}

TEST(ToldProgram, AmountsAreAListOrARangeWhereThatSavesMoreThanItHides) {
  const trace::Trace some = support::recorded(4, [](Caller& s) {
    std::uint32_t site = 1;
    for (const std::int64_t count : {3, 90, 17, 4, 55, 8, 21}) broadcast(s, count, site++);
  });
  EXPECT_NE(told(some).find("loop 7:\n    MPI_Bcast(count=3,90,17,4,55,8,21, "), std::string::npos)
      << told(some);
  const trace::Trace many = support::recorded(4, [](Caller& s) {
    for (std::uint32_t site = 1; site <= 15; ++site) broadcast(s, 3 + site * site % 89, site);
  });
  EXPECT_NE(told(many).find("loop 15:\n    MPI_Bcast(count=4..84, "), std::string::npos)
      << told(many);
  const trace::Trace two = support::recorded(4, [](Caller& s) {
    broadcast(s, 3, 1);
    broadcast(s, 90, 2);
  });
  EXPECT_NE(told(two).find("count=3, "), std::string::npos) << told(two);
  EXPECT_NE(told(two).find("count=90, "), std::string::npos) << told(two);
}

TEST(ToldProgram, WhatTheRootAloneSaysDoesNotPartItFromOthers) {
  const trace::Trace trace = support::recorded(4, [](Caller& s) {
    s.site = 0;
    barrier(s);
    s.site = 1;
    const std::int64_t count = s.rank == 3 ? 5 : 4;
    if (s.rank == 0) {
      s.call("MPI_Gather", {{"sendcount", count},
                            {"sendtype", support::kDouble},
                            {"recvcount", 4},
                            {"recvtype", support::kDouble},
                            {"root", 0},
                            {"comm", support::kWorld}});
    } else {
      s.call("MPI_Gather", {{"sendcount", count},
                            {"sendtype", support::kDouble},
                            {"root", 0},
                            {"comm", support::kWorld}});
    }
    s.site = 2;
    barrier(s);
  });
  const std::string barrier_line = "  MPI_Barrier(comm=MPI_COMM_WORLD)  # x.c:";
  EXPECT_EQ(told(trace), "program x\nall:\n" + barrier_line + "0\n" +
                             "  MPI_Gather(sendcount=4..5, sendtype=MPI_DOUBLE, recvcount=4, "
                             "recvtype=MPI_DOUBLE, root=0, comm=MPI_COMM_WORLD)  # x.c:1\n" +
                             barrier_line + "2\n");
  EXPECT_EQ(std::ranges::count(printed(trace, false, true), '\n'), 2 + 2 + 4); // as it is stored
}

TEST(ToldProgram, OtherRootsStayApart) {
  const trace::Trace trace = support::recorded(7, [](Caller& s) {
    for (const std::int64_t root : {0, 3, 1, 5, 2, 6, 4}) {
      s.site = static_cast<std::uint32_t>(root + 1);
      s.call("MPI_Bcast", {{"count", 1},
                           {"datatype", support::kDouble},
                           {"root", root},
                           {"comm", support::kWorld}});
    }
  });
  EXPECT_EQ(std::ranges::count(told(trace), '\n'), 2 + 7) << told(trace);
}

// Each half of the ranks makes the call somewhere else, and has other amounts.
TEST(ToldProgram, GuardsThatSayTheSameAreOne) {
  const trace::Trace trace = support::recorded(8, [](Caller& s) {
    exchange(s, 5, 3);
    const bool is_low = s.rank < 4;
    s.site = is_low ? 1 : 2;
    s.call("MPI_Send", {{"count", is_low ? 10 + s.rank * s.rank * 3 % 7 : 40},
                        {"datatype", support::kDouble},
                        {"dest", s.rank ^ 1},
                        {"tag", 1},
                        {"comm", support::kWorld}});
    s.site = 10;
    barrier(s);
  });
  EXPECT_EQ(told(trace).find("ranks"), std::string::npos) << told(trace);
  EXPECT_NE(told(trace).find("MPI_Send(count=10..40, "), std::string::npos) << told(trace);
  EXPECT_NE(printed(trace, false, true).find("ranks 0-3:"), std::string::npos);
}

std::string text_of_first(const trace::Trace& trace, Told) { return told(trace); }

// Each round sends from another rank, of which no rule is known, at one of two or more places.
trace::Trace irregular(int rounds, std::uint32_t places = 2) {
  return support::recorded(4, [rounds, places](Caller& s) {
    std::uint32_t state = 12345;
    for (int i = 0; i < rounds; ++i) {
      state = state * 1103515245 + 12345;
      s.site = 1 + (state >> 16) % places;
      s.call("MPI_Bcast", {{"count", 1},
                           {"datatype", support::kDouble},
                           {"root", (state >> 18) % 4},
                           {"comm", support::kWorld}});
    }
  });
}

TEST(ToldText, WhatIsShortIsToldAsItIsStored) {
  const trace::Trace trace = irregular(10);
  const ToldText told = told_text(trace, false, text_of_first);
  EXPECT_EQ(told.how, Told::kAsStored);
  EXPECT_EQ(told.text, text_of_first(trace, Told::kAsStored));
}

// for (i < 40) { MPI_Barrier; if (...) MPI_Bcast; if (...) MPI_Bcast; MPI_Bcast(root = i % 4); }
TEST(ToldText, LoopsThatDoNotGoRoundTwiceAreConditions) {
  const trace::Trace trace = support::recorded(4, [](Caller& s) {
    for (std::uint32_t i = 0; i < 40; ++i) {
      s.site = 1;
      barrier(s);
      if ((i * i + i / 3) % 7 == 1) broadcast(s, 1, 2);
      if ((i * i * i + i / 4) % 5 == 2) broadcast(s, 2, 3);
      s.site = 4;
      s.call("MPI_Bcast", {{"count", 3},
                           {"datatype", support::kDouble},
                           {"root", i % 4},
                           {"comm", support::kWorld}});
    }
  });
  const ToldText told = told_text(trace, false, text_of_first);
  EXPECT_NE(told.text.find("    in some rounds (mean 0."), std::string::npos) << told.text;
}

// for (root) { MPI_Bcast; MPI_Bcast; }
TEST(ToldText, LoopsOverFewRanksAreLoops) {
  constexpr int kRanks = 6;
  const trace::Trace trace = support::recorded(kRanks, [](Caller& s) {
    for (int root = 0; root < kRanks; ++root) {
      for (const std::uint32_t site : {1, 2}) {
        s.site = site;
        s.call("MPI_Bcast", {{"count", site},
                             {"datatype", support::kDouble},
                             {"root", root},
                             {"comm", support::kWorld}});
      }
    }
  });
  const ToldText told = told_text(trace, false, text_of_first);
  EXPECT_NE(told.how, Told::kAsStored);
  EXPECT_NE(told.text.find("loop 6:"), std::string::npos) << told.text;
  EXPECT_EQ(told.text.find("procedure"), std::string::npos) << told.text;
}

TEST(ToldText, LongIrregularTextsAreShorterThanTheirRuns) {
  const ToldText short_run = told_text(irregular(1000), false, text_of_first);
  const ToldText long_run = told_text(irregular(4000), false, text_of_first);
  EXPECT_LT(std::ranges::count(long_run.text, '\n'), 2010);
  EXPECT_LE(std::ranges::count(short_run.text, '\n'), 1010);
}

TEST(ToldText, WhatHasManyTimesTheTermsOfTheSourceIsNotWritten) {
  std::vector<Told> written;
  const ToldText told =
      told_text(irregular(4000, 7), false, [&](const trace::Trace& trace, Told how) {
        written.push_back(how);
        return text_of_first(trace, how);
      });
  EXPECT_EQ(told.how, Told::kByFlow);
  EXPECT_EQ(written, std::vector{Told::kByFlow});
}

TEST(ToldText, OfTooManyLinesTheRestIsCounted) {
  std::vector<logical::Statement> statements;
  for (int i = 0; i < 20; ++i) {
    logical::CallStatement call;
    call.name = i % 4 == 0 ? "MPI_Send" : "MPI_Recv";
    statements.push_back({call});
  }
  std::vector<logical::Statement> loop{{logical::LoopStatement{"3", statements}}};
  cut_to(loop, 11);
  const auto& body = std::get<logical::LoopStatement>(loop.front().is).body;
  ASSERT_EQ(body.size(), 11U);
  EXPECT_EQ(std::get<logical::CallStatement>(body.back().is).name,
            "# 10 lines more: 8 MPI_Recv, 2 MPI_Send; --stored shows them");
  cut_to(statements, 20);
  EXPECT_EQ(statements.size(), 20U);
}

} // namespace
} // namespace rondo::present
