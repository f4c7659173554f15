// SPDX-License-Identifier: Apache-2.0
// Process patterns in text and JSON.
#pragma once

#include "rondo/patterns/pattern_groups.hpp"
#include "rondo/sites/resolver.hpp"

#include <cstddef>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace rondo::present {

struct PatternsShown {
  const trace::Trace& trace;
  const patterns::ProcessPatterns& found;
  const std::vector<patterns::PatternGroup>& groups; // in the order in which they are shown
  sites::Resolver& resolver;
  std::size_t columns = 100; // of the terminal
};

constexpr std::size_t kAllPatterns = std::numeric_limits<std::size_t>::max();

/// What is done again and again once: patterns that stand within others are named under them, those
/// that are cut elsewhere from the same calls are counted.
/// @param most   groups that are shown; kAllPatterns: each of them, on its own
std::string patterns_text(const PatternsShown& shown, std::size_t most);

nlohmann::json patterns_json(const PatternsShown& shown, std::size_t most);

/// "400 times in calls 73 to 26806 (exchange at sp.f:12, phase solve)"
/// @param item         the first event of the place
/// @param executions   of the whole place
std::string place_text(const patterns::EventTable& events, const patterns::CollapsedItem& item,
                       std::uint64_t executions, const std::string& site);

/// "peers and roots are ranks of MPI_COMM_WORLD, on other communicators too\n"; empty if no event
/// is on a communicator that numbers its ranks otherwise.
std::string world_ranks_text(const trace::Trace& trace, const patterns::EventTable& events);

/// "peer, size", "nothing"
std::string envelope_text(const patterns::Envelope& envelope);

} // namespace rondo::present
