// SPDX-License-Identifier: Apache-2.0
#include "cli/launch/simulate_live.hpp"

#include "cli/commands.hpp"
#include "cli/common.hpp"
#include "cli/launch/program.hpp"
#include "cli/launch/record.hpp"
#include "present/time/prediction.hpp"
#include "rondo/base/escape.hpp"
#include "rondo/simulate/timekeeper.hpp"
#include "rondo/trace/live_wire.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fmt/core.h>
#include <set>
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
  result.more = {{trace::live::kAddressVariable, address, true}};
  result.keeps = !options.output.empty();
  result.keeps_stdout_free = options.json;
  return result;
}

simulate::Hosts hosts_of(const LiveOptions& options) {
  const bool any =
      options.listen == "auto" ? may_leave_this_host(options.command) : options.listen == "any";
  return any ? simulate::Hosts::kAny : simulate::Hosts::kThis;
}

} // namespace

bool may_leave_this_host(const std::vector<std::string>& command) {
  static const std::set<std::string> kLaunchers{"srun", "aprun", "jsrun", "flux"};
  static const std::set<std::string> kOptions{"-H",
                                              "-host",
                                              "--host",
                                              "-hosts",
                                              "-f",
                                              "-hostfile",
                                              "--hostfile",
                                              "-machinefile",
                                              "--machinefile",
                                              "-configfile",
                                              "--configfile",
                                              "--app",
                                              "-app",
                                              "-rf",
                                              "--rankfile",
                                              "-rankfile",
                                              "--default-hostfile",
                                              "-default-hostfile",
                                              "-machine",
                                              "--hostlist"};
  static constexpr std::array kAllocations{
      "SLURM_JOB_ID",      "PBS_NODEFILE",    "LSB_HOSTS",
      "LSB_DJOB_HOSTFILE", "PE_HOSTFILE",     "FLUX_JOB_ID",
      "COBALT_NODEFILE",   "HYDRA_HOST_FILE", "OMPI_MCA_orte_default_hostfile"};
  if (kLaunchers.contains(std::filesystem::path(command.front()).filename().string())) return true;
  if (std::any_of(kAllocations.begin(), kAllocations.end(),
                  [](const char* name) { return std::getenv(name) != nullptr; }))
    return true;
  const auto target = find_target(command, "");
  const auto end =
      target ? std::find(command.begin() + 1, command.end(), target->program) : command.end();
  return std::any_of(command.begin() + 1, end, [](const std::string& word) {
    return kOptions.contains(word.substr(0, word.find('=')));
  });
}

bool is_command(const std::vector<std::string>& words, bool has_dashes) {
  if (words.size() > 1) return true;
  const std::string& word = words.front();
  std::error_code error; // a folder may be a trace of another tool
  const bool is_program =
      ::access(word.c_str(), X_OK) == 0 && !std::filesystem::is_directory(word, error);
  return !word.ends_with(".rondo") && (has_dashes || is_program);
}

int simulate_live(const LiveOptions& options, const simulate::NetworkModel& network,
                  const simulate::SimulateOptions& engine) {
  const auto keeper = simulate::Timekeeper::open(network, engine, hosts_of(options));
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
  const present::SimulationShown shown{none, resolver, options.most};
  const present::Predicted predicted{"", network, engine.compute_scale, std::move(*prediction),
                                     took.count()};
  const int shown_status =
      options.json ? put(escape::json_text(present::prediction_json(shown, predicted)) + "\n")
                   : put(present::prediction_text(shown, predicted));
  return status != 0 ? status : shown_status;
}

} // namespace rondo::cli
