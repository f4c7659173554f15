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
};

/// Whether these words are a command, and no archive.
bool is_command(const std::vector<std::string>& words, bool has_dashes);

/// @return  the program's exit status, or kBadInput if that is 0 and there is no prediction
int simulate_live(const LiveOptions& options, const simulate::NetworkModel& network,
                  const simulate::SimulateOptions& engine);

} // namespace rondo::cli
