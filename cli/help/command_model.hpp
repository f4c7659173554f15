// SPDX-License-Identifier: Apache-2.0
// The command line as data: commands with their options, arguments and texts, taken from what reads
// it. Man pages and completions of shells are written from it, so that they cannot differ from
// --help.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rondo::cli {

struct OptionModel {
  std::string short_name; // "-o", or empty
  std::string long_name; // "--output", or empty
  std::string positional; // "file" for what has no name
  std::string value; // "FILE", "TEXT"; empty for a flag
  std::string preset; // the default as --help has it
  std::vector<std::string> choices; // if only these may be given
  std::string meaning;
  bool required = false;
  bool several = false; // takes more than one word

  /// Whether its value is a path.
  bool takes_path() const;
};

struct CommandModel {
  std::string name; // "topology"; empty for `rondo` itself
  std::string meaning; // one line
  std::vector<OptionModel> options;
  std::vector<OptionModel> positionals;
  std::string footer;
  /// Behind "--" stands a program of the user's.
  bool takes_program() const;
};

/// `rondo` first, then its commands in the order of its help; what help does not show is left out.
std::vector<CommandModel> command_model(const CLI::App& app);

/// As far as the first sentence or clause goes, for lists.
std::string first_clause(std::string_view text);

using NamedText = std::pair<std::string, std::string>; // path below share/, contents

/// man/man1/rondo.1, man/man1/rondo-COMMAND.1 in troff.
std::vector<NamedText> man_pages(const std::vector<CommandModel>& commands,
                                 std::string_view version);

/// Completions of bash, zsh and fish.
std::vector<NamedText> completions(const std::vector<CommandModel>& commands);

} // namespace rondo::cli
