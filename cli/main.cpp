// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"
#include "cli/help.hpp"
#include "cli/memory_limit.hpp"
#include "rondo/base/budget.hpp"
#include "rondo/base/escape.hpp"
#include "rondo/base/files.hpp"
#include "rondo/sites/resolver.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <fmt/core.h>
#include <new>
#include <stdexcept>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace rondo::cli {

int complain(const Error& error) { return complain(error.text()); }

int complain(const std::string& message) {
  fmt::print(stderr, "rondo: {}\n", escape::message(message));
  return kBadInput;
}

namespace {

// Arguments that are files, for messages of what has no better place.
std::string files_in(const std::vector<std::string>& arguments) {
  std::string files;
  for (const std::string& argument : arguments) {
    if (::access(argument.c_str(), F_OK) == 0) files += (files.empty() ? "" : ", ") + argument;
  }
  return files.empty() ? "" : files + ": ";
}

std::string text_of_exception() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return out_of_memory_text();
  } catch (const std::length_error&) { // of a container: more than any machine has
    return out_of_memory_text();
  } catch (const std::exception& error) {
    return std::string("stops, which it should not: ") + error.what() +
           "; please report it with the file";
  } catch (...) {
    return "stops, which it should not; please report it with the file";
  }
}

// Where no handler stands: in threads, and in functions that promise to throw nothing.
[[noreturn]] void end_told() {
  const std::string what = std::current_exception() ? text_of_exception() : "stops unexpectedly";
  std::fprintf(stderr, "rondo: %s\n", what.c_str());
  ::_exit(kBadInput);
}

int run(const Chosen& chosen, const std::vector<std::string>& arguments) {
  int status = kBadInput;
  try {
    status = chosen.run();
  } catch (...) {
    return complain(files_in(arguments) + text_of_exception());
  }
  if (!has_a_file_shrunk()) return status;
  return complain(files_in(arguments) +
                  "was cut while it was read: what is printed is wrong; try again when nothing "
                  "writes to it");
}

// Options of every command.
struct Trust {
  std::string limit; // as given
  bool resolve = false;
};

void add_trust(CLI::App& app, Trust& trust) {
  const auto add = [&](CLI::App& command, const char* group) {
    command
        .add_option("--limit", trust.limit,
                    "Of every command: multiplies all bounds of the memory and work that a file "
                    "may cost, as 10 or 0.1; none takes them away (default: RONDO_LIMIT, or 1)")
        ->type_name("N|none")
        ->group(group);
    command
        .add_flag(
            "--resolve", trust.resolve,
            "Of every command: open the programs and libraries that the archive names, to say "
            "where calls stand that have no name in it; not asked for, they are opened only "
            "for archives of your own that have no names at all")
        ->group(group);
  };
  add(app, "Options");
  // They may stand behind the command's name, too, but are told of only once.
  for (CLI::App* command : app.get_subcommands({})) add(*command, "");
}

// What somebody else's archive names is not opened: it can be anything.
bool is_of_another(const std::string& file) {
  struct stat status {};
  return ::stat(file.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
         status.st_uid != ::geteuid();
}

// Files before "--": what is behind is a command of the user's own.
void decide_on_modules(const std::vector<std::string>& arguments, bool resolve) {
  const auto end = std::find(arguments.begin(), arguments.end(), "--");
  const bool is_of_others = std::any_of(arguments.begin(), end, is_of_another);
  sites::allow_modules(resolve        ? sites::Modules::kAll
                       : is_of_others ? sites::Modules::kNone
                                      : sites::Modules::kOfNameless);
}

void add_commands(CLI::App& app, Chosen& chosen) {
  add_record(app, chosen);
  add_generate(app, chosen);
  add_replay(app, chosen);
  add_report(app, chosen);
  add_info(app, chosen);
  add_print(app, chosen);
  add_stats(app, chosen);
  add_logical(app, chosen);
  add_compare(app, chosen);
  add_matrix(app, chosen);
  add_topology(app, chosen);
  add_patterns(app, chosen);
  add_simulate(app, chosen);
  add_efficiency(app, chosen);
  add_convert(app, chosen);
}

} // namespace
} // namespace rondo::cli

int main(int argc, char** argv) {
  using namespace rondo::cli;
  std::set_terminate(end_told);
  CLI::App app{"What does this MPI program say to itself?", "rondo"};
  app.set_version_flag("--version", "rondo " RONDO_VERSION);
  app.require_subcommand(1);
  Chosen chosen;
  chosen.has_dashes = std::find(argv, argv + argc, std::string_view("--")) != argv + argc;
  add_commands(app, chosen);
  Trust trust;
  add_trust(app, trust);
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
  const auto factor = trust.limit.empty() ? rondo::Result<double>(rondo::limit_factor())
                                          : rondo::parse_limit_factor(trust.limit);
  if (!factor) return complain(factor.error());
  rondo::set_limit_factor(*factor);
  limit_memory();
  rondo::survive_shrinking_files();
  const std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  decide_on_modules(arguments, trust.resolve);
  chosen.resolve = trust.resolve;
  return run(chosen, arguments);
}
