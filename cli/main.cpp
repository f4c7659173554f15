// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"
#include "cli/help.hpp"

#include "rondo/base/escape.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fmt/core.h>
#include <string_view>

namespace rondo::cli {

int complain(const Error& error) { return complain(error.text()); }

int complain(const std::string& message) {
  fmt::print(stderr, "rondo: {}\n", escape::terminal_lines(message));
  return kBadInput;
}

} // namespace rondo::cli

int main(int argc, char** argv) {
  using namespace rondo::cli;
  CLI::App app{"What does this MPI program say to itself?", "rondo"};
  app.set_version_flag("--version", "rondo " RONDO_VERSION);
  app.require_subcommand(1);
  Chosen chosen;
  chosen.has_dashes = std::find(argv, argv + argc, std::string_view("--")) != argv + argc;
  add_record(app, chosen);
  add_generate(app, chosen);
  add_replay(app, chosen);
  add_info(app, chosen);
  add_print(app, chosen);
  add_stats(app, chosen);
  add_logical(app, chosen);
  add_compare(app, chosen);
  add_matrix(app, chosen);
  add_topology(app, chosen);
  add_patterns(app, chosen);
  add_simulate(app, chosen);
  add_convert(app, chosen);
  app.footer("'rondo help COMMAND' and 'rondo COMMAND --help' say what a command does.");
  wrap_help(app);
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  if (auto can = check_help(app, words); !can) return complain(can.error());
  words = without_help_command(std::move(words));
  std::reverse(words.begin(), words.end()); // as the parser takes them
  try {
    app.parse(std::move(words));
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    return complain(usage_problem(app, error));
  }
  return chosen.run();
}
