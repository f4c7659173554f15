// SPDX-License-Identifier: Apache-2.0
// Tells the ranks of a run what time it is, so that time stamps of several hosts can be compared
// (trace/clock_wire.hpp). It answers who knows the run's token, from a thread of its own.
#pragma once

#include <cstdint>
#include <string>
#include <thread>

namespace rondo::cli {

class ClockServer {
public:
  /// Without a network it has no address: hosts' clocks stay as they are.
  ClockServer();
  ClockServer(const ClockServer&) = delete;
  ClockServer& operator=(const ClockServer&) = delete;
  ~ClockServer();

  /// For the environment of the ranks; empty if there is none.
  const std::string& address() const { return address_; }

private:
  void answer() const;

  int socket_ = -1;
  int end_ = -1; // readable when the thread has to end
  std::uint64_t token_ = 0;
  std::int64_t to_unix_ns_ = 0; // to be added to CLOCK_MONOTONIC: calendars may be set
  std::string address_;
  std::thread thread_;
};

} // namespace rondo::cli
