// SPDX-License-Identifier: Apache-2.0
// How long sends wait for their receivers in a run that is played, and from which size on they can
// have waited so long in the run that was recorded.
#pragma once

#include "rondo/simulate/observer.hpp"
#include "rondo/trace/trace.hpp"

#include <compare>
#include <cstdint>
#include <map>

namespace rondo::efficiency::internal {

class LateReceivers {
public:
  /// @param rank  whose thread met
  void met(const simulate::Met& met, std::int64_t rank);
  /// As simulate::Observer has them.
  void period_begins() { before_ = sums_; }
  void repeated(std::uint64_t times);

  /// The size above which sends wait for their receivers, as far as the time inside their calls
  /// tells: what a call did not take it did not wait.
  /// @param played  with which the run was played; where that fits it stays
  /// @param run_s   of all ranks
  /// @complexity    O(places * ranks), if anything waited
  std::uint64_t fitting_size(const trace::Trace& trace, std::uint64_t played, double run_s) const;

private:
  struct Key {
    simulate::CallPlace place; // of the call that waited
    std::int64_t rank = 0;
    int magnitude = 0; // of the message: up to 2^this bytes
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  std::map<Key, double> sums_; // seconds
  std::map<Key, double> before_; // the period
};

} // namespace rondo::efficiency::internal
