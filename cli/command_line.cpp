// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line.hpp"

#include "cli/common.hpp"
#include "cli/help/command_model.hpp"
#include "cli/help/help.hpp"
#include "cli/session.hpp"
#include "cli/version.hpp"
#include "rondo/base/budget.hpp"
#include "rondo/base/files.hpp"
#include "rondo/sites/resolver.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace rondo::cli {
namespace {

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

int write_help_files(const CLI::App& app, const std::filesystem::path& folder) {
  const auto commands = command_model(app);
  auto files = man_pages(commands, version());
  for (NamedText& file : completions(commands)) files.push_back(std::move(file));
  for (const auto& [name, text] : files) {
    std::error_code failed; // is met again by writing
    std::filesystem::create_directories((folder / name).parent_path(), failed);
    const auto written = write_file((folder / name).string(), text, Overwrite::kReplace);
    if (!written) return complain(written.error());
  }
  return kDone;
}

// For the build: pages and completions are written from the same options.
void add_help_files(CLI::App& app, Chosen& chosen) {
  auto folder = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("help-files", "Write man pages and completions of shells");
  command->group(""); // not shown
  command->add_option("folder", *folder, "Below it: man/man1, bash-completion, zsh, fish")
      ->required();
  command->callback([&app, &chosen, folder] {
    chosen.run = [&app, folder] { return write_help_files(app, *folder); };
  });
}

void add_commands(CLI::App& app, Chosen& chosen) {
  add_record(app, chosen);
  add_doctor(app, chosen);
  add_build_recorder(app, chosen);
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
  add_help_files(app, chosen);
}

} // namespace

CommandLine::CommandLine()
    : app_(std::make_unique<CLI::App>("What does this MPI program say to itself?", "rondo")) {
  app_->set_version_flag("--version", version_text);
  app_->require_subcommand(1);
  add_commands(*app_, chosen_);
  add_trust(*app_, trust_);
  app_->footer("'rondo help COMMAND' and 'rondo COMMAND --help' say what a command does.");
  wrap_help(*app_);
}

CommandLine::~CommandLine() = default;

std::optional<int> CommandLine::parse(std::vector<std::string> words) {
  arguments_ = words;
  chosen_.has_dashes = std::find(words.begin(), words.end(), "--") != words.end();
  if (auto can = check_help(*app_, words); !can) return complain(can.error());
  words = without_help_command(std::move(words));
  std::reverse(words.begin(), words.end()); // as the parser takes them
  try {
    app_->parse(std::move(words));
  } catch (const CLI::Success& success) {
    return app_->exit(success);
  } catch (const CLI::ParseError& error) {
    return complain(usage_problem(*app_, error));
  }
  if (trust_.limit.empty()) return std::nullopt;
  const auto factor = parse_limit_factor(trust_.limit);
  if (!factor) return complain(factor.error());
  set_limit_factor(*factor);
  return std::nullopt;
}

int CommandLine::run() {
  decide_on_modules(arguments_, trust_.resolve);
  chosen_.resolve = trust_.resolve;
  return chosen_.run();
}

} // namespace rondo::cli
