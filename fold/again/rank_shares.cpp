// SPDX-License-Identifier: Apache-2.0
#include "fold/again/rank_shares.hpp"

#include <algorithm>

namespace rondo::fold {
namespace {

using trace::Durations;
using trace::PlaceTimes;

// Of so many durations dealt to all ranks in turn, how many a rank gets.
std::uint64_t calls_of_rank(std::uint64_t durations, std::size_t ranks, std::size_t rank) {
  return (durations + ranks - 1 - rank) / ranks;
}

} // namespace

RankShares::RankShares(const trace::RankClass& of)
    : times_(&of.program->times), ranks_(of.ranks.ranks()) {
  for (const PlaceTimes& place : *times_) {
    computation_.push_back(sums_of(place.computation, place, &trace::RankMeans::computation));
    inside_.push_back(sums_of(place.inside, place, &trace::RankMeans::inside));
  }
}

RankShares::Sums RankShares::sums_of(const Durations& all, const PlaceTimes& place, Mean mean) {
  Sums sums;
  const std::uint64_t durations = all.bins.sum();
  double sum = 0;
  for (std::size_t rank = 0; rank < place.means.size(); ++rank) {
    if (rank % kBlock == 0) sums.before.push_back(sum);
    const double own = trace::mean_of_code_ns(place.means[rank].*mean);
    const auto count = static_cast<double>(calls_of_rank(durations, place.means.size(), rank));
    sum += count * own;
    sums.squares += count * own * own;
  }
  sums.before.push_back(sum);
  return sums;
}

Durations RankShares::share_of(const Durations& all, const PlaceTimes& place, Mean mean,
                               const Sums& sums, std::size_t index) {
  const std::size_t ranks = place.means.size();
  Durations share;
  std::uint64_t before = 0;
  for (std::size_t bin = all.bins.first(); bin < all.bins.end(); ++bin) {
    const std::uint64_t behind = before + all.bins[bin];
    const std::uint64_t own =
        calls_of_rank(behind, ranks, index) - calls_of_rank(before, ranks, index);
    if (own > 0) share.bins.add(bin, own);
    before = behind;
  }
  share.count = calls_of_rank(before, ranks, index);
  share.min_ns = all.min_ns;
  share.max_ns = all.max_ns;

  const auto mean_of = [&](std::size_t rank) {
    return trace::mean_of_code_ns(place.means[rank].*mean);
  };
  double sum = sums.before[index / kBlock];
  for (std::size_t rank = index / kBlock * kBlock; rank < index; ++rank)
    sum += static_cast<double>(calls_of_rank(before, ranks, rank)) * mean_of(rank);
  const double own = mean_of(index);
  const auto count = static_cast<double>(share.count);
  const double whole = sums.before.back();
  const auto exact_until = [&](std::size_t rank, double until) {
    const double part = whole > 0 ? until / whole : 0;
    return rank == ranks ? all.sum_ns
                         : static_cast<std::uint64_t>(part * static_cast<double>(all.sum_ns));
  };
  share.sum_ns = exact_until(index + 1, sum + count * own) - exact_until(index, sum);
  share.sum_of_squares = count * own * own + std::max(0.0, all.sum_of_squares - sums.squares) *
                                                 count / static_cast<double>(before);
  return share;
}

PlaceTimes RankShares::of(std::size_t place, std::size_t index) const {
  const PlaceTimes& all = (*times_)[place];
  if (all.means.size() < 2) return all;
  PlaceTimes own;
  own.before = all.before;
  own.call = all.call;
  own.shared = all.shared;
  for (const trace::RankCourse& course : all.courses) {
    if (index < ranks_.size() && course.rank == ranks_[index]) own.courses = {course};
  }
  own.computation =
      share_of(all.computation, all, &trace::RankMeans::computation, computation_[place], index);
  own.inside = share_of(all.inside, all, &trace::RankMeans::inside, inside_[place], index);
  return own;
}

} // namespace rondo::fold
