// SPDX-License-Identifier: Apache-2.0
// Whether a recording will work here: looks at the program, the launcher and the folder, then
// tries.
#pragma once

#include "cli/launch/program.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rondo::cli {

struct DoctorOptions {
  std::vector<std::string> command;
  std::string output; // where the archive would be written
  std::string mpi;
  std::uint64_t seconds = 60; // for which the trial runs at most; 0: no trial
  bool json = false;
};

struct Check {
  std::string name; // "program"
  bool works = true;
  std::string text; // what was found, or why not and what to do; one line
};

struct Trial {
  Check check;
  std::int64_t ranks = 0;
  std::uint64_t calls = 0;
};

/// What can be told without running the program; the first check that fails is the last.
/// @param target  is set if all of them work
std::vector<Check> look(const DoctorOptions& options, std::optional<Target>& target);

/// Records the command with `rondo record` into a folder of its own beside the output, which is
/// removed. A program that runs for longer than it may is ended.
Trial try_recording(const DoctorOptions& options);

} // namespace rondo::cli
