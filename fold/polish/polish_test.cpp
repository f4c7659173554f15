// SPDX-License-Identifier: Apache-2.0
#include "fold/polish/polish.hpp"

#include "rondo/fold/nest_builder.hpp"
#include "tests/support/nest_text.hpp"
#include "tests/support/streams.hpp"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>

namespace rondo::fold {
namespace {

using support::expand;
using support::IsNest;
using support::IsStream;
using support::letters;
using support::Random;
using support::repeat;
using support::Stream;
using trace::Column;
using trace::Loop;
using trace::Nest;
using trace::Term;

Term symbol(char letter) { return Term::symbol(static_cast<std::uint32_t>(letter - 'a')); }

Loop loop(std::vector<Term> body, std::vector<trace::Run> counts) {
  return {std::move(body), Column::from_runs(std::move(counts))};
}

Nest nest_of(const Stream& stream) {
  NestBuilder builder;
  for (const std::uint32_t s : stream) builder.push(s);
  return builder.finish();
}

void expect_same_in_less(const Nest& nest, const Stream& stream) {
  const Nest polished = polish(nest);
  ASSERT_TRUE(polished.is_valid(4096));
  ASSERT_THAT(expand(polished), IsStream(stream));
  const auto varying_loops = [](const Nest& of) {
    return std::count_if(of.loops().begin(), of.loops().end(),
                         [](const Loop& each) { return !each.trip_counts.constant(); });
  };
  // Eight more terms for each loop that goes round alike now.
  const auto alike = std::max<std::ptrdiff_t>(varying_loops(nest) - varying_loops(polished), 0);
  EXPECT_LE(polished.terms(), nest.terms() + 8 * static_cast<std::size_t>(alike));
}

// Fewest terms of a nest of loops with constant trips and bodies of their own, by trying everything
// for every interval: O(n^3) [xu2010mascots, sec. 3]. Loops with varying trips, and bodies that
// stand in several places, can make do with fewer.
std::size_t fewest_terms(const Stream& stream) {
  const std::size_t n = stream.size();
  std::vector<std::vector<std::size_t>> fewest(n + 1, std::vector<std::size_t>(n + 1, 0));
  for (std::size_t length = 1; length <= n; ++length) {
    for (std::size_t begin = 0; begin + length <= n; ++begin) {
      const std::size_t end = begin + length;
      std::size_t best = length;
      for (std::size_t middle = begin + 1; middle < end; ++middle)
        best = std::min(best, fewest[begin][middle] + fewest[middle][end]);
      for (std::size_t period = 1; period < length; ++period) {
        const auto at = [&](std::size_t i) {
          return stream.begin() + static_cast<std::ptrdiff_t>(i);
        };
        if (length % period == 0 && std::equal(at(begin + period), at(end), at(begin)))
          best = std::min(best, 1 + fewest[begin][begin + period]);
      }
      fewest[begin][end] = best;
    }
  }
  return fewest[0][n];
}

struct Sizes {
  double mean = 0; // of terms / fewest terms of constant loops
  double worst = 0;
};

Sizes sizes_of_programs(const support::ProgramOptions& options) {
  Sizes sizes;
  constexpr int kPrograms = 150;
  for (std::uint64_t seed = 0; seed < kPrograms; ++seed) {
    Random random(seed);
    Stream stream = support::random_program(random, options);
    if (stream.size() > 150) stream.resize(150);
    const auto terms = static_cast<double>(polish(nest_of(stream)).terms());
    const double ratio = terms / static_cast<double>(fewest_terms(stream));
    sizes.mean += ratio / kPrograms;
    sizes.worst = std::max(sizes.worst, ratio);
  }
  return sizes;
}

struct Bound {
  const char* name;
  std::uint32_t alphabet;
  bool varying_trips;
  double mean;
  double worst;
};

TEST(Polish, ComesNearTheFewestTerms) {
  // Measured: means of 0.91, 0.64, 0.92, 0.90, 0.83 and 0.66; where symbols tell what to fold, at
  // worst 1.05.
  const Bound bounds[] = {
      {"own symbols", 0, false, 0.95, 1.1},  {"own symbols, varying trips", 0, true, 0.7, 1.1},
      {"five symbols", 5, false, 0.95, 1.4}, {"three symbols", 3, false, 0.95, 2.0},
      {"two symbols", 2, false, 0.9, 1.4},   {"three symbols, varying trips", 3, true, 0.7, 1.4}};
  for (const Bound& bound : bounds) {
    SCOPED_TRACE(bound.name);
    support::ProgramOptions options;
    options.alphabet = bound.alphabet;
    options.varying_trips = bound.varying_trips;
    options.max_length = 150;
    const Sizes sizes = sizes_of_programs(options);
    EXPECT_LE(sizes.mean, bound.mean);
    EXPECT_LE(sizes.worst, bound.worst);
  }
}

TEST(Polish, LeavesAnEmptyNestEmpty) { EXPECT_THAT(polish(Nest()), IsNest("")); }

TEST(Polish, WritesOutALoopThatTakesNoFewerTerms) {
  EXPECT_THAT(polish(Nest({loop({symbol('a')}, {{2, 1}})}, {symbol('x'), Term::loop(0)})),
              IsNest("x a a"));
}

TEST(Polish, PutsPeeledIterationsBackIntoTheirLoop) {
  const std::vector<Term> abc{symbol('a'), symbol('b'), symbol('c')};
  std::vector<Term> top = abc;
  top.push_back(Term::loop(0));
  top.insert(top.end(), abc.begin(), abc.end());
  EXPECT_THAT(polish(Nest({loop(abc, {{98, 1}})}, top)), IsNest("(a b c)*100"));
}

TEST(Polish, TakesPeeledIterationsElsewhereAsThatLoopOnce) {
  const std::vector<Term> abcd{symbol('a'), symbol('b'), symbol('c'), symbol('d')};
  std::vector<Term> top{Term::loop(0), symbol('x')};
  top.insert(top.end(), abcd.begin(), abcd.end());
  EXPECT_THAT(polish(Nest({loop(abcd, {{7, 1}})}, top)),
              IsNest("(a b c d)*{7,1} x (a b c d)*{7,1}"));
}

TEST(Polish, MakesOneLoopOfALoopOfALoop) {
  const Nest nest({loop({symbol('a'), symbol('b')}, {{6, 9}}), loop({Term::loop(0)}, {{9, 1}})},
                  {Term::loop(1)});
  EXPECT_THAT(polish(nest), IsNest("(a b)*54"));
}

TEST(Polish, MakesOneLoopOfNeighbours) {
  const Nest nest({loop({symbol('a'), symbol('b')}, {{6, 1}, {9, 2}})},
                  {Term::loop(0), Term::loop(0), symbol('x'), Term::loop(0)});
  EXPECT_THAT(polish(nest), IsNest("(a b)*{15,9} x (a b)*{15,9}"));
}

TEST(Polish, KeepsCountsInTheOrderOfExecution) {
  // ((a b c)*k a b c x)*5: the peeled iteration adds one to each of the counts inside.
  const std::vector<Term> abc{symbol('a'), symbol('b'), symbol('c')};
  std::vector<Term> outer{Term::loop(0)};
  outer.insert(outer.end(), abc.begin(), abc.end());
  outer.push_back(symbol('x'));
  const Nest nest({loop(abc, {{3, 2}, {7, 1}, {0, 1}, {4, 1}}), loop(outer, {{5, 1}})},
                  {Term::loop(1)});
  EXPECT_THAT(polish(nest), IsNest("((a b c)*{4x2,8,1,5} x)*5"));
}

TEST(Polish, RotatesALoopWhoseFirstAndLastIterationAreCutInTwo) {
  const Nest nest({loop({symbol('c'), symbol('d'), symbol('a'), symbol('b')}, {{6, 1}})},
                  {symbol('x'), symbol('a'), symbol('b'), Term::loop(0), symbol('c'), symbol('d')});
  EXPECT_THAT(polish(nest), IsNest("x (a b c d)*7"));
}

TEST(Polish, RotatesALoopThatRunsOnBehindItsPlaces) {
  const Nest nest({loop({symbol('a'), symbol('b'), symbol('c')}, {{4, 1}, {9, 1}})},
                  {symbol('c'), Term::loop(0), symbol('a'), symbol('b'), symbol('x'), symbol('b'),
                   symbol('c'), Term::loop(0), symbol('a'), symbol('b')});
  EXPECT_THAT(polish(nest), IsNest("(c a b)*{5,10} x b (c a b)*{5,10}"));
}

// for i = 0 ... 14: a b, if (i % 3 == 0) c: on line, c comes first in the loop.
TEST(Polish, PutsInStepWhatIsDoneInSomeIterationsOnly) {
  const std::array<std::string, 3> in_step{"(a b c (a b)*2)*5", "((a b)*2 c a b)*5",
                                           "((a b)*3 c)*5"};
  for (std::size_t first = 0; first < 3; ++first) {
    std::string text;
    for (std::size_t i = 0; i < 15; ++i) text += i % 3 == first ? "abc" : "ab";
    const Stream stream = letters(text);
    EXPECT_THAT(polish(nest_of(stream)), IsNest(in_step[first]));
  }
}

TEST(Polish, KeepsANestWhoseCountsTakeTooLongToFind) {
  const std::vector<Term> abc{symbol('a'), symbol('b'), symbol('c')};
  std::vector<Term> outer{Term::loop(0)};
  outer.insert(outer.end(), abc.begin(), abc.end());
  outer.push_back(symbol('x'));
  const Nest nest({loop(abc, {{3, 1'000'000}}), loop(outer, {{1'000'000, 1}})}, {Term::loop(1)});
  EXPECT_EQ(polish(nest), nest);
}

TEST(Polish, KeepsTheExpansionOfRandomNests) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const support::NestAndStream made = support::random_nest(random, 1 + seed % 5);
    ASSERT_NO_FATAL_FAILURE(expect_same_in_less(made.nest, made.stream));
  }
}

