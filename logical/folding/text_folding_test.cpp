// SPDX-License-Identifier: Apache-2.0
// Which of the texts of a program is written.
#include "logical/folding/effort.hpp"
#include "logical/folding/site_facts.hpp"
#include "logical/places/run_facts.hpp"
#include "rondo/logical/logical_text.hpp"
#include "tests/support/recorded.hpp"

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <tuple>
#include <vector>

namespace rondo::logical {
namespace {

using support::Caller;

std::string folded_text(const trace::Trace& trace) {
  return logical_text(text_of(logicalize_for_text(trace), nullptr), {.times = false});
}

// Two ranks that swap would be shorter: one receives, both send and receive, the other one sends.
TEST(TextFolding, APingPongWithoutCallSitesIsOne) {
  const trace::Trace trace = support::recorded(2, [](Caller& s) {
    for (std::int64_t count = 1; count <= 128; count *= 2) {
      if (s.rank == 0) s.send(1, count);
      s.receive(1 - s.rank, count);
      if (s.rank == 1) s.send(0, count);
    }
    s.call("MPI_Barrier", {{"comm", support::kWorld}});
  });
  const std::string text = folded_text(trace);
  EXPECT_NE(text.find("  loop 8:\n"
                      "    if at the first of a pair:\n"
                      "      send east 1,2,4,8,16,32,64,128 double  tag 0\n"
                      "      recv east 1,2,4,8,16,32,64,128 double  tag 0\n"
                      "    if at the second of a pair:\n"
                      "      recv west 1,2,4,8,16,32,64,128 double  tag 0\n"
                      "      send west 1,2,4,8,16,32,64,128 double  tag 0\n"),
            std::string::npos)
      << text;
}

// Call sites make no difference to the text: it is looked at once.
TEST(TextFolding, ProgramsWithOneTextAreLookedAtOnce) {
  const auto ring = [](int count) {
    return support::recorded(4, [=](Caller& s) {
      for (int step = 0; step < 9; ++step) {
        s.site = 1;
        s.send((s.rank + 1) % s.ranks, count);
        s.site = 2;
        s.receive((s.rank + s.ranks - 1) % s.ranks, count);
      }
    });
  };
  internal::KnownEfforts efforts;
  const auto effort_of = [&](const trace::Trace& trace, bool drops_sites) {
    LogicalizeOptions options;
    options.for_text = true;
    options.drops_sites = drops_sites;
    LogicalProgram program = logicalize(trace, options);
    return efforts.of(program).records;
  };
  const std::size_t records = effort_of(ring(8), false);
  EXPECT_EQ(efforts.texts(), 1U);
  EXPECT_EQ(effort_of(ring(8), true), records);
  EXPECT_EQ(efforts.texts(), 1U);
  EXPECT_EQ(effort_of(ring(9), true), records);
  EXPECT_EQ(efforts.texts(), 2U);
}

// Two ranks that swap may have borders: both is tried for one text, and needed again for others.
TEST(TextFolding, NoProgramIsMadeTwice) {
  const trace::Trace trace = support::recorded(2, [](Caller& s) {
    for (int step = 0; step < 9; ++step) {
      s.send(1 - s.rank, 8);
      s.receive(1 - s.rank, 8);
    }
  });
  internal::RunFacts facts(trace, false);
  LogicalizeOptions options;
  options.for_text = true;
  internal::logicalize(trace, options, facts);
  EXPECT_EQ(facts.programs_made(), 2U);
  options.has_borders = true;
  internal::logicalize(trace, options, facts);
  EXPECT_EQ(facts.programs_made(), 2U);
  options.shortest = true;
  internal::logicalize(trace, options, facts);
  EXPECT_EQ(facts.programs_made(), 3U);
  options.drops_sites = true;
  internal::logicalize(trace, options, facts);
  EXPECT_EQ(facts.programs_made(), 5U);
}

TEST(TextFolding, AReceiveSaysWhatComesAndHowLongItsBufferIs) {
  const trace::Trace trace = support::recorded(4, [](Caller& s) {
    for (int step = 0; step < 9; ++step) {
      s.site = 1;
      s.send((s.rank + 1) % s.ranks, 8);
      s.site = 2;
      s.receive((s.rank + s.ranks - 1) % s.ranks, 1000);
    }
  });
  const std::string text = folded_text(trace);
  EXPECT_NE(text.find("send east 8 double  tag 0\n"), std::string::npos) << text;
  EXPECT_NE(text.find("recv west 8 double  buffer of 1000  tag 0\n"), std::string::npos) << text;
  EXPECT_TRUE(parse_logical_text(text, "text")) << text;
}

// As mpi4py has it: of MPI_BYTE, however much others send.
TEST(TextFolding, WhoSendsNothingToNobodyMakesTheCallOfTheOthers) {
  const trace::Trace trace = support::recorded(4, [](Caller& s) {
    for (int step = 0; step < 9; ++step) {
      const bool is_there = s.rank + 1 < s.ranks;
      s.site = 1;
      s.send(is_there ? s.rank + 1 : trace::kProcNull, is_there ? 10 : 0,
             is_there ? support::kDouble : support::kInt);
      s.site = 2;
      if (s.rank > 0) s.receive(s.rank - 1, 10);
    }
  });
  const std::string text = folded_text(trace);
  EXPECT_NE(text.find("    send east|nobody 10 double  tag 0\n    recv west 10 double  tag 0\n"),
            std::string::npos)
      << text;
}

// Solves along rows forth and back, one after the other: each says where it goes.
TEST(TextFolding, SolvesWithoutCallSitesSayWhichWayTheyGo) {
  const trace::Trace trace = support::recorded(6, [](Caller& s) {
    for (int step = 0; step < 20; ++step) {
      if (s.rank > 0) s.receive(s.rank - 1, 10);
      if (s.rank < s.ranks - 1) s.send(s.rank + 1, 10);
      if (s.rank < s.ranks - 1) s.receive(s.rank + 1, 10);
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

// Pairs by chance, then a pipeline that stops for all in each fifth round.
TEST(TextFolding, SaysInWhichRoundsWhatComesInSomeOnly) {
  const auto message = [](Caller& s, std::uint32_t site, std::int64_t peer, std::int64_t count) {
    s.site = site;
    if (site % 2 == 0) s.send(peer, count);
    if (site % 2 != 0) s.receive(peer, count);
  };
  const trace::Trace trace = support::recorded(4, [&](Caller& s) {
    unsigned chance = 7;
    const auto one_of = [&](unsigned numbers) {
      chance = chance * 1103515245 + 12345;
      return static_cast<std::int64_t>((chance >> 16) % numbers);
    };
    for (int step = 0; step < 40; ++step) {
      const std::int64_t from = one_of(4);
      const std::int64_t to = (from + 1 + one_of(3)) % 4;
      const std::int64_t count = 1 + one_of(60);
      if (s.rank == from) message(s, 2, to, count);
      if (s.rank == to) message(s, 3, from, count);
    }
    s.site = 4;
    s.call("MPI_Barrier", {{"comm", support::kWorld}});
    for (int step = 1; step <= 20; ++step) {
      if (s.rank > 0) message(s, 5, s.rank - 1, 16);
      if (s.rank < s.ranks - 1) message(s, 6, s.rank + 1, 16);
      s.site = 8;
      if (step % 5 == 0) s.call("MPI_Barrier", {{"comm", support::kWorld}});
    }
  });
  // with each rank's order, else messages in the source's order could be shorter
  const LogicalProgram logical = logicalize_for_text(trace, true, false, true);
  const std::string text = logical_text(text_of(logical, nullptr), {.times = false});
  EXPECT_NE(text.find("    in some rounds (mean 0."), std::string::npos) << text;
  EXPECT_NE(text.find("  loop 20:\n"
                      "    recv west 16 double  tag 0\n"
                      "    send east 16 double  tag 0\n"
                      "    in every 5th round:\n"
                      "      barrier\n"),
            std::string::npos)
      << text;
}

// Rounds are counted over all times that the loop around is gone through: of no use to who reads
// it.
TEST(TextFolding, SaysNoNumbersOfRoundsOfALoopThatIsEnteredSeveralTimes) {
  trace::Trace trace = support::recorded(2, [](Caller& s) {
    const auto call = [&](std::uint32_t site, const char* name) {
      s.site = site;
      s.call(name, {{"comm", support::kWorld}});
    };
    call(4, "MPI_Allgather");
    for (int time = 0; time < 12; ++time) {
      call(1, "MPI_Barrier");
      for (int round = 0; round < 1 + (time * time) % 3 + (time % 5 == 2 ? 1 : 0); ++round) {
        if (time + round > 0) call(2, "MPI_Allreduce");
        call(3, "MPI_Bcast");
      }
    }
  });
  trace.run.command = "program"; // whose sites these are, and no library's
  const std::string text =
      logical_text(text_of(logicalize_for_text(trace), nullptr), {.times = false});
  EXPECT_NE(text.find("      in some rounds (mean 0.95):\n"), std::string::npos) << text;
}

// A time stepper: the gather cuts the rounds in their middle, between the exchange and the sum.
TEST(TextFolding, IsOneLoopWithAnIfWhereOutputStandsInTheMiddleOfARound) {
  const auto text_with = [](int rounds, bool has_first) {
    const trace::Trace trace = support::recorded(5, [&](Caller& s) {
      for (int step = 0; step < rounds; ++step) {
        s.site = 2;
        if (s.rank < s.ranks - 1) s.send(s.rank + 1, 8);
        s.site = 3;
        if (s.rank > 0) s.receive(s.rank - 1, 8);
        s.site = 4;
        if (step % 20 == 19 || (has_first && step == 0))
          s.call("MPI_Barrier", {{"comm", support::kWorld}});
        s.site = 5;
        s.call("MPI_Allreduce", {{"count", 1}, {"comm", support::kWorld}});
      }
    });
    const LogicalProgram logical = logicalize_for_text(trace);
    EXPECT_FALSE(logical.is_by_flow);
    return logical_text(text_of(logical, nullptr), {.times = false});
  };
  const auto one_loop = [](const std::string& rounds, const std::string& which) {
    return "  loop " + rounds +
           ":\n    send east 8 double  tag 0\n    recv west 8 double  tag 0\n" +
           "    in every 20th round" + which + ":\n      barrier\n    allreduce 1\n";
  };
  for (const int rounds : {200, 203}) {
    for (const bool has_first : {true, false}) {
      const std::string text = text_with(rounds, has_first);
      EXPECT_NE(text.find(one_loop(std::to_string(rounds), has_first ? " and the first" : "")),
                std::string::npos)
          << text;
    }
  }
}

trace::Trace with_crossing_intervals() {
  trace::Trace trace = support::recorded(4, [](Caller& s) {
    for (int step = 0; step < 120; ++step) {
      s.site = 2;
      if (step % 30 == 0) s.call("MPI_Barrier", {{"comm", support::kWorld}});
      s.site = 3;
      s.send((s.rank + 1) % s.ranks, 8);
      s.site = 4;
      s.receive((s.rank + s.ranks - 1) % s.ranks, 8);
      s.site = 5;
      if (step % 50 == 49) s.call("MPI_Allreduce", {{"count", 1}, {"comm", support::kWorld}});
    }
  });
  trace.run.command = "program"; // whose sites these are, and no library's
  return trace;
}

// Two intervals, of which the first one stands at the beginning of a round: no loop in a loop, in
// whose 30 rounds something comes "in every 50th".
TEST(TextFolding, IsOneLoopWhereIntervalsCross) {
  const trace::Trace trace = with_crossing_intervals();
  const LogicalProgram logical = logicalize_for_text(trace);
  EXPECT_TRUE(logical.is_by_flow);
  const std::string text = logical_text(text_of(logical, nullptr), {.times = false});
  EXPECT_NE(text.find("  loop 120:\n"
                      "    in every 30th round from 1:\n"
                      "      barrier\n"
                      "    send east 8 double  tag 0\n"
                      "    recv west 8 double  tag 0\n"
                      "    in every 50th round:\n"
                      "      allreduce 1\n"),
            std::string::npos)
      << text;
}

// The seldom part has a loop of rank 0 alone in it, which receives from each of the others.
TEST(TextFolding, IsOneLoopWhereWhatRankZeroGathersCrossesAnInterval) {
  trace::Trace trace = support::recorded(5, [](Caller& s) {
    for (int step = 1; step <= 100; ++step) {
      s.site = 2;
      s.call("MPI_Alltoall", {{"sendcount", 8}, {"recvcount", 8}, {"comm", support::kWorld}});
      s.site = 3;
      if (step % 10 == 0) s.call("MPI_Allreduce", {{"count", 1}, {"comm", support::kWorld}});
      if (step % 25 != 0) continue;
      s.site = 4;
      for (int from = 1; s.rank == 0 && from < s.ranks; ++from) s.receive(from, 64);
      s.site = 5;
      if (s.rank > 0) s.send(0, 64);
    }
  });
  trace.run.command = "program"; // whose sites these are, and no library's
  const std::string text =
      logical_text(text_of(logicalize_for_text(trace), nullptr), {.times = false});
  EXPECT_NE(text.find("  loop 100:\n"
                      "    alltoall 8 8\n"
                      "    in every 10th round:\n"
                      "      allreduce 1\n"
                      "    in every 25th round:\n"
                      "      if at the centre:\n"
                      "        loop 4:\n"
                      "          recv leaf 64 double  tag 0\n"
                      "      if at a leaf:\n"
                      "        send centre 64 double  tag 0\n"),
            std::string::npos)
      << text;
}

// Work is passed on in the first rounds alone, the token in each: no loop in the loop of the work.
TEST(TextFolding, IsOneLoopWhereTheFirstCallsComeInTheFirstRoundsAlone) {
  trace::Trace trace = support::recorded(5, [](Caller& s) {
    const auto east = (s.rank + 1) % s.ranks;
    const auto west = (s.rank + s.ranks - 1) % s.ranks;
    for (int round = 0; round < 6; ++round) {
      s.site = 2;
      if (round < 4) s.call("MPI_Allreduce", {{"count", 1}, {"comm", support::kWorld}});
      s.site = 3;
      if (s.rank == 0) s.send(east, 8);
      s.site = 4;
      if (s.rank == 0) s.receive(west, 8);
      s.site = 5;
      if (s.rank > 0) s.receive(west, 8);
      s.site = 6;
      if (s.rank > 0) s.send(east, 8);
    }
  });
  trace.run.command = "program"; // whose sites these are, and no library's
  const std::string text =
      logical_text(text_of(logicalize_for_text(trace), nullptr), {.times = false});
  EXPECT_NE(text.find("  loop 6:\n"
                      "    in rounds 1-4 of 6:\n"
                      "      allreduce 1\n"
                      "    rank 0:\n"
                      "      send east 8 double  tag 0\n"
                      "    recv west 8 double  tag 0\n"
                      "    ranks 1-4:\n"
                      "      send east 8 double  tag 0\n"),
            std::string::npos)
      << text;
}

// As of programs that were compiled without -g: where a call stands is known, not in which line.
TEST(TextFolding, PutsTheLastRoundIntoItsLoopWhereNoLinesAreKnown) {
  const trace::Trace trace = support::recorded(5, [](Caller& s) {
    constexpr int kRounds = 10;
    for (int round = 0; round < kRounds; ++round) {
      s.site = 2;
      s.send((s.rank + 1) % s.ranks, 8);
      s.site = 3;
      s.receive((s.rank + s.ranks - 1) % s.ranks, 8);
      s.site = 4;
      s.call("MPI_Allreduce", {{"count", 1}, {"comm", support::kWorld}});
      s.site = 5;
      if (round + 1 < kRounds) s.call("MPI_Barrier", {{"comm", support::kWorld}});
    }
  });
  const std::string text = folded_text(trace);
  EXPECT_NE(text.find("  loop 10:\n"
                      "    send east 8 double  tag 0\n"
                      "    recv west 8 double  tag 0\n"
                      "    allreduce 1\n"
                      "    in all but the last round:\n"
                      "      barrier\n"),
            std::string::npos)
      << text;
}

// A prefix by distances that double: no rank both waits for its message over the greatest distance
// and receives one, and who waits there last may have sent nothing in the round before.
TEST(TextFolding, APrefixIsOneLoopOnAnyNumberOfRanks) {
  for (const auto& [ranks, hops, back] :
       {std::tuple(5, "+1, +2, +4", "-1, -2, -4"), std::tuple(6, "+1, +2, +4", "-1, -2, -4"),
        std::tuple(9, "+1, +2, +4, +8", "-1, -2, -4, -8")}) {
    trace::Trace trace = support::recorded(ranks, [](Caller& s) {
      for (int i = 0; i < 10; ++i) {
        for (std::int64_t hop = 1; hop < s.ranks; hop *= 2) {
          const bool has_next = s.rank + hop < s.ranks;
          const auto message = [&](const char* name, const char* peer, std::int64_t rank) {
            s.call(name, {{"count", 1},
                          {"datatype", support::kDouble},
                          {peer, rank},
                          {"tag", 7},
                          {"comm", support::kWorld}});
          };
          s.site = 2;
          if (has_next) message("MPI_Isend", "dest", s.rank + hop);
          s.site = 3;
          if (s.rank >= hop) message("MPI_Recv", "source", s.rank - hop);
          s.site = 4;
          if (has_next) s.call("MPI_Wait", {{"request", trace::request_by_age(0)}});
        }
      }
    });
    trace.names.resize(trace.sites.size());
    for (std::size_t site = 0; site < trace.names.size(); ++site) trace.names[site].line = site + 1;
    const std::string text = folded_text(trace);
    EXPECT_NE(text.find(std::string("      isend ") + hops + " 1 double  tag 7\n      recv " +
                        back + " 1 double  tag 7\n      if " + hops + ":\n        wait\n"),
              std::string::npos)
        << text;
  }
}

// Whom a rank sends to is chance, for so long that nobody would read it: each call of the source is
// a line, and what comes behind it is as it repeats.
TEST(TextFolding, IsByTheFlowWhereWhatRepeatsIsEndless) {
  trace::Trace trace = support::recorded(4, [](Caller& s) {
    unsigned chance = 7;
    const auto one_of = [&](unsigned numbers) {
      chance = chance * 1103515245 + 12345;
      return static_cast<std::int64_t>((chance >> 16) % numbers);
    };
    for (int step = 0; step < 16000; ++step) {
      const std::int64_t from = one_of(4);
      const std::int64_t to = (from + 1 + one_of(3)) % 4;
      s.site = 2;
      if (s.rank == from) s.send(to, 1 + step % 2);
      s.site = 3;
      if (s.rank == to) s.receive(from, 1 + step % 2);
    }
    s.site = 4;
    for (int step = 0; step < 10; ++step) s.call("MPI_Barrier", {{"comm", support::kWorld}});
  });
  trace.run.command = "program"; // whose sites these are, and no library's
  const LogicalProgram logical = logicalize_for_text(trace);
  EXPECT_TRUE(logical.is_by_flow);
  const LogicalText text = text_of(logical, nullptr);
  EXPECT_LE(text.records(), 6U); // three calls, two loops, and a loop of sends within the first
  EXPECT_NE(logical_text(text, {.times = false}).find("  loop 10:\n    barrier\n"),
            std::string::npos)
      << logical_text(text, {.times = false});
}

// Three functions that eight places call in disorder, for longer than anybody would read.
trace::Trace of_many_callers() {
  trace::Trace trace = support::recorded(3, [](Caller& s) {
    std::minstd_rand chance(3);
    for (int step = 0; step < 700; ++step) {
      s.site = static_cast<std::uint32_t>(1 + chance() % 8);
      const std::array<const char*, 3> functions = {"MPI_Allreduce", "MPI_Bcast", "MPI_Reduce"};
      s.call(functions[chance() % functions.size()],
             {{"count", static_cast<std::int64_t>(1 + chance() % 50)}, {"comm", support::kWorld}});
    }
  });
  for (std::uint32_t i = 5; i < 9; ++i) trace.sites[i] = {"program", 1, i - 4};
  return trace;
}

// What may be begun before it is wanted, on another processor, decides nothing.
TEST(TextFolding, IsTheSameOnOneProcessorAndOnTwo) {
  for (const trace::Trace& trace : {with_crossing_intervals(), of_many_callers()}) {
    std::vector<std::string> texts;
    for (const std::size_t processors : {1, 2}) {
      const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, processors);
      texts.push_back(folded_text(trace));
    }
    EXPECT_EQ(texts[0], texts[1]);
  }
}

// One call site for each of three functions, as Boost.MPI's library has them for its archives.
TEST(SiteFacts, ALibraryThatMakesFewOfTheCallsIsNoBinding) {
  for (const int own_calls : {2, 20}) {
    trace::Trace trace = support::recorded(2, [&](Caller& s) {
      s.site = 1;
      s.send(1 - s.rank, 8, support::kDouble, support::kWorld, "MPI_Isend");
      s.site = 2;
      s.receive(1 - s.rank, 8);
      s.site = 3;
      s.call("MPI_Wait", {{"request", trace::request_by_age(0)}});
      for (int i = 0; i < own_calls; ++i) {
        s.site = 4;
        s.call("MPI_Barrier", {{"comm", support::kWorld}});
      }
    });
    for (const std::size_t site : {1, 2, 3}) trace.sites[site].module = "/lib/liblayer.so";
    EXPECT_EQ(internal::is_binding(trace), own_calls == 2);
  }
}

} // namespace
} // namespace rondo::logical
