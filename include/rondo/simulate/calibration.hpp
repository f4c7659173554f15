// SPDX-License-Identifier: Apache-2.0
// A LogGP model of a machine from measurements between two ranks, as the program under
// simulate/calibrate/ makes them.
//
//   auto fit = fit_loggp(*parse_measurements(text, "samples"));
//   write_file("machine.network", network_file(*fit, "2 ranks on one host"), Overwrite::kRefuse);
//
// Overheads come from trains of messages with a delay longer than a message takes; the gap from
// trains without; latency, time per byte and the cost of the rendezvous from single rounds of all
// sizes by least squares of the relative errors.
#pragma once

#include "rondo/simulate/network_model.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::simulate {

struct Measurement {
  enum class Kind : std::uint8_t { kRound, kTrain, kDelayed };
  Kind kind = Kind::kRound;
  std::int64_t messages = 1; // there; one comes back
  double delay_s = 0; // before all but the first
  std::uint64_t bytes = 0;
  double seconds = 0;
};

struct Measurements {
  std::vector<Measurement> all;
  /// The most bytes of a send that came back though its receiver was late.
  std::uint64_t eager_bytes = NetworkModel::kNever;
};

/// @param name  of the file, for errors
/// @error kFormat with the line
Result<Measurements> parse_measurements(std::string_view text, const std::string& name);

struct Fitted {
  Measurement measured;
  double seconds = 0; // by the model
  double off() const { return (seconds - measured.seconds) / measured.seconds; }
};

struct Calibration {
  NetworkModel model; // LogGP
  std::vector<Fitted> samples;
  double rms = 0; // of the relative errors of the rounds
  double most = 0; // the largest of them
  std::vector<std::string> remarks; // what did not come out as a model has it, one sentence each
};

/// @error kFormat: fewer than four sizes of rounds, or no trains
/// @source [hoefler2007]; there one line per protocol, here one with a step at the rendezvous
/// @complexity O(measurements)
Result<Calibration> fit_loggp(const Measurements& measurements);

/// A file that --network reads, with the residuals as comments.
/// @param what  was measured, for its first line
std::string network_file(const Calibration& calibration, const std::string& what);

} // namespace rondo::simulate
