// SPDX-License-Identifier: Apache-2.0
// Charges waits to their causes, from the last wait backwards: a wait can only be caused by what
// was before it.
#include "efficiency/timeline.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace rondo::efficiency::internal {
namespace {

class Blame {
public:
  Blame(const Timeline& timeline, const PlaceNumbers& places)
      : timeline_(timeline), places_(places), charged_(timeline.waits().size()),
        excess_(places.size()) {}

  std::vector<Cause> causes() {
    const auto& waits = timeline_.waits();
    for (std::size_t i = waits.size(); i-- > 0;) charge(waits[i], waits[i].seconds(), charged_[i]);
    std::vector<Cause> result;
    for (const auto& [key, sums] : sums_) {
      const auto [what, place, rank] = key;
      result.push_back({what, places_.place(place), rank, sums.all_s, sums.direct_s});
    }
    std::stable_sort(result.begin(), result.end(),
                     [](const Cause& a, const Cause& b) { return a.seconds > b.seconds; });
    return result;
  }

private:
  struct Sums {
    double all_s = 0;
    double direct_s = 0;
  };
  using Key = std::tuple<Cause::What, std::uint32_t, std::int64_t>;

  // How much longer the other side computed before each call, in excess_; places in touched_.
  void compare_computation(const Waited& wait) {
    const auto add = [&](std::int64_t rank, const Stretch& stretch, double sign) {
      const auto& computed = timeline_.computation_of(rank);
      for (std::uint32_t i = stretch.computed_from; i < stretch.computed_to; ++i) {
        double& excess = excess_[computed[i].place];
        if (excess == 0) touched_.push_back(computed[i].place);
        excess += sign * static_cast<double>(computed[i].seconds);
      }
    };
    add(wait.other, wait.others, 1);
    add(wait.rank, wait.own, -1);
    std::sort(touched_.begin(), touched_.end());
    touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
  }

  double waited(std::int64_t rank, const Stretch& stretch) const {
    double sum = 0;
    for (std::uint32_t i = stretch.waits_from; i < stretch.waits_to; ++i)
      sum += timeline_.waits()[timeline_.waits_of(rank)[i]].seconds();
    return sum;
  }

  // `own` seconds are the wait itself, `passed` are those of waits that it caused in turn.
  void charge(const Waited& wait, double own, double passed) {
    compare_computation(wait);
    double computation = 0;
    for (const std::uint32_t place : touched_) computation += std::max(excess_[place], 0.0);
    const double other_waited = waited(wait.other, wait.others);
    const double waits = std::max(other_waited - waited(wait.rank, wait.own), 0.0);
    const double all = computation + waits;
    // What was not longer computation or waiting passed in MPI.
    const double explained = std::min(all / wait.seconds(), 1.0);
    const double left = 1 - explained;
    if (left > 0)
      add({Cause::What::kMpi, wait.place, wait.other}, (own + passed) * left, own * left);
    for (const std::uint32_t place : touched_) {
      if (excess_[place] <= 0) continue;
      const double share = explained * excess_[place] / all;
      add({Cause::What::kComputation, place, wait.other}, (own + passed) * share, own * share);
    }
    if (waits > 0) pass_on(wait, (own + passed) * explained * waits / all / other_waited);
    for (const std::uint32_t place : touched_) excess_[place] = 0;
    touched_.clear();
  }

  // To the waits of the other side, each by its length.
  void pass_on(const Waited& wait, double factor) {
    for (std::uint32_t i = wait.others.waits_from; i < wait.others.waits_to; ++i) {
      const std::uint32_t index = timeline_.waits_of(wait.other)[i];
      charged_[index] += timeline_.waits()[index].seconds() * factor;
    }
  }

  void add(const Key& key, double all_s, double direct_s) {
    Sums& sums = sums_[key];
    sums.all_s += all_s;
    sums.direct_s += direct_s;
  }

  const Timeline& timeline_;
  const PlaceNumbers& places_;
  std::vector<double> charged_; // to each wait, by those that it caused
  std::vector<double> excess_; // by place; 0 between waits
  std::vector<std::uint32_t> touched_;
  std::map<Key, Sums> sums_;
};

} // namespace

std::vector<Cause> causes_of(const Timeline& timeline, const PlaceNumbers& places) {
  return Blame(timeline, places).causes();
}

} // namespace rondo::efficiency::internal
