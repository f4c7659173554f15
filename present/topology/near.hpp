// SPDX-License-Identifier: Apache-2.0
// A near match, for people and for programs.
#pragma once

#include "rondo/topology/near.hpp"

#include <nlohmann/json.hpp>
#include <string>

namespace rondo::present {

/// Lines that say how near, and the first pairs that do not fit.
std::string near_text(const topology::NearMatch& near);

/// With all pairs that do not fit, and with the cell of every rank.
nlohmann::json near_json(const topology::NearMatch& near);

} // namespace rondo::present
