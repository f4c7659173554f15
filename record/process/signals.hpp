// SPDX-License-Identifier: Apache-2.0
// Signals that end the process: the recorder writes what it has first, then lets the signal take
// its course, with the handler and the exit status that the process would have had without us.
#pragma once

#include "record/recorder.hpp"

#include <csignal>

namespace rondo::record {

/// Takes over the signals that the program leaves to the system, and those of crashes. Called when
/// MPI_Init is over: handlers that the program installs later replace ours.
void watch_signals();
/// Whether this is the process that called MPI_Init, and no child of it.
bool is_rank_process();
/// Whether the recorder is told of this signal, as the process stands now.
bool is_watched(int signal);

/// A signal that came while this thread was in the recorder is acted upon now.
void deliver_waiting_signal();

inline void enter_recorder() { on_thread.in_recorder = true; }
inline void leave_recorder() {
  on_thread.in_recorder = false;
  if (on_thread.waiting_signal != 0) deliver_waiting_signal();
}

} // namespace rondo::record
