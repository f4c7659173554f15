// SPDX-License-Identifier: Apache-2.0
// A line on the terminal that is written again and again, once the work takes more than a second.
//
//   ProgressLine line("ranks");
//   work([&](std::uint64_t done, std::uint64_t total) { line.show(done, total); });
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace rondo::cli {

class ProgressLine {
public:
  /// `unit` is what is counted, bytes if empty.
  explicit ProgressLine(std::string unit = "");
  ~ProgressLine(); // takes the line away
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// In a session that is to stop, throws Stopped.
  void show(std::uint64_t done, std::uint64_t total);

private:
  using Clock = std::chrono::steady_clock;
  std::string amount(std::uint64_t n) const;

  std::string unit_;
  bool is_wanted_; // stderr is a terminal
  bool is_shown_ = false;
  Clock::time_point began_ = Clock::now();
  Clock::time_point next_ = began_ + std::chrono::seconds(1);
};

} // namespace rondo::cli
