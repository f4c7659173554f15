// SPDX-License-Identifier: Apache-2.0
#include "rondo/trace/computation.hpp"

#include <algorithm>
#include <memory>

namespace rondo::trace {
namespace {

constexpr double kSecondsPerNs = 1e-9;

// What the rounded means have to be multiplied with to make up the exact one; 0: there are none.
double scale_of(const PlaceTimes& place, const Durations& all, std::uint16_t RankMeans::*code) {
  double sum = 0;
  for (const RankMeans& rank : place.means) sum += mean_of_code_ns(rank.*code);
  if (sum <= 0) return 0;
  return all.mean_ns() * static_cast<double>(place.means.size()) / sum;
}

double scale_of(const PlaceTimes& place) {
  return scale_of(place, place.computation, &RankMeans::computation);
}

std::vector<double> means_of(const PlaceTimes& place, const Durations& all,
                             std::uint16_t RankMeans::*code) {
  const double scale = scale_of(place, all, code);
  if (scale <= 0) return {};
  std::vector<double> means;
  for (const RankMeans& rank : place.means) means.push_back(mean_of_code_ns(rank.*code) * scale);
  return means;
}

double mean_of_rank(const PlaceTimes& place, std::size_t index, double scale) {
  if (scale <= 0 || index >= place.means.size()) return place.computation.mean_ns();
  return mean_of_code_ns(place.means[index].computation) * scale;
}

} // namespace

std::vector<double> means_of_ranks(const PlaceTimes& place) {
  return means_of(place, place.computation, &RankMeans::computation);
}

std::vector<double> inside_means_of_ranks(const PlaceTimes& place) {
  return means_of(place, place.inside, &RankMeans::inside);
}

ClassTimes::Found& ClassTimes::of(const RankClass& rank_class) {
  const Program& program = *rank_class.program;
  const auto [known, is_new] = found_.try_emplace(&program);
  if (!is_new) return known->second;
  for (const PlaceTimes& place : program.times) known->second.scales.push_back(scale_of(place));
  known->second.known = ranks_with_courses(program);
  return known->second;
}

Computation::Computation(const Trace& trace, const RankClass& rank_class, std::int64_t rank,
                         ClassTimes& times, By by) {
  const TimeStamps* const stamps =
      by == By::kStamps ? trace.stamps_of(rank, rank_class.thread) : nullptr;
  const Program& program = *rank_class.program;
  const std::size_t index = rank_class.ranks.index_of(rank).value_or(0);
  ClassTimes::Found& found = times.of(rank_class);
  if (stamps != nullptr) {
    stamps_.emplace(*stamps);
  } else if (const auto like = rank_to_follow(found.known, rank, index)) {
    courses_ = found.courses.try_emplace(*like, rank_class, *like).first->second;
  }
  first_.assign(program.calls.size() + 1, 0);
  for (const PlaceTimes& place : program.times) {
    const double mean_ns = mean_of_rank(place, index, found.scales[places_.size()]);
    places_.push_back({place.before, mean_ns * kSecondsPerNs});
    if (place.call < program.calls.size()) ++first_[place.call + 1]; // sorted by call
  }
  for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
}

Computation::Computation(const Trace& trace, const RankClass& rank_class, std::int64_t rank, By by)
    : Computation(trace, rank_class, rank, *std::make_unique<ClassTimes>(), by) {}

std::size_t Computation::place_of(std::uint32_t symbol, std::uint32_t behind) const {
  std::size_t other = kNowhere;
  for (std::size_t i = first_[symbol]; i < first_[symbol + std::size_t{1}]; ++i) {
    if (places_[i].before == behind) return i;
    if (places_[i].before == PlaceTimes::kOther) other = i;
  }
  return other;
}

double Computation::mean(std::uint32_t symbol, std::uint32_t behind) const {
  const std::size_t place = place_of(symbol, behind);
  return place == kNowhere ? 0 : places_[place].seconds;
}

bool Computation::follows_course(std::uint32_t symbol) const {
  if (!courses_) return false;
  for (std::size_t i = first_[symbol]; i < first_[symbol + std::size_t{1}]; ++i) {
    if (courses_->has(i)) return true;
  }
  return false;
}

double Computation::seconds_at(std::size_t place) {
  const double mean_s = places_[place].seconds;
  if (!courses_) return mean_s;
  const auto own_ns = courses_->next_ns(place);
  return own_ns ? *own_ns * mean_s / courses_->mean_ns(place) : mean_s;
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
  if (!stamps_) {
    const std::size_t place = place_of(symbol, last_);
    if (place != kNowhere) seconds = seconds_at(place);
  }
  last_ = symbol;
  return seconds;
}

bool follows_courses(const Trace& trace) {
  return std::ranges::any_of(trace.classes, [&](const RankClass& of) {
    const bool has_stamps =
        !of.ranks.empty() && trace.stamps_of(of.ranks.ranks().front(), of.thread) != nullptr;
    return !has_stamps && std::ranges::any_of(of.program->times, [](const PlaceTimes& place) {
      return !place.courses.empty();
    });
  });
}

} // namespace rondo::trace
