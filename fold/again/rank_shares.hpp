// SPDX-License-Identifier: Apache-2.0
// What each rank of a class had of the times of all: its own mean, and of the histogram, which does
// not tell ranks apart, every n-th duration. The shares of all ranks add up to what they are of.
//
//   const RankShares shares(rank_class);
//   const trace::PlaceTimes own = shares.of(place, index_of_rank);
#pragma once

#include "rondo/trace/trace.hpp"

#include <cstddef>
#include <vector>

namespace rondo::fold {

class RankShares {
public:
  /// The class's program must outlive the object. @complexity O(places * ranks)
  explicit RankShares(const trace::RankClass& of);

  std::size_t places() const { return times_->size(); }
  /// @param index  of the rank, below the class's size
  /// @complexity   O(bins)
  trace::PlaceTimes of(std::size_t place, std::size_t index) const;

private:
  static constexpr std::size_t kBlock = 16; // ranks between sums that are kept
  struct Sums { // over ranks, of what they have by their rounded means
    std::vector<double> before; // each block of ranks, and all of them
    double squares = 0;
  };
  using Mean = std::uint16_t trace::RankMeans::*;

  static Sums sums_of(const trace::Durations& all, const trace::PlaceTimes& place, Mean mean);
  static trace::Durations share_of(const trace::Durations& all, const trace::PlaceTimes& place,
                                   Mean mean, const Sums& sums, std::size_t index);

  const std::vector<trace::PlaceTimes>* times_;
  std::vector<std::int64_t> ranks_;
  std::vector<Sums> computation_; // by place
  std::vector<Sums> inside_;
};

} // namespace rondo::fold
