// SPDX-License-Identifier: Apache-2.0
// Charges waits to their causes, from the last wait backwards: a wait can only be caused by what
// was before it. What came several times is remembered once: it is gone through as often as it
// came, or until what is charged to it by what came after it changes no more.
#include "efficiency/computed_sums.hpp"
#include "efficiency/timeline.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

namespace rondo::efficiency::internal {
namespace {

// A number for each wait, 0 where none was written: memory is taken where there is something.
class Charges {
public:
  double& operator[](std::size_t wait) {
    const std::size_t number = wait / kPiece;
    if (number >= pieces_.size()) pieces_.resize(number + 1);
    auto& piece = pieces_[number];
    if (piece == nullptr) piece = std::make_unique<double[]>(kPiece);
    return piece[wait % kPiece];
  }
  /// What was charged to this wait, which nothing is charged to any more, nor to those behind it.
  double take_last(std::size_t wait) {
    const double charged = (*this)[wait];
    if (wait % kPiece == 0) pieces_.resize(wait / kPiece);
    return charged;
  }

private:
  static constexpr std::size_t kPiece = 1024;
  std::vector<std::unique_ptr<double[]>> pieces_;
};

class Blame {
public:
  Blame(const Timeline& timeline, std::size_t spots)
      : timeline_(timeline), computed_(timeline), excess_(spots) {}

