// SPDX-License-Identifier: Apache-2.0
#include "rondo/trace/course_reader.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace rondo::trace {
namespace {

const TimeCourse* course_of(const PlaceTimes& place, std::int64_t rank) {
  for (const RankCourse& own : place.courses) {
    if (own.rank == rank) return &own.course;
  }
  return nullptr;
}

} // namespace

CourseReader::CourseReader(const Program& program, std::int64_t rank) {
  std::map<std::uint32_t, std::size_t> of_sum;
  for (const PlaceTimes& place : program.times) {
    const TimeCourse* const course = course_of(place, rank);
    const auto known = place.shared != 0 ? of_sum.find(place.shared) : of_sum.end();
    if (course == nullptr && place.shared == 0) {
      state_of_place_.push_back(kNone);
      continue;
    }
    if (known == of_sum.end()) {
      state_of_place_.push_back(states_.size());
      if (place.shared != 0) of_sum.emplace(place.shared, states_.size());
      states_.push_back({course, 0, false});
      continue;
    }
    State& state = states_[known->second];
    state.is_ambiguous = state.is_ambiguous || (state.course != nullptr && course != nullptr);
    if (course != nullptr) state.course = course;
    state_of_place_.push_back(known->second);
  }
}

const CourseReader::State* CourseReader::state_of(std::size_t place) const {
  const std::size_t state = state_of_place_[place];
  const bool is_known =
      state != kNone && states_[state].course != nullptr && !states_[state].is_ambiguous;
  return is_known ? &states_[state] : nullptr;
}

std::optional<double> CourseReader::next_ns(std::size_t place) {
  const State* const state = state_of(place);
  if (state == nullptr) return std::nullopt;
  const std::uint64_t pass = states_[state_of_place_[place]].passes++;
  return TimeCourse::ns_of(state->course->at(pass));
}

double CourseReader::mean_ns(std::size_t place) const {
  const State* const state = state_of(place);
  if (state == nullptr || state->course->codes().empty()) return 0;
  double sum_ns = 0;
  for (const char code : state->course->codes())
    sum_ns += TimeCourse::ns_of(static_cast<std::uint8_t>(code));
  return sum_ns / static_cast<double>(state->course->codes().size());
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
