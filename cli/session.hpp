// SPDX-License-Identifier: Apache-2.0
// Where a command's words go. In `rondo` that is stdout and stderr. Where a command runs inside of
// another process, as in Python, they are collected: its result, its remarks, and the error that it
// stopped with.
//
// A session is of one thread: commands that run at the same time in other threads have their own.
#pragma once

#include "rondo/base/result.hpp"
#include "rondo/trace/trace.hpp"

#include <atomic>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rondo::cli {

/// While it lives, what this thread's commands say is collected in it.
class Session {
public:
  Session();
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// A trace that was opened before: who opens this file gets it. It must outlive the session.
  void offer(const std::string& file, const trace::Trace& trace);

  std::string out; // what would stand on stdout
  std::vector<std::string> remarks; // and on stderr, a sentence each
  std::optional<Error> error;
  /// Set by another thread: work that counts its progress stops with Stopped.
  const std::atomic<bool>* stop = nullptr;

  const trace::Trace* offered(const std::string& file) const;

private:
  std::vector<std::pair<std::string, const trace::Trace*>> offered_;
};

/// Thrown where work is stopped from outside; only ever with a session.
struct Stopped {};

/// The session of this thread, or nullptr.
Session* session();

/// Results, on stdout.
void say(const std::string& text);
/// A sentence beside the results, on stderr: "rondo: SENTENCE".
void remark(const std::string& sentence);

} // namespace rondo::cli
