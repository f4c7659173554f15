// SPDX-License-Identifier: Apache-2.0
// What becomes of the times of a place when it turns into several, or several into one.
#pragma once

#include "rondo/trace/times.hpp"

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace rondo::fold {

// Places of their own; further pairs of calls share one place for each call. Times that vary take
// up to 3 kB each.
constexpr std::size_t kMaxPlaces = 4096;
// The same for one call: irregular streams would spread their times over more places than fit the
// cache.
constexpr std::uint32_t kMaxPlacesOfCall = 16;

/// What a place is found by.
inline std::uint64_t key_of_place(std::uint32_t before, std::uint32_t call) {
  return std::uint64_t{before} << 32 | call;
}

/// Deals times out to the places that a place has become: each gets as many durations as its part
/// of the weights says, of every bin, and the same mean. Counts and sums add up to what there was.
/// Courses stay with the first that has times. The shares have one number in PlaceTimes::shared,
/// unless only one of them has any times.
/// @param weights   how often each place is reached; their sum is > 0
/// @return          as many as weights; a place without times has count 0
/// @complexity      O(bins * weights)
std::vector<trace::PlaceTimes> dealt(const trace::PlaceTimes& times,
                                     const std::vector<double>& weights);

/// The course of what becomes one place, in a stream of one rank: which of the two came first is
/// known only where one of them is empty. Before their times are added up.
/// @param pending   calls whose times are not in the summaries yet
void join_courses(trace::PlaceTimes& into, std::uint64_t pending_into,
                  const trace::PlaceTimes& from, std::uint64_t pending_from);

/// Adds up times of places, and remembers which numbers of shared ones come to mean the same.
class SharedTimes {
public:
  /// Of another summary of the same place; means are left alone.
  void add(trace::PlaceTimes& into, const trace::PlaceTimes& from);
  /// To be done once after the last add().
  void rename(std::vector<trace::PlaceTimes>& places) const;

private:
  std::uint32_t now(std::uint32_t number) const;
  std::unordered_map<std::uint32_t, std::uint32_t> renamed_;
};

} // namespace rondo::fold
