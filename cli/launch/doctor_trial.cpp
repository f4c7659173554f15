// SPDX-License-Identifier: Apache-2.0
#include "cli/launch/doctor.hpp"
#include "cli/launch/scratch_folder.hpp"
#include "rondo/archive/archive.hpp"
#include "rondo/base/files.hpp"
#include "rondo/base/units.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/wait.h>
#include <unistd.h>

namespace rondo::cli {
namespace {

namespace fs = std::filesystem;

struct Ended {
  int status = 0;
  bool was_stopped = false; // its time was over
};

pid_t start_quiet(const std::vector<std::string>& command, const std::string& said) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const pid_t process = ::fork();
  if (process != 0) return process;
  const int file = ::open(said.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  ::dup2(file, STDOUT_FILENO);
  ::dup2(file, STDERR_FILENO);
  ::execv(words.front(), words.data());
  ::_exit(127);
}

// `rondo record` ends the program when it is told to end, and keeps what was recorded.
Ended wait_at_most(pid_t process, std::uint64_t seconds) {
  Ended ended;
  ::signal(SIGINT, SIG_IGN); // of a terminal: the other one gets it too, and we tidy up behind it
  const std::time_t end = std::time(nullptr) + static_cast<std::time_t>(seconds);
  for (;;) {
    const pid_t done = ::waitpid(process, &ended.status, WNOHANG);
    if (done == process || (done < 0 && errno != EINTR)) return ended;
    if (!ended.was_stopped && std::time(nullptr) >= end) {
      ended.was_stopped = true;
      ::kill(process, SIGTERM);
    }
    const timespec pause{0, 20'000'000};
    ::nanosleep(&pause, nullptr);
  }
}

// What the recorder said of why there is nothing; else the last line that says something.
struct Reason {
  bool is_recorders = false;
  std::string text;
};
Reason reason_in(const std::string& file) {
  constexpr std::string_view kNothing = "rondo: there is no recording: ";
  const auto text = read_file(file);
  if (!text) return {};
  std::string last;
  std::string line;
  for (const char c : *text + "\n") {
    if (c != '\n') {
      line += c;
      continue;
    }
    if (line.find_first_not_of(" \t-=") != std::string::npos) last = line;
    if (line.starts_with(kNothing)) return {true, line.substr(kNothing.size())};
    line.clear();
  }
  return {false, last.substr(0, 300)};
}

std::string how_it_ended(const Ended& ended, std::uint64_t seconds) {
  if (ended.was_stopped) return fmt::format("ended after {} s, as it ran on", seconds);
  const int status = WIFEXITED(ended.status) ? WEXITSTATUS(ended.status) : 128;
  return fmt::format("the program's exit status was {}", status);
}

Trial judge(const trace::Trace& trace, const std::string& how) {
  Trial trial{{"trial", true, ""}, trace.run.ranks, 0};
  for (const trace::RankFacts& rank : trace.ranks) trial.calls += rank.calls;
  const std::string what =
      fmt::format("{} {}, {} calls recorded, {}", trial.ranks, trial.ranks == 1 ? "rank" : "ranks",
                  human_count(static_cast<double>(trial.calls)), how);
  trial.check.text = trace.run.notes.empty() ? what : what + "; " + trace.run.notes;
  trial.check.works = trial.calls > 0 && trace.run.notes.find("runs alone") == std::string::npos;
  return trial;
}

} // namespace

Trial try_recording(const DoctorOptions& options) {
  const fs::path output = fs::absolute(options.output);
  const ScratchFolder folder((fs::is_directory(output) ? output : output.parent_path()) /
                             ".rondo-doctor");
  const auto failed = [](std::string why) { return Trial{{"trial", false, std::move(why)}, 0, 0}; };
  if (folder.error() != 0)
    return failed(fmt::format("cannot make a folder beside '{}': {}", options.output,
                              std::strerror(folder.error())));
  const std::string archive = folder.path() + "/trial.rondo";
  const std::string said = folder.path() + "/said";
  std::error_code error;
  std::vector<std::string> command = {fs::read_symlink("/proc/self/exe", error).string(), "record",
                                      "-o", archive};
  if (!options.mpi.empty()) command.insert(command.end(), {"--mpi", options.mpi});
  command.emplace_back("--");
  command.insert(command.end(), options.command.begin(), options.command.end());
  const pid_t process = start_quiet(command, said);
  if (process < 0) return failed(fmt::format("cannot start it: {}", std::strerror(errno)));
  const std::string how = how_it_ended(wait_at_most(process, options.seconds), options.seconds);
  if (!fs::exists(archive, error)) {
    const auto [is_recorders, why] = reason_in(said);
    if (is_recorders)
      return failed("nothing was recorded: " + why); // with the program's own status
    return failed(fmt::format("nothing was recorded, {}{}", how,
                              why.empty() ? "" : "; it said last: " + why));
  }
  const auto trace = archive::read(archive);
  return trace ? judge(*trace, how) : failed(trace.error().text());
}

} // namespace rondo::cli
