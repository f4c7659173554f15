// SPDX-License-Identifier: Apache-2.0
// What is remembered of a played run: each rank's computation and waits, and when two ranks were
// last at one time.
#pragma once

#include "efficiency/history.hpp"
#include "efficiency/packed_list.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

namespace rondo::efficiency::internal {

/// A place in one part of the program.
struct Spot {
  CallPlace place;
  std::uint32_t part = 0;
  friend auto operator<=>(const Spot&, const Spot&) = default;
};

/// Spots by small numbers.
class SpotNumbers {
public:
  std::uint32_t of(Spot spot);
  Spot spot(std::uint32_t number) const { return spots_[number]; }
  std::size_t size() const { return spots_.size(); }

private:
  static constexpr std::size_t kKnown = 256; // a power of two
  struct Known {
    Spot spot;
    std::uint32_t number = 0;
    bool is_set = false;
  };
  std::map<Spot, std::uint32_t> numbers_;
  std::vector<Spot> spots_;
  std::array<Known, kKnown> known_{}; // those looked up last, where their bits say
};

/// A stretch of the run that came so many times more before what is remembered of it.
struct Repeat {
  std::uint64_t times = 0;
  std::size_t waits_from = 0, waits_to = 0; // of all waits
  std::vector<Stretch> by_rank;
  /// Whether one that remembers a wait behind it, and that stretch before it, means all the times.
  bool is_all_in(const Stretch& stretch, std::int64_t rank) const {
    const Stretch& own = by_rank[static_cast<std::size_t>(rank)];
    return stretch.computed_from < own.computed_from && stretch.computed_to >= own.computed_to;
  }
};

class Timeline {
public:
  using Computations = PackedList<Computed>; // of a rank, in order
  using WaitNumbers = PackedList<std::uint32_t>; // indices into all waits
  /// @param plain_bytes  what is held as it is before old history is packed; no answer depends on
  /// it
  explicit Timeline(std::size_t ranks, std::size_t plain_bytes = PlainRoom().most_bytes)
      : room_(std::make_shared<PlainRoom>(PlainRoom{plain_bytes})),
        computed_(ranks, Computations(room_)), waits_of_(ranks, WaitNumbers(room_)), waits_(room_) {
  }

  /// As simulate::Observer has them.
  void period_begins();
  bool repeats_itself() const;
  void repeated(std::uint64_t times, const std::vector<double>& period_s);
  const std::vector<Repeat>& repeats() const { return repeats_; }

  void computed(std::int64_t rank, std::uint32_t spot, double from_s, double seconds);
  /// A rank waited for another, which came at `other_s`; it is remembered with what both did since
  /// one of them waited for the other before.
  void wait(Waited wait, double other_s);
  /// A wait that comes to light once the run has been played.
  struct LaterWait {
    Waited wait;
    double since_s = 0; // what each side did from there on counts
    double other_since_s = 0;
    double other_s = 0;
  };
  /// To be told before all others if add_later() is to come.
  void expect_later() { keeps_others_ = true; }
  /// Puts them where they belong among the others, so that these may be charged on to them. No
  /// stretch of the run must have been repeated.
  /// @complexity O(waits log waits)
  void add_later(const std::vector<LaterWait>& later);

  void set_kind(std::size_t wait, WaitKind kind) {
    waits_.change(wait, [kind](Waited& waited) { waited.kind = kind; });
  }

  const PackedList<Waited>& waits() const { return waits_; }
  const Computations& computation_of(std::int64_t rank) const {
    return computed_[static_cast<std::size_t>(rank)];
  }
  /// What it computed last that began by then.
  std::optional<Computed> computed_before(std::int64_t rank, double at_s) const;
  /// Indices into waits().
  const WaitNumbers& waits_of(std::int64_t rank) const {
    return waits_of_[static_cast<std::size_t>(rank)];
  }
  /// What is packed, and what is held as it is of long lists.
  const PlainRoom& room() const { return *room_; }

private:
  void wait_since(const LaterWait& later);
  bool list(const Waited& wait); // whether others may be charged on to it

  struct Position {
    std::uint32_t computed = 0;
    std::uint32_t waits = 0;
    void raise_to(const Position& later) {
      computed = std::max(computed, later.computed);
      waits = std::max(waits, later.waits);
    }
  };
  struct Mark { // where a period begins
    std::size_t waits = 0;
    std::vector<Position> by_rank;
  };
  Position position(std::int64_t rank, double at_s) const;
  Position last(std::size_t rank) const {
    return {static_cast<std::uint32_t>(computed_[rank].size()),
            static_cast<std::uint32_t>(waits_of_[rank].size())};
  }
  bool is_alike(std::size_t rank, const Position& one, const Position& other,
                std::uint32_t computed, std::uint32_t waits) const;
  bool goes_back_alike(const Waited& one, const Waited& other) const;

  std::shared_ptr<PlainRoom> room_;
  std::vector<Computations> computed_; // by rank
  std::vector<WaitNumbers> waits_of_;
  PackedList<Waited> waits_; // an earlier one never ends because of a later one
  std::vector<double> others_s_; // when the other side came; empty unless add_later() is to come
  bool keeps_others_ = false;
  std::unordered_map<std::uint64_t, std::pair<Position, Position>>
      together_; // by lower and upper rank
  std::vector<Repeat> repeats_;
  Mark before_, mark_; // the last two
};

struct SpotCause {
  Cause::What what = Cause::What::kComputation;
  std::uint32_t spot = 0;
  std::int64_t rank = 0;
  double seconds = 0;
  double direct_s = 0;
};

/// Charges every wait to what the other side did longer than the one who waits, since they were at
/// one time; its own waits are charged on, to what caused those.
/// @return  sums to the waits' seconds
std::vector<SpotCause> causes_of(const Timeline& timeline, std::size_t spots);

} // namespace rondo::efficiency::internal
