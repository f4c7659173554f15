// SPDX-License-Identifier: Apache-2.0
// Goes through the courses of a rank's places, call by call.
//
//   CourseReader courses(program, rank);
//   if (const auto ns = courses.next_ns(place)) use(*ns);
#pragma once

#include "rondo/trace/program.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace rondo::trace {

class CourseReader {
public:
  /// The program must outlive the object. Places whose times were one sum have one course, which
  /// their calls go through together. @complexity O(places)
  CourseReader(const Program& program, std::int64_t rank);

  /// The computation before the next call at this place, by its number in the program's times;
  /// nothing if there is no course of it.
  std::optional<double> next_ns(std::size_t place);
  /// In the mean, over what was kept of the course; 0 if there is none.
  double mean_ns(std::size_t place) const;

private:
  struct State {
    const TimeCourse* course = nullptr;
    std::uint64_t passes = 0;
    bool is_ambiguous = false; // two courses for one sum: in which order is not known
  };
  static constexpr std::size_t kNone = ~std::size_t{0};
  const State* state_of(std::size_t place) const;

  std::vector<State> states_;
  std::vector<std::size_t> state_of_place_;
};

/// Ranks with courses, ascending. @complexity O(places * courses)
std::vector<std::int64_t> ranks_with_courses(const Program& program);
/// Of those, the one that a rank goes like: itself, or for one whose courses were not kept another,
/// by its place in its class; nothing if there are none.
std::optional<std::int64_t> rank_to_follow(const std::vector<std::int64_t>& known,
                                           std::int64_t rank, std::size_t index);

} // namespace rondo::trace
