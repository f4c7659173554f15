// SPDX-License-Identifier: Apache-2.0
// Recording a run, for commands that start MPI programs themselves.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rondo::cli {

struct Variable { // of the ranks' environment
  std::string name;
  std::string value;
  bool is_secret = false; // stands in no command line, where others may read it
};

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
  bool names = true; // of functions and lines, kept in the archive
  bool print_env = false;
  std::vector<std::string> command;
  // Of a live run:
  std::vector<Variable> more; // for the ranks
  bool keeps = true; // else nothing is written
  bool keeps_stdout_free = false; // what the program prints goes to stderr
};

/// What `rondo record` does with these options.
/// @return  an exit status; errors have been printed
int record(const RecordOptions& options);

} // namespace rondo::cli
