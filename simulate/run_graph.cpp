// SPDX-License-Identifier: Apache-2.0
#include "rondo/simulate/run_graph.hpp"

namespace rondo::simulate {

std::uint32_t RunGraph::number_of(const Spot& spot) {
  const auto actor = static_cast<std::size_t>(spot.actor);
  if (actor >= numbers_.size()) {
    numbers_.resize(actor + 1);
    known_.resize(actor + 1);
  }
  auto& [place, number] = known_[actor][(spot.place.site * 29 + spot.place.function * 5) % kKnown];
  if (place == spot.place && number != 0) return number - 1;
  const std::uint64_t key = std::uint64_t{spot.place.function} << 32 | spot.place.site;
  const auto [found, is_new] =
      numbers_[actor].try_emplace(key, static_cast<std::uint32_t>(spots_.size()));
  if (is_new) spots_.push_back(spot);
  place = spot.place;
  number = found->second + 1;
  return found->second;
}

template <class Compute>
double RunGraph::played(const std::function<double(const Spot&)>& inside_s, Compute compute) const {
  std::vector<double> costs_s;
  for (const Spot& spot : spots_) costs_s.push_back(inside_s ? inside_s(spot) : 0);
  const auto at_s = std::make_unique_for_overwrite<double[]>(steps_.size() + 1); // by point
  at_s[0] = 0;
  std::size_t point = 0;
  for_each_step([&](const Step& step) {
    const double before_s = at_s[step.before];
    double& now_s = at_s[++point];
    switch (step.kind) {
    case Kind::kCompute:
      now_s = before_s + compute(step);
      break;
    case Kind::kCall:
      now_s = before_s + costs_s[step.of];
      break;
    case Kind::kJoin:
      now_s = std::max(before_s, at_s[step.of]);
      break;
    }
  });
  double latest_s = 0;
  for (const Point end : ends_) latest_s = std::max(latest_s, at_s[end]);
  return latest_s;
}

double RunGraph::seconds(const std::function<double(const Spot&)>& scale,
                         const std::function<double(const Spot&)>& inside_s) const {
  std::vector<double> factors;
  for (const Spot& spot : spots_) factors.push_back(scale(spot));
  return played(inside_s, [&](const Step& step) { return step.seconds * factors[step.of]; });
}

std::vector<RunGraph::Pass> RunGraph::passes_at(const CallPlace& place) const {
  std::vector<Pass> passes;
  std::vector<std::size_t> made(spots_.size()); // by spot
  for_each_step([&](const Step& step) {
    if (step.kind != Kind::kCompute || spots_[step.of].place != place) return;
    const std::size_t n = made[step.of]++;
    if (n == passes.size()) passes.emplace_back();
    Pass& pass = passes[n];
    pass.sum_s += step.seconds;
    ++pass.ranks;
    pass.next_s = std::max(pass.next_s, std::min(step.seconds, pass.most_s));
    if (step.seconds <= pass.most_s) return;
    pass.most_s = step.seconds;
    pass.slowest = spots_[step.of].rank;
  });
  return passes;
}

double RunGraph::seconds_if_even(const CallPlace& place,
                                 const std::function<double(const Spot&)>& inside_s) const {
  const std::vector<Pass> passes = passes_at(place);
  std::vector<std::size_t> made(spots_.size()); // by spot
  return played(inside_s, [&](const Step& step) {
    return spots_[step.of].place == place ? passes[made[step.of]++].mean_s() : step.seconds;
  });
}

RunGraph::Slowest RunGraph::slowest_at(const CallPlace& place) const {
  std::unordered_map<std::int64_t, double> longer_s; // by rank
  double all_s = 0;
  for (const Pass& pass : passes_at(place)) {
    const double alone_s = pass.most_s - pass.next_s;
    longer_s[pass.slowest] += alone_s;
    all_s += std::max(alone_s, pass.most_s - pass.mean_s());
  }
  Slowest slowest;
  for (const auto& [rank, seconds] : longer_s) {
    const double share = all_s > 0 ? seconds / all_s : 0;
    if (share > slowest.share || (share == slowest.share && rank < slowest.rank))
      slowest = {rank, share};
  }
  return slowest;
}

} // namespace rondo::simulate
