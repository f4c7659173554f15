// SPDX-License-Identifier: Apache-2.0
// How a rank's time stamps stand to one clock for all ranks: that of `rondo record`, which the
// first rank of each host asks while the program runs. Ranks of one host share its clock, but each
// counts nanoseconds by a rate of its own.
#pragma once

#include <cstdint>

namespace rondo::trace {

/// No two clocks differ more in rate: what does was not measured, but a clock that somebody set.
constexpr std::int64_t kMostGain_ppt = 100'000'000'000; // 10 %

struct RankClock {
  /// What was added to the time at which the rank's stamps begin, by its host's calendar.
  std::int64_t correction_ns = 0;
  /// What the common clock gains on the rank's stamps, in 10^-12 of their time.
  std::int64_t gain_ppt = 0;
  /// How far off the correction may be: half of the smallest round trip. 0: no other host.
  std::uint64_t error_ns = 0;

  // Measured, until the recordings of all ranks are there (fold::resolve).
  std::uint64_t host =
      0; // whose clock this is: the same number for all ranks that read it; 0: done
  std::int64_t origin_unix_ns = 0; // when the rank's stamps begin, by the host's calendar
  std::int64_t origin_host_ns = 0; // the same by the clock that it measures with
  std::int64_t to_common_ns = 0; // added to the latter it is the common clock; if error_ns is known
  std::int64_t to_common_gain_ppt = 0; // how that changes with time

  friend bool operator==(const RankClock&, const RankClock&) = default;
};

/// A part of a duration, in 10^-12, rounded to zero.
inline std::int64_t parts_of(std::int64_t ns, std::int64_t ppt) {
  __extension__ using Product = __int128;
  return static_cast<std::int64_t>(static_cast<Product>(ns) * ppt / 1'000'000'000'000);
}

} // namespace rondo::trace
