// SPDX-License-Identifier: Apache-2.0
// What `rondo patterns --communication` shows.
#pragma once

#include "present/patterns/pattern_kinds.hpp"
#include "rondo/patterns/communication_patterns.hpp"
#include "rondo/sites/resolver.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace rondo::present {

struct CommunicationShown {
  const trace::Trace& trace;
  const patterns::CommunicationPatterns& found;
  const std::vector<std::size_t>& chosen; // indices into found.patterns; their numbers are 1 more
  sites::Resolver& resolver;
};

/// Each pattern on its own.
/// @param most   patterns that are shown
std::string communication_text(const CommunicationShown& shown, std::size_t most);

/// Those of one kind together, and light ones counted only.
std::string communication_kinds_text(const CommunicationShown& shown, const KindOptions& options);

nlohmann::json communication_json(const CommunicationShown& shown, std::size_t most);

} // namespace rondo::present
