// SPDX-License-Identifier: Apache-2.0
// rondo replay: plays a recorded run again, without its program.
#include "cli/commands.hpp"
#include "cli/common.hpp"
#include "cli/launch.hpp"
#include "cli/own_files.hpp"
#include "cli/program.hpp"
#include "cli/progress_line.hpp"
#include "cli/record.hpp"
#include "cli/walk.hpp"
#include "rondo/generate/replay.hpp"

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/core.h>
#include <memory>

namespace rondo::cli {
namespace {

namespace fs = std::filesystem;

struct ReplayOptions {
  std::string file;
  std::string times = "mean";
  std::string compute = "spin";
  double scale = 1;
  bool wildcards = false;
  std::string record;
  std::string record_times = "histogram";
  bool force = false;
  std::string mpi;
  std::string scratch;
  std::vector<std::string> command;
};

// A new folder in the folder for scratch files, gone with its files in the end.
class ScratchFolder {
public:
  explicit ScratchFolder(const std::string& parent) {
    std::error_code error;
    const fs::path folder = parent.empty() ? fs::temp_directory_path(error) : fs::path(parent);
    path_ = (fs::absolute(folder, error) / "rondo-replay-XXXXXX").string();
    if (::mkdtemp(path_.data()) == nullptr) {
      problem_ = std::strerror(errno);
      path_ = folder.string();
    }
  }
  ~ScratchFolder() {
    std::error_code error;
    if (problem_.empty()) fs::remove_all(path_, error);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  Status check() const {
    if (problem_.empty()) return {};
    return fail(ErrorCode::kIo,
                fmt::format("cannot make a folder for scratch files here: {}; name another with "
                            "--scratch",
                            problem_),
                {path_, {}, {}, {}});
  }
  const std::string& path() const { return path_; }

private:
  std::string path_;
  std::string problem_;
};

Status check_replayable(const std::string& file, const std::string& times) {
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
  if (obstacles.empty()) return {};
  std::string list = "cannot be replayed, of its calls these:";
  for (const generate::ReplayObstacle& obstacle : obstacles) {
    list += obstacle.calls == 0 ? fmt::format("\n  {}", obstacle.what)
                                : fmt::format("\n  {} x  {}", obstacle.calls, obstacle.what);
  }
  return fail(ErrorCode::kUnsupported, list, {file, {}, {}, {}});
}

int replay(const ReplayOptions& options) {
  const auto mpi = find_launchers_mpi(options.command, options.mpi);
  if (!mpi) return complain(mpi.error());
  const auto player = own_file(fmt::format("rondo_replay_{}", keyword_of(*mpi)), "replay", *mpi);
  if (!player) return complain(player.error());
  if (auto can = check_replayable(options.file, options.times); !can) return complain(can.error());
  const ScratchFolder scratch(options.scratch);
  if (auto ready = scratch.check(); !ready) return complain(ready.error());

  std::vector<std::string> command = options.command;
  command.insert(command.end(),
                 {player->string(), fs::absolute(options.file).string(), scratch.path(),
                  options.times, options.compute, fmt::format("{}", options.scale),
                  options.wildcards ? "wildcards" : "resolved"});
  if (options.record.empty()) return launch(command, new_run_name());
  RecordOptions recording;
  recording.output = options.record;
  recording.force = options.force;
  recording.times = options.record_times;
  recording.mpi = keyword_of(*mpi);
  recording.command = std::move(command);
  return record(recording);
}

void add_play_options(CLI::App& command, ReplayOptions& options) {
  command
      .add_option(
          "--times", options.times,
          "Computation before each call: the mean of the ranks that execute the same, of "
          "each rank, drawn from the histogram (the same in every run), every call's own (of "
          "archives that were recorded with --times full), or none")
      ->check(CLI::IsMember({"mean", "rank", "histogram", "full", "none"}))
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
      ->check(CLI::NonNegativeNumber)
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
