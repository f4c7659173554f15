// SPDX-License-Identifier: Apache-2.0
// Recording a run, for commands that start MPI programs themselves.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rondo::cli {

struct RecordOptions {
  std::string output;
  std::string times = "histogram";
  int callstack = 1;
  std::string only;
  std::string skip;
  std::string mpi;
  std::uint64_t memory_mib = 64;
  double checkpoint_s = 1;
  double budget = 0;
  bool force = false;
  bool print_env = false;
  std::vector<std::string> command;
};

/// What `rondo record` does with these options.
/// @return  an exit status; errors have been printed
int record(const RecordOptions& options);

} // namespace rondo::cli
