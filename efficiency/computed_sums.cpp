// SPDX-License-Identifier: Apache-2.0
#include "efficiency/computed_sums.hpp"

#include <algorithm>

namespace rondo::efficiency::internal {
namespace {

constexpr std::uint32_t kLong = 64; // computations; shorter stretches are gone through
constexpr std::size_t kLooksOfSpot = 32; // that a stretch must be longer than, for each spot
// A row of sums takes 16 bytes for each spot, so with more of them there is one less often.
constexpr std::size_t kLeastBlock = 64;
constexpr std::size_t kBlockOfSpot = 4;

} // namespace

// Null: the stretch is gone through.
const ComputedSums::OfRank* ComputedSums::sums_for(std::int64_t rank, const Stretch& stretch) {
  const std::uint32_t length = stretch.computed_to - stretch.computed_from;
  if (stretch.computed_to <= stretch.computed_from || length < kLong) return nullptr;
  OfRank& of = by_rank_[rank];
  const auto& computed = timeline_.computation_of(rank);
  of.gone_through += length;
  if (of.gone_through <= computed.size()) return nullptr;
  if (of.spots.empty()) set_up(computed, of);
  return of.spots.size() * kLooksOfSpot > length ? nullptr : &of;
}

void ComputedSums::list_spots(const Timeline::Computations& computed, OfRank& of) {
  constexpr std::size_t kNone = ~std::size_t{0};
  for (std::size_t i = 0; i < computed.size(); ++i) {
    const std::uint32_t spot = computed[i].spot;
    if (spot >= of.places.size()) of.places.resize(std::size_t{spot} + 1, kNone);
    if (of.places[spot] != kNone) continue;
    of.places[spot] = of.spots.size();
    of.spots.push_back(spot);
  }
}

void ComputedSums::set_up(const Timeline::Computations& computed, OfRank& of) {
  list_spots(computed, of);
  of.block = std::max(kLeastBlock, kBlockOfSpot * of.spots.size());
  Sums sums(of.spots.size());
  of.rows.reserve((computed.size() / of.block + 1) * sums.size());
  for (std::size_t i = 0; i < computed.size(); ++i) {
    if (i % of.block == 0) of.rows.insert(of.rows.end(), sums.begin(), sums.end());
    const Computed each = computed[i];
    sums[of.places[each.spot]] += static_cast<long double>(each.seconds);
  }
  if (computed.size() % of.block == 0) of.rows.insert(of.rows.end(), sums.begin(), sums.end());
  looked_at_ += computed.size();
}

// From the last row before that computation, in the order in which rows were summed up.
void ComputedSums::sum_up(const OfRank& of, std::int64_t rank, std::uint32_t to, Sums& sums) {
  const auto& computed = timeline_.computation_of(rank);
  const std::size_t row = to / of.block;
  const auto first = of.rows.begin() + static_cast<std::ptrdiff_t>(row * sums.size());
  std::copy_n(first, sums.size(), sums.begin());
  for (std::size_t i = row * of.block; i < to; ++i) {
    const Computed each = computed[i];
    sums[of.places[each.spot]] += static_cast<long double>(each.seconds);
  }
  looked_at_ += sums.size() + (to - row * of.block);
}

} // namespace rondo::efficiency::internal
