// SPDX-License-Identifier: Apache-2.0
// Reading a rank's nest into a collapsed stream, and what else is known of its items.
#pragma once

#include "patterns/event_reader.hpp"
#include "rondo/patterns/collapsed_stream.hpp"

#include <cstdint>
#include <vector>

namespace rondo::patterns::internal {

/// What was passed through, passes that were left out aside.
struct NestTrail {
  std::vector<std::uint32_t> symbols; // of all calls
  std::vector<std::uint64_t> completing; // positions in the stream of those that complete requests
};

/// Passes of loops that are alike are left to the stream.
/// @param trail   may be null
/// @return        false: the nest is too deep, nothing was read
bool read_nest(const trace::Trace& trace, const trace::RankClass& rank_class, std::int64_t rank,
               EventMaker& maker, const Envelope& envelope, CollapsedStream& stream,
               NestTrail* trail);

/// After which items, when they are met first, calls complete requests.
std::vector<bool> completions(const std::vector<std::uint64_t>& completing,
                              const std::vector<CollapsedItem>& items);

/// Where the calls of the program of all ranks stand in it, by call, from 1; empty if there is
/// none.
std::vector<std::uint32_t> places_of(const trace::Trace& trace, const trace::RankClass& rank_class);
/// The same by item.
std::vector<std::uint32_t> places_of(const trace::RankClass& rank_class,
                                     const std::vector<std::uint32_t>& places,
                                     const std::vector<CollapsedItem>& items);
/// The call site of each item.
std::vector<std::uint32_t> sites_of(const trace::RankClass& rank_class,
                                    const std::vector<CollapsedItem>& items);

} // namespace rondo::patterns::internal
