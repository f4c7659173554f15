// SPDX-License-Identifier: Apache-2.0
#include "rondo/simulate/run_graph.hpp"

#include "rondo/base/piece_memory.hpp"

#include <bit>

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

std::vector<double> RunGraph::call_costs(const Scale& inside_s) const {
  std::vector<double> costs_s; // by spot
  for (const Spot& spot : spots_) costs_s.push_back(inside_s ? inside_s(spot) : 0);
  return costs_s;
}

double RunGraph::end_of(const double* at_s) const {
  double latest_s = 0;
  for (const Point end : ends_) latest_s = std::max(latest_s, at_s[end]);
  return latest_s;
}

namespace {

// Times of the last points, of several runs side by side: what is behind a point hangs on no
// earlier ones. Most often they are few, and stay in the caches.
template <std::size_t kCount> class LastTimes {
public:
  using Times = std::array<double, kCount>;
  /// @param reach  how far back is looked
  explicit LastTimes(std::size_t reach)
      : mask_(std::bit_ceil(reach + 1) - 1), memory_(take_pages((mask_ + 1) * sizeof(Times))),
        times_(reinterpret_cast<Times*>(memory_.get())) {}
  Times& operator[](std::size_t point) { return times_[point & mask_]; }

private:
  std::size_t mask_;
  Pages memory_;
  Times* times_;
};

} // namespace

template <std::size_t kCount, class Compute>
std::array<double, kCount> RunGraph::played(const Scale& inside_s, Compute compute) const {
  const std::vector<double> costs_s = call_costs(inside_s);
  std::vector<Point> ends = ends_; // the next one last
  std::erase(ends, Point{0});
  std::sort(ends.begin(), ends.end(), std::greater<>());
  std::array<double, kCount> latest_s{};
  LastTimes<kCount> at_s(reach_);
  at_s[0] = {};
  Point point = 0;
  for_each_step([&](const Step& step) {
    std::array<double, kCount> now_s = at_s[step.before];
    if (step.kind == Kind::kJoin) {
      const std::array<double, kCount> other_s = at_s[step.of];
      for (std::size_t i = 0; i < kCount; ++i) now_s[i] = std::max(now_s[i], other_s[i]);
    } else if (step.kind == Kind::kCompute) {
      for (std::size_t i = 0; i < kCount; ++i) now_s[i] += compute(step, i);
    } else {
      for (std::size_t i = 0; i < kCount; ++i) now_s[i] += costs_s[step.of];
    }
    at_s[++point] = now_s;
    for (; !ends.empty() && ends.back() <= point; ends.pop_back()) {
      for (std::size_t i = 0; i < kCount; ++i) latest_s[i] = std::max(latest_s[i], now_s[i]);
    }
  });
  return latest_s;
}

double RunGraph::seconds(const Scale& scale, const Scale& inside_s) const {
  std::vector<double> factors;
  for (const Spot& spot : spots_) factors.push_back(scale(spot));
  return played<1>(
      inside_s, [&](const Step& step, std::size_t) { return step.seconds * factors[step.of]; })[0];
}