TEST(Polish, KeepsTheExpansionOfFoldedPrograms) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    support::ProgramOptions options;
    options.alphabet = static_cast<std::uint32_t>(seed % 6);
    options.depth = 1 + static_cast<int>(seed % 4);
    options.varying_trips = seed % 2 == 0;
    options.optional_calls = seed % 3 == 0;
    options.skipped_loops = seed % 5 == 0;
    options.max_length = 1000;
    const Stream stream = support::random_program(random, options);
    ASSERT_NO_FATAL_FAILURE(expect_same_in_less(nest_of(stream), stream));
  }
}

TEST(Polish, KeepsHostileStreams) {
  for (const support::NamedStream& hostile : support::hostile_streams(2000)) {
    SCOPED_TRACE(hostile.name);
    ASSERT_NO_FATAL_FAILURE(expect_same_in_less(nest_of(hostile.stream), hostile.stream));
  }
}

// Each loop is tried in rotation, which changes it and what it stands in: the other sequences are
// folded once, and drafts that are no shorter than the nest are not counted out.
TEST(Polish, FoldsWhatDraftsHaveInCommonOnce) {
  constexpr std::size_t kLoops = 24;
  std::vector<Loop> loops;
  std::vector<Term> top;
  for (std::uint32_t i = 0; i < kLoops; ++i) {
    loops.push_back({{Term::symbol(3 * i), Term::symbol(3 * i + 1), Term::symbol(3 * i + 2)},
                     Column::from_runs({{7, 1}})});
    top.push_back(Term::symbol(3 * i + 2)); // the end of an iteration: loops can be rotated
    top.push_back(Term::loop(i));
    top.push_back(Term::symbol(3 * kLoops + i));
  }
  PolishWork work;
  polish(Nest(std::move(loops), std::move(top)), &work);
  EXPECT_LE(work.sequences, 4 * kLoops); // 25 sequences in each of 25 drafts
  EXPECT_EQ(work.drafts, 0U);
}

// Iterations in front of all loops go into them, in each draft: the new counts are the same.
TEST(Polish, MakesTheColumnsThatDraftsHaveInCommonOnce) {
  constexpr std::size_t kLoops = 8;
  std::vector<Loop> loops;
  std::vector<Term> top;
  for (std::uint32_t i = 0; i < kLoops; ++i) {
    const std::vector<Term> body{Term::symbol(4 * i), Term::symbol(4 * i + 1),
                                 Term::symbol(4 * i + 2)};
    loops.push_back({body, Column::from_runs({{7 + i, 1}})});
    top.insert(top.end(), body.begin(), body.end());
    top.insert(top.end(), {Term::loop(i), Term::symbol(4 * i + 3)});
  }
  PolishWork work;
  EXPECT_EQ(polish(Nest(std::move(loops), std::move(top)), &work).terms(), kLoops * 5);
  EXPECT_GE(work.drafts, 2U);
  EXPECT_EQ(work.columns, kLoops);
}

} // namespace
} // namespace rondo::fold
