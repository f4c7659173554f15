// SPDX-License-Identifier: Apache-2.0
#include "archive/modelled_courses.hpp"

#include <gtest/gtest.h>

#include <random>

namespace rondo::archive {
namespace {

using trace::PlaceTimes;
using trace::RankCourse;
using trace::TimeCourse;

using Times = std::vector<std::vector<PlaceTimes>>;

// A place that ranks go through so often, each computation some 2 to 4 us and one in 17 far longer.
PlaceTimes place_of(const std::vector<std::int64_t>& ranks, std::uint64_t passes, int seed) {
  std::mt19937_64 random(static_cast<std::uint64_t>(seed));
  PlaceTimes place;
  for (const std::int64_t rank : ranks) {
    TimeCourse course;
    for (std::uint64_t n = 0; n < passes; ++n) {
      const std::uint64_t ns = n % 17 == 5 ? 90'000 : 2000 + random() % 2000;
      course.add(n, ns);
      place.computation.add(ns);
      place.inside.add(100);
    }
    course.end(passes);
    course.thin(128);
    place.courses.push_back({rank, course});
  }
  return place;
}

// Classes without courses, with other ranks, and with a rank that was not there.
Times many_courses() {
  Times times(3);
  times[0].resize(2);
  times[1] = {place_of({0, 3, 4}, 40, 1), PlaceTimes(), place_of({0, 3, 4}, 5000, 2),
              place_of({3}, 300, 3)};
  times[2] = {place_of({7, 70'000}, 1, 4)};
  times[2][0].courses.push_back({70'001, TimeCourse()});
  return times;
}

std::vector<const std::vector<PlaceTimes>*> views_of_courses(const Times& times) {
  std::vector<const std::vector<PlaceTimes>*> views;
  for (const auto& places : times) views.push_back(&places);
  return views;
}

Times without_courses(Times times) {
  for (auto& places : times) {
    for (PlaceTimes& place : places) place.courses.clear();
  }
  return times;
}

TEST(ModelledCourses, ComeBackWithTheirPeaks) {
  const Times times = many_courses();
  EXPECT_FALSE(times[1][3].courses[0].course.peaks().empty());
  Times read = without_courses(times);
  ASSERT_TRUE(
      unpack_modelled_courses(pack_modelled_courses(views_of_courses(times)), nullptr, read));
  EXPECT_EQ(read, times);
}

TEST(ModelledCourses, AreNoBytesIfThereAreNone) {
  EXPECT_EQ(pack_modelled_courses(views_of_courses(without_courses(many_courses()))), "");
}

// Codes of a factor of two are eight: three bits each, if nothing else is known of them.
TEST(ModelledCourses, TakeWhatTheirHistogramLeavesOpen) {
  Times times(1);
  for (int i = 0; i < 8; ++i) times[0].push_back(place_of({0, 1}, 128, i));
  EXPECT_LT(pack_modelled_courses(views_of_courses(times)).size(), 8 * 2 * 128 * 4 / 8);
}

// As histograms of merged ranks may be, and those of no times.
TEST(ModelledCourses, ComeBackWhateverHistogramsSay) {
  Times times = many_courses();
  times[1][0].computation = {};
  times[1][2].computation.count += 7;
  times[1][3].computation.max_ns = times[1][3].computation.min_ns;
  Times read = without_courses(times);
  ASSERT_TRUE(
      unpack_modelled_courses(pack_modelled_courses(views_of_courses(times)), nullptr, read));
  EXPECT_EQ(read, times);
}

TEST(ModelledCourses, CostWhatTheyAreWorth) {
  const std::string bytes = pack_modelled_courses(views_of_courses(many_courses()));
  Budget enough(std::uint64_t{1} << 20, std::uint64_t{1} << 20);
  Times read = without_courses(many_courses());
  EXPECT_TRUE(unpack_modelled_courses(bytes, &enough, read));
  Budget few_steps(std::uint64_t{1} << 20, 1000);
  read = without_courses(many_courses());
  EXPECT_FALSE(unpack_modelled_courses(bytes, &few_steps, read));
}

// Whatever bytes say, ranks and passes ascend, and nothing is longer than it is made.
TEST(ModelledCourses, OfAnyBytesAreSoundOrRefused) {
  std::mt19937_64 random(5);
  const std::string sound = pack_modelled_courses(views_of_courses(many_courses()));
  for (int i = 0; i < 500; ++i) {
    std::string bytes = sound.substr(0, 1 + random() % sound.size());
    bytes[random() % bytes.size()] = static_cast<char>(random());
    Times read = without_courses(many_courses());
    Budget budget(std::uint64_t{1} << 22, std::uint64_t{1} << 22);
    if (!unpack_modelled_courses(bytes, &budget, read)) continue;
    for (const auto& places : read) {
      for (const PlaceTimes& place : places) {
        std::int64_t last = -1;
        for (const RankCourse& own : place.courses) {
          EXPECT_GT(own.rank, last);
          last = own.rank;
          EXPECT_LE(own.course.codes().size(), TimeCourse::kMost);
          EXPECT_LE(own.course.peaks().size(), TimeCourse::kMostPeaks);
        }
      }
    }
  }
}

} // namespace
} // namespace rondo::archive
