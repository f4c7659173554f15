// SPDX-License-Identifier: Apache-2.0
// How long computation behind each call site usually is, where ranks share processors: what is as
// long as usual is not worth asking the kernel for CPU time (record/computing.cpp).
#pragma once

#include "record/process/clock.hpp"

#include <array>
#include <bit>
#include <cstdint>

namespace rondo::record {

class UsualComputation {
public:
  static constexpr std::uint64_t kNoticeable_ns = 20'000; // shorter ones are not worth displacing
  static constexpr std::uint64_t kLong_ns = 200'000; // behind one that long there is time to ask
  static constexpr std::uint64_t kFresh_ns = 50'000; // for so long a reading of CPU time is good
  static constexpr std::uint64_t kStale_ns = 2'000'000; // for so long where computation is as usual
  static constexpr std::uint32_t kWakeful = 256; // readings
  static constexpr std::uint16_t kReadings = 8; // before computations, until they are as usual

  void begin(const Clock& clock) {
    noticeable_ticks_ = clock.to_ticks(kNoticeable_ns);
    long_ticks_ = clock.to_ticks(kLong_ns);
    fresh_ticks_ = clock.to_ticks(kFresh_ns);
    stale_ticks_ = clock.to_ticks(kStale_ns);
  }
  std::uint64_t noticeable_ticks() const { return noticeable_ticks_; }
  /// What is shorter than 2 to so many ticks is never noticeable.
  std::uint8_t noticeable_bits() const {
    return static_cast<std::uint8_t>(std::bit_width(noticeable_ticks_) - 1);
  }

  bool is_unusual(std::int64_t site, std::uint64_t ticks) const {
    // One comparison: what is much shorter is beyond all times.
    return ticks + noticeable_ticks_ - of(site).usual_ticks >= 2 * noticeable_ticks_;
  }
  /// Whether CPU time has to be read before the computation that begins now.
  /// @param age_ticks   of the last reading
  bool needs_reading(std::int64_t site, std::uint64_t age_ticks) const {
    return age_ticks > fresh_ticks_ && (of(site).readings != 0 || age_ticks > stale_ticks_);
  }
  /// The same, at some call site.
  bool may_need_reading(std::uint64_t age_ticks) const {
    return age_ticks > (wanting_ != 0 ? fresh_ticks_ : stale_ticks_);
  }
  /// Whether it is time to count the thread's sleeps, with a reading.
  /// @param wakeful     readings in a row between which it did not sleep
  /// @param age_ticks   of the last count
  bool counts_sleeps(std::uint32_t wakeful, std::uint64_t age_ticks) const {
    return wakeful < kWakeful || age_ticks > stale_ticks_ / 2;
  }
  void note_reading(std::int64_t site) {
    std::uint16_t& readings = of(site).readings;
    if (readings != 0 && --readings == 0) --wanting_;
  }
  /// Whether the thread slept in the last unusual computation there.
  bool slept(std::int64_t site) const { return of(site).slept; }
  /// An unusual computation has taken so much.
  void note(std::int64_t site, std::uint64_t ticks, bool slept) {
    if (of(site).readings == 0) ++wanting_;
    of(site) = {.usual_ticks = static_cast<std::uint32_t>(ticks < long_ticks_ ? ticks : 0),
                .readings = kReadings,
                .slept = slept};
  }

private:
  struct Site {
    std::uint32_t usual_ticks = 0; // 0: it is long, or not noticeable
    std::uint16_t readings = 0; // that are still to be made
    bool slept = false;
  };
  // Call sites may share a place: then more is unusual.
  Site& of(std::int64_t site) { return sites_[static_cast<std::uint64_t>(site) % sites_.size()]; }
  const Site& of(std::int64_t site) const {
    return sites_[static_cast<std::uint64_t>(site) % sites_.size()];
  }

  std::uint32_t wanting_ = 0; // call sites with readings to be made
  std::uint64_t noticeable_ticks_ = 0;
  std::uint64_t long_ticks_ = 0;
  std::uint64_t fresh_ticks_ = 0;
  std::uint64_t stale_ticks_ = 0;
  std::array<Site, 64> sites_ = {};
};

} // namespace rondo::record
