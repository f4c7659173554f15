// SPDX-License-Identifier: Apache-2.0
#include "rondo/trace/computation.hpp"

namespace rondo::trace {
namespace {

constexpr double kSecondsPerNs = 1e-9;

double mean_of_rank(const PlaceTimes& place, std::size_t index) {
  const std::vector<double> means = means_of_ranks(place);
  return index < means.size() ? means[index] : place.computation.mean_ns();
}

} // namespace

std::vector<double> means_of_ranks(const PlaceTimes& place) {
  std::vector<double> means;
  double sum = 0;
  for (const RankMeans& rank : place.means) {
    means.push_back(mean_of_code_ns(rank.computation));
    sum += means.back();
  }
  if (sum <= 0) return {};
  const double exact = place.computation.mean_ns() * static_cast<double>(means.size()) / sum;
  for (double& mean : means) mean *= exact;
  return means;
}

Computation::Computation(const Trace& trace, const RankClass& rank_class, std::int64_t rank) {
  if (const TimeStamps* stamps = trace.stamps_of(rank, rank_class.thread)) stamps_.emplace(*stamps);
  const Program& program = *rank_class.program;
  const std::size_t index = rank_class.ranks.index_of(rank).value_or(0);
  first_.assign(program.calls.size() + 1, 0);
  for (const PlaceTimes& place : program.times) {
    places_.push_back({place.before, mean_of_rank(place, index) * kSecondsPerNs});
    if (place.call < program.calls.size()) ++first_[place.call + 1]; // sorted by call
  }
  for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
}

double Computation::mean(std::uint32_t symbol) const {
  double other = 0;
  for (std::size_t i = first_[symbol]; i < first_[symbol + std::size_t{1}]; ++i) {
    if (places_[i].before == last_) return places_[i].seconds;
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
  if (!stamps_) seconds = mean(symbol);
  last_ = symbol;
  return seconds;
}

} // namespace rondo::trace
