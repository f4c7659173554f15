// SPDX-License-Identifier: Apache-2.0
// Who waits for a window's lock that another rank holds: known once the run has been played at its
// recorded times.
#pragma once

#include "efficiency/timeline.hpp"
#include "rondo/trace/call_reader.hpp"

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace rondo::efficiency::internal {

class WindowLocks {
public:
  explicit WindowLocks(std::size_t ranks) : next_(ranks), open_(ranks) {}

  /// A rank's next call.
  void comes_to(std::int64_t rank, const trace::CallInstance& call);
  /// It is over.
  void called(std::int64_t rank, std::uint32_t spot, double from_s, double to_s);
  /// Tells the timeline of all waits, at the end.
  /// @complexity O(epochs log epochs), and pairs of those that overlap
  void find_waits(Timeline& timeline) const;

private:
  struct Held { // lock
    std::int64_t window = 0;
    std::int64_t target = 0;
    friend auto operator<=>(const Held&, const Held&) = default;
  };
  struct CallOf { // an epoch
    std::uint32_t spot = 0;
    double from_s = 0;
    double to_s = 0;
  };
  struct Epoch { // from MPI_Win_lock to MPI_Win_unlock
    std::int64_t rank = 0;
    bool is_exclusive = false;
    std::vector<CallOf> calls{};
    double locked_s() const { return calls.front().from_s; }
    double unlocked_s() const { return calls.back().from_s; }
    double end_s() const { return calls.back().to_s; }
  };
  struct Next {
    enum class What : std::uint8_t { kOther, kLock, kInside, kUnlock };
    What what = What::kOther;
    Held held;
    bool is_exclusive = false;
  };
  static bool waits_in_unlock(const Epoch& one, const Epoch& other);
  static bool was_before(const Epoch& one, const Epoch& other);
  static void find_waits_of(const Epoch& epoch, std::span<const Epoch> others, Timeline& timeline);

  std::vector<Next> next_; // by rank
  std::vector<std::map<Held, Epoch>> open_; // by rank
  std::map<Held, std::vector<Epoch>> done_;
};

} // namespace rondo::efficiency::internal
