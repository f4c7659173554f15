// SPDX-License-Identifier: Apache-2.0
// Programs that every rank of a run calls, as recordings, one for each rank:
//
//   ring         0 -> 1 -> 2 -> ... -> 0
//   halo         a grid of rows x columns; each rank talks to those beside it, borders have none
//   butterfly    partners rank xor 1, 2, 4, ...
//   master       ranks 1, 2, ... answer to rank 0, which takes any source
//   uneven       like ring, but sizes and numbers of rounds depend on the rank
#pragma once

#include "tests/support/events.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace rondo::support {

using Ranks = std::vector<std::unique_ptr<RankRecorder>>;

enum class Pattern { kRing, kOpenChain, kHalo, kButterfly, kMaster, kUneven };
constexpr Pattern kPatterns[] = {Pattern::kRing,      Pattern::kOpenChain, Pattern::kHalo,
                                 Pattern::kButterfly, Pattern::kMaster,    Pattern::kUneven};
std::string name_of(Pattern pattern);

/// Every rank's recording of `rounds` rounds.
Ranks run(Pattern pattern, std::int64_t ranks, int rounds = 20);

void send(RankRecorder& me, std::int64_t to, std::int64_t count, std::int64_t tag,
          std::uint32_t site);
void receive(RankRecorder& me, std::int64_t from, std::int64_t count, std::int64_t tag,
             std::uint32_t site);

/// Merges all parts in the given order of ranks.
fold::RecordingPart merged(std::vector<fold::RecordingPart>&& parts,
                           const std::vector<std::size_t>& order);

} // namespace rondo::support
