// SPDX-License-Identifier: Apache-2.0
#include "rondo/trace/computation.hpp"

#include <memory>

namespace rondo::trace {
namespace {

constexpr double kSecondsPerNs = 1e-9;

// What the rounded means have to be multiplied with to make up the exact one; 0: there are none.
double scale_of(const PlaceTimes& place) {
  double sum = 0;
  for (const RankMeans& rank : place.means) sum += mean_of_code_ns(rank.computation);
  if (sum <= 0) return 0;
  return place.computation.mean_ns() * static_cast<double>(place.means.size()) / sum;
}

double mean_of_rank(const PlaceTimes& place, std::size_t index, double scale) {
  if (scale <= 0 || index >= place.means.size()) return place.computation.mean_ns();
  return mean_of_code_ns(place.means[index].computation) * scale;
}

} // namespace

std::vector<double> means_of_ranks(const PlaceTimes& place) {
  const double scale = scale_of(place);
  if (scale <= 0) return {};
  std::vector<double> means;
  for (const RankMeans& rank : place.means)
    means.push_back(mean_of_code_ns(rank.computation) * scale);
  return means;
}

const std::vector<double>& MeanScales::of(const Program& program) {
  const auto [known, is_new] = found_.try_emplace(&program);
  if (is_new)
    for (const PlaceTimes& place : program.times) known->second.push_back(scale_of(place));
  return known->second;
}

Computation::Computation(const Trace& trace, const RankClass& rank_class, std::int64_t rank,
                         MeanScales& scales) {
  if (const TimeStamps* stamps = trace.stamps_of(rank, rank_class.thread)) stamps_.emplace(*stamps);
  const Program& program = *rank_class.program;
  const std::size_t index = rank_class.ranks.index_of(rank).value_or(0);
  first_.assign(program.calls.size() + 1, 0);
  const std::vector<double>& scale = scales.of(program);
  for (const PlaceTimes& place : program.times) {
    const double mean_ns = mean_of_rank(place, index, scale[places_.size()]);
    places_.push_back({place.before, mean_ns * kSecondsPerNs});
    if (place.call < program.calls.size()) ++first_[place.call + 1]; // sorted by call
  }
  for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
}

Computation::Computation(const Trace& trace, const RankClass& rank_class, std::int64_t rank)
    : Computation(trace, rank_class, rank, *std::make_unique<MeanScales>()) {}

double Computation::mean(std::uint32_t symbol, std::uint32_t behind) const {
  double other = 0;
  for (std::size_t i = first_[symbol]; i < first_[symbol + std::size_t{1}]; ++i) {
    if (places_[i].before == behind) return places_[i].seconds;
    if (places_[i].before == PlaceTimes::kOther) other = places_[i].seconds;
  }
  return other;
}

double Computation::before(std::uint32_t symbol) {
  double seconds = 0;
  if (stamps_) {
    if (const auto time = stamps_->next()) {
      seconds = static_cast<double>(time->computation_ns) * kSecondsPerNs;
    } else {
      stamps_.reset(); // given up along the way: means from here on
    }
  }
  if (!stamps_) seconds = mean(symbol, last_);
  last_ = symbol;
  return seconds;
}

} // namespace rondo::trace
