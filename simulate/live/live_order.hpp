// SPDX-License-Identifier: Apache-2.0
// Virtual time of a live run on a platform, where messages get into each other's way and time
// therefore passes in order: never beyond what a rank may still say. Gates, timers of the carrier
// at the earliest such moment, hold it up until the ranks have spoken.
//
// Invariant: while the program runs, a gate stands at or before LiveRun::horizon_s().
#pragma once

#include "simulate/live/live_run.hpp"

#include <functional>
#include <limits>
#include <memory>

namespace rondo::simulate::internal {

/// The carrier of a live run. Signals that SimGrid takes for itself stay the program's.
/// @error those of simgrid_carrier()
Result<std::unique_ptr<Carrier>> live_carrier(const Platform& platform, std::int64_t ranks);

/// Whether there can be one, before the number of ranks is known. SimGrid ends the process where it
/// does not like a platform, so that is tried apart.
/// @error kUsage with SimGrid's words
Status check_platform(const NetworkModel& model);

class OrderedTime {
public:
  /// All must outlive the object.
  /// @param serve  hears the ranks once, plays what they say and answers; true once the program has
  ///               ended and all that it said is known
  OrderedTime(LiveRun& run, Carrier& carrier, std::function<bool()> serve)
      : run_(run), carrier_(carrier), serve_(std::move(serve)) {}

  /// Until the program has ended, and all that it said is played.
  /// @error those of Carrier::run()
  Status run();

private:
  void hold_up();
  bool may_pass();
  void set_gate();

  static constexpr double kNever = std::numeric_limits<double>::infinity();
  LiveRun& run_;
  Carrier& carrier_;
  std::function<bool()> serve_;
  double next_gate_s_ = kNever;
  bool has_ended_ = false;
};

} // namespace rondo::simulate::internal
