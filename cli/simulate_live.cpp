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
#include <fmt/core.h>
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

bool is_command(const std::vector<std::string>& words, bool has_dashes) {
  if (words.size() > 1) return true;
  const std::string& word = words.front();
  return !word.ends_with(".rondo") && (has_dashes || ::access(word.c_str(), X_OK) == 0);
}

int simulate_live(const LiveOptions& options, const simulate::NetworkModel& network,
                  const simulate::SimulateOptions& engine) {
  const auto keeper = simulate::Timekeeper::open(network, engine);
  if (!keeper) return complain(keeper.error());
  const auto record_as = record_options(options, (*keeper)->address());
  (*keeper)->start([] {
    fmt::print(stderr,
               "rondo: no rank has come yet: is this a program with MPI, and does every process of "
               "it call MPI_Init? It runs on; Ctrl-C ends it\n");
  });
  const auto began = std::chrono::steady_clock::now();
  const int status = record(record_as);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  auto prediction = (*keeper)->finish();
  if (!prediction) {
    const bool has_no_rank = prediction.error().code == ErrorCode::kNotFound;
    if (has_no_rank && status == kBadInput) return status; // most often that was said already
    if (has_no_rank && status != 0) {
      fmt::print(
          stderr,
          "rondo: there is no simulation: the program ended with status {} before a rank had "
          "come through MPI_Init\n",
          status);
      return status;
    }
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
