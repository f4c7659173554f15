// SPDX-License-Identifier: Apache-2.0
// How long a rank computes before each of its calls: exactly where the trace has the times of every
// call; else pass by pass where the trace has courses, scaled to the rank's mean at the call's
// place; else that mean.
#pragma once

#include "rondo/trace/course_reader.hpp"
#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace rondo::trace {

/// Each rank's mean computation at a place in ns, in the order of the class's ranks; empty if only
/// the mean of all is known. Kept as rounded codes, they make up the exact mean together.
/// @complexity O(ranks)
std::vector<double> means_of_ranks(const PlaceTimes& place);
/// The same of the time inside MPI.
std::vector<double> inside_means_of_ranks(const PlaceTimes& place);

/// What the times of a program's ranks have in common, found once for all that look at one of them.
class ClassTimes {
public:
  struct Found {
    std::vector<double> scales; // by place, of means
    std::vector<std::int64_t> known; // ranks with courses, ascending
    std::map<std::int64_t, CourseReader> courses{}; // of those that were asked for
  };
  /// The class must outlive the object. @complexity O(places * ranks) the first time
  Found& of(const RankClass& rank_class);

private:
  std::map<const Program*, Found> found_;
};

class Computation {
public:
  enum class By : std::uint8_t {
    kStamps, // where there are any, else courses
    kCourses,
  };
  /// All but the times must outlive the object. @complexity O(places) once the times are known
  Computation(const Trace& trace, const RankClass& rank_class, std::int64_t rank, ClassTimes& times,
              By by = By::kStamps);
  /// The same for a single rank. @complexity O(places * ranks)
  Computation(const Trace& trace, const RankClass& rank_class, std::int64_t rank,
              By by = By::kStamps);

  /// Seconds before the next call of the stream. @complexity O(places of that call)
  double before(std::uint32_t symbol);
  /// The rank's mean before a call with this symbol behind one with the other, in seconds, whatever
  /// stamps there are. @complexity O(places of that call)
  double mean(std::uint32_t symbol, std::uint32_t behind) const;
  /// Whether a course says how long it is before calls with this symbol, behind some call at least.
  bool follows_course(std::uint32_t symbol) const;
  bool has_stamps() const { return stamps_.has_value(); }
  /// What is read of courses; nothing where there is none.
  const CourseReader* courses() const { return courses_ ? &*courses_ : nullptr; }
  CourseReader* courses() { return courses_ ? &*courses_ : nullptr; }

private:
  struct Place {
    std::uint32_t before = 0;
    double seconds = 0;
  };

  static constexpr std::size_t kNowhere = ~std::size_t{0};
  std::size_t place_of(std::uint32_t symbol, std::uint32_t behind) const;
  double seconds_at(std::size_t place);

  std::optional<TimeStampReader> stamps_;
  std::optional<CourseReader> courses_;
  std::vector<std::size_t> first_; // by symbol, and one more
  std::vector<Place> places_;
  std::uint32_t last_ = PlaceTimes::kStart;
};

/// Whether Computation goes by courses somewhere. @complexity O(places)
bool follows_courses(const Trace& trace);

} // namespace rondo::trace