  std::vector<SpotCause> causes() {
    std::size_t end = timeline_.waits().size();
    const auto& repeats = timeline_.repeats();
    for (std::size_t i = repeats.size(); i-- > 0;) {
      repeats_before_ = i + 1;
      go_back(repeats[i].waits_to, end);
      repeats_before_ = i;
      go_through(repeats[i]);
      end = repeats[i].waits_from;
    }
    repeats_before_ = 0;
    go_back(0, end);
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

  void go_back(std::size_t from, std::size_t to) {
    const bool may_come_again = !timeline_.repeats().empty();
    for (std::size_t i = to; i-- > from;) {
      const Waited wait = timeline_.waits()[i];
      charge(wait, wait.seconds(), may_come_again ? charged_[i] : charged_.take_last(i));
    }
  }

  // What is remembered stands for the last time. Each time before is charged what the time behind
  // it passes on to the one before itself.
  void go_through(const Repeat& repeat) {
    std::vector<double> behind = take_before(repeat); // all times, which charged the first one
    go_back(repeat.waits_from, repeat.waits_to);
    std::vector<double> passed = take_before(repeat);
    for (std::uint64_t left = repeat.times; left > 0; --left) {
      std::vector<double> next = go_through_again(repeat, passed);
      const bool is_settled = is_same(next, passed);
      passed = std::move(next);
      if (!is_settled || left == 1) continue;
      weight_ = static_cast<double>(left - 1);
      passed = go_through_again(repeat, passed);
      weight_ = 1;
      break;
    }
    for (std::size_t i = 0; i < passed.size(); ++i) behind[i] += passed[i];
    give_before(repeat, behind);
  }

  std::vector<double> go_through_again(const Repeat& repeat, const std::vector<double>& passed) {
    for (std::size_t i = 0; i < passed.size(); ++i)
      charged_[repeat.waits_from + i] = charged_each_[repeat.waits_from + i] + passed[i];
    go_back(repeat.waits_from, repeat.waits_to);
    return take_before(repeat);
  }

  static bool is_same(const std::vector<double>& one, const std::vector<double>& other) {
    constexpr double kSame = 1e-13;
    for (std::size_t i = 0; i < one.size(); ++i) {
      if (std::abs(one[i] - other[i]) > kSame * std::max(one[i], other[i])) return false;
    }
    return true;
  }

  // Visits each wait of a repeated stretch with the same wait of the stretch before.
  template <class Visit> void for_pairs(const Repeat& repeat, Visit visit) {
    for (std::size_t rank = 0; rank < repeat.by_rank.size(); ++rank) {
      const Stretch& own = repeat.by_rank[rank];
      const auto& waits = timeline_.waits_of(static_cast<std::int64_t>(rank));
      const std::uint32_t count = own.waits_to - own.waits_from;
      for (std::uint32_t i = own.waits_from; i < own.waits_to; ++i)
        visit(waits[i] - repeat.waits_from, waits[i - count]);
    }
  }
  // What is charged to the stretch before, by waits of the stretch itself; nothing is left.
  std::vector<double> take_before(const Repeat& repeat) {
    std::vector<double> result(repeat.waits_to - repeat.waits_from);
    for_pairs(repeat, [&](std::size_t wait, std::uint32_t before) {
      result[wait] = std::exchange(charged_[before], 0);
    });
    return result;
  }
  void give_before(const Repeat& repeat, const std::vector<double>& charges) {
    for_pairs(repeat,
              [&](std::size_t wait, std::uint32_t before) { charged_[before] += charges[wait]; });
  }

  // Visits repeated stretches that lie between the ends of a rank's stretch.
  template <class Visit>
  void for_repeats(std::int64_t rank, const Stretch& stretch, Visit visit) const {
    const auto& repeats = timeline_.repeats();
    const auto end = repeats.begin() + static_cast<std::ptrdiff_t>(repeats_before_);
    const auto index = static_cast<std::size_t>(rank);
    auto repeat = std::partition_point(repeats.begin(), end, [&](const Repeat& each) {
      return each.by_rank[index].computed_from <= stretch.computed_from;
    });
    for (; repeat != end && repeat->is_all_in(stretch, rank); ++repeat)
      visit(repeat->by_rank[index], static_cast<double>(repeat->times));
  }

  // How much longer the other side computed before each call, in excess_; spots in touched_.
  void compare_computation(const Waited& wait) {
    const auto add = [&](std::int64_t rank, const Stretch& stretch, double sign) {
      computed_.each(rank, stretch, [&](std::uint32_t spot, double seconds) {
        double& excess = excess_[spot];
        if (excess == 0) touched_.push_back(spot);
        excess += sign * seconds;
      });
    };
    const auto add_all = [&](std::int64_t rank, const Stretch& stretch, double sign) {
      add(rank, stretch, sign);
      for_repeats(rank, stretch, [&](const Stretch& repeated, double times) {
        add(rank, repeated, sign * times);
      });
    };
    add_all(wait.other, wait.others, 1);
    add_all(wait.rank, wait.own, -1);
    std::sort(touched_.begin(), touched_.end());
    touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
  }

  double waited_in(std::int64_t rank, const Stretch& stretch) const {
    double sum = 0;
    for (std::uint32_t i = stretch.waits_from; i < stretch.waits_to; ++i)
      sum += timeline_.waits()[timeline_.waits_of(rank)[i]].seconds();
    return sum;
  }
  double waited(std::int64_t rank, const Stretch& stretch) const {
    double sum = waited_in(rank, stretch);
    for_repeats(rank, stretch, [&](const Stretch& repeated, double times) {
      sum += times * waited_in(rank, repeated);
    });
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
    if (left > 0)
      add(mpi_, wait.spot, wait.other, (own + passed) * left * weight_, own * left * weight_);
    for (const std::uint32_t spot : touched_) {
      if (excess_[spot] <= 0) continue;
      const double share = explained * excess_[spot] / all;
      add(computation_, spot, wait.other, (own + passed) * share * weight_, own * share * weight_);
    }
    if (waits > 0) pass_on(wait, (own + passed) * explained * waits / all / other_waited);
    for (const std::uint32_t spot : touched_) excess_[spot] = 0;
    touched_.clear();
  }

  // To the waits of the other side, each by its length.
  void pass_on(const Waited& wait, double factor) {
    const auto& waits = timeline_.waits_of(wait.other);
    const auto pass = [&](const Stretch& stretch, Charges& charged) {
      for (std::uint32_t i = stretch.waits_from; i < stretch.waits_to; ++i)
        charged[waits[i]] += timeline_.waits()[waits[i]].seconds() * factor;
    };
    pass(wait.others, charged_);
    for_repeats(wait.other, wait.others,
                [&](const Stretch& repeated, double) { pass(repeated, charged_each_); });
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
  ComputedSums computed_;
  Charges charged_; // to each wait, by those that it caused
  Charges charged_each_; // likewise, each time that it came before, where it came again
  std::size_t repeats_before_ = 0; // the waits that are gone through
  double weight_ = 1; // how often those count
  std::vector<double> excess_; // by spot; 0 between waits
  std::vector<std::uint32_t> touched_;
  SumsOfRanks computation_, mpi_;
};

} // namespace

std::vector<SpotCause> causes_of(const Timeline& timeline, std::size_t spots) {
  return Blame(timeline, spots).causes();
}

} // namespace rondo::efficiency::internal
