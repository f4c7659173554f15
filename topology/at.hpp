// SPDX-License-Identifier: Apache-2.0
// Vertices and cells are signed, as MPI's ranks are; containers are not.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rondo::topology {

/// A vertex or cell, never negative, as an index.
inline std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

} // namespace rondo::topology
