// SPDX-License-Identifier: Apache-2.0
#include "rondo/efficiency/balance.hpp"

#include "efficiency/call_costs.hpp"
#include "rondo/base/sort_stably.hpp"
#include "rondo/trace/call_meaning.hpp"
#include "rondo/trace/sharing.hpp"

#include <algorithm>
#include <functional>
#include <future>
#include <optional>
#include <span>
#include <utility>

namespace rondo::efficiency {
namespace {

using internal::CallCosts;

constexpr std::size_t kMostShown = 3;
constexpr std::size_t kMostOfGraph = 6; // that are tried where that takes hardly any time
// Imbalances that would change the run by less are not worth a line.
constexpr double kLeastGain = 0.005;
// Of the run, for what is harder to act on than to even out one place.
constexpr double kLeastMore = 0.1;

// What is more than the mean, of all ranks: as each is passed through once at most on a way through
// the run, no more can be won.
double surplus_s(const Imbalance& imbalance) {
  double sum = 0;
  for (const double own : imbalance.by_actor) sum += std::max(own - imbalance.mean_s, 0.0);
  return sum;
}

// Most often no way through the run has more of it than the rank with most.
double likely_gain_s(const Imbalance& imbalance) { return imbalance.most_s - imbalance.mean_s; }

class Balancing {
public:
  Balancing(const trace::Trace& trace, const Factors& factors, const WaitStates& waits,
            std::shared_ptr<const trace::ResolvedReceives> receives)
      : trace_(trace), factors_(factors), receives_(std::move(receives)),
        eager_bytes_(waits.ideal ? waits.ideal->eager_bytes : simulate::NetworkModel::kNever),
        graph_(waits.graph.get()) {
    const bool is_crowded = trace::sharing_of(trace).is_crowded();
    whole_s_ = is_crowded ? *factors.ideal_runtime_s : factors.runtime_s;
    for (const Imbalance& each : waits.imbalances) {
      if (surplus_s(each) > whole_s_ * kLeastGain) candidates_.push_back(&each);
    }
    sort_stably(candidates_.begin(), candidates_.end(), [](const Imbalance* a, const Imbalance* b) {
      return likely_gain_s(*a) > likely_gain_s(*b);
    });
    const std::size_t most = graph_ != nullptr ? kMostOfGraph : kMostShown;
    candidates_.resize(std::min(candidates_.size(), most));
    // Of ranks that waited for processors, time inside MPI says nothing of MPI.
    if (!waits.imbalances.empty() && !is_crowded && !factors.has_no_inside)
      costs_.emplace(trace, waits);
  }

  std::vector<Balanced> run() {
    std::vector<Balanced> found;
    for (std::size_t first = 0; first < candidates_.size(); first += kMostShown) {
      if (found.size() == kMostShown &&
          likely_gain_s(*candidates_[first]) <= whole_s_ - found.back().runtime_s)
        break;
      const std::size_t count = std::min(kMostShown, candidates_.size() - first);
      if (!play_some({candidates_.data() + first, count}, found)) return {};
      sort_stably(found.begin(), found.end(),
                  [](const Balanced& a, const Balanced& b) { return a.runtime_s < b.runtime_s; });
      if (found.size() > kMostShown) found.resize(kMostShown);
    }
    return found;
  }

  std::optional<Balanced> run_by_pass(const std::vector<Imbalance>& imbalances) {
    auto best = best_of_blamed(imbalances, [this](const Imbalance& each) {
      return Tried{even_by_pass_s(each), [this, &each] { return played_s(even(each)); }};
    });
    if (!best) return best;
    // Evening out sums may win little though one rank is slow, as they have first passes in them.
    const simulate::RunGraph::Slowest slowest = graph_->slowest_at(best->imbalance.place);
    if (slowest.share > kMostly) best->mostly_slowest = slowest.rank;
    return best;
  }

  // Without the place nobody waits for others there; what a rank computes there is left.
  std::optional<Balanced> run_at_once(const std::vector<Imbalance>& imbalances) {
    return best_of_blamed(imbalances, [this](const Imbalance& each) {
      const auto without = [&each](const Spot& spot) {
        return spot.place == each.place ? 0.0 : 1.0;
      };
      return Tried{played_s(without).value_or(0) + each.most_s, [this, &each] {
                     const std::optional<double> in_sum_s = played_s(even(each));
                     return in_sum_s ? std::min(*in_sum_s, even_by_pass_s(each)) : in_sum_s;
                   }};
    });
  }

