// SPDX-License-Identifier: Apache-2.0
#include "efficiency/computed_sums.hpp"

#include <algorithm>

namespace rondo::efficiency::internal {
namespace {

constexpr std::uint32_t kLong = 64; // computations; shorter stretches are gone through
constexpr std::size_t kLooksOfSpot = 32; // two searches

} // namespace

// Null: the stretch is gone through.
const std::vector<ComputedSums::OfSpot>* ComputedSums::sums_for(std::int64_t rank,
                                                                const Stretch& stretch) {
  const std::uint32_t length = stretch.computed_to - stretch.computed_from;
  if (stretch.computed_to <= stretch.computed_from || length < kLong) return nullptr;
  OfRank& of = by_rank_[rank];
  const auto& computed = timeline_.computation_of(rank);
  of.gone_through += length;
  if (of.gone_through <= computed.size()) return nullptr;
  if (of.spots.empty()) {
    of.spots = sums_of(computed);
    looked_at_ += computed.size();
  }
  if (of.spots.size() * kLooksOfSpot > length) return nullptr;
  looked_at_ += of.spots.size() * kLooksOfSpot;
  return &of.spots;
}

std::vector<ComputedSums::OfSpot> ComputedSums::sums_of(const Timeline::Computations& computed) {
  std::vector<std::uint32_t> counts; // by spot
  for (std::size_t i = 0; i < computed.size(); ++i) {
    const std::uint32_t spot = computed[i].spot;
    if (spot >= counts.size()) counts.resize(std::size_t{spot} + 1);
    ++counts[spot];
  }
  std::vector<OfSpot> result;
  std::vector<std::size_t> places(counts.size(), counts.size()); // in the result, by spot
  for (std::uint32_t i = 0; i < computed.size(); ++i) {
    const Computed each = computed[i];
    std::size_t& place = places[each.spot];
    if (place == counts.size()) {
      place = result.size();
      OfSpot& added = result.emplace_back();
      added.spot = each.spot;
      added.at.reserve(counts[added.spot]);
      added.before.reserve(std::size_t{counts[added.spot]} + 1);
    }
    OfSpot& spot = result[place];
    spot.at.push_back(i);
    spot.before.push_back(spot.before.back() + static_cast<long double>(each.seconds));
  }
  return result;
}

double ComputedSums::seconds(const OfSpot& spot, const Stretch& stretch) {
  const auto before = [&](std::uint32_t place) {
    const auto at = std::lower_bound(spot.at.begin(), spot.at.end(), place) - spot.at.begin();
    return spot.before[static_cast<std::size_t>(at)];
  };
  return static_cast<double>(before(stretch.computed_to) - before(stretch.computed_from));
}

} // namespace rondo::efficiency::internal
