// SPDX-License-Identifier: Apache-2.0
#include "generate/replay/pace.hpp"

#include <ctime>

namespace rondo::generate {
namespace {

std::uint64_t key_of(std::uint32_t before, std::uint32_t call) {
  return static_cast<std::uint64_t>(before) << 32 | call;
}

std::uint64_t now_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

void sleep_until(std::uint64_t ns) {
  const timespec end{static_cast<time_t>(ns / 1'000'000'000),
                     static_cast<long>(ns % 1'000'000'000)};
  while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, nullptr) != 0) {
  }
}

} // namespace

Pace::Pace(const trace::RankClass& of, std::int64_t rank, const PaceOptions& options)
    : options_(options), end_ns_(now_ns()) {
  if (options.times == ReplayTimes::kNone) return;
  const auto index = of.ranks.index_of(rank);
  for (const trace::PlaceTimes& place : of.program->times) {
    double mean_ns = place.computation.mean_ns();
    const bool is_known = index && *index < place.means.size();
    if (options.times == ReplayTimes::kRank && is_known)
      mean_ns = trace::mean_of_code_ns(place.means[*index].computation);
    computation_ns_[key_of(place.before, place.call)] =
        static_cast<std::uint64_t>(mean_ns * options.scale);
  }
}

void Pace::begin(std::uint32_t symbol) {
  before_ = symbol;
  end_ns_ = now_ns();
}

void Pace::before(std::uint32_t symbol) {
  const std::uint32_t before = before_;
  before_ = symbol;
  if (options_.times == ReplayTimes::kNone) return;
  auto found = computation_ns_.find(key_of(before, symbol));
  if (found == computation_ns_.end())
    found = computation_ns_.find(key_of(trace::PlaceTimes::kOther, symbol));
  if (found == computation_ns_.end()) return;
  const std::uint64_t end = end_ns_ + found->second;
  // Waking up takes some 50 us: shorter sleeps would all be longer than asked.
  constexpr std::uint64_t kShortestSleep = 100'000;
  if (options_.compute == Compute::kSleep && found->second >= kShortestSleep) sleep_until(end);
  while (now_ns() < end) {
  }
}

void Pace::after() {
  if (options_.times != ReplayTimes::kNone) end_ns_ = now_ns();
}

} // namespace rondo::generate
