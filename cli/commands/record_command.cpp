// SPDX-License-Identifier: Apache-2.0
// rondo record: starts the program with the recorder preloaded into its ranks, and stays out of the
// way.
#include "cli/commands.hpp"
#include "cli/common.hpp"
#include "cli/launch/clock_server.hpp"
#include "cli/launch/launch.hpp"
#include "cli/launch/program.hpp"
#include "cli/launch/record.hpp"
#include "cli/launch/recorders.hpp"
#include "cli/names.hpp"
#include "cli/numbers.hpp"
#include "cli/progress_line.hpp"
#include "cli/recordings_beside.hpp"
#include "present/run/endings.hpp"
#include "rondo/archive/archive.hpp"
#include "rondo/archive/part_files.hpp"
#include "rondo/base/escape.hpp"
#include "rondo/base/files.hpp"
#include "rondo/base/units.hpp"
#include "rondo/trace/clock_wire.hpp"
#include "rondo/trace/function_groups.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/core.h>
#include <unistd.h>

namespace rondo::cli {
namespace {

namespace fs = std::filesystem;

std::string with_ours_first(const std::string& ours, const char* theirs, char separator) {
  return theirs == nullptr || *theirs == '\0' ? ours : ours + separator + theirs;
}

// A job script may replace whatever is there. Here it is the file of before: of several programs
// that the command starts, the second does not replace what the first has written.
std::string may_replace(const RecordOptions& options, const std::string& output) {
  if (!options.force) return "0";
  return options.print_env ? "1" : std::to_string(modified_ns(output));
}

std::vector<Variable> recorder_environment(const RecordOptions& options, const std::string& output,
                                           const fs::path& library, const Target& target) {
  std::vector<Variable> variables = {
      {"LD_PRELOAD", with_ours_first(library.string(), std::getenv("LD_PRELOAD"), ':')},
      {"RONDO_OUTPUT", output},
      {"RONDO_FORCE", may_replace(options, output)},
      {"RONDO_TIMES", options.times},
      {"RONDO_MEMORY", fmt::format("{}", options.memory_mib)},
      {"RONDO_CHECKPOINT", fmt::format("{}", options.checkpoint_s)},
      {"RONDO_BUDGET", fmt::format("{}", options.budget)},
      {"RONDO_CALLSTACK", std::to_string(options.callstack)},
      {"RONDO_ONLY", options.only},
      {"RONDO_SKIP", options.skip}};
  if (!options.keeps) variables.push_back({"RONDO_KEEP", "0"});
  if (target.has_asan) // else it would end the program for being loaded behind the recorder
    variables.push_back({"ASAN_OPTIONS", with_ours_first("verify_asan_link_order=0",
                                                         std::getenv("ASAN_OPTIONS"), ':')});
  variables.insert(variables.end(), options.more.begin(), options.more.end());
  return variables;
}

// A command that preloads something for its ranks itself ("-genv LD_PRELOAD X", "-x LD_PRELOAD=X")
// would override ours: the recorder goes in front of what it names.
void add_to_own_preloads(std::vector<std::string>& command, const std::string& library) {
  const std::string assignment = "LD_PRELOAD=";
  for (std::size_t i = 1; i < command.size(); ++i) {
    std::string& word = command[i];
    if (word.rfind(assignment, 0) == 0) word.insert(assignment.size(), library + ":");
    const bool follows_name =
        command[i - 1] == "LD_PRELOAD" && i >= 2 && command[i - 2].ends_with("env");
    if (follows_name) word.insert(0, library + ":");
  }
}

// Hydra hands its environment on, unless it is told to hand on none of it, or some.
void inherit(const Variable& variable, const Target& target, std::vector<std::string>& command) {
  ::setenv(variable.name.c_str(), variable.value.c_str(), 1);
  for (std::size_t i = 1; i < command.size() && command[i] != target.program; ++i) {
    const std::string word = command[i].starts_with("--") ? command[i].substr(1) : command[i];
    const bool is_list = (word == "-genvlist" || word == "-envlist") && i + 1 < command.size();
    if (is_list) command[++i] += "," + variable.name;
    if (word != "-genvnone" && word != "-envnone") continue;
    command[i] = word == "-genvnone" ? "-genvlist" : "-envlist";
    command.insert(command.begin() + static_cast<std::ptrdiff_t>(++i), variable.name);
  }
}

// Hands the variables to the ranks, by the launcher's own means where it has some, so that it is
// not preloaded itself and remote ranks get them too.
std::vector<std::string> command_with(const std::vector<Variable>& variables, const Target& target,
                                      std::vector<std::string> command) {
  if (target.launcher == Launcher::kHydra) {
    std::vector<std::string> settings;
    for (const Variable& v : variables) {
      if (v.is_secret)
        inherit(v, target, command);
      else
        settings.insert(settings.end(), {"-genv", v.name, v.value});
    }
    command.insert(command.begin() + 1, settings.begin(), settings.end());
  } else if (target.launcher == Launcher::kOpenMpi) {
    // By name, as values may have the list's separator in them; but mpirun itself is not preloaded.
    std::string list;
    for (const Variable& v : variables) {
      const bool is_preload = v.name == "LD_PRELOAD";
      if (!is_preload) ::setenv(v.name.c_str(), v.value.c_str(), 1);
      list += (list.empty() ? "" : ";") + v.name + (is_preload ? "=" + v.value : "");
    }
    const char* name = "OMPI_MCA_mca_base_env_list";
    ::setenv(name, with_ours_first(list, std::getenv(name), ';').c_str(), 1);
  } else {
    for (const Variable& v : variables) ::setenv(v.name.c_str(), v.value.c_str(), 1);
  }
  return command;
}

Status check_folder(const fs::path& output) {
  const fs::path folder = output.has_parent_path() ? output.parent_path() : fs::path(".");
  if (::access((folder / "").c_str(), W_OK | X_OK) == 0) return {}; // "": not a file either
  return fail(errno == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo,
              fmt::format("cannot write to this folder: {}; name another output with -o",
                          std::strerror(errno)),
              {folder.string(), {}, {}, {}});
}

Result<archive::Collected> collect_with_progress(const std::string& folder,
                                                 const std::string& run) {
  ProgressLine line("ranks");
  return archive::collect(
      folder, run, [&line](std::uint64_t done, std::uint64_t total) { line.show(done, total); });
}

// Says how much place there is, if that may be why something is missing.
void say_place_left(const std::string& file) {
  constexpr std::uintmax_t kLittle = std::uintmax_t{1} << 20;
  std::error_code error;
  const auto space = fs::space(fs::path(file).parent_path(), error);
  if (error || space.available >= kLittle) return;
  fmt::print(stderr, "rondo: there are {} left on the file system of {}\n",
             human_bytes(static_cast<double>(space.available)), file);
}

// Whether calls are missing that ranks made, although nothing is known to have ended the ranks.
bool lacks_calls(const trace::Trace& trace) {
  const auto is_lost = [](const trace::RankFacts& rank) {
    return rank.ending->kind == trace::Ending::kUnknown ||
           rank.ending->kind == trace::Ending::kUnheard;
  };
  const auto is_whole = [](const trace::RankFacts& rank) {
    return rank.ending->kind == trace::Ending::kFinalized;
  };
  return std::any_of(trace.ranks.begin(), trace.ranks.end(), is_lost) ||
         (!trace.run.complete && std::all_of(trace.ranks.begin(), trace.ranks.end(), is_whole));
}

struct Made { // of parts
  std::vector<std::string> archives;
  bool keeps_parts = false; // some could not become an archive, or not with all that was recorded
};

// Makes one archive of what the ranks left on disk, if they left anything: the run was cut short,
// or its recording was too large for memory. Parts are removed if the archive has all of them.
// @param went_well   no rank was killed: whatever is missing could not be written
Made collect_parts(const std::string& output, const std::string& run, bool may_replace,
                   bool went_well) {
  const std::string folder = archive::parts_folder(output);
  const auto runs = archive::runs_in(folder);
  Made made;
  for (const std::string& name : runs.value_or(std::vector<std::string>{})) {
    if (name.rfind(run, 0) != 0) continue;
    const auto collected = collect_with_progress(folder, name);
    if (!collected) {
      complain(collected.error());
      made.keeps_parts = true;
      continue;
    }
    warn(output, collected->remarks);
    std::error_code error;
    const bool is_device = fs::exists(output, error) && !fs::is_regular_file(output, error);
    const bool replaces = is_device || (may_replace && made.archives.empty());
    const std::string target = replaces ? output : archive::free_name(output);
    if (const auto written = archive::write(collected->trace, target,
                                            replaces ? Overwrite::kReplace : Overwrite::kRefuse);
        !written) {
      complain(written.error());
      made.keeps_parts = true;
      continue;
    }
    made.archives.push_back(target);
    if (!collected->remarks.empty() || (went_well && lacks_calls(collected->trace))) {
      made.keeps_parts = true;
      continue;
    }
    for (const std::string& file : collected->files) ::unlink(file.c_str());
    ::rmdir(folder.c_str());
  }
  if (made.keeps_parts)
    fmt::print(stderr, "rondo: the ranks' parts are kept: rondo convert {} OUT.rondo\n", folder);
  return made;
}

// From here if it is below, else from the root: what a person reads and can type again.
std::string plain_path(const std::string& file) {
  std::error_code error;
  std::string near = fs::path(file).lexically_proximate(fs::current_path(error)).string();
  return near.starts_with("..") ? file : near;
}

void say_what_is_there(const std::string& file, const trace::Trace& trace, bool is_spawned) {
  std::uint64_t calls = 0;
  for (const trace::RankFacts& rank : trace.ranks) calls += rank.calls;
  std::error_code error;
  fmt::print(stderr, "rondo: {}{}, {}, in {} ({}); to see it: rondo info {}\n",
             is_spawned ? "spawned: " : "",
             count_of(static_cast<std::uint64_t>(trace.run.ranks), "rank"), count_of(calls, "call"),
             file, human_bytes(static_cast<double>(fs::file_size(file, error))), file);
  if (trace.run.complete) return;
  fmt::print(stderr, "rondo: the recording is incomplete:\n");
  const auto groups = present::endings_of(trace);
  sites::Resolver resolver(trace);
  const trace::CommunicatorNames comms(trace);
  constexpr std::size_t kMost = 8;
  for (std::size_t i = 0; i < groups.size() && i < kMost; ++i) {
    fmt::print(stderr, "  {} {}: {}\n", groups[i].ranks.size() == 1 ? "rank" : "ranks",
               trace::RankSet::of(groups[i].ranks).text(),
               present::ending_text(groups[i], resolver, trace.run, comms));
  }
  if (groups.size() > kMost) fmt::print(stderr, "  and {} more ways\n", groups.size() - kMost);
  if (!trace.run.notes.empty()) fmt::print(stderr, "  {}\n", trace.run.notes);
  const std::string remark = present::spawning_remark(groups, trace.run);
  if (!remark.empty()) fmt::print(stderr, "  {}\n", remark);
}

void say_nothing_is_there(int status, bool keeps_parts, const Target& target) {
  const std::string_view or_else =
      target.is_linked
          ? "or nothing could be written"
          : "took MPI's functions out of its library by a handle, which passes the recorder by (in "
            "Python take them from ctypes.CDLL(None)), or nothing could be written";
  if (keeps_parts) {
    fmt::print(stderr, "rondo: there is no archive\n");
  } else if (status == 0) {
    fmt::print(stderr, "rondo: there is no recording: the program never called MPI_Init, {}\n",
               or_else);
  } else {
    fmt::print(stderr,
               "rondo: there is no recording: the program ended with status {} before it had "
               "called MPI_Init, {}\n",
               status, or_else);
  }
}

// What became of the recording. A run that went well has failed as a recording if there is none
// (2), or not all of it (1).
int report(const std::string& output, const fs::file_time_type& before,
           const RecordingsBeside& beside, const std::string& run, const RecordOptions& options,
           const Target& target, int status) {
  std::error_code error;
  const auto written = fs::last_write_time(output, error);
  const bool is_new = !error && written != before;
  const Made made = collect_parts(output, run, options.force && !is_new, status == 0);
  std::vector<RecordingsBeside::Recording> archives;
  const auto add = [&archives](const RecordingsBeside::Recording& recording) {
    const bool is_there = std::any_of(archives.begin(), archives.end(),
                                      [&](const auto& a) { return a.file == recording.file; });
    if (!is_there) archives.push_back(recording);
  };
  if (is_new) add({output});
  for (const std::string& file : made.archives) add({file});
  for (const RecordingsBeside::Recording& recording : beside.written()) add(recording);
  if (archives.empty()) {
    say_nothing_is_there(status, made.keeps_parts, target);
    say_place_left(output);
    return status == 0 ? kBadInput : status;
  }
  bool lacks = made.keeps_parts;
  for (const auto& [file, is_spawned] : archives) {
    auto trace = archive::read(file);
    if (!trace) {
      complain(trace.error());
      return status == 0 ? kBadInput : status;
    }
    if (options.names) keep_names(*trace, file); // while the program's files are here
    say_what_is_there(plain_path(file), *trace, is_spawned);
    lacks = lacks || lacks_calls(*trace);
  }
  if (lacks) say_place_left(output);
  return status == 0 && lacks ? kAnswerIsNo : status;
}

int start(const RecordOptions& options, const Target& target, const fs::path& library,
          std::vector<Variable> variables, const std::string& run = new_run_name()) {
  variables.push_back({"RONDO_RUN", run});
  const ClockServer clock; // ranks of several hosts ask it
  if (!clock.address().empty())
    variables.push_back({trace::clock_wire::kVariable, clock.address(), true});
  std::vector<std::string> command = options.command;
  add_to_own_preloads(command, library.string());
  const auto output = options.keeps_stdout_free ? Output::kToStderr : Output::kAsItIs;
  return launch(command_with(variables, target, std::move(command)), run, output);
}

} // namespace

int record(const RecordOptions& options) {
  if (const auto choice = trace::choose_functions(options.only, options.skip); !choice)
    return complain(choice.error());
  const auto meant = mpi_meant(options.mpi);
  if (!meant) return complain(meant.error());
  const auto target = find_target(options.command, *meant);
  if (!target) return complain(target.error());
  const auto recorder = recorder_for(target->mpi, options.mpi);
  if (!recorder) return complain(recorder.error());
  const fs::path& library = recorder->file;
  const std::string name = options.output.empty()
                               ? fs::path(target->program).filename().string() + ".rondo"
                               : options.output;
  const std::string output = fs::absolute(name).string();
  const std::string run = new_run_name();
  auto variables = recorder_environment(options, output, library, *target);
  if (options.print_env) {
    for (const Variable& v : variables)
      fmt::print("export {}={}\n", v.name, escape::shell(v.value));
    return kDone;
  }
  if (!options.keeps) return start(options, *target, library, variables);
  if (auto ready = check_output(output, options.force ? Overwrite::kReplace : Overwrite::kRefuse);
      !ready) {
    return complain(ready.error());
  }
  if (auto ready = check_folder(output); !ready) return complain(ready.error());
  fmt::print(stderr, "rondo: '{}' uses {}: recording\n", target->program, name_of(target->mpi));
  std::error_code error;
  const auto before = fs::last_write_time(output, error);
  const RecordingsBeside beside(output);
  const int status = start(options, *target, library, variables, run);
  return report(output, before, beside, run, options, *target, status);
}

void add_record(CLI::App& app, Chosen& chosen) {
  auto options = std::make_shared<RecordOptions>();
  CLI::App* command = app.add_subcommand("record", "Run an MPI program and record what it says");
  command
      ->add_option("-o,--output", options->output, "The archive to write (default: PROGRAM.rondo)")
      ->type_name("FILE");
  command->add_flag("--force", options->force, "Replace an existing archive");
  command
      ->add_option("--memory", options->memory_mib,
                   "Memory a rank may take; what is beyond goes to disk, to OUTPUT.parts")
      ->type_name("MiB")
      ->check(CLI::Range(8, 1 << 20))
      ->capture_default_str();
  command
      ->add_option(
          "--checkpoint", options->checkpoint_s,
          "How often each rank writes what it has, in case the run is killed; 0: only when "
          "it ends, or its memory is full")
      ->type_name("SECONDS")
      ->check(number_from_zero())
      ->capture_default_str();
  command
      ->add_option_function<std::string>(
          "--budget",
          [options](const std::string& text) {
            const auto share = parse_fraction(text);
            if (!share) throw CLI::ValidationError("--budget", share.error().message);
            options->budget = *share * 100;
          },
          "Share of the run time that recording may take, as 1%; beyond it times are given up, "
          "calls never")
      ->type_name("SHARE");
  command
      ->add_option("--times", options->times,
                   "Keep times of calls and computation as histograms, of every single call "
                   "besides (full), or not at all")
      ->check(CLI::IsMember({"none", "histogram", "full"}))
      ->capture_default_str();
  command
      ->add_option("--callstack", options->callstack,
                   "Tell calls apart by this many functions on the stack; 1 is the caller alone")
      ->check(CLI::Range(1, 64))
      ->capture_default_str()
      ->type_name("N");
  command->add_flag("!--no-names", options->names,
                    "Do not keep names of functions, files and lines; calls are then told apart by "
                    "module and address");
  command
      ->add_option("--only", options->only,
                   "Record only these kinds of calls: " + trace::function_group_names() +
                       ", or functions by name; what begins and ends is recorded always")
      ->type_name("GROUP,...");
  command->add_option("--skip", options->skip, "Record all but these kinds of calls")
      ->type_name("GROUP,...");
  command
      ->add_option("--mpi", options->mpi,
                   "The program's MPI, if it cannot be told from its libraries: openmpi, mpich, "
                   "abi, or the name of a recorder that 'rondo build-recorder' made")
      ->type_name("NAME");
  command->add_flag(
      "--print-env", options->print_env,
      "Print the environment variables that make a job script record, and run nothing");
  command->add_option("command", options->command, "The program, with its launcher, behind --")
      ->required();
  command->positionals_at_end();
  command->footer("The program's input, output and exit status pass through. Examples:\n"
                  "  rondo record -- mpirun -n 16 ./app input.dat\n"
                  "  rondo record -o runs/app.rondo -- srun -n 64 ./app\n"
                  "  eval \"$(rondo record --print-env -- ./app)\"     in a job script");
  command->callback([options, &chosen] { chosen.run = [options] { return record(*options); }; });
}

} // namespace rondo::cli
