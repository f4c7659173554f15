// SPDX-License-Identifier: Apache-2.0
#include "archive/courses_codec.hpp"

#include <gtest/gtest.h>

namespace rondo::archive {
namespace {

using trace::PlaceTimes;
using trace::RankCourse;
using trace::TimeCourse;

using Times = std::vector<std::vector<PlaceTimes>>;

TimeCourse course(std::int64_t rank, std::uint64_t passes) {
  TimeCourse result;
  for (std::uint64_t n = 0; n < passes; ++n)
    result.add(n, n % 11 == 3 ? 500
                              : 2000 + n * 977 % 100'000 + static_cast<std::uint64_t>(rank) * 7000);
  result.end(passes);
  return result;
}

// Two classes, the first without any; ranks whose courses differ in length, and one without passes.
Times sample() {
  Times times(3);
  times[0].resize(2);
  times[1].resize(5);
  times[2].resize(1);
  for (const std::int64_t rank : {0, 3, 4}) {
    times[1][0].courses.push_back({rank, course(rank, 40)});
    times[1][4].courses.push_back({rank, course(rank, 5000 + static_cast<std::uint64_t>(rank))});
  }
  times[2][0].courses = {{7, TimeCourse()}};
  return times;
}

std::vector<const std::vector<PlaceTimes>*> views_of(const Times& times) {
  std::vector<const std::vector<PlaceTimes>*> views;
  for (const auto& places : times) views.push_back(&places);
  return views;
}

Times without(const Times& times) {
  Times bare;
  for (const auto& places : times) bare.emplace_back(places.size());
  return bare;
}

TEST(PackedCourses, ComeBack) {
  const Times times = sample();
  const std::string bytes = pack_courses(views_of(times));
  Times read = without(times);
  Unpacker in(bytes);
  unpack_courses(in, read);
  EXPECT_TRUE(in.ok() && in.at_end());
  EXPECT_EQ(read, times);
}

TEST(PackedCourses, AreNoBytesIfThereAreNone) {
  EXPECT_EQ(pack_courses(views_of(without(sample()))), "");
}

TEST(PackedCourses, ThatAreCutAreRefused) {
  const std::string bytes = pack_courses(views_of(sample()));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    Times read = without(sample());
    Unpacker in(std::string_view(bytes).substr(0, size));
    unpack_courses(in, read);
    EXPECT_FALSE(in.ok()) << size;
  }
}

TEST(PackedCourses, WithAnyByteOfTheirHeadsChangedHaveRanksThatAscend) {
  const std::string bytes = pack_courses(views_of(sample()));
  for (std::size_t at = 0; at < 60; ++at) {
    for (const int change : {1, 2, 0x7f, 0x80, 0xff}) {
      std::string changed = bytes;
      changed[at] = static_cast<char>(changed[at] ^ change);
      Times read = without(sample());
      Unpacker in(changed);
      unpack_courses(in, read);
      for (const auto& places : read) {
        for (const PlaceTimes& place : places) {
          std::int64_t last = -1;
          for (const RankCourse& own : place.courses) {
            EXPECT_GT(own.rank, last);
            EXPECT_LE(own.course.codes().size(), TimeCourse::kMost);
            last = own.rank;
          }
        }
      }
    }
  }
}

// Three long passes in every course of the sample.
Times with_peaks() {
  Times times = sample();
  for (auto& places : times) {
    for (PlaceTimes& place : places) {
      for (RankCourse& own : place.courses) own.course.set_peaks({{3, 90}, {4, 254}, {1000, 17}});
    }
  }
  return times;
}

TEST(PackedPeaks, ComeBack) {
  const Times times = with_peaks();
  const std::string bytes = pack_peaks(views_of(times));
  Times read = sample();
  Unpacker in(bytes);
  unpack_peaks(in, read);
  EXPECT_TRUE(in.ok() && in.at_end());
  EXPECT_EQ(read, times);
  EXPECT_EQ(pack_peaks(views_of(sample())), "");
}

TEST(PackedPeaks, ThatAreCutOrTooManyAreRefused) {
  const std::string bytes = pack_peaks(views_of(with_peaks()));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    Times read = sample();
    Unpacker in(std::string_view(bytes).substr(0, size));
    unpack_peaks(in, read);
    EXPECT_FALSE(in.ok()) << size;
  }
  std::string many = bytes;
  many[0] = static_cast<char>(TimeCourse::kMostPeaks + 1);
  Times read = sample();
  Unpacker in(many);
  unpack_peaks(in, read);
  EXPECT_FALSE(in.ok());
}

} // namespace
} // namespace rondo::archive
