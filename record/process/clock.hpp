// SPDX-License-Identifier: Apache-2.0
// The recorder's clock: the processor's time-stamp counter where the kernel trusts it across cores,
// else CLOCK_MONOTONIC. Ticks become nanoseconds by a factor measured while MPI_Init runs.
#pragma once

#include <cstdint>
#include <ctime>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace rondo::record {

inline std::uint64_t monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u +
         static_cast<std::uint64_t>(now.tv_nsec);
}

/// The counter and CLOCK_MONOTONIC at one moment.
struct Moment {
  std::uint64_t ticks = 0;
  std::uint64_t host_ns = 0;
};

/// Of some readings of a clock between two of the counter, the closest: a process that loses its
/// processor in between does so in few of them.
/// @param ticks,host_ns   the counter and the clock, now
template <class Ticks, class Nanoseconds>
Moment closest_moment(const Ticks& ticks, const Nanoseconds& host_ns) {
  constexpr int kReadings = 5;
  Moment best;
  std::uint64_t least = ~std::uint64_t{0};
  for (int i = 0; i < kReadings; ++i) {
    const std::uint64_t before = ticks();
    const std::uint64_t now_ns = host_ns();
    const std::uint64_t took = ticks() - before;
    if (took >= least) continue;
    least = took;
    best = {before + took / 2, now_ns};
  }
  return best;
}

__extension__ using Product = unsigned __int128;

class Clock {
public:
  /// Looks whether the counter may be used, and notes the time for calibrate().
  void start();
  /// Measures the counter's rate since start(); the longer ago the better (MPI_Init takes some 100
  /// ms).
  void calibrate();

  Moment moment() const {
    return closest_moment([this] { return ticks(); }, monotonic_ns);
  }
  std::uint64_t ticks() const { return uses_counter_ ? counter() : monotonic_ns(); }
  /// Whether counter() is what ticks() would say.
  bool uses_counter() const { return uses_counter_; }
  static std::uint64_t counter() {
#if defined(__x86_64__)
    return __rdtsc();
#else
    return monotonic_ns();
#endif
  }
  std::uint64_t to_ns(std::uint64_t ticks) const {
    return static_cast<std::uint64_t>((static_cast<Product>(ticks) * ns_per_tick_) >> 32);
  }
  std::uint64_t to_ticks(std::uint64_t ns) const {
    return static_cast<std::uint64_t>((static_cast<Product>(ns) << 32) / ns_per_tick_);
  }

private:
  bool uses_counter_ = false;
  std::uint64_t ns_per_tick_ = std::uint64_t{1} << 32; // fixed point, 32 bits after the point
  Moment start_;
};

/// Data of the process that all calls look at: on pages of their own, side by side.
#define RONDO_HOT [[gnu::section("rondo_hot")]]

/// The same of usual calls, beside their code.
#define RONDO_USUAL [[gnu::section("rondo_usual")]]

class Recorder;

/// What all calls look at of the process, in one line of the cache.
struct alignas(64) Process {
  Clock clock;
  Recorder* recorder = nullptr;
};
// Hidden where it is declared, too, or each access would look up where it is.
[[gnu::visibility("hidden")]] extern Process process;

inline constexpr Clock& clock_ = process.clock;
/// The recorder while MPI is up and recording is on, else nullptr.
inline constexpr Recorder*& recorder = process.recorder;

} // namespace rondo::record
