// SPDX-License-Identifier: Apache-2.0
// What `rondo patterns --communication` shows.
#pragma once

#include "rondo/patterns/communication_patterns.hpp"
#include "rondo/sites/resolver.hpp"

#include <nlohmann/json.hpp>
#include <string>

namespace rondo::cli {

std::string communication_text(const trace::Trace& trace,
                               const patterns::CommunicationPatterns& found,
                               sites::Resolver& resolver, std::size_t most);

nlohmann::json communication_json(const trace::Trace& trace,
                                  const patterns::CommunicationPatterns& found,
                                  sites::Resolver& resolver, std::size_t most);

} // namespace rondo::cli