  std::optional<WaitedLater> run_later(const std::vector<WaitState>& states) {
    if (graph_ == nullptr) return std::nullopt;
    as_it_was_s_ = costs_ ? played_s(Scale()) : factors_.ideal_runtime_s;
    std::optional<WaitedLater> best;
    std::vector<CallPlace> tried;
    for (const WaitState& each : states) {
      if (tried.size() == kMostTried || !as_it_was_s_) break;
      if (!meaning_of(*trace::find_function(each.place.function)).waits()) continue;
      if (std::find(tried.begin(), tried.end(), each.place) != tried.end()) continue;
      tried.push_back(each.place);
      const double runtime_s = runtime(graph_->seconds_if_waited_later(
          each.place, [this](const Spot& spot) { return inside_s(spot.rank, spot.place); }));
      if (whole_s_ - runtime_s >= kLeastMore * whole_s_ && (!best || runtime_s < best->runtime_s))
        best = {each.place, runtime_s, whole_s_};
    }
    return best;
  }

  // A run becomes shorter by what each rank waits less. What one place is blamed for is about what
  // goes with it; twice that is not won.
  double most_of_blamed_s(const Imbalance& imbalance) const {
    return 2 * imbalance.blamed_s / static_cast<double>(factors_.ranks);
  }

  static constexpr double kMostly = 0.5;
  static constexpr std::size_t kMostTried = 3; // places

  // Every rank's computation stretched or shortened to the mean of all.
  std::optional<EvenInAll> run_in_all() {
    const auto scale = [this](const Spot& spot) {
      const double own = factors_.by_rank[static_cast<std::size_t>(spot.rank)].useful_s;
      return own > 0 ? factors_.useful_mean_s / own : 1.0;
    };
    const std::optional<double> even_s = played_s(scale);
    as_it_was_s_ = costs_ ? played_s(Scale()) : factors_.ideal_runtime_s;
    if (!even_s || !as_it_was_s_) return std::nullopt;
    const double runtime_s = runtime(*even_s);
    if (whole_s_ - runtime_s < kLeastMore * whole_s_) return std::nullopt;
    return EvenInAll{runtime_s, whole_s_};
  }

private:
  using Spot = simulate::RunGraph::Spot;
  using Scale = simulate::RunGraph::Scale;
  struct Tried {
    double played_s = 0; // the run if that were so
    std::function<std::optional<double>()> otherwise_s; // by what is simpler to do there
  };

  // Of the places that are blamed most, where what is tried wins most, and much more than what is
  // simpler.
  template <class Try>
  std::optional<Balanced> best_of_blamed(const std::vector<Imbalance>& imbalances, Try attempt) {
    if (graph_ == nullptr) return std::nullopt;
    as_it_was_s_ = costs_ ? played_s(Scale()) : factors_.ideal_runtime_s;
    std::optional<Balanced> best;
    for (std::size_t i = 0; as_it_was_s_ && i < std::min(kMostTried, imbalances.size()); ++i) {
      const Imbalance& each = imbalances[i];
      if (most_of_blamed_s(each) < kLeastMore * whole_s_) break; // the most blamed come first
      const Tried tried = attempt(each);
      const double runtime_s = runtime(tried.played_s);
      if (best && best->runtime_s <= runtime_s) continue;
      if (whole_s_ - runtime_s < kLeastMore * whole_s_) continue;
      const std::optional<double> otherwise_s = tried.otherwise_s();
      if (otherwise_s && runtime(*otherwise_s) - runtime_s >= kLeastMore * whole_s_)
        best = {each, runtime_s, whole_s_};
    }
    return best;
  }

  double even_by_pass_s(const Imbalance& imbalance) const {
    return graph_->seconds_if_even(
        imbalance.place, [this](const Spot& spot) { return inside_s(spot.rank, spot.place); });
  }

  double inside_s(std::int64_t rank, simulate::CallPlace place) const {
    return costs_ ? costs_->of(rank, place) : 0.0;
  }

  // As it was, too, if that is not known yet.
  bool play_some(std::span<const Imbalance* const> some, std::vector<Balanced>& found) {
    std::vector<Scale> scales;
    for (const Imbalance* imbalance : some) scales.push_back(even(*imbalance));
    if (costs_ && !as_it_was_s_) scales.push_back(nullptr);
    const std::vector<std::optional<double>> played = play_each(scales);
    if (!costs_) as_it_was_s_ = factors_.ideal_runtime_s;
    if (played.size() > some.size()) as_it_was_s_ = played.back();
    for (std::size_t i = 0; i < some.size(); ++i) {
      if (!played[i] || !as_it_was_s_) continue;
      const double runtime_s = runtime(*played[i]);
      if (whole_s_ - runtime_s > whole_s_ * kLeastGain)
        found.push_back({*some[i], runtime_s, whole_s_});
    }
    return as_it_was_s_.has_value();
  }

  // The played run is about as long as the run was, and becomes shorter in the same measure.
  double runtime(double balanced_s) const {
    return *as_it_was_s_ > 0 ? whole_s_ * balanced_s / *as_it_was_s_ : whole_s_;
  }

  // The imbalance must outlive it.
  static Scale even(const Imbalance& imbalance) {
    return [&imbalance](const Spot& spot) {
      if (spot.place != imbalance.place) return 1.0;
      const double own = imbalance.by_actor[static_cast<std::size_t>(spot.actor)];
      return own > 0 ? imbalance.mean_s / own : 1.0;
    };
  }

