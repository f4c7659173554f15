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
  /// @complexity  O(spots of the rank * log(its computations)), once its stretches were long in all
  template <class Visit> void each(std::int64_t rank, const Stretch& stretch, Visit visit) {
    if (const std::vector<OfSpot>* const spots = sums_for(rank, stretch)) {
      for (const OfSpot& spot : *spots) visit(spot.spot, seconds(spot, stretch));
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
  struct OfSpot {
    std::uint32_t spot = 0;
    std::vector<std::uint32_t> at; // its computations, as the timeline has them
    // Up to each of them, and at the end: seconds are floats, so that this is exact as long as a
    // nanosecond is more than a 2^-40th of the run.
    std::vector<long double> before{0};
  };
  struct OfRank {
    std::uint64_t gone_through = 0; // computations of long stretches
    std::vector<OfSpot> spots; // empty: not worth it yet
  };

  const std::vector<OfSpot>* sums_for(std::int64_t rank, const Stretch& stretch);
  static std::vector<OfSpot> sums_of(const Timeline::Computations& computed);
  static double seconds(const OfSpot& spot, const Stretch& stretch);

  const Timeline& timeline_;
  std::unordered_map<std::int64_t, OfRank> by_rank_; // that had long stretches
  std::uint64_t looked_at_ = 0;
};

} // namespace rondo::efficiency::internal
