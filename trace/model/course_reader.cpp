// SPDX-License-Identifier: Apache-2.0
#include "rondo/trace/course_reader.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

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
};

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
    group_of_place.push_back(group);
  }
  Shape shape;
  std::vector<std::size_t> course_of_group(groups.size(), kNone);
  const auto ranks = static_cast<std::uint64_t>(std::max<std::int64_t>(of.ranks.size(), 1));
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (groups[i].course == nullptr || groups[i].is_ambiguous) continue;
    std::vector<double> levels = groups[i].course->levels();
    const double mean_ns = groups[i].course->mean_ns(groups[i].passes / ranks, levels);
    if (mean_ns <= 0) continue;
    course_of_group[i] = shape.courses.size();
    shape.courses.push_back({groups[i].course, std::move(levels), mean_ns});
  }
  for (const std::size_t group : group_of_place) shape.of_place.push_back(course_of_group[group]);
  taken_.resize(shape.courses.size());
  shape_ = std::make_shared<const Shape>(std::move(shape));
}

std::optional<double> CourseReader::next_ns(std::size_t place) {
  const std::size_t course = shape_->of_place[place];
  if (course == kNone) return std::nullopt;
  const Course& own = shape_->courses[course];
  return own.course->ns_at(taken_[course]++, own.levels);
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
