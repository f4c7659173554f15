// SPDX-License-Identifier: Apache-2.0
#include "rondo/simulate/run_graph.hpp"

namespace rondo::simulate {

std::uint32_t RunGraph::number_of(const Spot& spot) {
  const auto rank = static_cast<std::size_t>(spot.rank);
  if (rank >= numbers_.size()) {
    numbers_.resize(rank + 1);
    last_.resize(rank + 1);
  }
  auto& [place, number] = last_[rank];
  if (place == spot.place && !numbers_[rank].empty()) return number;
  const std::uint64_t key = std::uint64_t{spot.place.function} << 32 | spot.place.site;
  const auto [found, is_new] =
      numbers_[rank].try_emplace(key, static_cast<std::uint32_t>(spots_.size()));
  if (is_new) spots_.push_back(spot);
  place = spot.place;
  number = found->second;
  return number;
}

double RunGraph::seconds(const std::function<double(const Spot&)>& scale,
                         const std::function<double(const Spot&)>& inside_s) const {
  std::vector<double> factors;
  std::vector<double> costs_s;
  for (const Spot& spot : spots_) {
    factors.push_back(scale(spot));
    costs_s.push_back(inside_s ? inside_s(spot) : 0);
  }
  std::vector<double> at_s(steps_.size() + 1); // by point
  std::size_t point = 0;
  for (const Step& step : steps_) {
    const double before_s = at_s[step.before];
    double& now_s = at_s[++point];
    switch (step.kind) {
    case Kind::kCompute:
      now_s = before_s + step.seconds * factors[step.of];
      break;
    case Kind::kCall:
      now_s = before_s + costs_s[step.of];
      break;
    case Kind::kJoin:
      now_s = std::max(before_s, at_s[step.of]);
      break;
    }
  }
  double latest_s = 0;
  for (const Point end : ends_) latest_s = std::max(latest_s, at_s[end]);
  return latest_s;
}

} // namespace rondo::simulate
