// SPDX-License-Identifier: Apache-2.0
// A platform as SimGrid's hosts and links.
#pragma once

#include "rondo/simulate/platform.hpp"

#include <simgrid/s4u.hpp>

#include <cstdint>
#include <vector>

namespace rondo::simulate::internal {

/// Starts SimGrid's engine with the platform and gives its hosts in the order of the ranks. On what
/// it does not like SimGrid throws, or ends the process.
std::vector<simgrid::s4u::Host*> make_platform(const Platform& platform);

} // namespace rondo::simulate::internal
