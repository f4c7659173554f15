// SPDX-License-Identifier: Apache-2.0
// Charges waits to their causes, from the last wait backwards: a wait can only be caused by what
// was before it.
#include "efficiency/timeline.hpp"

#include <algorithm>
#include <cmath>

namespace rondo::efficiency::internal {
namespace {

class Blame {
public:
  Blame(const Timeline& timeline, std::size_t spots)
      : timeline_(timeline), charged_(timeline.waits().size()), excess_(spots) {}

  std::vector<SpotCause> causes() {
    const auto& waits = timeline_.waits();
    for (std::size_t i = waits.size(); i-- > 0;) charge(waits[i], waits[i].seconds(), charged_[i]);
    std::vector<SpotCause> result;
    for (const Cause::What what : {Cause::What::kComputation, Cause::What::kMpi}) {
      for (std::size_t rank = 0; rank < sums_of(what).size(); ++rank) {
        const std::vector<Sums>& by_spot = sums_of(what)[rank];
        for (std::size_t spot = 0; spot < by_spot.size(); ++spot) {
          if (by_spot[spot].all_s > 0)
            result.push_back({what, static_cast<std::uint32_t>(spot),
                              static_cast<std::int64_t>(rank), by_spot[spot].all_s,
                              by_spot[spot].direct_s});
        }
      }
    }
    return result;
  }

private:
  struct Sums {
    double all_s = 0;
    double direct_s = 0;
  };
  using SumsOfRanks = std::vector<std::vector<Sums>>; // by rank and spot
  SumsOfRanks& sums_of(Cause::What what) {
    return what == Cause::What::kComputation ? computation_ : mpi_;
  }

  // How much longer the other side computed before each call, in excess_; spots in touched_.
  void compare_computation(const Waited& wait) {
    const auto add = [&](std::int64_t rank, const Stretch& stretch, double sign) {
      const auto& computed = timeline_.computation_of(rank);
      for (std::uint32_t i = stretch.computed_from; i < stretch.computed_to; ++i) {
        double& excess = excess_[computed[i].spot];
        if (excess == 0) touched_.push_back(computed[i].spot);
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
    for (const std::uint32_t spot : touched_) computation += std::max(excess_[spot], 0.0);
    const double other_waited = waited(wait.other, wait.others);
    const double waits = std::max(other_waited - waited(wait.rank, wait.own), 0.0);
    const double all = computation + waits;
    // What was not longer computation or waiting passed in MPI.
    const double explained = std::min(all / wait.seconds(), 1.0);
    const double left = 1 - explained;
    if (left > 0) add(mpi_, wait.spot, wait.other, (own + passed) * left, own * left);
    for (const std::uint32_t spot : touched_) {
      if (excess_[spot] <= 0) continue;
      const double share = explained * excess_[spot] / all;
      add(computation_, spot, wait.other, (own + passed) * share, own * share);
    }
    if (waits > 0) pass_on(wait, (own + passed) * explained * waits / all / other_waited);
    for (const std::uint32_t spot : touched_) excess_[spot] = 0;
    touched_.clear();
  }

  // To the waits of the other side, each by its length.
  void pass_on(const Waited& wait, double factor) {
    for (std::uint32_t i = wait.others.waits_from; i < wait.others.waits_to; ++i) {
      const std::uint32_t index = timeline_.waits_of(wait.other)[i];
      charged_[index] += timeline_.waits()[index].seconds() * factor;
    }
  }

  static void add(SumsOfRanks& all, std::uint32_t spot, std::int64_t rank, double all_s,
                  double direct_s) {
    const auto index = static_cast<std::size_t>(rank);
    if (index >= all.size()) all.resize(index + 1);
    if (spot >= all[index].size()) all[index].resize(std::size_t{spot} + 1);
    Sums& sums = all[index][spot];
    sums.all_s += all_s;
    sums.direct_s += direct_s;
  }

  const Timeline& timeline_;
  std::vector<double> charged_; // to each wait, by those that it caused
  std::vector<double> excess_; // by spot; 0 between waits
  std::vector<std::uint32_t> touched_;
  SumsOfRanks computation_, mpi_;
};

} // namespace

std::vector<SpotCause> causes_of(const Timeline& timeline, std::size_t spots) {
  return Blame(timeline, spots).causes();
}

} // namespace rondo::efficiency::internal
