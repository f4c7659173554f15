// SPDX-License-Identifier: Apache-2.0
// What a rank computed in a stretch of its history, by spot. A master is between two messages of
// one worker as long as it takes to serve all others: to go through that for each worker would cost
// the square of their number. Where a rank's stretches add up to more than all that it did, sums
// from the beginning are kept.
#pragma once

#include "efficiency/timeline.hpp"

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace rondo::efficiency::internal {

class ComputedSums {
public:
  /// The timeline must outlive the object, and stay as it is.
  explicit ComputedSums(const Timeline& timeline) : timeline_(timeline) {}

  /// Calls visit(spot, seconds) for what the rank computed in the stretch: several times for a
  /// spot, which may have no time.
  /// @complexity  O(spots of the rank), once its stretches were long in all
  template <class Visit> void each(std::int64_t rank, const Stretch& stretch, Visit visit) {
    if (const OfRank* const sums = sums_for(rank, stretch)) {
      from_.resize(sums->spots.size());
      to_.resize(sums->spots.size());
      sum_up(*sums, rank, stretch.computed_from, from_);
      sum_up(*sums, rank, stretch.computed_to, to_);
      for (std::size_t i = 0; i < to_.size(); ++i)
        visit(sums->spots[i], static_cast<double>(to_[i] - from_[i]));
      return;
    }
    const auto& computed = timeline_.computation_of(rank);
    for (std::uint32_t i = stretch.computed_from; i < stretch.computed_to; ++i)
      visit(computed[i].spot, static_cast<double>(computed[i].seconds));
    looked_at_ += stretch.computed_to - stretch.computed_from;
  }
  /// How many computations were looked at, to set up sums too.
  std::uint64_t looked_at() const { return looked_at_; }

private:
  // Seconds are floats, so that sums are exact as long as a nanosecond is more than a 2^-40th of
  // the run.
  using Sums = std::vector<long double>; // from the beginning, as the rank's spots are listed
  struct OfRank {
    std::uint64_t gone_through = 0; // computations of long stretches
    std::vector<std::uint32_t> spots; // in the order in which they came; empty: not worth it yet
    std::vector<std::size_t> places; // in that list, by spot
    std::size_t block = 0; // computations from one row to the next
    Sums rows; // one behind the other: before the first computation of each block
  };

  const OfRank* sums_for(std::int64_t rank, const Stretch& stretch);
  static void list_spots(const Timeline::Computations& computed, OfRank& of);
  void set_up(const Timeline::Computations& computed, OfRank& of);
  void sum_up(const OfRank& of, std::int64_t rank, std::uint32_t to, Sums& sums);

  const Timeline& timeline_;
  std::unordered_map<std::int64_t, OfRank> by_rank_; // that had long stretches
  std::uint64_t looked_at_ = 0;
  Sums from_, to_; // up to the ends of a stretch
};

} // namespace rondo::efficiency::internal
