// SPDX-License-Identifier: Apache-2.0
// rondo simulate -- COMMAND: a program that runs while a network model keeps its time.
#pragma once

#include "rondo/simulate/simulate.hpp"

#include <string>
#include <vector>

namespace rondo::cli {

struct LiveOptions {
  std::vector<std::string> command;
  std::string output; // a trace with virtual times; empty: none
  std::string times = "histogram";
  std::string mpi;
  bool force = false;
  bool json = false;
  std::size_t most = 10;
  std::string listen = "auto"; // here, any
};

/// Whether the command may start processes on other hosts: by an option of its launcher that names
/// hosts, a launcher of a batch system, or inside an allocation of one.
bool may_leave_this_host(const std::vector<std::string>& command);

/// Whether these words are a command, and no archive.
bool is_command(const std::vector<std::string>& words, bool has_dashes);

/// @return  the program's exit status, or kBadInput if that is 0 and there is no prediction
int simulate_live(const LiveOptions& options, const simulate::NetworkModel& network,
                  const simulate::SimulateOptions& engine);

} // namespace rondo::cli
