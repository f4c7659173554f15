// SPDX-License-Identifier: Apache-2.0
#include "rondo/trace/time_course.hpp"

#include "rondo/trace/course_reader.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

namespace rondo::trace {
namespace {

std::uint64_t ns_of_pass(std::uint64_t n) { return 2000 + n % 7 * 1000 + n / 1000 * 100'000; }

TimeCourse of_passes(std::uint64_t count) {
  TimeCourse course;
  for (std::uint64_t n = 0; n < count; ++n) course.add(n, ns_of_pass(n));
  course.end(count);
  return course;
}

TEST(TimeCourse, CodesAreAtMostSixPercentOff) {
  for (std::uint64_t ns = TimeCourse::kLeast_ns; ns < 1'000'000'000'000; ns += ns / 97) {
    const double coded = TimeCourse::ns_of(TimeCourse::code_of(ns));
    EXPECT_LE(std::abs(coded / static_cast<double>(ns) - 1), 0.0625) << ns;
  }
  EXPECT_EQ(TimeCourse::ns_of(TimeCourse::code_of(TimeCourse::kLeast_ns - 1)), 0);
  EXPECT_GT(TimeCourse::ns_of(TimeCourse::code_of(~std::uint64_t{0})), 1e12);
}

TEST(TimeCourse, AFewPassesAreAllKeptInOrder) {
  const TimeCourse course = of_passes(TimeCourse::kMost);
  EXPECT_TRUE(course.is_whole());
  for (std::uint64_t n = 0; n < TimeCourse::kMost; ++n)
    ASSERT_EQ(course.at(n), TimeCourse::code_of(ns_of_pass(n))) << n;
}

TEST(TimeCourse, ShortPassesInBetweenKeepTheirPlaces) {
  TimeCourse course;
  course.add(3, 5000);
  course.add(70, 9000);
  course.end(200);
  ASSERT_EQ(course.codes().size(), 200U);
  for (std::uint64_t n = 0; n < 200; ++n)
    EXPECT_EQ(course.at(n), n == 3    ? TimeCourse::code_of(5000)
                            : n == 70 ? TimeCourse::code_of(9000)
                                      : 0)
        << n;
}

// Each n has a pass of the same place in a block, made within as many passes as a kept block stands
// for: a run that slowly changes is followed.
TEST(TimeCourse, OfManyPassesBlocksAreKeptThatAreSpreadOverTheRun) {
  for (const std::uint64_t count : {1025U, 5000U, 99'999U, 1'000'000U}) {
    const TimeCourse course = of_passes(count);
    EXPECT_LE(course.codes().size(), TimeCourse::kMost);
    EXPECT_GE(course.codes().size(), TimeCourse::kMost / 2 - TimeCourse::kBlock);
    const std::uint64_t stride = TimeCourse::kBlock << course.thinnings();
    for (std::uint64_t n = 0; n < count; n += 61) {
      const std::uint64_t made = n / stride * stride + n % TimeCourse::kBlock;
      ASSERT_EQ(course.at(n), TimeCourse::code_of(ns_of_pass(made))) << n << " of " << count;
    }
  }
}

TEST(TimeCourse, ThinnedLaterIsThinnedAtOnce) {
  TimeCourse thinned = of_passes(1000);
  thinned.thin(128);
  EXPECT_EQ(thinned.codes().size(), 128U);
  EXPECT_EQ(thinned.at(31), TimeCourse::code_of(ns_of_pass(31)));
  EXPECT_EQ(thinned.at(256), TimeCourse::code_of(ns_of_pass(256)));
  EXPECT_EQ(thinned.at(32), TimeCourse::code_of(ns_of_pass(0)));
}

TEST(TimeCourse, WhatComesLaterStandsBehind) {
  TimeCourse both = of_passes(10);
  both.append(12, of_passes(5)); // two short ones in between
  both.add(17, 4000);
  both.end(18);
  EXPECT_EQ(both.codes().size(), 18U);
  EXPECT_EQ(both.at(9), TimeCourse::code_of(ns_of_pass(9)));
  EXPECT_EQ(both.at(11), 0);
  EXPECT_EQ(both.at(16), TimeCourse::code_of(ns_of_pass(4)));
  EXPECT_EQ(both.at(17), TimeCourse::code_of(4000));
  TimeCourse many = of_passes(5000);
  many.append(5000, of_passes(100));
  EXPECT_LE(many.codes().size(), TimeCourse::kMost);
}

// A course stands for as many passes as there were, each as often as it is read.
TEST(TimeCourse, MeansAreOfAllPassesAsTheyAreRead) {
  for (const std::uint64_t count : {1U, 31U, 33U, 1000U, 5000U, 99'999U}) {
    TimeCourse course = of_passes(count);
    for (const std::size_t most : {TimeCourse::kMost, std::size_t{128}, std::size_t{1}}) {
      course.thin(most);
      const std::vector<double> levels = course.levels();
      for (const std::uint64_t passes : {count, count / 3, 3 * count + 7}) {
        double sum = 0;
        for (std::uint64_t n = 0; n < passes; ++n) sum += course.ns_at(n, levels);
        const auto all = static_cast<double>(passes);
        EXPECT_NEAR(course.mean_ns(passes, levels) * all, sum, 1e-9 * sum)
            << passes << " of " << count;
      }
    }
  }
  EXPECT_EQ(TimeCourse().mean_ns(5, {}), 0);
}

// The mean of passes from `begin` on over that of all.
double part_of_mean(const TimeCourse& course, std::uint64_t begin, std::uint64_t end,
                    std::uint64_t count) {
  const std::vector<double> levels = course.levels();
  double sum = 0;
  for (std::uint64_t n = begin; n < end; ++n) sum += course.ns_at(n, levels);
  return sum / static_cast<double>(end - begin) / course.mean_ns(count, levels);
}

// Two ranks that pass work on to each other would wait for each other's slow blocks, which are
// there once, as often as these are read.
TEST(TimeCourse, ABlockThatIsSlowByChanceMakesNoPartOfTheRunSlow) {
  constexpr std::uint64_t kCount = 4096;
  TimeCourse course;
  std::uint64_t state = 1;
  for (std::uint64_t n = 0; n < kCount; ++n) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    course.add(n, state >> 33 & 15 ? 100'000 : 2'000'000); // one in 16 is disturbed
  }
  course.end(kCount);
  course.thin(128);
  for (std::uint64_t quarter = 0; quarter < 4; ++quarter) {
    const std::uint64_t begin = quarter * kCount / 4;
    EXPECT_NEAR(part_of_mean(course, begin, begin + kCount / 4, kCount), 1, 0.1) << quarter;
  }
}

// Work that moves on to another rank every 50 passes: what is kept has the paces, too.
TEST(TimeCourse, BlocksThatGoAtAPaceOfTheirOwnKeepIt) {
  constexpr std::uint64_t kCount = 400;
  TimeCourse course;
  for (std::uint64_t n = 0; n < kCount; ++n) course.add(n, 100'000 * (1 + n / 50 % 4));
  course.end(kCount);
  course.thin(128);
  ASSERT_FALSE(course.is_whole());
  const double first = part_of_mean(course, 0, 32, kCount);
  const double second = part_of_mean(course, 128, 160, kCount);
  EXPECT_NEAR(second / first, (22 * 3 + 10 * 4) / 32.0, 0.4);
}

TEST(TimeCourse, ALevelThatChangesSlowlyIsKept) {
  constexpr std::uint64_t kCount = 32'768;
  TimeCourse course;
  for (std::uint64_t n = 0; n < kCount; ++n) course.add(n, n < kCount / 2 ? 100'000 : 300'000);
  course.end(kCount);
  EXPECT_FALSE(course.is_whole());
  EXPECT_NEAR(part_of_mean(course, 0, kCount / 2, kCount), 0.5, 0.05);
  EXPECT_NEAR(part_of_mean(course, kCount / 2, kCount, kCount), 1.5, 0.05);
}

// One pass of 50 ms among 1000 of 0.1 to 0.12 ms, in a block that is left out and in one that is
// kept.
TEST(TimeCourse, PassesThatAreFarLongerStayWhereTheyWere) {
  const auto ns_of_it = [](std::uint64_t n) {
    return n == 40 || n == 301 ? 50'000'000U : 100'000U + n % 3 * 10'000U;
  };
  TimeCourse course;
  for (std::uint64_t n = 0; n < 1000; ++n) course.add(n, ns_of_it(n));
  course.end(1000);
  course.thin(128);
  ASSERT_EQ(course.codes().size(), 128U);
  ASSERT_EQ(course.peaks().size(), 2U);
  const std::vector<double> levels = course.levels();
  double sum = 0;
  for (std::uint64_t n = 0; n < 1000; ++n) {
    sum += course.ns_at(n, levels);
    EXPECT_EQ(course.ns_at(n, levels) > 1e6, n == 40 || n == 301) << n;
  }
  EXPECT_NEAR(course.mean_ns(1000, levels), sum / 1000, 1e-6 * sum / 1000);
  for (const std::uint64_t period : {1U, 3U, 32U, 64U}) {
    for (std::uint64_t n = 0; n < 1000; ++n) {
      const std::uint64_t alike = course.alike(n, period);
      for (std::uint64_t i = n; i < n + alike; ++i)
        ASSERT_EQ(course.at(i), course.at(i + period)) << n << " " << i << " " << period;
    }
  }
  EXPECT_GT(course.alike(64, 32), 100U);
  course.thin(64);
  EXPECT_EQ(course.peaks().size(), 2U);
}

TEST(TimeCourse, HasNoPeaksWherePassesDifferLittleOrAreAllKept) {
  TimeCourse course;
  for (std::uint64_t n = 0; n < 1000; ++n) course.add(n, n == 40 ? 5'000'000 : 100'000);
  course.end(1000);
  EXPECT_TRUE(course.peaks().empty());
  TimeCourse even;
  for (std::uint64_t n = 0; n < 1000; ++n) even.add(n, 100'000 + n % 90 * 1000);
  even.end(1000);
  even.thin(128);
  EXPECT_TRUE(even.peaks().empty());
}

// One pass in four takes 0.5 ms, and of these one took 5.
TEST(TimeCourse, PassesThatAreLongNowAndThenAreNoPeaks) {
  const auto ns_of_it = [](std::uint64_t n) { return n % 4 == 1 ? 500'000U : 6000U; };
  TimeCourse course;
  for (std::uint64_t n = 0; n < 400; ++n) course.add(n, n == 41 ? 5'000'000 : ns_of_it(n));
  course.end(400);
  course.thin(128);
  ASSERT_EQ(course.peaks().size(), 1U);
  EXPECT_EQ(course.peaks().front().n, 41U);
  const std::vector<double> levels = course.levels();
  for (const std::uint64_t n : {0, 1, 2, 3, 42, 45, 130, 133, 397})
    EXPECT_NEAR(course.ns_at(n, levels) / ns_of_it(n), 1, 0.1) << n;
}

// Of passes that were left out while recording nothing is known; of the others peaks come once.
TEST(TimeCourse, HasPeaksOfLongRunsToo) {
  TimeCourse course;
  for (std::uint64_t n = 0; n < 2000; ++n) course.add(n, n == 65 || n == 40 ? 50'000'000 : 100'000);
  course.end(2000);
  ASSERT_EQ(course.thinnings(), 1);
  course.thin(128);
  ASSERT_EQ(course.peaks().size(), 1U);
  EXPECT_EQ(course.peaks().front().n, 65U);
  const std::vector<double> levels = course.levels();
  for (std::uint64_t n = 0; n < 2000; ++n) EXPECT_EQ(course.ns_at(n, levels) > 1e6, n == 65) << n;
}

// 20 peaks in each half, those of the second are longer.
TEST(TimeCourse, KeepsTheLongestPeaks) {
  const auto half = [](std::uint64_t peak_ns) {
    TimeCourse course;
    for (std::uint64_t n = 0; n < 1000; ++n) course.add(n, n % 50 == 1 ? peak_ns : 100'000);
    course.end(1000);
    course.thin(128);
    return course;
  };
  TimeCourse course = half(1'000'000);
  EXPECT_EQ(course.peaks().size(), 20U);
  course.append(1000, half(9'000'000));
  ASSERT_EQ(course.peaks().size(), TimeCourse::kMostPeaks);
  EXPECT_EQ(std::ranges::count_if(course.peaks(), [](const auto& peak) { return peak.n >= 1000; }),
            20);
  EXPECT_TRUE(std::ranges::is_sorted(course.peaks(), {}, &TimeCourse::Peak::n));
}

// One pass in eleven is long in all of a long run: more than are set apart, and so in the blocks.
TEST(TimeCourse, PassesThatAreLongInAllOfALongRunAreNoPeaks) {
  TimeCourse course;
  for (std::uint64_t n = 0; n < 20'000; ++n) course.add(n, n % 11 == 0 ? 1'000'000 : 100'000);
  course.end(20'000);
  course.thin(128);
  EXPECT_TRUE(course.peaks().empty());
}

TEST(TimeCourse, IsAlikeAsLongAsABlockStandsForOthers) {
  const TimeCourse course = of_passes(20'000);
  const std::uint64_t stride = TimeCourse::kBlock << course.thinnings();
  for (const std::uint64_t period : {1U, 5U, 32U, 64U}) {
    for (std::uint64_t n = 0; n < 3 * stride; n += 13) {
      const std::uint64_t alike = course.alike(n, period);
      EXPECT_LE(n % stride + alike + period, std::max(stride, n % stride + period));
      for (std::uint64_t i = 0; i < alike; ++i)
        ASSERT_EQ(course.at(n + i), course.at(n + i + period)) << n << " + " << i;
    }
    if (period % TimeCourse::kBlock == 0) {
      EXPECT_EQ(course.alike(stride, period), stride - period);
    }
  }
}

// Three places: two whose times were one sum, and one of its own.
Program of_shared_places() {
  Program program;
  program.times.resize(3);
  for (PlaceTimes& place : program.times) place.computation.count = 6;
  program.times[0].shared = program.times[2].shared = 7;
  program.times[0].courses = {{4, of_passes(6)}};
  program.times[1].courses = {{4, of_passes(3)}, {9, of_passes(2)}};
  return program;
}

RankClass class_of(const Program& program) {
  RankClass of;
  of.program = std::make_shared<const Program>(program);
  of.ranks = RankSet::of({4, 9});
  return of;
}

TEST(CourseReader, PlacesWithOneSumGoThroughOneCourse) {
  const RankClass of = class_of(of_shared_places());
  CourseReader reader(of, 4);
  const auto expected = [](std::uint64_t n) {
    return TimeCourse::ns_of(TimeCourse::code_of(ns_of_pass(n)));
  };
  EXPECT_EQ(reader.next_ns(0), expected(0));
  EXPECT_EQ(reader.next_ns(2), expected(1));
  EXPECT_EQ(reader.next_ns(1), expected(0));
  EXPECT_EQ(reader.next_ns(2), expected(2));
  EXPECT_EQ(reader.next_ns(0), expected(3));
  EXPECT_EQ(reader.mean_ns(0), reader.mean_ns(2));
  EXPECT_EQ(CourseReader(of, 9).next_ns(0), std::nullopt);
  EXPECT_EQ(CourseReader(of, 9).next_ns(1), expected(0));
}

// Nine in ten take 200 ns, for which there is no code; the others must not take their time, too.
TEST(CourseReader, PassesTooShortForACodeTakeWhatTheHistogramSays) {
  Program program;
  program.times.resize(1);
  TimeCourse course;
  for (std::uint64_t n = 0; n < 100; ++n) {
    const std::uint64_t ns = n % 10 == 0 ? 2048 : 200;
    course.add(n, ns);
    program.times[0].computation.add(ns);
  }
  program.times[0].courses = {{4, course}};
  RankClass of;
  of.program = std::make_shared<const Program>(program);
  of.ranks = RankSet::of({4});
  CourseReader reader(of, 4);
  EXPECT_NEAR(*reader.next_ns(0), 2048, 2048 * 0.07);
  EXPECT_NEAR(*reader.next_ns(0), 200, 200 * 0.13); // half a bin
  EXPECT_NEAR(reader.mean_ns(0), 0.1 * 2048 + 0.9 * 200, 40);
}

TEST(CourseReader, OfTwoCoursesForOneSumNoneIsTaken) {
  Program program = of_shared_places();
  program.times[2].courses = {{4, of_passes(6)}};
  const RankClass of = class_of(program);
  CourseReader reader(of, 4);
  EXPECT_EQ(reader.next_ns(0), std::nullopt);
  EXPECT_EQ(reader.mean_ns(2), 0);
  EXPECT_TRUE(reader.next_ns(1));
}

TEST(CourseReader, SaysHowOftenPassesComeAgain) {
  Program program;
  program.times.resize(1);
  program.times[0].computation.count = 2 * 65'536;
  program.times[0].courses = {{4, of_passes(65'536)}};
  const RankClass of = class_of(program);
  CourseReader reader(of, 4);
  const std::uint64_t stride = TimeCourse::kBlock << program.times[0].courses[0].course.thinnings();
  for (const std::uint64_t passes : {32U, 64U}) {
    const std::vector<std::uint64_t> period{passes};
    EXPECT_EQ(reader.repeats(period, 1'000'000), stride / passes);
    EXPECT_EQ(reader.repeats(period, 3), 3U);
  }
  const double first = *reader.next_ns(0);
  reader.skip(std::vector<std::uint64_t>{stride - 1});
  EXPECT_EQ(reader.taken(), std::vector<std::uint64_t>{stride});
  EXPECT_NE(*reader.next_ns(0), first);
}

TEST(CourseReader, RanksWithoutACourseFollowOthers) {
  const std::vector<std::int64_t> known = ranks_with_courses(of_shared_places());
  EXPECT_EQ(known, (std::vector<std::int64_t>{4, 9}));
  EXPECT_EQ(rank_to_follow(known, 9, 0), 9);
  EXPECT_EQ(rank_to_follow(known, 5, 2), 4);
  EXPECT_EQ(rank_to_follow(known, 6, 3), 9);
  EXPECT_EQ(rank_to_follow({}, 6, 3), std::nullopt);
}

} // namespace
} // namespace rondo::trace