std::vector<double> RunGraph::seconds_of_each(const std::vector<Scale>& scales,
                                              const Scale& inside_s) const {
  std::vector<double> result;
  for (std::size_t first = 0; first < scales.size(); first += kLanes) {
    const std::size_t count = std::min(kLanes, scales.size() - first);
    std::vector<std::array<double, kLanes>> factors(spots_.size());
    for (std::size_t spot = 0; spot < spots_.size(); ++spot) {
      for (std::size_t i = 0; i < count; ++i) factors[spot][i] = scales[first + i](spots_[spot]);
    }
    const auto seconds = played<kLanes>(inside_s, [&](const Step& step, std::size_t lane) {
      return step.seconds * factors[step.of][lane];
    });
    result.insert(result.end(), seconds.begin(), seconds.begin() + count);
  }
  return result;
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

double RunGraph::seconds_if_even(const CallPlace& place, const Scale& inside_s) const {
  const std::vector<Pass> passes = passes_at(place);
  std::vector<std::size_t> made(spots_.size()); // by spot
  return played<1>(inside_s, [&](const Step& step, std::size_t) {
    return spots_[step.of].place == place ? passes[made[step.of]++].mean_s() : step.seconds;
  })[0];
}

// By point: where a call there waits for what was sent before the other side's own call there in
// the same pass. What a call waits for stands before its own time.
std::vector<bool> RunGraph::exchanges_at(const CallPlace& place) const {
  std::vector<bool> exchanges(steps_.size() + 1);
  std::vector<std::uint32_t> passes(steps_.size() + 1); // by point: calls of its rank there so far
  Point now = 0;
  for_each_step([&](const Step& step) {
    passes[++now] = passes[step.before];
    if (step.kind != Kind::kCall || spots_[step.of].place != place) return;
    ++passes[now];
    for (Point point = step.before; point != 0 && steps_[point - 1].kind == Kind::kJoin;
         point = steps_[point - 1].before)
      exchanges[point] = passes[steps_[point - 1].of] == passes[point];
  });
  return exchanges;
}

namespace {

// When ranks could go on, where some of their waits are put off: until then they are still to come.
class WaitsToCome {
public:
  explicit WaitsToCome(std::size_t points)
      : at_s_(std::make_unique_for_overwrite<double[]>(points)) {
    at_s_[0] = 0;
  }

  const double* at_s() const { return at_s_.get(); }
  /// When all has come that a point waits for.
  double known_s(RunGraph::Point point) {
    taken(point);
    return at_s_[point];
  }
  /// Goes on from a point, with its waits still to come.
  void put_off(RunGraph::Point before, RunGraph::Point now, double seconds, double until_s = 0) {
    at_s_[now] = at_s_[before] + seconds;
    const double all_s = std::max(until_s, taken(before));
    if (all_s > at_s_[now]) until_s_[now] = all_s;
  }
  /// They come behind what takes so long.
  void compute(RunGraph::Point before, RunGraph::Point now, double seconds) {
    const double own_s = at_s_[before] + seconds;
    at_s_[now] = std::max(own_s, taken(before));
  }
  void set(RunGraph::Point now, double at_s) { at_s_[now] = at_s; }
  void come_all() {
    for (const auto& [point, until_s] : until_s_) at_s_[point] = std::max(at_s_[point], until_s);
  }

private:
  // Who else goes on from that point goes on when all has come.
  double taken(RunGraph::Point point) {
    const auto found = until_s_.find(point);
    if (found == until_s_.end()) return 0;
    const double until_s = found->second;
    until_s_.erase(found);
    at_s_[point] = std::max(at_s_[point], until_s);
    return until_s;
  }

  std::unique_ptr<double[]> at_s_; // by point
  std::unordered_map<RunGraph::Point, double> until_s_; // where waits are still to come
};

} // namespace

double RunGraph::seconds_if_waited_later(const CallPlace& place, const Scale& inside_s) const {
  const std::vector<double> costs_s = call_costs(inside_s);
  const std::vector<bool> is_later = exchanges_at(place);
  WaitsToCome run(steps_.size() + 1);
  Point point = 0;
  for_each_step([&](const Step& step) {
    ++point;
    if (step.kind == Kind::kCompute) {
      run.compute(step.before, point, step.seconds);
    } else if (step.kind == Kind::kJoin) {
      const double other_s = run.known_s(step.of);
      if (is_later[point])
        run.put_off(step.before, point, 0, other_s);
      else
        run.set(point, std::max(run.known_s(step.before), other_s));
    } else if (spots_[step.of].place == place) {
      run.put_off(step.before, point, costs_s[step.of]);
    } else {
      run.set(point, run.known_s(step.before) + costs_s[step.of]);
    }
  });
  run.come_all();
  return end_of(run.at_s());
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
