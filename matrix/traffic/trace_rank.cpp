// SPDX-License-Identifier: Apache-2.0
#include "matrix/traffic/trace_rank.hpp"

#include "matrix/traffic/call_traffic.hpp"

#include <algorithm>
#include <utility>

namespace rondo::matrix::internal {
namespace {

using trace::Positions;

std::optional<std::int64_t> member(const std::vector<trace::RankRange>& members,
                                   std::int64_t index) {
  for (const trace::RankRange& range : members) {
    if (index >= 0 && index < range.count) return range.start + index * range.stride;
    index -= range.count;
  }
  return std::nullopt;
}

std::int64_t size_of(const std::vector<trace::RankRange>& members) {
  std::int64_t size = 0;
  for (const trace::RankRange& range : members) size += range.count;
  return size;
}

bool is_intercommunicator(const Positions::Position& position) {
  return position.comm != nullptr && !position.comm->remote.empty();
}

std::uint64_t members_of(const Positions::Position& position) {
  const auto* comm = position.comm;
  return static_cast<std::uint64_t>(comm != nullptr ? size_of(comm->members) : position.size);
}

std::uint64_t count_of(std::int64_t word) {
  return word > 0 ? static_cast<std::uint64_t>(word) : 0; // specials are negative
}

} // namespace

RankTraffic::RankTraffic(const trace::Trace& trace, const trace::Program& program,
                         std::int64_t rank, const DistGraphs& graphs, PeerOf peer_of)
    : trace_(&trace), program_(&program), rank_(rank), peer_of_(std::move(peer_of)),
      positions_(trace, rank), neighbors_(program, rank, positions_, graphs) {
  for (const trace::DatatypeDefinition& type : trace.datatypes) {
    if (type.holders.contains(rank)) size_bytes_.emplace(type.slot, count_of(type.size_bytes));
  }
}

// Words -------------------------------------------------------------------------------------------

const Positions::Position* RankTraffic::position_of(const TalliedCall& call) const {
  const int comm = trace::meaning_of(*call.function).comm;
  return &positions_.of(comm < 0 ? trace::kWorldSlot
                                 : call.words[static_cast<std::size_t>(comm)].value);
}

std::int64_t RankTraffic::value_of(const TalliedCall& call, int word) const {
  if (word < 0 || static_cast<std::size_t>(word) >= call.words.size()) return trace::kNothing;
  return trace::value_of_word(*program_, call.words[static_cast<std::size_t>(word)], rank_,
                              *position_of(call));
}

std::vector<std::int64_t> RankTraffic::values_of(const TalliedCall& call, int word) const {
  const std::int64_t index = value_of(call, word);
  if (index < 0 || static_cast<std::size_t>(index) >= program_->arrays.size()) return {};
  return program_->arrays[static_cast<std::size_t>(index)];
}

std::optional<std::int64_t> RankTraffic::world_rank(std::int64_t comm, std::int64_t peer) const {
  std::optional<std::int64_t> rank;
  if (comm == trace::kWorldSlot) {
    rank = peer;
  } else if (comm == trace::kSelfSlot) {
    if (peer == 0) rank = rank_;
  } else if (const auto* definition = positions_.of(comm).comm) {
    rank = member(definition->remote.empty() ? definition->members : definition->remote, peer);
  }
  const bool is_known = rank && *rank >= 0 && *rank < trace_->run.ranks;
  return is_known ? rank : std::nullopt;
}

// Messages ----------------------------------------------------------------------------------------

std::optional<MessagesSent> RankTraffic::messages_of(const TalliedCall& call,
                                                     TrafficLoss& loss) const {
  const trace::CallMeaning& means = trace::meaning_of(*call.function);
  const std::int64_t peer = value_of(call, means.dest);
  if (peer == trace::kProcNull || call.executions == 0) return std::nullopt;
  const auto destination = peer_of_ ? std::optional(peer_of_(rank_, peer))
                                    : world_rank(value_of(call, means.comm), peer);
  if (!destination) {
    count_lost(call, bytes_of(message_amounts(call), call.executions, loss), loss);
    return std::nullopt;
  }
  return MessagesSent{call.function, rank_, *destination, call.executions,
                      bytes_of(message_amounts(call), call.executions, loss)};
}

std::int64_t RankTraffic::tag_of(const TalliedCall& call) const {
  return value_of(call, trace::meaning_of(*call.function).send_tag);
}

// A communicator that the trace defines has members outside MPI_COMM_WORLD; of another one nothing
// is known.
void RankTraffic::count_lost(const TalliedCall& call, std::uint64_t bytes,
                             TrafficLoss& loss) const {
  if (comm_of(call) == nullptr) {
    loss.unknown_peers += call.executions;
  } else {
    loss.outside_messages += call.executions;
    loss.outside_bytes += call.executions * bytes;
  }
}

std::optional<std::int64_t> RankTraffic::outsider_of(const TalliedCall& call) const {
  const std::int64_t peer = value_of(call, peer_word_of(trace::meaning_of(*call.function)));
  const bool is_outside =
      peer >= 0 && comm_of(call) != nullptr && !world_rank(comm_slot_of(call), peer).has_value();
  return is_outside ? std::optional(peer) : std::nullopt;
}

std::uint64_t RankTraffic::bytes_moved_by(const TalliedCall& call) const {
  TrafficLoss loss; // what is not known moves nothing that could be counted
  const int peer = peer_word_of(trace::meaning_of(*call.function));
  if (peer >= 0 && value_of(call, peer) == trace::kProcNull) return 0;
  if (is_collective(*call.function)) return collectives_of(call, loss).bytes_each;
  if (is_one_sided(*call.function)) {
    const Ways ways = ways_of(call, loss);
    return ways.there.value_or(0) + ways.back.value_or(0);
  }
  return bytes_of(message_amounts(call), call.executions, loss);
}

RankTraffic::Amounts RankTraffic::message_amounts(const TalliedCall& call) const {
  const trace::CallMeaning& means = trace::meaning_of(*call.function);
  Amounts amounts{{value_of(call, means.send_count)}, {value_of(call, means.send_type)}};
  if (means.partitions >= 0) amounts.times = count_of(value_of(call, means.partitions));
  return amounts;
}

std::uint64_t RankTraffic::bytes_of(const Amounts& amounts, std::uint64_t executions,
                                    TrafficLoss& loss) const {
  std::uint64_t bytes = 0;
  bool is_unknown = false;
  for (std::size_t i = 0; i < amounts.counts.size(); ++i) {
    const std::uint64_t count = count_of(amounts.counts[i]);
    if (count == 0 || amounts.types.empty()) continue;
    const auto size = size_bytes_.find(amounts.types[std::min(i, amounts.types.size() - 1)]);
    is_unknown = is_unknown || size == size_bytes_.end();
    if (size != size_bytes_.end()) bytes += count * size->second;
  }
  if (is_unknown) loss.unknown_sizes += executions;
  return bytes * amounts.times;
}

std::int64_t RankTraffic::comm_slot_of(const TalliedCall& call) const {
  const trace::CallMeaning& means = trace::meaning_of(*call.function);
  if (means.window >= 0) return comm_of_window(value_of(call, means.window));
  return means.comm < 0 ? trace::kWorldSlot : value_of(call, means.comm);
}

const trace::CommDefinition* RankTraffic::comm_of(const TalliedCall& call) const {
  return positions_.of(comm_slot_of(call)).comm;
}

// Collectives -------------------------------------------------------------------------------------

CollectiveCalls RankTraffic::collectives_of(const TalliedCall& call, TrafficLoss& loss) const {
  return {call.function, rank_, call.executions,
          bytes_of(handed_over(call, loss), call.executions, loss)};
}

RankTraffic::Amounts RankTraffic::handed_over(const TalliedCall& call, TrafficLoss& loss) const {
  const trace::CallMeaning& means = trace::meaning_of(*call.function);
  const Positions::Position& position = *position_of(call);
  const bool in_place = value_of(call, means.send_buffer) == trace::kInPlace;
  const std::int64_t root = value_of(call, means.root);
  const bool is_root =
      is_intercommunicator(position) ? root == trace::kRootHere : root == position.rank;
  const bool from_receive_buffer = in_place && means.receive_count >= 0;
  const int count = from_receive_buffer ? means.receive_count : means.send_count;
  const int type = from_receive_buffer ? means.receive_type : means.send_type;
  const Amounts block{{value_of(call, count)}, {value_of(call, type)}};
  const auto many = [&](std::uint64_t times) { return Amounts{block.counts, block.types, times}; };
  switch (amount_of(means.collective)) {
  case Amount::kNothing:
    return {};
  case Amount::kRootsBlock:
    return is_root ? block : Amounts{};
  case Amount::kReduceBlock:
    return root == trace::kRootHere ? Amounts{} : block;
  case Amount::kOwnBlock:
    return block;
  case Amount::kOwnBlockOfMany: {
    if (!in_place) return block;
    const auto counts = values_of(call, means.receive_count);
    const auto mine = static_cast<std::size_t>(std::max<std::int64_t>(position.rank, 0));
    return mine < counts.size() ? Amounts{{counts[mine]}, block.types} : Amounts{};
  }
  case Amount::kBlockForEachRank: // of MPI_Scatter, the counts are nothing but on the root
    return many(count_of(position.size));
  case Amount::kBlockForEachMember:
    return {{value_of(call, means.receive_count)},
            {value_of(call, means.send_type)},
            members_of(position)};
  case Amount::kBlockForEachNeighbor: {
    const auto& all = neighbors_.of(value_of(call, means.comm), call.maker.get());
    if (!all) loss.unknown_neighbors += call.executions;
    return many(all ? all->destinations.size() : 0);
  }
  case Amount::kListedBlocks:
    return {values_of(call, count), means.has_send_types ? values_of(call, type) : block.types};
  case Amount::kReceivedBlocks:
    return {values_of(call, means.receive_count), {value_of(call, means.send_type)}};
  }
  return {};
}

} // namespace rondo::matrix::internal
