// SPDX-License-Identifier: Apache-2.0
// Help for people: as wide as their terminal, and a word where they have mistyped one.
#pragma once

#include "rondo/base/result.hpp"

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::cli {

/// Breaks lines at blanks, so that none is wider; what goes on in the next line is indented like
/// its own line, or by `hanging` columns. A word that is too wide stands alone.
std::string wrapped(std::string_view text, std::size_t width, std::size_t hanging = 0);

/// The word that was most likely meant, or nothing if none is near.
/// @complexity   O(sum of words * length of the mistyped one)
std::optional<std::string> nearest(std::string_view mistyped,
                                   const std::vector<std::string>& words);

/// Makes all help as wide as the terminal.
void wrap_help(CLI::App& app);

/// What is wrong with a command line that could not be read, with a word that may have been meant.
std::string usage_problem(const CLI::App& app, const CLI::ParseError& error);

/// Whether the words do not ask for help on a command that there is not.
/// @error  kUsage with a command that may have been meant
Status check_help(const CLI::App& app, const std::vector<std::string>& words);

/// "help" and "help COMMAND" as the words that ask for the same in another way.
std::vector<std::string> without_help_command(std::vector<std::string> words);

} // namespace rondo::cli
