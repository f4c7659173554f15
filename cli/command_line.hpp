// SPDX-License-Identifier: Apache-2.0
// The whole command line of `rondo`: what its words ask for, and doing it.
//
//   CommandLine line;
//   if (const auto status = line.parse({"info", "app.rondo"})) return *status; // help, or a
//   mistake return line.run();
#pragma once

#include "cli/commands.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rondo::cli {

// Options of every command.
struct Trust {
  std::string limit; // as given
  bool resolve = false;
};

class CommandLine {
public:
  CommandLine();
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  /// Reads the words behind "rondo".
  /// @return  nothing if a command is to be run; else the exit status, and everything is said
  std::optional<int> parse(std::vector<std::string> words);
  /// Does what was asked for. @return the exit status
  int run();

  const std::vector<std::string>& arguments() const { return arguments_; }

private:
  std::unique_ptr<CLI::App> app_;
  Chosen chosen_;
  Trust trust_;
  std::vector<std::string> arguments_;
};

} // namespace rondo::cli
