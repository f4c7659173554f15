// SPDX-License-Identifier: Apache-2.0
// What librondo_simgrid.so, which alone is linked with SimGrid, and whoever loads it agree on.
#pragma once

#include "simulate/door.hpp"
#include "simulate/models/carrier.hpp"

#include <cstdint>
#include <memory>

namespace rondo::simulate::internal {

using MakeCarrier = void(const Platform& platform, std::int64_t ranks,
                         Result<std::unique_ptr<Carrier>>& made);

/// The module's only door. Its name, from CMake, has a sum of the headers whose types cross: a
/// module of other sources is not taken.
extern "C" __attribute__((visibility("default"))) MakeCarrier RONDO_SIMGRID_DOOR;

} // namespace rondo::simulate::internal
