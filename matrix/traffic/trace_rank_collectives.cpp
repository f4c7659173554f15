// SPDX-License-Identifier: Apache-2.0
// Collective operations of one rank as messages.
#include "matrix/traffic/call_traffic.hpp"
#include "matrix/traffic/trace_rank.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace rondo::matrix::internal {

using trace::CollectiveKind;
using trace::CollectivePart;
using trace::CollectiveStep;

namespace {

std::uint64_t sum(const std::vector<std::uint64_t>& values) {
  return std::accumulate(values.begin(), values.end(), std::uint64_t{0});
}

std::uint64_t at(const std::vector<std::uint64_t>& values, std::int64_t index) {
  const auto i = static_cast<std::size_t>(index);
  return index >= 0 && i < values.size() ? values[i] : 0;
}

bool is_alltoall(CollectiveKind operation) {
  return operation == CollectiveKind::kAlltoall || operation == CollectiveKind::kAlltoallv;
}

} // namespace

// What one rank that is not the root sends to it, and gets from it.
struct RankTraffic::WayThroughRoot {
  std::optional<std::uint64_t> up_bytes{};
  std::optional<std::uint64_t> down_bytes{};
};

// Words -------------------------------------------------------------------------------------------

std::uint64_t RankTraffic::block_of(const TalliedCall& call, int count, int type,
                                    TrafficLoss& loss) const {
  return bytes_of({{value_of(call, count)}, {value_of(call, type)}}, call.executions, loss);
}

std::vector<std::uint64_t> RankTraffic::blocks_of(const TalliedCall& call, int counts, int types,
                                                  TrafficLoss& loss) const {
  std::vector<std::int64_t> type = trace::meaning_of(*call.function).has_send_types
                                       ? values_of(call, types)
                                       : std::vector{value_of(call, types)};
  std::vector<std::uint64_t> blocks;
  for (const std::int64_t count : values_of(call, counts)) {
    const std::size_t i = std::min(blocks.size(), type.empty() ? 0 : type.size() - 1);
    const Amounts amounts{{count}, type.empty() ? type : std::vector{type[i]}};
    blocks.push_back(bytes_of(amounts, call.executions, loss));
  }
  return blocks;
}

trace::Members RankTraffic::peers_of(std::int64_t comm) const {
  const std::int64_t size = positions_.of(comm).size;
  if (comm == trace::kWorldSlot) return trace::Members::consecutive(0, size);
  const auto [known, is_new] = peers_.try_emplace(comm);
  if (!is_new) return known->second;
  std::vector<std::int64_t> ranks;
  for (std::int64_t peer = 0; peer < size; ++peer)
    ranks.push_back(world_rank(comm, peer).value_or(-1));
  known->second =
      trace::Members::listed(std::make_shared<const std::vector<std::int64_t>>(std::move(ranks)));
  return known->second;
}

// This rank's part --------------------------------------------------------------------------------

CollectivePart RankTraffic::part_of(const TalliedCall& call, TrafficLoss& loss) const {
  const trace::CallMeaning& means = trace::meaning_of(*call.function);
  const trace::Positions::Position& position = *position_of(call);
  CollectivePart part;
  part.operation = *trace::collective_kind_of(*call.function);
  part.rank = position.rank;
  part.is_inter = position.comm != nullptr && !position.comm->remote.empty();
  part.members = peers_of(value_of(call, means.comm));
  const std::int64_t root = means.root < 0 ? 0 : value_of(call, means.root);
  const bool is_here = root == trace::kRootHere;
  part.root = is_here ? CollectivePart::kHere : trace::is_special(root) ? -1 : root;
  set_blocks(call, part, loss);
  if (trace::is_neighborhood(part.operation)) set_neighbors(call, part, loss);
  return part;
}

void RankTraffic::set_blocks(const TalliedCall& call, CollectivePart& part,
                             TrafficLoss& loss) const {
  const trace::CallMeaning& means = trace::meaning_of(*call.function);
  const bool in_place = value_of(call, means.send_buffer) == trace::kInPlace;
  const bool is_scatter =
      part.operation == CollectiveKind::kScatter || part.operation == CollectiveKind::kScatterv;
  const bool is_root = part.is_inter ? part.root == CollectivePart::kHere : part.root == part.rank;
  const bool from_receive = part.operation == CollectiveKind::kReduceScatter ||
                            (means.receive_count >= 0 && (is_scatter ? !is_root : in_place));
  const int count = from_receive ? means.receive_count : means.send_count;
  const int type = from_receive ? means.receive_type : means.send_type;
  const Amount amount = amount_of(means.collective);
  const bool is_list = amount == Amount::kReceivedBlocks ||
                       (amount == Amount::kListedBlocks && (!is_scatter || is_root));
  if (part.operation == CollectiveKind::kAllgatherv) { // all know what everybody has
    part.blocks = blocks_of(call, means.receive_count, means.receive_type, loss);
  } else if (is_list) {
    part.blocks = blocks_of(call, count, type, loss);
  } else if (amount != Amount::kOwnBlockOfMany || !in_place) { // else the root's own
    part.block = block_of(call, count, type, loss);
  }
}

