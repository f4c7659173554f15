// SPDX-License-Identifier: Apache-2.0
// What becomes of the courses of computation on their way from calls to a trace.
#include "rondo/fold/merge.hpp"
#include "rondo/fold/refold.hpp"
#include "rondo/trace/course_reader.hpp"
#include "rondo/trace/nest.hpp"

#include "tests/support/events.hpp"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>

namespace rondo::fold {
namespace {

using support::event_of;
using trace::PlaceTimes;
using trace::RankCourse;
using trace::TimeCourse;
using trace::Trace;

using Computing = std::function<std::uint64_t(std::int64_t rank, std::uint64_t pass)>; // ns

// Ranks that compute and meet, so often.
RecordingPart meeting(std::int64_t rank, std::int64_t ranks, std::uint64_t passes,
                      const Computing& ns, bool has_tags = false) {
  support::RankRecorder recorder(rank, ranks);
  const auto record = [&](const support::Event& event, std::uint64_t computation_ns) {
    recorder.builder().record(event.data(), event.size(), computation_ns, 500);
  };
  record(event_of("MPI_Init", {}), 0);
  for (std::uint64_t pass = 0; pass < passes; ++pass) {
    const auto tag = static_cast<std::int64_t>(pass * pass % 1009);
    record(has_tags ? event_of("MPI_Send", {{"dest", (rank + 1) % ranks}, {"tag", tag}})
                    : event_of("MPI_Barrier", {}),
           ns(rank, pass));
  }
  record(event_of("MPI_Finalize", {}), 0);
  return recorder.part();
}

Trace run(std::int64_t ranks, const std::function<std::uint64_t(std::int64_t)>& passes,
          const Computing& ns) {
  RecordingPart all = meeting(0, ranks, passes(0), ns);
  for (std::int64_t rank = 1; rank < ranks; ++rank)
    merge(all, meeting(rank, ranks, passes(rank), ns));
  return resolve(std::move(all));
}

std::uint64_t varied(std::int64_t rank, std::uint64_t pass) {
  return 10'000 * (1 + pass * 7 % 5) + static_cast<std::uint64_t>(rank) * 3000;
}

// By rank, of the place with most of them.
std::vector<RankCourse> courses_of(const Trace& trace) {
  std::vector<RankCourse> all;
  for (const trace::RankClass& c : trace.classes) {
    for (const PlaceTimes& place : c.program->times)
      all.insert(all.end(), place.courses.begin(), place.courses.end());
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.rank < b.rank; });
  return all;
}

// The first pass comes after MPI_Init, which is a place of its own.
void expect_passes(const RankCourse& own, std::uint64_t passes) {
  ASSERT_EQ(own.course.codes().size(), passes - 1) << "rank " << own.rank;
  for (std::uint64_t n = 0; n + 1 < passes; ++n)
    ASSERT_EQ(own.course.at(n), TimeCourse::code_of(varied(own.rank, n + 1)))
        << "rank " << own.rank << ", pass " << n;
}

// Work that moves on to another rank every 50 passes.
TEST(Courses, RanksThatChangeTheirPaceKeepAllPasses) {
  const Trace trace = run(
      4, [](std::int64_t) { return 400; },
      [](std::int64_t rank, std::uint64_t pass) {
        return 100'000 * (1 + (pass / 50 + static_cast<std::uint64_t>(rank)) % 4);
      });
  const std::vector<RankCourse> courses = courses_of(trace);
  ASSERT_EQ(courses.size(), 4U);
  for (const RankCourse& own : courses) EXPECT_TRUE(own.course.is_whole());
}

TEST(Courses, AreThoseOfEachRankInOrder) {
  const auto courses = courses_of(run(
      5, [](auto) { return 100; }, varied));
  ASSERT_EQ(courses.size(), 5U);
  for (std::int64_t rank = 0; rank < 5; ++rank) {
    EXPECT_EQ(courses[static_cast<std::size_t>(rank)].rank, rank);
    expect_passes(courses[static_cast<std::size_t>(rank)], 100);
  }
}

TEST(Courses, OfPlacesThatDoNotVaryAreNotKept) {
  const auto same = [](std::int64_t, std::uint64_t) { return std::uint64_t{50'000}; };
  EXPECT_TRUE(courses_of(run(
                             3, [](auto) { return 100; }, same))
                  .empty());
  const auto shorter = [](std::int64_t, std::uint64_t pass) { return 100 + pass % 7 * 100; };
  EXPECT_TRUE(courses_of(run(
                             3, [](auto) { return 100; }, shorter))
                  .empty());
}

TEST(Courses, OfRanksThatGoThroughAPlaceTogetherHaveTheSamePasses) {
  const auto courses = courses_of(run(
      3, [](auto) { return 5001; }, varied));
  ASSERT_EQ(courses.size(), 3U);
  for (const RankCourse& own : courses) {
    EXPECT_LE(own.course.codes().size(), 128U);
    EXPECT_EQ(own.course.thinnings(), courses.front().course.thinnings());
    const std::uint64_t block = TimeCourse::kBlock << own.course.thinnings();
    EXPECT_EQ(own.course.at(block), TimeCourse::code_of(varied(own.rank, block + 1)));
  }
}

TEST(Courses, OfRanksThatDoNotGoTogetherAreWhole) {
  const auto passes = [](std::int64_t rank) { return 300 + static_cast<std::uint64_t>(rank); };
  const auto courses = courses_of(run(4, passes, varied));
  ASSERT_EQ(courses.size(), 4U);
  for (const RankCourse& own : courses) expect_passes(own, passes(own.rank));
}

TEST(Courses, AreKeptOfSomeOfManyRanks) {
  const auto courses = courses_of(run(
      100, [](auto) { return 40; }, varied));
  EXPECT_GE(courses.size(), 16U);
  EXPECT_LE(courses.size(), 36U);
  for (const RankCourse& own : courses) expect_passes(own, 40);
  RecordingPart all = meeting(99, 100, 40, varied); // in another order
  for (std::int64_t rank = 0; rank < 99; ++rank) merge(all, meeting(rank, 100, 40, varied));
  EXPECT_EQ(courses_of(resolve(std::move(all))), courses);
}

TEST(Courses, SurviveThatCallsBecomeOne) { // whose tags are a column then
  RecordingPart part = meeting(0, 1, 120, varied, true);
  const auto courses = courses_of(resolve(std::move(part)));
  ASSERT_EQ(courses.size(), 1U);
  ASSERT_EQ(courses.front().course.codes().size(), 119U);
  int differing = 0;
  for (std::uint64_t n = 0; n < 119; ++n)
    differing += courses.front().course.at(n) != TimeCourse::code_of(varied(0, n + 1)) ? 1 : 0;
  EXPECT_LE(differing, 16); // in the order of which nothing is known
}

// As a sort whose counts differ: what is one place of rank 0 becomes several once the ranks are
// merged.
struct Recorded {
  RecordingPart part;
  std::vector<std::uint64_t> ns; // of the computation before each call
};
Recorded uneven(std::int64_t rank) {
  support::RankRecorder recorder(rank, 2);
  Recorded result;
  std::uint64_t pass = 0;
  const auto record = [&](const support::Event& event) {
    result.ns.push_back(varied(rank, pass++));
    recorder.builder().record(event.data(), event.size(), result.ns.back(), 500);
  };
  for (int round = 0; round < 6; ++round) {
    record(event_of("MPI_Allreduce", {{"count", 4}}, 1));
    record(event_of("MPI_Barrier", {}, 2));
    // Equal counts fold into loops, at other places of each rank.
    record(event_of("MPI_Bcast", {{"count", rank == 0 ? round / 2 : round / 3}, {"root", 0}}, 3));
  }
  result.part = recorder.part();
  return result;
}

TEST(Courses, OfAPlaceThatBecomesSeveralAreGoneThroughInOrder) {
  std::vector<Recorded> ranks{uneven(0), uneven(1)};
  RecordingPart all = std::move(ranks[0].part);
  merge(all, std::move(ranks[1].part));
  const Trace trace = resolve(std::move(all));
  ASSERT_EQ(trace.programs.size(), 1U);
  for (const Trace& each : {trace, refold(trace, Folding::kFull, {}, {}).trace}) {
    for (std::int64_t rank = 0; rank < 2; ++rank) {
      const trace::RankClass& of =
          *std::find_if(each.classes.begin(), each.classes.end(),
                        [&](const trace::RankClass& c) { return c.ranks.contains(rank); });
      trace::CourseReader courses(of, rank);
      trace::NestReader symbols(of.program->nest);
      std::uint32_t before = PlaceTimes::kStart;
      std::size_t call = 0;
      std::size_t known = 0;
      while (const auto symbol = symbols.next()) {
        for (std::size_t i = 0; i < of.program->times.size(); ++i) {
          const PlaceTimes& place = of.program->times[i];
          if (place.call != *symbol || place.before != before) continue;
          const auto ns = courses.next_ns(i);
          if (!ns) continue;
          ++known;
          ASSERT_EQ(*ns, TimeCourse::ns_of(
                             TimeCourse::code_of(ranks[static_cast<std::size_t>(rank)].ns[call])))
              << "rank " << rank << ", call " << call;
        }
        before = *symbol;
        ++call;
      }
      EXPECT_GE(known, 10U) << "of 18";
    }
  }
}

// Some ranks of the run, a few passes, and no more of all than archives have room for.
TEST(Courses, TakeNoMoreRoomWithMoreRanks) {
  std::size_t of_few = 0;
  for (const std::int64_t ranks : {32, 128, 512}) {
    std::size_t passes = 0;
    for (const RankCourse& own : courses_of(run(
             ranks, [](auto) { return 400; }, varied)))
      passes += own.course.codes().size();
    if (ranks == 32) of_few = passes;
    EXPECT_GT(passes, 0U) << ranks;
    EXPECT_LE(passes, 2 * of_few) << ranks;
    EXPECT_LE(passes, 16'384U) << ranks;
  }
  std::size_t passes = 0; // of ranks that do not go together each pass is kept
  const auto courses = courses_of(run(
      48, [](std::int64_t rank) { return 900 + static_cast<std::uint64_t>(rank); }, varied));
  for (const RankCourse& own : courses) passes += own.course.codes().size();
  EXPECT_GT(passes, 8192U);
  EXPECT_LE(passes, 16'384U);
}

TEST(Courses, SurviveRefolding) {
  const auto passes = [](std::int64_t rank) { return 200 + static_cast<std::uint64_t>(rank) / 2; };
  const Trace trace = run(4, passes, varied);
  const auto again = courses_of(refold(trace, Folding::kFull, {}, {}).trace);
  EXPECT_EQ(again, courses_of(trace));
}

} // namespace
} // namespace rondo::fold
