// SPDX-License-Identifier: Apache-2.0
// rondo replay: plays a recorded run again, without its program.
#include "cli/commands.hpp"
#include "cli/common.hpp"
#include "cli/launch/launch.hpp"
#include "cli/launch/own_files.hpp"
#include "cli/launch/program.hpp"
#include "cli/launch/record.hpp"
#include "cli/launch/scratch_folder.hpp"
#include "cli/numbers.hpp"
#include "cli/progress_line.hpp"
#include "cli/walk.hpp"
#include "rondo/base/escape.hpp"
#include "rondo/base/units.hpp"
#include "rondo/generate/replay.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/core.h>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>

namespace rondo::cli {
namespace {

namespace fs = std::filesystem;

struct ReplayOptions {
  std::string file;
  std::string times = "course";
  std::string compute = "spin";
  double scale = 1;
  bool wildcards = false;
  std::string record;
  std::string record_times = "histogram";
  bool force = false;
  std::string mpi;
  std::string scratch;
  bool json = false;
  std::vector<std::string> command;
};

fs::path place_for_scratch(const std::string& folder) {
  std::error_code error;
  return fs::absolute(folder.empty() ? fs::temp_directory_path(error) : fs::path(folder), error);
}

// What is played, for the words behind the replay.
struct Recorded {
  std::int64_t ranks = 0;
  std::uint64_t calls = 0;
  double seconds = 0; // of the longest rank, from MPI_Init to MPI_Finalize
};

Recorded recorded_of(const trace::Trace& trace) {
  Recorded recorded{trace.run.ranks, calls_in(trace, Walk::kAll), 0};
  for (const trace::RankFacts& rank : trace.ranks)
    recorded.seconds = std::max(recorded.seconds, static_cast<double>(rank.span_ns) * 1e-9);
  return recorded;
}

/// What is in the file, if all of it can be played.
Result<Recorded> check_replayable(const std::string& file, const std::string& times) {
  const auto trace = read_for_walk(file, Walk::kOfClasses);
  if (!trace) return propagate(trace);
  if (times == "full" && trace->stamps.empty())
    return fail(ErrorCode::kUnsupported,
                "does not have the times of every call; record with `rondo record --times full`, "
                "or replay with other --times",
                {file, {}, {}, {}});
  ProgressLine line("ranks");
  const auto obstacles = generate::replay_obstacles(
      *trace, [&line](std::uint64_t done, std::uint64_t total) { line.show(done, total); });
  if (obstacles.empty()) return recorded_of(*trace);
  std::string list = "cannot be replayed, of its calls these:";
  for (const generate::ReplayObstacle& obstacle : obstacles) {
    list += obstacle.calls == 0 ? fmt::format("\n  {}", obstacle.what)
                                : fmt::format("\n  {} x  {}", obstacle.calls, obstacle.what);
  }
  return fail(ErrorCode::kUnsupported, list, {file, {}, {}, {}});
}

// How computation passed, and what became of wildcards.
std::string manner(const ReplayOptions& options) {
  const std::map<std::string_view, const char*> kTimes = {
      {"course", "each rank's mean, pass by pass where it varies"},
      {"mean", "the mean of ranks that do the same"},
      {"rank", "each rank's mean"},
      {"histogram", "drawn from the histograms"},
      {"full", "each call's own"},
      {"none", "none"}};
  std::string text = fmt::format("computation: {}", kTimes.at(options.times));
  if (options.times != "none") {
    text += options.compute == "spin" ? ", busy" : ", asleep";
    if (options.scale != 1) text += fmt::format(", times {}", options.scale);
  }
  return text + (options.wildcards ? "; wildcards as they were" : "");
}

void say_what_was_played(const ReplayOptions& options, const Recorded& recorded, double seconds) {
  if (options.json) {
    const nlohmann::json json = {
        {"file", options.file},           {"ranks", recorded.ranks},
        {"calls", recorded.calls},        {"recorded_seconds", recorded.seconds},
        {"launcher_seconds", seconds},    {"times", options.times},
        {"compute", options.compute},     {"scale_compute", options.scale},
        {"wildcards", options.wildcards}, {"recording", options.record}};
    std::puts(escape::json_text(json, 2).c_str());
    return;
  }
  const auto text = [](double s) { return human_duration(s * 1e9); };
  fmt::print(
      stderr,
      "rondo: replayed {} of {} with {}; the launcher took {} from its start to its end, {}"
      "{}\n",
      count_of(recorded.calls, "call"), options.file,
      count_of(static_cast<std::uint64_t>(recorded.ranks), "rank"), text(seconds),
      recorded.seconds > 0 ? "recorded were " + text(recorded.seconds) + " from MPI_Init on; " : "",
      manner(options));
}

int play(const ReplayOptions& options, const std::string& mpi, std::vector<std::string> command) {
  if (options.record.empty())
    return launch(command, new_run_name(), options.json ? Output::kToStderr : Output::kAsItIs);
  RecordOptions recording;
  recording.output = options.record;
  recording.force = options.force;
  recording.times = options.record_times;
  recording.mpi = mpi;
  recording.command = std::move(command);
  return record(recording);
}

int replay(const ReplayOptions& options) {
  const auto mpi = find_launchers_mpi(options.command, options.mpi);
  if (!mpi) return complain(mpi.error());
  const auto player = own_file(fmt::format("rondo_replay_{}", keyword_of(*mpi)), "replay", *mpi);
  if (!player) return complain(player.error());
  const auto recorded = check_replayable(options.file, options.times);
  if (!recorded) return complain(recorded.error());
  const fs::path place = place_for_scratch(options.scratch);
  const ScratchFolder scratch(place / "rondo-replay");
  if (scratch.error() != 0) {
    return complain({ErrorCode::kIo,
                     fmt::format("cannot make a folder for scratch files here: {}; name another "
                                 "with --scratch",
                                 std::strerror(scratch.error())),
                     {place.string(), {}, {}, {}}});
  }

  std::vector<std::string> command = options.command;
  command.insert(command.end(),
                 {player->string(), fs::absolute(options.file).string(), scratch.path(),
                  options.times, options.compute, fmt::format("{}", options.scale),
                  options.wildcards ? "wildcards" : "resolved"});
  const auto start = std::chrono::steady_clock::now();
  const int status = play(options, keyword_of(*mpi), std::move(command));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  if (status == kDone) say_what_was_played(options, *recorded, took.count());
  return status;
}

void add_play_options(CLI::App& command, ReplayOptions& options) {
  command
      .add_option(
          "--times", options.times,
          "Computation before each call: each rank's mean, and pass by pass as it was where that "
          "varies; the mean of the ranks that execute the same, of each rank, drawn from the "
          "histogram (the same in every run), every call's own (of "
          "archives that were recorded with --times full), or none")
      ->check(CLI::IsMember({"course", "mean", "rank", "histogram", "full", "none"}))
      ->capture_default_str();
  command
      .add_option("--compute", options.compute,
                  "How computation passes: busy, or asleep where ranks share processors")
      ->check(CLI::IsMember({"spin", "sleep"}))
      ->capture_default_str();
  command
      .add_option("--scale-compute", options.scale,
                  "Multiplies all computation: 0.5 for a machine twice as fast")
      ->type_name("X")
      ->check(number_from_zero())
      ->capture_default_str();
  command.add_flag("--wildcards", options.wildcards,
                   "Keep MPI_ANY_SOURCE and MPI_ANY_TAG instead of asking for what came");
}

} // namespace

void add_replay(CLI::App& app, Chosen& chosen) {
  auto options = std::make_shared<ReplayOptions>();
  CLI::App* command =
      app.add_subcommand("replay", "Play a recorded run again, without its program");
  command->add_option("FILE", options->file, "A .rondo archive")->required()->type_name("FILE");
  add_play_options(*command, *options);
  command->add_option("--record", options->record, "Record the replay as this archive")
      ->type_name("FILE");
  add_force(*command, options->force);
  add_json(*command, options->json);
  command->add_option("--mpi", options->mpi, "The MPI to replay with, if its launcher does not say")
      ->check(CLI::IsMember({"openmpi", "mpich"}));
  command
      ->add_option("--scratch", options->scratch,
                   "Where the files that the program opened are made, to be seen by all ranks "
                   "(default: the folder for temporary files)")
      ->type_name("FOLDER");
  command->add_option("command", options->command, "The launcher with its options, behind --")
      ->required();
  command->footer("All messages are zeros. What cannot be played stops the replay with a list, "
                  "before it begins. Examples:\n"
                  "  rondo replay app.rondo -- mpirun -n 16\n"
                  "  rondo replay app.rondo --times none --record again.rondo -- mpirun -n 16");
  command->callback([options, &chosen] { chosen.run = [options] { return replay(*options); }; });
}

} // namespace rondo::cli
