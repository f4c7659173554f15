// SPDX-License-Identifier: Apache-2.0
#include "generate/replay/pace.hpp"

#include "generate/lower/times/drawing.hpp"

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

// The share of times up to each, and the time in ns.
std::vector<std::pair<double, std::uint64_t>> bins_of(const trace::Durations& durations,
                                                      double scale) {
  std::vector<std::pair<double, std::uint64_t>> bins;
  std::uint64_t so_far = 0;
  for (const auto& [ns, count] : internal::times_of_bins(durations)) {
    so_far += count;
    bins.emplace_back(static_cast<double>(so_far) / static_cast<double>(durations.count),
                      static_cast<std::uint64_t>(ns * scale));
  }
  return bins;
}

} // namespace

Pace::Pace(const trace::Trace& trace, const trace::RankClass& of, std::int64_t rank,
           const PaceOptions& options)
    : rank_(static_cast<std::uint64_t>(rank)), options_(options), end_ns_(now_ns()) {
  if (options.times == ReplayTimes::kNone) return;
  if (options.times == ReplayTimes::kFull || options.times == ReplayTimes::kCourse) {
    using By = trace::Computation::By;
    by_call_.emplace(trace, of, rank,
                     options.times == ReplayTimes::kFull ? By::kStamps : By::kCourses);
    return;
  }
  const auto index = of.ranks.index_of(rank);
  for (const trace::PlaceTimes& place : of.program->times) add(place, index);
}

void Pace::add(const trace::PlaceTimes& times, std::optional<std::size_t> index) {
  Place place;
  place.number = places_.size() + 1;
  const double mean_ns = times.computation.mean_ns();
  const std::vector<double> means_ns = trace::means_of_ranks(times);
  const double own_ns = index && *index < means_ns.size() ? means_ns[*index] : mean_ns;
  place.mean_ns = static_cast<std::uint64_t>(
      (options_.times == ReplayTimes::kMean ? mean_ns : own_ns) * options_.scale);
  if (options_.times == ReplayTimes::kHistogram) {
    double variance = 0;
    for (const double own : means_ns)
      variance += (own - mean_ns) * (own - mean_ns) / static_cast<double>(means_ns.size());
    const internal::Drawing how =
        internal::drawing_of(mean_ns, times.computation.deviation_ns(), variance);
    const double scale = options_.scale * (how.by_rank ? own_ns / mean_ns : 1);
    if (how.draws) place.bins = bins_of(times.computation, scale);
  }
  places_.emplace(key_of(times.before, times.call), std::move(place));
}

std::uint64_t Pace::next_of(Place& place) {
  if (place.bins.empty()) return place.mean_ns;
  const double share = internal::drawn_share(++place.drawn, place.number, rank_);
  std::size_t bin = 0;
  while (bin + 1 < place.bins.size() && place.bins[bin].first <= share) ++bin;
  return place.bins[bin].second;
}

void Pace::begin(std::uint32_t symbol) {
  before_ = symbol;
  if (by_call_) by_call_->before(symbol);
  end_ns_ = now_ns();
}

std::uint64_t Pace::next_ns(std::uint32_t before, std::uint32_t symbol) {
  if (by_call_) return static_cast<std::uint64_t>(by_call_->before(symbol) * 1e9 * options_.scale);
  auto found = places_.find(key_of(before, symbol));
  if (found == places_.end()) found = places_.find(key_of(trace::PlaceTimes::kOther, symbol));
  return found == places_.end() ? 0 : next_of(found->second);
}

void Pace::before(std::uint32_t symbol) {
  const std::uint32_t before = before_;
  before_ = symbol;
  if (options_.times == ReplayTimes::kNone) return;
  const std::uint64_t computation_ns = next_ns(before, symbol);
  const std::uint64_t end = end_ns_ + computation_ns;
  if (options_.compute == Compute::kSleep) return sleep_towards(end);
  const std::uint64_t now = now_ns();
  if (now < end) have_processor(end - now, now);
}

// A leap of the clock means that another rank had the processor.
void Pace::have_processor(std::uint64_t ns, std::uint64_t since_ns) const {
  constexpr std::uint64_t kLeap = 20'000;
  std::uint64_t had = 0;
  while (had < ns) {
    const std::uint64_t now = now_ns();
    if (!options_.shares_processors || now - since_ns < kLeap) had += now - since_ns;
    since_ns = now;
  }
}

void Pace::sleep_towards(std::uint64_t end_ns) {
  constexpr std::int64_t kShortestSleep = 100'000; // waking up takes some 50 us
  const std::uint64_t now = now_ns();
  if (now < end_ns) owed_ns_ += static_cast<std::int64_t>(end_ns - now);
  if (owed_ns_ < kShortestSleep) return;
  sleep_until(now + static_cast<std::uint64_t>(owed_ns_));
  owed_ns_ -= static_cast<std::int64_t>(now_ns() - now);
}

void Pace::after() {
  if (options_.times != ReplayTimes::kNone) end_ns_ = now_ns();
}

} // namespace rondo::generate
