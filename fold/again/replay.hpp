// SPDX-License-Identifier: Apache-2.0
// Plays the calls of a rank into a builder, to fold them anew.
#pragma once

#include "fold/again/rank_shares.hpp"
#include "rondo/fold/program_builder.hpp"
#include "rondo/fold/recast.hpp"
#include "rondo/trace/call_reader.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

namespace rondo::fold {

/// Where the times of the calls come from: nowhere unless one of these is there.
struct TimesFrom {
  /// The rank's share of its class's histograms: that of a place is dealt to its calls.
  const RankShares* places = nullptr;
  /// What ranks that do the same had together: a place's times are dealt to the calls of the one.
  const std::vector<trace::PlaceTimes>* together = nullptr;
  const trace::TimeStamps* stamps = nullptr; // the times of every call
};

/// What becomes of a call before it is recorded. Each may be empty.
struct Changes {
  std::function<void(const trace::CallInstance&, std::span<std::int64_t>)> words{};
  /// The values of an array that a field of the call refers to.
  std::function<void(const trace::CallInstance&, const trace::Field&, std::span<std::int64_t>)>
      array{};
  bool drops_sites = false;
  /// By site, as Recasting::by_flow: calls elsewhere are recorded as what repeats; nullptr: all are
  /// recorded as the builder's options have it.
  const std::vector<bool>* by_flow = nullptr;
  std::function<std::int64_t(const trace::CallInstance&)> site{}; // in place of its own
  /// These calls are not recorded; empty: all are.
  std::function<bool(const trace::CallInstance&)> leaves_out{};
  /// As Recasting::place_in_source.
  std::function<std::optional<std::uint64_t>(const trace::CallInstance&)> place_in_source{};
  /// Of this rank, as Recasting::memory.
  const Recasting::Memory* memory = nullptr;
};

/// @complexity O(calls), or with a memory those of some passes of each loop
void replay(const trace::Trace& trace, const trace::RankClass& c, std::int64_t rank,
            const TimesFrom& times, const Changes& changes, ProgramBuilder& to);

} // namespace rondo::fold
