// SPDX-License-Identifier: Apache-2.0
#include "record/process/signals.hpp"

#include "record/recorder.hpp"

#include <cerrno>
#include <cstring>
#include <unistd.h>

namespace rondo::record {

namespace {

constexpr int kCrashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
// These end a process that does nothing about them. A program that has its own handler, or ignores
// them, lives on: they are not touched then.
constexpr int kRequests[] = {SIGTERM, SIGINT,  SIGHUP,  SIGQUIT, SIGUSR1,
                             SIGUSR2, SIGXCPU, SIGALRM, SIGXFSZ, SIGVTALRM};
constexpr int kSignals = 65;
struct sigaction before[kSignals];
pid_t rank_process = 0; // whose signals these are

// A child has our handlers, and all of the recorder, until it has come back from fork() or, where
// fork() was passed by, as long as it lives; it is no rank.
void write_ending(int signal) {
  if (recorder != nullptr && is_rank_process())
    recorder->write_ending({trace::Ending::kSignal, signal});
}

bool is_from_instruction(const siginfo_t* info) { return info != nullptr && info->si_code > 0; }

// The process ends the way it would have ended. A crashed instruction runs into its fault again
// under the handler that was there before; other signals are sent again.
void let_go(int signal, const siginfo_t* info) {
  ::sigaction(signal, &before[signal], nullptr);
  if (signal == SIGABRT || !is_from_instruction(info)) ::raise(signal);
}

void on_signal(int signal, siginfo_t* info, void* /*context*/) {
  const int saved_errno = errno;
  if (on_thread.in_recorder && !is_from_instruction(info)) {
    on_thread.waiting_signal = static_cast<std::int8_t>(signal); // 64 at most
  } else {
    write_ending(signal);
    let_go(signal, info);
  }
  errno = saved_errno;
}

void watch(int signal, bool also_handled) {
  struct sigaction known {};
  if (::sigaction(signal, nullptr, &known) != 0) return;
  const bool is_default = (known.sa_flags & SA_SIGINFO) == 0 && known.sa_handler == SIG_DFL;
  const bool is_ignored = (known.sa_flags & SA_SIGINFO) == 0 && known.sa_handler == SIG_IGN;
  if (is_ignored || (!is_default && !also_handled)) return;
  before[signal] = known;
  struct sigaction ours {};
  ours.sa_sigaction = on_signal;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK | (known.sa_flags & SA_RESTART);
  ours.sa_mask = known.sa_mask;
  ::sigaction(signal, &ours, nullptr);
}

} // namespace

bool is_rank_process() { return ::getpid() == rank_process; }

bool is_watched(int signal) {
  struct sigaction known {};
  return ::sigaction(signal, nullptr, &known) == 0 && (known.sa_flags & SA_SIGINFO) != 0 &&
         known.sa_sigaction == on_signal;
}

void watch_signals() {
  rank_process = ::getpid();
  for (const int signal : kCrashes) watch(signal, true);
  for (const int signal : kRequests) watch(signal, false);
}

void deliver_waiting_signal() {
  const int signal = on_thread.waiting_signal;
  on_thread.waiting_signal = 0;
  write_ending(signal);
  let_go(signal, nullptr);
}

} // namespace rondo::record