void RankTraffic::set_neighbors(const TalliedCall& call, CollectivePart& part,
                                TrafficLoss& loss) const {
  const std::int64_t comm = value_of(call, trace::meaning_of(*call.function).comm);
  const auto& neighbors = neighbors_.of(comm, call.maker.get());
  if (!neighbors) loss.unknown_neighbors += call.executions;
  if (!neighbors) return;
  for (const std::int64_t peer : neighbors->destinations)
    part.destinations.push_back(static_cast<std::int32_t>(world_rank(comm, peer).value_or(-1)));
}

// Its messages ------------------------------------------------------------------------------------

RankTraffic::WayThroughRoot RankTraffic::way_through_root(const TalliedCall& call,
                                                          const CollectivePart& part,
                                                          TrafficLoss& loss) const {
  const trace::CallMeaning& means = trace::meaning_of(*call.function);
  const auto ranks = static_cast<std::uint64_t>(part.members.size());
  const auto received = [&] {
    return block_of(call, means.receive_count, means.receive_type, loss);
  };
  switch (part.operation) {
  case CollectiveKind::kBarrier:
    return {0, 0};
  case CollectiveKind::kBcast:
  case CollectiveKind::kScatter:
  case CollectiveKind::kScatterv:
    return {{}, part.block};
  case CollectiveKind::kReduce:
  case CollectiveKind::kGather:
  case CollectiveKind::kGatherv:
    return {part.block, {}};
  case CollectiveKind::kAllgather:
    return {part.block, ranks * received()};
  case CollectiveKind::kAllgatherv:
    return {at(part.blocks, part.rank), sum(part.blocks)};
  case CollectiveKind::kAlltoall:
    return {(ranks - 1) * part.block, (ranks - 1) * received()};
  case CollectiveKind::kAlltoallv: {
    const auto coming = blocks_of(call, means.receive_count, means.receive_type, loss);
    return {sum(part.blocks) - at(part.blocks, part.rank), sum(coming) - at(coming, part.rank)};
  }
  case CollectiveKind::kReduceScatter:
    if (part.blocks.empty()) return {ranks * part.block, part.block};
    return {sum(part.blocks), at(part.blocks, part.rank)};
  default: // allreduce, scans
    return {part.block, part.block};
  }
}

std::vector<MessagesSent> RankTraffic::collective_messages_of(const TalliedCall& call,
                                                              CollectiveCounting counting,
                                                              TrafficLoss& loss) const {
  std::vector<MessagesSent> result;
  if (call.executions == 0 || counting == CollectiveCounting::kNone) return result;
  const bool is_left_out = counting == CollectiveCounting::kNeighbors
                               ? !trace::is_neighborhood(*call.function)
                               : !trace::collective_kind_of(*call.function);
  if (is_left_out) return result;
  const auto put = [&](std::int64_t source, std::int64_t destination, std::uint64_t bytes) {
    if (source < 0 || destination < 0) {
      loss.unknown_peers += call.executions;
    } else {
      result.push_back({call.function, source, destination, call.executions, bytes});
    }
  };
  const std::int64_t comm = value_of(call, trace::meaning_of(*call.function).comm);
  const bool is_predefined = comm == trace::kWorldSlot || comm == trace::kSelfSlot;
  if (!is_predefined && positions_.of(comm).comm == nullptr) { // the trace does not define it
    loss.unknown_peers += call.executions;
    return result;
  }
  CollectivePart part = part_of(call, loss);
  const bool has_no_root = part.is_inter || trace::is_neighborhood(part.operation);
  if (counting == CollectiveCounting::kPairs && is_alltoall(part.operation))
    part.operation = CollectiveKind::kAlltoallv; // pairwise exchange, however short
  const bool is_direct = counting == CollectiveCounting::kPairs && is_alltoall(part.operation);
  if (counting == CollectiveCounting::kAlgorithm || has_no_root || is_direct) {
    for (const CollectiveStep& step : steps_of(part)) {
      if (step.to >= 0) put(rank_, step.to, step.bytes);
    }
    return result;
  }
  const bool has_root = part.root >= 0 && part.root < part.members.size();
  if (!has_root || part.rank == part.root) return result;
  const std::int64_t root = part.members[part.root];
  const WayThroughRoot way = way_through_root(call, part, loss);
  if (way.up_bytes) put(rank_, root, *way.up_bytes);
  if (way.down_bytes) put(root, rank_, *way.down_bytes);
  return result;
}

} // namespace rondo::matrix::internal
