// SPDX-License-Identifier: Apache-2.0
#include "logical/places/comm_ranks.hpp"

namespace rondo::logical::internal {

std::optional<std::int64_t> world_rank(const trace::Positions& positions, std::int64_t own_rank,
                                       std::int64_t comm, std::int64_t peer) {
  if (trace::is_special(peer) || peer < 0) return std::nullopt;
  if (comm == trace::kSelfSlot) return peer == 0 ? std::optional(own_rank) : std::nullopt;
  const auto& position = positions.of(comm);
  if (position.comm == nullptr)
    return comm == trace::kWorldSlot && peer < position.size ? std::optional(peer) : std::nullopt;
  const auto& members =
      position.comm->remote.empty() ? position.comm->members : position.comm->remote;
  for (const trace::RankRange& range : members) {
    if (peer < range.count) {
      const std::int64_t rank = range.start + peer * range.stride;
      return rank < 0 ? std::nullopt : std::optional(rank);
    }
    peer -= range.count;
  }
  return std::nullopt;
}

std::int64_t local_rank(const trace::Positions& positions, std::int64_t comm, std::int64_t rank) {
  const auto& position = positions.of(comm);
  if (position.comm == nullptr) return rank;
  const auto& members =
      position.comm->remote.empty() ? position.comm->members : position.comm->remote;
  std::int64_t before = 0;
  for (const trace::RankRange& range : members) {
    const std::int64_t steps = range.stride == 0 ? 0 : (rank - range.start) / range.stride;
    if (range.start + steps * range.stride == rank && steps >= 0 && steps < range.count)
      return before + steps;
    before += range.count;
  }
  return -1;
}

} // namespace rondo::logical::internal
