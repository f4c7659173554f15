// SPDX-License-Identifier: Apache-2.0
// How long computation behind each call site usually is, where ranks share processors: what is as
// long as usual is not worth asking the kernel for CPU time (record/computing.cpp).
#pragma once

#include "record/process/clock.hpp"

#include <array>
#include <cstdint>

namespace rondo::record {

class UsualComputation {
public:
  static constexpr std::uint64_t kNoticeable_ns = 20'000; // shorter ones are not worth displacing
  static constexpr std::uint64_t kLong_ns = 200'000; // behind one that long there is time to ask
  static constexpr std::uint64_t kFresh_ns = 50'000; // for so long a reading of CPU time is good
  static constexpr std::uint64_t kStale_ns = 2'000'000; // for so long where computation is as usual
  static constexpr std::uint32_t kReadings = 8; // before computations, until they are as usual

  void begin(const Clock& clock) {
    noticeable_ticks_ = clock.to_ticks(kNoticeable_ns);
    long_ticks_ = clock.to_ticks(kLong_ns);
    fresh_ticks_ = clock.to_ticks(kFresh_ns);
    stale_ticks_ = clock.to_ticks(kStale_ns);
    sites_.fill({.usual_ticks = 0, .readings = kReadings});
  }
  std::uint64_t noticeable_ticks() const { return noticeable_ticks_; }

  bool is_unusual(std::int64_t site, std::uint64_t ticks) const {
    // One comparison: what is much shorter is beyond all times.
    return ticks + noticeable_ticks_ - of(site).usual_ticks >= 2 * noticeable_ticks_;
  }
  /// Whether CPU time has to be read before the computation that begins now.
  /// @param age_ticks   of the last reading
  bool needs_reading(std::int64_t site, std::uint64_t age_ticks) const {
    return age_ticks > fresh_ticks_ && (of(site).readings != 0 || age_ticks > stale_ticks_);
  }
  void note_reading(std::int64_t site) {
    std::uint32_t& readings = of(site).readings;
    if (readings != 0) --readings;
  }
  /// An unusual computation has taken so much.
  void note(std::int64_t site, std::uint64_t ticks) {
    of(site) = {.usual_ticks = static_cast<std::uint32_t>(ticks < long_ticks_ ? ticks : 0),
                .readings = kReadings};
  }

private:
  struct Site {
    std::uint32_t usual_ticks = 0; // 0: it is long, or not noticeable
    std::uint32_t readings = 0; // that are still to be made
  };
  // Call sites may share a place: then more is unusual.
  Site& of(std::int64_t site) { return sites_[static_cast<std::uint64_t>(site) % sites_.size()]; }
  const Site& of(std::int64_t site) const {
    return sites_[static_cast<std::uint64_t>(site) % sites_.size()];
  }

  std::uint64_t noticeable_ticks_ = 0;
  std::uint64_t long_ticks_ = 0;
  std::uint64_t fresh_ticks_ = 0;
  std::uint64_t stale_ticks_ = 0;
  std::array<Site, 64> sites_ = {};
};

} // namespace rondo::record