  // Of computation; unset: as it was.
  std::optional<double> played_s(const Scale& scale) const { return play_each({scale}).front(); }

  std::vector<std::optional<double>> play_each(const std::vector<Scale>& scales) const {
    if (graph_ != nullptr) return play_graph(scales);
    std::vector<std::future<std::optional<double>>> runs;
    for (const Scale& scale : scales)
      runs.push_back(std::async(std::launch::async, [this, &scale] { return play_anew(scale); }));
    std::vector<std::optional<double>> played;
    for (auto& run : runs) played.push_back(run.get());
    return played;
  }

  std::vector<std::optional<double>> play_graph(std::vector<Scale> scales) const {
    for (Scale& scale : scales) {
      if (!scale) scale = [](const Spot&) { return 1.0; };
    }
    const auto inside = [this](const Spot& spot) { return inside_s(spot.rank, spot.place); };
    if (scales.size() == 1) return {graph_->seconds(scales.front(), inside)};
    const std::vector<double> seconds = graph_->seconds_of_each(scales, inside);
    return {seconds.begin(), seconds.end()};
  }

  std::optional<double> play_anew(const Scale& scale) const {
    simulate::SimulateOptions options;
    options.receives = receives_;
    options.may_stop = !trace_.run.complete;
    if (scale) options.scale = scale;
    if (costs_)
      options.inside_s = [this](std::int64_t rank, simulate::CallPlace place) {
        return inside_s(rank, place);
      };
    options.collectives_are_eager = true;
    const auto played = simulate::simulate(trace_, ideal_network(eager_bytes_), options);
    if (!played) return std::nullopt;
    return played->seconds;
  }

  const trace::Trace& trace_;
  const Factors& factors_;
  std::shared_ptr<const trace::ResolvedReceives> receives_;
  double whole_s_ = 0; // the run; where ranks waited for processors, the one that is played
  std::uint64_t eager_bytes_; // as what is known of the waits was played
  const simulate::RunGraph* graph_; // null: it is played anew
  std::vector<const Imbalance*> candidates_; // the likeliest first
  std::optional<CallCosts> costs_;
  std::optional<double> as_it_was_s_; // the run, played
};

// Where computation is as it was, only waiting can become less, and that of ranks that have ended:
// what there is to win at most.
double most_to_win(const Factors& factors) {
  const double idle_s = *factors.ideal_runtime_s * static_cast<double>(factors.ranks);
  return (idle_s - factors.useful_sum_s) / static_cast<double>(factors.ranks);
}

// Whether there is something to win that is worth looking for.
bool is_worth_trying(const trace::Trace& trace, const Factors& factors, double least_gain) {
  if (!factors.ideal_runtime_s || factors.ranks == 0) return false;
  const double whole_s =
      trace::sharing_of(trace).is_crowded() ? *factors.ideal_runtime_s : factors.runtime_s;
  return most_to_win(factors) >= whole_s * least_gain;
}

} // namespace

std::vector<Balanced> most_worthwhile(const trace::Trace& trace, const Factors& factors,
                                      const WaitStates& waits,
                                      std::shared_ptr<const trace::ResolvedReceives> receives) {
  if (!is_worth_trying(trace, factors, kLeastGain)) return {};
  return Balancing(trace, factors, waits, std::move(receives)).run();
}

std::optional<Balanced> one_after_the_other(const trace::Trace& trace, const Factors& factors,
                                            const WaitStates& waits) {
  if (!is_worth_trying(trace, factors, kLeastMore)) return std::nullopt;
  return Balancing(trace, factors, waits, nullptr).run_at_once(waits.imbalances);
}

std::optional<Balanced> slow_in_turns(const trace::Trace& trace, const Factors& factors,
                                      const WaitStates& waits) {
  if (!is_worth_trying(trace, factors, kLeastMore)) return std::nullopt;
  return Balancing(trace, factors, waits, nullptr).run_by_pass(waits.imbalances);
}

std::optional<WaitedLater> waited_later(const trace::Trace& trace, const Factors& factors,
                                        const WaitStates& waits) {
  // What calls take is known where they are in the graph, and so is who waits.
  if (factors.has_no_inside || !is_worth_trying(trace, factors, kLeastMore)) return std::nullopt;
  return Balancing(trace, factors, waits, nullptr).run_later(waits.states);
}

std::optional<EvenInAll> even_in_all(const trace::Trace& trace, const Factors& factors,
                                     const WaitStates& waits,
                                     std::shared_ptr<const trace::ResolvedReceives> receives) {
  constexpr double kEven = 1 - kLeastMore; // no balance above that wins so much
  if (factors.load_balance > kEven || !is_worth_trying(trace, factors, kLeastMore))
    return std::nullopt;
  return Balancing(trace, factors, waits, std::move(receives)).run_in_all();
}

} // namespace rondo::efficiency
