// SPDX-License-Identifier: Apache-2.0
#include "cli/simulate_live.hpp"

#include "cli/commands.hpp"
#include "cli/common.hpp"
#include "cli/record.hpp"
#include "cli/simulate_output.hpp"
#include "rondo/simulate/timekeeper.hpp"
#include "rondo/trace/live_wire.hpp"

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <unistd.h>

namespace rondo::cli {
namespace {

RecordOptions record_options(const LiveOptions& options, const std::string& address) {
  RecordOptions result;
  result.output = options.output;
  result.times = options.times;
  result.mpi = options.mpi;
  result.force = options.force;
  result.command = options.command;
  result.more = {{trace::live::kAddressVariable, address}};
  result.keeps = !options.output.empty();
  result.keeps_stdout_free = options.json;
  return result;
}

} // namespace

bool is_command(const std::vector<std::string>& words) {
  return words.size() > 1 ||
         (::access(words.front().c_str(), X_OK) == 0 && !words.front().ends_with(".rondo"));
}

int simulate_live(const LiveOptions& options, const simulate::NetworkModel& network,
                  const simulate::SimulateOptions& engine) {
  const auto keeper = simulate::Timekeeper::open(network, engine);
  if (!keeper) return complain(keeper.error());
  const auto record_as = record_options(options, (*keeper)->address());
  (*keeper)->start();
  const auto began = std::chrono::steady_clock::now();
  const int status = record(record_as);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  auto prediction = (*keeper)->finish();
  if (!prediction) {
    if (status != 0 && prediction.error().code == ErrorCode::kNotFound) return status; // it failed
    const int complaint = complain(prediction.error());
    return status != 0 ? status : complaint;
  }
  warn("this run", prediction->remarks);
  const trace::Trace none;
  sites::Resolver resolver(none);
  const SimulationShown shown{none, resolver, options.most};
  const Predicted predicted{"", network, engine.compute_scale, std::move(*prediction),
                            took.count()};
  const int shown_status = options.json ? put(prediction_json(shown, predicted).dump(2) + "\n")
                                        : put(prediction_text(shown, predicted));
  return status != 0 ? status : shown_status;
}

} // namespace rondo::cli
