// SPDX-License-Identifier: Apache-2.0
#include "rondo/fold/nest_builder.hpp"

#include "tests/support/chosen_cases.hpp"
#include "tests/support/nest_text.hpp"
#include "tests/support/streams.hpp"

#include <gtest/gtest.h>

namespace rondo::fold {
namespace {

using support::expand;
using support::HasTermsAtMost;
using support::IsNest;
using support::IsStream;
using support::letters;
using support::Random;
using support::repeat;
using support::Stream;
using trace::Nest;

Nest folded(const Stream& stream) {
  NestBuilder builder;
  for (const std::uint32_t symbol : stream) builder.push(symbol);
  EXPECT_EQ(builder.size(), stream.size());
  return builder.finish();
}

std::size_t alphabet_of(const Stream& stream) {
  std::uint32_t last = 0;
  for (const std::uint32_t symbol : stream) last = std::max(last, symbol);
  return last + std::size_t{1};
}

void expect_lossless(const Stream& stream) {
  const Nest nest = folded(stream);
  ASSERT_TRUE(nest.is_valid(alphabet_of(stream)));
  ASSERT_THAT(expand(nest), IsStream(stream));
}

// Simple programs fold to the nest that one would write
// -------------------------------------------------

TEST(NestBuilder, LeavesAnEmptyStreamEmpty) { EXPECT_THAT(folded({}), IsNest("")); }

TEST(NestBuilder, GivesSymbolsAnotherNameWhereNothingIsFolded) {
  NestBuilder builder(false);
  const Stream stream{0, 1, 2, 1, 0, 3, 1, 2};
  for (const std::uint32_t symbol : stream) builder.push(symbol);
  EXPECT_EQ(builder.rename({1, 2, 7}, 80), (Stream{1, 2, 1, 1, 2}));
  builder.push(80);
  EXPECT_EQ(builder.rename({80, 3}, 4), (Stream{80, 80, 80, 3, 80, 80, 80}));
  EXPECT_EQ(builder.size(), 9U);
  EXPECT_THAT(expand(builder.finish()), IsStream(Stream{0, 4, 4, 4, 0, 4, 4, 4, 4}));
}

TEST(NestBuilder, KeepsAStreamWithoutRepetition) {
  EXPECT_THAT(folded(letters("abcd")), IsNest("a b c d"));
}

TEST(NestBuilder, FoldsASteadyLoop) {
  EXPECT_THAT(folded(repeat(letters("abc"), 1000)), IsNest("(a b c)*1000"));
}

TEST(NestBuilder, FoldsARunOfOneSymbol) {
  EXPECT_THAT(folded(repeat(letters("a"), 5)), IsNest("(a)*5"));
}

TEST(NestBuilder, KeepsWhatStandsAroundALoop) {
  Stream stream = letters("xy");
  const Stream loop = repeat(letters("ab"), 9);
  stream.insert(stream.end(), loop.begin(), loop.end());
  stream.push_back(25);
  EXPECT_THAT(folded(stream), IsNest("x y (a b)*9 z"));
}

TEST(NestBuilder, FoldsANestOfThreeLoops) {
  Stream inner = repeat(letters("ab"), 4);
  inner.push_back(2);
  Stream middle = repeat(inner, 5);
  middle.push_back(3);
  EXPECT_THAT(folded(repeat(middle, 6)), IsNest("(((a b)*4 c)*5 d)*6"));
}

TEST(NestBuilder, FoldsANestOfSixLoops) {
  Stream stream;
  for (std::uint32_t depth = 0; depth < 6; ++depth) {
    stream.push_back(depth);
    stream = repeat(stream, 3 + depth % 2);
  }
  const trace::Nest nest = folded(stream);
  EXPECT_EQ(expand(nest), stream);
  EXPECT_EQ(nest.loops().size(), 6);
}

TEST(NestBuilder, FoldsALoopInFrontOfTheBody) {
  EXPECT_THAT(folded(repeat(letters("aaab"), 50)), IsNest("((a)*3 b)*50"));
}

TEST(NestBuilder, TakesAWhileLoopsTripsAsAColumn) {
  Stream stream;
  for (const std::size_t trips : {3, 5, 2, 4, 4, 6}) {
    const Stream body = repeat(letters("ab"), trips);
    stream.insert(stream.end(), body.begin(), body.end());
    stream.push_back(2);
  }
  EXPECT_THAT(folded(stream), IsNest("((a b)*{3,5,2,4x2,6} c)*6"));
}

TEST(NestBuilder, SkipsALoopThatARoundDoesNotEnter) {
  Stream stream;
  for (const std::size_t trips : {3, 3, 0, 3, 0, 3}) {
    stream.push_back(3);
    const Stream body = repeat(letters("ab"), trips);
    stream.insert(stream.end(), body.begin(), body.end());
    stream.push_back(2);
  }
  EXPECT_THAT(folded(stream), IsNest("(d (a b)*{3x2,0,3,0,3} c)*6"));
}

TEST(NestBuilder, KeepsTheRestOfARoundUnderWay) {
  EXPECT_THAT(folded(letters("abcabcabcab")), IsNest("(a b c)*3 a b"));
}

TEST(NestBuilder, TakesUpALoopAgainAfterAnInterruption) {
  const Nest nest = folded(letters("ababababxababab"));
  EXPECT_THAT(nest, IsNest("(a b)*{4,3} x (a b)*{4,3}"));
  EXPECT_EQ(nest.loops().size(), 1U) << "equal bodies are one loop";
}

TEST(NestBuilder, FoldsAnExtraCallEveryTwentiethRound) {
  Stream twenty = repeat(letters("abc"), 20);
  twenty.push_back(3);
  EXPECT_THAT(folded(repeat(twenty, 100)), IsNest("((a b c)*20 d)*100"));
}

TEST(NestBuilder, FoldsAnExtraCallWithinEveryTwentiethRound) {
  Stream twenty = repeat(letters("abc"), 19);
  const Stream last = letters("abdc");
  twenty.insert(twenty.end(), last.begin(), last.end());
  EXPECT_THAT(folded(repeat(twenty, 100)), HasTermsAtMost(20));
}

TEST(NestBuilder, FoldsGrowingLoopsToAColumnOfTwoRuns) {
  const Nest nest = folded(support::growing_loops(200));
  EXPECT_THAT(nest, HasTermsAtMost(12));
  for (const trace::Loop& loop : nest.loops())
    EXPECT_NE(loop.trip_counts.kind(), trace::Column::Kind::kValues);
}

TEST(NestBuilder, IsEmptyAfterFinish) {
  NestBuilder builder;
  for (const std::uint32_t symbol : repeat(letters("ab"), 4)) builder.push(symbol);
  EXPECT_THAT(builder.finish(), IsNest("(a b)*4"));
  EXPECT_EQ(builder.size(), 0U);
  EXPECT_EQ(builder.expected(), NestBuilder::kNothing);
  builder.push(1);
  EXPECT_THAT(builder.finish(), IsNest("b"));
}

TEST(NestBuilder, SizeDoesNotGrowWithTheNumberOfRounds) {
  Stream round = repeat(letters("ab"), 7);
  const Stream rest = letters("cddddde");
  round.insert(round.end(), rest.begin(), rest.end());
  EXPECT_EQ(folded(repeat(round, 20)).terms(), folded(repeat(round, 2000)).terms());
}

TEST(NestBuilder, ExpectsTheNextSymbolOfASteadyLoop) {
  NestBuilder builder;
  std::size_t unexpected = 0;
  for (const std::uint32_t symbol : repeat(letters("abcd"), 100)) {
    if (builder.expected() != symbol) ++unexpected;
    builder.push(symbol);
  }
  EXPECT_EQ(unexpected, 8U) << "the first two rounds only";
}

TEST(NestBuilder, GoesOnInACopyAsInTheOriginal) {
  const Stream stream = repeat(letters("abcabcabdd"), 6);
  for (std::size_t cut = 0; cut < stream.size(); ++cut) {
    NestBuilder copy;
    {
      NestBuilder original;
      for (std::size_t i = 0; i < cut; ++i) original.push(stream[i]);
      copy = NestBuilder(original);
      original.finish();
    }
    for (std::size_t i = cut; i < stream.size(); ++i) copy.push(stream[i]);
    ASSERT_EQ(copy.finish(), folded(stream)) << "copied at " << cut;
  }
}

TEST(NestBuilder, TakesAWrongWayOverABorderBack) {
  // The loop's body and what follows it begin alike: only the second symbol tells them apart.
  Stream stream;
  for (int i = 0; i < 50; ++i) {
    const Stream body = repeat(letters("abc"), 2 + static_cast<std::size_t>(i % 3));
    stream.insert(stream.end(), body.begin(), body.end());
    for (const std::uint32_t symbol : letters("abd")) stream.push_back(symbol);
  }
  const Nest nest = folded(stream);
  EXPECT_THAT(expand(nest), IsStream(stream));
  EXPECT_THAT(nest, HasTermsAtMost(14));
}

TEST(NestBuilder, EntersALoopAgainInStepWithItsBody) {
  Stream stream = repeat(letters("abcd"), 9);
  for (const std::uint32_t symbol : letters("xcd")) stream.push_back(symbol);
  const Stream again = repeat(letters("abcd"), 5);
  stream.insert(stream.end(), again.begin(), again.end());
  EXPECT_THAT(folded(stream), IsNest("(a b c d)*{9,5} x c d (a b c d)*{9,5}"));
}

// expand(fold(x)) == x
// ----------------------------------------------------------------------------------

struct Kind {
  const char* name;
  bool varying_trips;
  bool optional_calls;
  bool skipped_loops;
};
constexpr Kind kKinds[] = {{"constant trips", false, false, false},
                           {"varying trips", true, false, false},
                           {"optional calls", false, true, false},
                           {"skipped loops", true, false, true},
                           {"everything", true, true, true}};

class EveryProgram : public testing::TestWithParam<std::uint32_t> {};

TEST_P(EveryProgram, ExpandsToItself) {
  for (const Kind& kind : kKinds) {
    for (std::uint64_t seed = 0; seed < support::number_of_seeds(100, 400); ++seed) {
      SCOPED_TRACE(std::string(kind.name) + ", seed " + std::to_string(seed));
      Random random(seed);
      support::ProgramOptions options;
      options.alphabet = GetParam();
      options.depth = 1 + static_cast<int>(seed % 4);
      options.varying_trips = kind.varying_trips;
      options.optional_calls = kind.optional_calls;
      options.skipped_loops = kind.skipped_loops;
      ASSERT_NO_FATAL_FAILURE(expect_lossless(support::random_program(random, options)));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(NestBuilder, EveryProgram, testing::Values(0U, 2U, 3U, 5U),
                         [](const auto& test) {
                           return test.param == 0 ? std::string("OwnSymbols")
                                                  : "Symbols" + std::to_string(test.param);
                         });

TEST(NestBuilder, ExpandsHostileStreamsToThemselves) {
  for (const support::NamedStream& hostile : support::hostile_streams(20'000)) {
    SCOPED_TRACE(hostile.name);
    ASSERT_NO_FATAL_FAILURE(expect_lossless(hostile.stream));
  }
}

TEST(NestBuilder, ExpandsEveryShortStreamToItself) {
  // All words of two and of three letters: every corner of folding that small streams reach.
  for (const auto& [alphabet, length] : {std::pair{2U, 14U}, std::pair{3U, 9U}}) {
    std::uint64_t words = 1;
    for (std::uint32_t i = 0; i < length; ++i) words *= alphabet;
    for (std::uint64_t word = 0; word < words; ++word) {
      Stream stream;
      for (std::uint64_t rest = word, i = 0; i < length; ++i, rest /= alphabet) {
        stream.push_back(static_cast<std::uint32_t>(rest % alphabet));
      }
      ASSERT_THAT(expand(folded(stream)), IsStream(stream)) << "word " << word;
    }
  }
}

TEST(NestBuilder, FoldsALoopOfChangingPeriodsOnceTheyComeRound) {
  const Stream stream = support::changing_periods(20'000);
  EXPECT_THAT(folded(stream), HasTermsAtMost(stream.size() / 20));
}

TEST(NestBuilder, GivesEqualStreamsEqualNests) {
  for (const support::NamedStream& hostile : support::hostile_streams(2000))
    EXPECT_EQ(folded(hostile.stream), folded(hostile.stream)) << hostile.name;
}

TEST(NestBuilder, NeverMakesMoreTermsThanSymbols) {
  for (const support::NamedStream& hostile : support::hostile_streams(20'000)) {
    EXPECT_THAT(folded(hostile.stream), HasTermsAtMost(2 * hostile.stream.size())) << hostile.name;
  }
}

} // namespace
} // namespace rondo::fold
