// SPDX-License-Identifier: Apache-2.0
#include "efficiency/late_receivers.hpp"

#include "efficiency/inside_times.hpp"
#include "rondo/simulate/network_model.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace rondo::efficiency::internal {
namespace {

constexpr std::size_t kMagnitudes = 65;
constexpr double kMeansAreKeptTo = 0.02;
// Of the run: what is waited longer than calls took, and is not worth playing it again.
constexpr double kLeast = 0.001;

struct OfSize {
  double waited_s = 0;
  double beyond_s = 0; // of it: longer than the calls took
};

// The size from which on most of what is waited is within what calls took.
std::uint64_t best_size(const std::array<OfSize, kMagnitudes>& sizes, std::uint64_t played) {
  double best = 0;
  double sum = 0;
  std::size_t first = kMagnitudes;
  for (std::size_t i = kMagnitudes; i-- > 0;) {
    sum += sizes[i].waited_s - 2 * sizes[i].beyond_s;
    if (sizes[i].waited_s <= 0 || sum <= best) continue;
    best = sum;
    first = i;
  }
  while (first > 0 && first < kMagnitudes && sizes[first - 1].waited_s <= 0) --first;
  if (first == 0) return played;
  if (first == kMagnitudes) { // none: behind the largest that waits
    while (sizes[first - 1].waited_s <= 0) --first;
  }
  return std::max(played,
                  first > 64 ? simulate::NetworkModel::kNever : std::uint64_t{1} << (first - 1));
}

} // namespace

void LateReceivers::met(const simulate::Met& met, std::int64_t rank) {
  // Without size they wait in any case.
  if (met.what != simulate::Met::For::kReceiver || met.bytes == 0 || met.until_s <= met.from_s)
    return;
  sums_[{met.place, rank, static_cast<int>(std::bit_width(met.bytes - 1))}] +=
      met.until_s - met.from_s;
}

void LateReceivers::repeated(std::uint64_t times) {
  for (auto& [key, seconds] : sums_) {
    const auto before = before_.find(key);
    seconds +=
        static_cast<double>(times) * (seconds - (before == before_.end() ? 0 : before->second));
  }
}

std::uint64_t LateReceivers::fitting_size(const trace::Trace& trace, std::uint64_t played,
                                          double run_s) const {
  if (sums_.empty()) return played;
  const InsideTimes inside(trace);
  std::array<OfSize, kMagnitudes> sizes;
  double beyond_s = 0;
  for (auto first = sums_.begin(); first != sums_.end();) {
    const Key& key = first->first;
    auto last = first;
    double waited_s = 0;
    for (; last != sums_.end() && last->first.place == key.place && last->first.rank == key.rank;
         ++last)
      waited_s += last->second;
    const InsideTimes::Place* const place = inside.of(key.place);
    const double took_s = place == nullptr ? 0
                                           : place->seconds[static_cast<std::size_t>(key.rank)] *
                                                 (1 + kMeansAreKeptTo);
    const double share = std::max(1 - took_s / waited_s, 0.0); // that cannot be
    for (; first != last; ++first) {
      OfSize& size = sizes[static_cast<std::size_t>(first->first.magnitude)];
      size.waited_s += first->second;
      size.beyond_s += first->second * share;
      beyond_s += first->second * share;
    }
  }
  return beyond_s > run_s * kLeast ? best_size(sizes, played) : played;
}

} // namespace rondo::efficiency::internal
