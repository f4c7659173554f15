// SPDX-License-Identifier: Apache-2.0
#include "cli/session.hpp"

#include "cli/commands.hpp"
#include "rondo/base/escape.hpp"

#include <cstdio>
#include <fmt/core.h>

namespace rondo::cli {
namespace {

thread_local Session* session_of_thread = nullptr;

} // namespace

Session::Session() { session_of_thread = this; }
Session::~Session() { session_of_thread = nullptr; }

void Session::offer(const std::string& file, const trace::Trace& trace) {
  offered_.emplace_back(file, &trace);
}

const trace::Trace* Session::offered(const std::string& file) const {
  for (const auto& [name, trace] : offered_)
    if (name == file) return trace;
  return nullptr;
}

Session* session() { return session_of_thread; }

void say(const std::string& text) {
  if (session_of_thread != nullptr)
    session_of_thread->out += text;
  else
    std::fputs(text.c_str(), stdout);
}

void remark(const std::string& sentence) {
  if (session_of_thread != nullptr)
    session_of_thread->remarks.push_back(sentence);
  else
    fmt::print(stderr, "rondo: {}\n", escape::terminal(sentence));
}

int complain(const Error& error) {
  if (session_of_thread == nullptr) {
    fmt::print(stderr, "rondo: {}\n", escape::message(error.text()));
  } else if (!session_of_thread->error) {
    session_of_thread->error = error;
  }
  return kBadInput;
}

int complain(const std::string& message) { return complain({ErrorCode::kUsage, message, {}}); }

} // namespace rondo::cli
