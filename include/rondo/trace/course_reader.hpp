// SPDX-License-Identifier: Apache-2.0
// Goes through the courses of a rank's places, call by call.
//
//   CourseReader courses(rank_class, rank);
//   if (const auto ns = courses.next_ns(place)) use(*ns);
#pragma once

#include "rondo/trace/program.hpp"
#include "rondo/trace/trace.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace rondo::trace {

/// Copies share what they read.
class CourseReader {
public:
  /// The class must outlive the object. Places whose times were one sum have one course, which
  /// their calls go through together. @complexity O(places)
  CourseReader(const RankClass& of, std::int64_t rank);

  /// Whether there is a course of this place, by its number in the program's times.
  bool has(std::size_t place) const { return shape_->of_place[place] != kNone; }
  /// The computation before the next call at this place; nothing if there is no course of it.
  std::optional<double> next_ns(std::size_t place);
  /// In the mean, over all passes that the rank makes; 0 if there is no course.
  double mean_ns(std::size_t place) const;

  /// How many passes of each course have been read.
  const std::vector<std::uint64_t>& taken() const { return taken_; }
  /// How often in a row the next passes come that read so many of each course, up to `most`; no
  /// more often than that, but less often where that would take long to find out.
  /// @complexity O(courses * period)
  std::uint64_t repeats(std::span<const std::uint64_t> passes, std::uint64_t most) const;
  void skip(std::span<const std::uint64_t> passes);

private:
  struct Course {
    const TimeCourse* course = nullptr;
    std::vector<double> levels;
    double short_ns = 0; // passes with code 0, in the mean
    double mean_ns = 0;
  };
  struct Shape {
    std::vector<Course> courses;
    std::vector<std::size_t> of_place;
  };
  static constexpr std::size_t kNone = ~std::size_t{0};

  std::shared_ptr<const Shape> shape_;
  std::vector<std::uint64_t> taken_;
};

/// Ranks with courses, ascending. @complexity O(places * courses)
std::vector<std::int64_t> ranks_with_courses(const Program& program);
/// Of those, the one that a rank goes like: itself, or for one whose courses were not kept another,
/// by its place in its class; nothing if there are none.
std::optional<std::int64_t> rank_to_follow(const std::vector<std::int64_t>& known,
                                           std::int64_t rank, std::size_t index);

} // namespace rondo::trace
