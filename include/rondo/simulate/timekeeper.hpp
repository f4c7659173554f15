// SPDX-License-Identifier: Apache-2.0
// Keeps the network model of a live run: an unmodified program runs, its ranks say their calls, and
// get virtual times back.
//
//   auto keeper = Timekeeper::open(model, options);
//   if (!keeper) return propagate(keeper);
//   set_for_the_ranks(trace::live::kAddressVariable, (*keeper)->address());
//   (*keeper)->start([] { say("no rank came"); });
//   run_the_program();
//   auto result = (*keeper)->finish();
//
// The calls are played as simulate() plays those of a trace, as they come. The program does not
// wait for that but where it asks what time it is, and where it ends.
#pragma once

#include "rondo/simulate/simulate.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace rondo::simulate {

/// Where ranks may come from: of this host by a Unix socket; of others by TCP, at a port that any
/// host can reach.
enum class Hosts : std::uint8_t { kThis, kAny };

class Timekeeper {
public:
  /// Listens for ranks.
  /// @param options  collectives and compute_scale are used
  /// @param model    a platform too; one in each process
  /// @error kUsage for a negative scale, kIo if there can be no socket; those of simulate() for a
  ///        platform
  static Result<std::unique_ptr<Timekeeper>>
  open(const NetworkModel& model, const SimulateOptions& options, Hosts hosts = Hosts::kThis);
  virtual ~Timekeeper() = default;

  /// What ranks need to find it; holds a secret of this run.
  virtual const std::string& address() const = 0;
  /// Serves ranks from now on, in a thread of its own.
  /// @param nobody_came  is called there if no rank has come for 10 s
  virtual void start(std::function<void()> nobody_came) = 0;
  /// The program has ended: plays what is left.
  /// @error  kUnsupported with the calls that no model simulates; kFormat if a rank said what makes
  ///         no sense; kNotFound if no rank came
  virtual Result<Prediction> finish() = 0;
};

} // namespace rondo::simulate
