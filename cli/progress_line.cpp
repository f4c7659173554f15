// SPDX-License-Identifier: Apache-2.0
#include "cli/progress_line.hpp"

#include "cli/session.hpp"
#include "rondo/base/units.hpp"

#include <cstdio>
#include <fmt/core.h>
#include <unistd.h>
#include <utility>

namespace rondo::cli {

ProgressLine::ProgressLine(std::string unit)
    : unit_(std::move(unit)), is_wanted_(session() == nullptr && ::isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() {
  if (is_shown_) fmt::print(stderr, "\r\033[K");
}

void ProgressLine::show(std::uint64_t done, std::uint64_t total) {
  const Session* own = session();
  if (own != nullptr && own->stop != nullptr && own->stop->load()) throw Stopped{};
  const auto now = Clock::now();
  if (!is_wanted_ || now < next_ || total == 0) return;
  next_ = now + std::chrono::milliseconds(200);
  is_shown_ = true;
  const double seconds = std::chrono::duration<double>(now - began_).count();
  const auto rate = static_cast<std::uint64_t>(static_cast<double>(done) / seconds);
  fmt::print(stderr, "\rrondo: {} of {} read ({} %), {}/s\033[K", amount(done), amount(total),
             100 * done / total, amount(rate));
  std::fflush(stderr);
}

std::string ProgressLine::amount(std::uint64_t n) const {
  return unit_.empty() ? human_bytes(static_cast<double>(n)) : fmt::format("{} {}", n, unit_);
}

} // namespace rondo::cli
