// SPDX-License-Identifier: Apache-2.0
// Runs the program to be recorded: its input, output and exit status are its own, signals reach it,
// and nothing of it is left behind.
#pragma once

#include <string>
#include <vector>

namespace rondo::cli {

enum class Output { kAsItIs, kToStderr };

/// Runs the command and waits for it. Ends processes of the run that outlive a launcher which was
/// killed: those with RONDO_RUN=`run` in their environment.
/// @return  its exit status, 128 + the signal if one ended it, kBadInput if it could not be started
int launch(const std::vector<std::string>& command, const std::string& run,
           Output output = Output::kAsItIs);

/// A name for a run that no other has: date, time and process.
std::string new_run_name();

} // namespace rondo::cli
