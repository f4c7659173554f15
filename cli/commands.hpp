// SPDX-License-Identifier: Apache-2.0
// The commands of `rondo`. Each adds itself to the command line with its options and help; what it
// does runs when the line has been read, and its result becomes the exit status.
#pragma once

#include "rondo/base/result.hpp"

#include <functional>
#include <string>

namespace CLI { // CLI/CLI.hpp takes four seconds to compile
class App;
}

namespace rondo::cli {

constexpr int kDone = 0;
constexpr int kAnswerIsNo = 1; // done, and the answer is no
constexpr int kBadInput = 2;

/// Collects the chosen command's work.
struct Chosen {
  std::function<int()> run;
  bool has_dashes = false; // -- stands on the command line: a command of the user's follows
  bool resolve = false; // --resolve was given
};

void add_build_recorder(CLI::App& app, Chosen& chosen);
void add_compare(CLI::App& app, Chosen& chosen);
void add_convert(CLI::App& app, Chosen& chosen);
void add_doctor(CLI::App& app, Chosen& chosen);
void add_efficiency(CLI::App& app, Chosen& chosen);
void add_generate(CLI::App& app, Chosen& chosen);
void add_info(CLI::App& app, Chosen& chosen);
void add_logical(CLI::App& app, Chosen& chosen);
void add_matrix(CLI::App& app, Chosen& chosen);
void add_patterns(CLI::App& app, Chosen& chosen);
void add_print(CLI::App& app, Chosen& chosen);
void add_record(CLI::App& app, Chosen& chosen);
void add_replay(CLI::App& app, Chosen& chosen);
void add_report(CLI::App& app, Chosen& chosen);
void add_simulate(CLI::App& app, Chosen& chosen);
void add_stats(CLI::App& app, Chosen& chosen);
void add_topology(CLI::App& app, Chosen& chosen);

/// Prints the error for people and gives the exit status.
int complain(const Error& error);
/// The same for a sentence about the command line itself.
int complain(const std::string& message);

} // namespace rondo::cli
