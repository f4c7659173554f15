// SPDX-License-Identifier: Apache-2.0
#include "generate/lower/times/course_rows.hpp"

#include "rondo/trace/time_course.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>

namespace rondo::generate::internal {
namespace {

constexpr std::size_t kBlock = trace::TimeCourse::kBlock;

// Passes as a course plays them: of each `stride` blocks all are like the first.
std::vector<double> played(std::size_t passes, std::size_t stride) {
  std::vector<double> seconds;
  for (std::size_t n = 0; n < passes; ++n) {
    const std::size_t kept = n / kBlock / stride * kBlock + n % kBlock;
    seconds.push_back(1e-3 + 1e-6 * static_cast<double>(kept * 7919 % 1013));
  }
  return seconds;
}

std::vector<double> read(const Course::Row& row) {
  std::vector<double> seconds;
  for (std::int64_t n = 0; n < row.passes; ++n) seconds.push_back(time_of(row, n));
  return seconds;
}

double mean(const std::vector<double>& seconds) {
  return std::accumulate(seconds.begin(), seconds.end(), 0.0) / static_cast<double>(seconds.size());
}

TEST(CourseRows, HaveAllThatACourseOfAnArchiveSays) {
  for (const std::size_t passes : {1, 31, 200, 1000, 5000, 70'001}) {
    for (const std::size_t stride : {1, 2, 8, 64}) {
      if (passes / stride > trace::TimeCourse::kMost) continue;
      std::vector<double> seconds = played(passes, stride);
      for (const std::size_t peak : {passes / 2, passes - 1}) seconds[peak] = 0.5;
      const Course::Row row = row_from(seconds, 64);
      EXPECT_EQ(read(row), seconds) << passes << " passes, stride " << stride;
      EXPECT_LE(row.seconds.size(), passes / stride + kBlock);
      EXPECT_NEAR(mean_of(row), mean(seconds), 1e-9);
    }
  }
}

TEST(CourseRows, StoreAPeakOnceWhereverItStands) {
  for (const std::size_t peak : {5, 37, 250, 517}) { // in blocks that are kept, and in others
    std::vector<double> seconds = played(1000, 8);
    seconds[peak] = 0.5;
    const Course::Row row = row_from(seconds, 256);
    EXPECT_EQ(read(row), seconds) << peak;
    EXPECT_LE(row.apart.size(), 1U) << peak;
  }
}

TEST(CourseRows, OfPassesThatNeverComeAgainKeepBlocksAndTheLongest) {
  std::vector<double> seconds;
  for (std::size_t n = 0; n < 4000; ++n)
    seconds.push_back(1e-3 * (1 + static_cast<double>(n * 7919 % 1013) / 2000));
  seconds[20] = 0.5; // in a block that is kept
  const Course::Row row = row_from(seconds, 128);
  EXPECT_LE(row.seconds.size(), 128U);
  ASSERT_EQ(row.apart.size(), 1U);
  EXPECT_EQ(row.apart.front().first, 20);
  const std::vector<double> again = read(row);
  EXPECT_EQ(std::ranges::count_if(again, [](double time) { return time > 0.01; }), 1);
  EXPECT_NEAR(mean_of(row) / mean(seconds), 1, 0.1);
}

TEST(CourseRows, ScaledHaveTheirMeanScaled) {
  Course::Row row = row_from(played(1000, 4), 256);
  row.apart.emplace_back(81, 0.5);
  const double before = mean_of(row);
  scale(row, 2);
  EXPECT_NEAR(mean_of(row), 2 * before, 1e-12);
}

} // namespace
} // namespace rondo::generate::internal
