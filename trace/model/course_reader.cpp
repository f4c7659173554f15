// SPDX-License-Identifier: Apache-2.0
#include "rondo/trace/course_reader.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace rondo::trace {
namespace {

const TimeCourse* course_of(const PlaceTimes& place, std::int64_t rank) {
  for (const RankCourse& own : place.courses) {
    if (own.rank == rank) return &own.course;
  }
  return nullptr;
}

// Places that are read together: one, or those whose times were one sum.
struct Together {
  const TimeCourse* course = nullptr;
  bool is_ambiguous = false; // two courses for one sum: in which order is not known
  std::uint64_t passes = 0; // of all ranks
  std::uint64_t short_passes = 0; // of which courses have code 0
  double short_ns = 0; // sum

  double short_mean_ns() const {
    return short_passes > 0 ? short_ns / static_cast<double>(short_passes) : 0;
  }
};

void add_short(const Durations& computation, Together& together) {
  const auto end = static_cast<std::size_t>(bin_of(TimeCourse::kLeast_ns));
  for (std::size_t bin = computation.bins.first(); bin < std::min(computation.bins.end(), end);
       ++bin) {
    const std::uint64_t count = computation.bins[bin];
    const auto from = static_cast<double>(bin_start(static_cast<int>(bin)));
    const auto to = static_cast<double>(bin_start(static_cast<int>(bin) + 1) - 1);
    together.short_passes += count;
    together.short_ns += static_cast<double>(count) * (from + to) / 2;
  }
}

// Of the passes, those with code 0: as a course in which these, and no others, take some time.
double short_share(const TimeCourse& course, std::uint64_t passes) {
  constexpr char kSome = 1;
  std::string codes = course.codes();
  for (char& code : codes) code = code == 0 ? kSome : '\0';
  TimeCourse shorts(course.thinnings(), std::move(codes));
  std::vector<TimeCourse::Peak> peaks = course.peaks();
  for (TimeCourse::Peak& peak : peaks) peak.code = 0;
  shorts.set_peaks(std::move(peaks));
  const std::vector<double> even(shorts.codes().size() / TimeCourse::kBlock + 1, 1);
  return shorts.mean_ns(passes, even) / TimeCourse::ns_of(kSome);
}

} // namespace

CourseReader::CourseReader(const RankClass& of, std::int64_t rank) {
  std::map<std::uint32_t, std::size_t> of_sum;
  std::vector<Together> groups;
  std::vector<std::size_t> group_of_place;
  for (const PlaceTimes& place : of.program->times) {
    std::size_t group = groups.size();
    if (place.shared != 0) group = of_sum.try_emplace(place.shared, group).first->second;
    if (group == groups.size()) groups.emplace_back();
    Together& together = groups[group];
    if (const TimeCourse* const course = course_of(place, rank)) {
      together.is_ambiguous = together.course != nullptr;
      together.course = course;
    }
    together.passes += place.computation.count;
    add_short(place.computation, together);
    group_of_place.push_back(group);
  }
  Shape shape;
  std::vector<std::size_t> course_of_group(groups.size(), kNone);
  const auto ranks = static_cast<std::uint64_t>(std::max<std::int64_t>(of.ranks.size(), 1));
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (groups[i].course == nullptr || groups[i].is_ambiguous) continue;
    const TimeCourse& course = *groups[i].course;
    const std::uint64_t passes = groups[i].passes / ranks;
    Course own{&course, course.levels(), groups[i].short_mean_ns(), 0};
    own.mean_ns = course.mean_ns(passes, own.levels) + own.short_ns * short_share(course, passes);
    if (own.mean_ns <= 0) continue;
    course_of_group[i] = shape.courses.size();
    shape.courses.push_back(std::move(own));
  }
  for (const std::size_t group : group_of_place) shape.of_place.push_back(course_of_group[group]);
  taken_.resize(shape.courses.size());
  shape_ = std::make_shared<const Shape>(std::move(shape));
}

std::optional<double> CourseReader::next_ns(std::size_t place) {
  const std::size_t course = shape_->of_place[place];
  if (course == kNone) return std::nullopt;
  const Course& own = shape_->courses[course];
  const std::uint64_t n = taken_[course]++;
  const double ns = own.course->ns_at(n, own.levels);
  return ns > 0 ? ns : own.short_ns; // code 0 has no length of its own
}

double CourseReader::mean_ns(std::size_t place) const {
  const std::size_t course = shape_->of_place[place];
  return course == kNone ? 0 : shape_->courses[course].mean_ns;
}

std::uint64_t CourseReader::repeats(std::span<const std::uint64_t> passes,
                                    std::uint64_t most) const {
  for (std::size_t i = 0; i < passes.size() && most > 1; ++i) {
    if (passes[i] == 0) continue;
    const std::uint64_t again = shape_->courses[i].course->alike(taken_[i], passes[i]);
    most = std::min(most, 1 + again / passes[i]);
  }
  return most;
}

void CourseReader::skip(std::span<const std::uint64_t> passes) {
  for (std::size_t i = 0; i < passes.size(); ++i) taken_[i] += passes[i];
}

std::vector<std::int64_t> ranks_with_courses(const Program& program) {
  std::set<std::int64_t> ranks;
  for (const PlaceTimes& place : program.times) {
    for (const RankCourse& own : place.courses) ranks.insert(own.rank);
  }
  return {ranks.begin(), ranks.end()};
}

std::optional<std::int64_t> rank_to_follow(const std::vector<std::int64_t>& known,
                                           std::int64_t rank, std::size_t index) {
  if (known.empty()) return std::nullopt;
  if (std::binary_search(known.begin(), known.end(), rank)) return rank;
  return known[index % known.size()];
}

} // namespace rondo::trace
