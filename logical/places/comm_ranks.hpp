// SPDX-License-Identifier: Apache-2.0
// Ranks of a communicator as those of MPI_COMM_WORLD, and back.
#pragma once

#include "rondo/trace/call_reader.hpp"

#include <cstdint>
#include <optional>

namespace rondo::logical::internal {

/// World rank of a peer; nothing if it is none.
std::optional<std::int64_t> world_rank(const trace::Positions& positions, std::int64_t own_rank,
                                       std::int64_t comm, std::int64_t peer);

/// The other way round: the rank in the communicator, of its other group for an
/// inter-communicator; -1 if it is not in there.
std::int64_t local_rank(const trace::Positions& positions, std::int64_t comm, std::int64_t rank);

} // namespace rondo::logical::internal
