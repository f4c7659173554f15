// SPDX-License-Identifier: Apache-2.0
#include "cli/launch/launch.hpp"

#include "cli/commands.hpp"
#include "rondo/base/files.hpp"

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fmt/core.h>
#include <sys/wait.h>
#include <unistd.h>

namespace rondo::cli {
namespace {

namespace fs = std::filesystem;

volatile pid_t child = 0;
volatile std::sig_atomic_t interrupts = 0;

// A terminal sends its signals to the launcher too; one that was sent to us alone is passed on.
void pass_on(int signal, siginfo_t* info, void* /*context*/) {
  interrupts = interrupts + 1;
  if (info->si_code <= 0 && child > 0) ::kill(child, signal);
}

constexpr std::array kSignals = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
struct sigaction before[kSignals.size()]; // what they did before
timespec ended{};

void end_as_before(int signal) {
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    if (kSignals[i] == signal) ::sigaction(signal, &before[i], nullptr);
  }
  ::raise(signal);
}

// Who interrupts a program does so twice at times: that is not meant for what comes then.
void end_unless_at_once(int signal) {
  constexpr std::time_t kAtOnce_s = 2;
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  if (now.tv_sec - ended.tv_sec > kAtOnce_s) end_as_before(signal);
}

// While a program runs, signals are passed on. Before and behind it they end the command: what
// comes then, such as making an archive of parts, may take long.
class PassedOn {
public:
  explicit PassedOn(pid_t process) {
    interrupts = 0;
    child = process;
    struct sigaction action {};
    action.sa_sigaction = pass_on; // without SA_RESTART: waiting is interrupted, and looks
    action.sa_flags = SA_SIGINFO;
    const bool is_first = ended.tv_sec == 0; // else `before` is known, and ours stands there
    for (std::size_t i = 0; i < kSignals.size(); ++i)
      ::sigaction(kSignals[i], &action, is_first ? &before[i] : nullptr);
  }
  ~PassedOn() {
    ::clock_gettime(CLOCK_MONOTONIC, &ended);
    struct sigaction action {};
    action.sa_handler = interrupts > 0 ? end_unless_at_once : end_as_before;
    for (const int signal : kSignals) ::sigaction(signal, &action, nullptr);
    child = 0;
  }
  PassedOn(const PassedOn&) = delete;
  PassedOn& operator=(const PassedOn&) = delete;
};

// Processes of this run that are still there.
std::vector<pid_t> survivors(const std::string& run) {
  // Never the first of its variables, as launchers put it behind those that they had.
  const std::string wanted = '\0' + ("RONDO_RUN=" + run) + '\0';
  std::vector<pid_t> found;
  std::error_code error;
  for (auto entry = fs::directory_iterator("/proc", error); !error && entry != fs::end(entry);
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    pid_t process = 0;
    const auto [end, bad] = std::from_chars(name.data(), name.data() + name.size(), process);
    if (bad != std::errc{} || *end != '\0' || process == ::getpid()) continue;
    const auto environment = read_file(entry->path().string() + "/environ");
    if (!environment) continue;
    if (environment->find(wanted) != std::string::npos) found.push_back(process);
  }
  return found;
}

void sleep_ms(int ms) {
  const timespec pause{ms / 1000, (ms % 1000) * 1'000'000};
  ::nanosleep(&pause, nullptr);
}

// Ranks whose launcher is gone mostly notice and end; the others are asked to, then made to.
void end_survivors(const std::string& run) {
  for (const auto& [signal, patience_ms] :
       {std::pair(0, 2000), std::pair(SIGTERM, 5000), std::pair(SIGKILL, 2000)}) {
    for (const pid_t process : survivors(run)) {
      if (signal != 0) ::kill(process, signal);
    }
    for (int waited_ms = 0; waited_ms < patience_ms; waited_ms += 50) {
      if (survivors(run).empty()) return;
      sleep_ms(50);
    }
  }
}

// A second interruption means now: a launcher that does not end by itself is killed.
int wait_for(pid_t process) {
  constexpr int kPatience_ms = 10'000;
  int status = 0;
  int waited_ms = 0;
  for (;;) {
    const pid_t ended = ::waitpid(process, &status, interrupts < 2 ? 0 : WNOHANG);
    if (ended == process) return status;
    if (ended < 0 && errno != EINTR) return status;
    if (ended != 0) continue;
    if (waited_ms >= kPatience_ms) ::kill(process, SIGKILL);
    sleep_ms(50);
    waited_ms += 50;
  }
}

} // namespace

int launch(const std::vector<std::string>& command, const std::string& run, Output output) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const pid_t started = ::fork();
  if (started == 0) {
    if (output == Output::kToStderr) ::dup2(STDERR_FILENO, STDOUT_FILENO);
    ::execvp(words.front(), words.data());
    fmt::print(stderr, "rondo: cannot start '{}': {}\n", command.front(), std::strerror(errno));
    ::_exit(kBadInput);
  }
  if (started < 0)
    return complain(fmt::format("cannot start '{}': {}", command.front(), std::strerror(errno)));
  const PassedOn here(started);
  const int status = wait_for(started);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return 0;
  end_survivors(run);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string new_run_name() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  ::localtime_r(&now, &local);
  char text[32];
  std::strftime(text, sizeof text, "%Y%m%d-%H%M%S", &local);
  return fmt::format("{}-{}", text, ::getpid());
}

} // namespace rondo::cli
