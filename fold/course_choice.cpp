// SPDX-License-Identifier: Apache-2.0
#include "fold/course_choice.hpp"

#include "trace/model/block_paces.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace rondo::fold {
namespace {

using trace::PlaceTimes;
using trace::RankCourse;
using trace::TimeCourse;

constexpr double kWorthKeeping = 2e-3; // of a rank's computation
constexpr std::int64_t kMostRanks = 32;
constexpr std::size_t kPassesTogether = 128;
constexpr std::size_t kRoom = 16'384; // passes of all courses of a program: a byte each, unpacked

// How far times are from their mean, in the mean.
double variation_ns(const TimeCourse& course) {
  double sum = 0;
  double off = 0;
  const auto size = static_cast<double>(course.codes().size());
  for (const char code : course.codes()) sum += TimeCourse::ns_of(static_cast<std::uint8_t>(code));
  for (const char code : course.codes())
    off += std::abs(TimeCourse::ns_of(static_cast<std::uint8_t>(code)) - sum / size);
  return size > 0 ? off / size : 0;
}

// In all passes, of the rank that varies most. Passes may be those of several places.
double variation_ns(const std::vector<RankCourse>& courses) {
  double most_ns = 0;
  for (const RankCourse& own : courses) {
    const std::size_t passes = own.course.codes().size() << own.course.thinnings();
    double own_ns = variation_ns(own.course) * static_cast<double>(passes);
    for (const TimeCourse::Peak& peak : own.course.peaks()) own_ns += TimeCourse::ns_of(peak.code);
    most_ns = std::max(most_ns, own_ns);
  }
  return most_ns;
}

} // namespace

void drop_dull_courses(std::vector<PlaceTimes>& times, double computation_ns) {
  for (PlaceTimes& place : times) {
    if (variation_ns(place.courses) <= kWorthKeeping * computation_ns) place.courses = {};
  }
}

// By a hash of the rank: any class has its share, whatever its ranks have in common.
void drop_surplus_ranks(std::vector<RankCourse>& courses, std::int64_t ranks) {
  int halvings = 0;
  while (ranks >> halvings > kMostRanks) ++halvings;
  if (halvings == 0) return;
  std::erase_if(courses, [&](const RankCourse& own) {
    const std::uint64_t hash = static_cast<std::uint64_t>(own.rank) * 0x9e3779b97f4a7c15U;
    return hash >> (64 - halvings) != 0;
  });
}

bool have_paces(const std::vector<std::vector<RankCourse>*>& of_classes) {
  constexpr double kMost = 0.5;
  return std::ranges::any_of(of_classes, [](const auto* courses) {
    return std::ranges::any_of(*courses, [](const RankCourse& own) {
      return trace::internal::pace_of_blocks(own.course) >= kMost;
    });
  });
}

void shorten_courses(const std::vector<std::vector<RankCourse>*>& of_classes) {
  const RankCourse& first = of_classes.front()->front();
  bool is_together = true;
  for (const auto* courses : of_classes) {
    for (const RankCourse& own : *courses) {
      is_together = is_together && own.course.codes().size() == first.course.codes().size() &&
                    own.course.thinnings() == first.course.thinnings();
    }
  }
  if (!is_together) return;
  for (auto* courses : of_classes) {
    for (RankCourse& own : *courses) own.course.thin(kPassesTogether);
  }
}

namespace {

std::size_t passes_of(const std::vector<std::vector<RankCourse>*>& of_classes) {
  std::size_t passes = 0;
  for (const auto* courses : of_classes) {
    for (const RankCourse& own : *courses) passes += own.course.codes().size();
  }
  return passes;
}

// Gives how many passes are left.
std::size_t fit(const std::vector<std::vector<RankCourse>*>& of_classes, std::size_t room) {
  std::size_t passes = passes_of(of_classes);
  for (std::size_t most = TimeCourse::kMost / 2; passes > room && most >= TimeCourse::kBlock;
       most /= 2) {
    for (auto* courses : of_classes) {
      for (RankCourse& own : *courses) own.course.thin(most);
    }
    passes = passes_of(of_classes);
  }
  if (passes <= room) return passes;
  for (auto* courses : of_classes) *courses = {};
  return 0;
}

} // namespace

void keep_to_room(std::vector<std::vector<std::vector<RankCourse>*>> places) {
  struct Wanted {
    double varies_ns = 0;
    std::vector<std::vector<RankCourse>*> courses;
  };
  std::vector<Wanted> all;
  for (auto& of_classes : places) {
    Wanted& wanted = all.emplace_back();
    for (const auto* courses : of_classes)
      wanted.varies_ns = std::max(wanted.varies_ns, variation_ns(*courses));
    wanted.courses = std::move(of_classes);
  }
  std::ranges::stable_sort(all, std::ranges::greater(), &Wanted::varies_ns);
  std::size_t room = kRoom;
  for (const Wanted& wanted : all) room -= fit(wanted.courses, room);
}

} // namespace rondo::fold
