// SPDX-License-Identifier: Apache-2.0
// The calls of one rank, from the program of all: cells become ranks again, directions peers.
#include "logical/places/comm_ranks.hpp"
#include "logical/places/peer_topologies.hpp"
#include "logical/places/peer_words.hpp"
#include "rondo/logical/logical_program.hpp"

namespace rondo::logical {

using internal::comm_of;
using trace::Trace;

Expansion::Expansion(const Trace& trace, const LogicalProgram& program, std::int64_t rank,
                     std::uint32_t thread)
    : program_(program), rank_(rank), rank_of_cell_(program.cell_of_rank.size()),
      positions_(trace, rank),
      reader_(program.cells,
              *program.cells.class_of(program.cell_of_rank[static_cast<std::size_t>(rank)], thread),
              program.cell_of_rank[static_cast<std::size_t>(rank)]) {
  for (std::size_t old = 0; old < rank_of_cell_.size(); ++old)
    rank_of_cell_[static_cast<std::size_t>(program.cell_of_rank[old])] =
        static_cast<std::int64_t>(old);
}

const trace::CallInstance* Expansion::next() {
  const trace::CallInstance* logical = reader_.next();
  if (logical == nullptr) return nullptr;
  call_ = *logical;
  const std::int64_t comm = comm_of(call_);
  const std::int64_t own = comm == trace::kWorldSlot
                               ? program_.cell_of_rank[static_cast<std::size_t>(rank_)]
                               : positions_.of(comm).rank;
  const auto ranks = static_cast<std::int64_t>(rank_of_cell_.size());
  internal::for_each_rank_word(*call_.function, [&](std::size_t word, const trace::Field& field) {
    std::int64_t& value = call_.words[word];
    if (trace::is_special(value)) return;
    if (field.kind != trace::FieldKind::kRoot) {
      value = recorded_peer(value - own, comm);
    } else if (comm == trace::kWorldSlot && value >= 0 && value < ranks) {
      value = rank_of_cell_[static_cast<std::size_t>(value)];
    }
  });
  return &call_;
}

std::vector<std::int64_t> Expansion::array(const trace::Field& field, std::int64_t word) const {
  if (!field.is_array || trace::is_special(word)) return {};
  std::vector<std::int64_t> values = reader_.program().arrays[static_cast<std::size_t>(word)];
  const std::int64_t comm = comm_of(call_);
  internal::for_each_rank_in_array(field, values, [&](std::int64_t& value) {
    if (!trace::is_special(value)) value = recorded_peer(value, comm) - rank_;
  });
  return values;
}

std::int64_t Expansion::recorded_peer(std::int64_t code, std::int64_t comm) const {
  const Peer peer = peer_of(code);
  if (peer.form == Peer::Form::kUnknown) return peer.distance;
  if (comm == trace::kSelfSlot) return 0;
  return internal::local_rank(positions_, comm, world_rank_of(peer));
}

std::int64_t Expansion::world_rank_of(const Peer& peer) const {
  const auto own = static_cast<std::size_t>(rank_);
  if (peer.form == Peer::Form::kSelf) return rank_;
  if (peer.form == Peer::Form::kOutside)
    return rank_of_cell_[static_cast<std::size_t>(program_.cell_of_rank[own] + peer.distance)];
  const PeerTopology& peer_topology = program_.peer_topologies[peer.peer_topology];
  const auto cell = peer_topology.directions.target(peer_topology.cells[own], peer.direction);
  if (!cell) return -1;
  if (&peer_topology ==
      &program_.peer_topologies.front()) { // whose copies and cells number the ranks
    const std::int64_t step = *cell - peer_topology.cells[own];
    return rank_of_cell_[static_cast<std::size_t>(program_.cell_of_rank[own] + step)];
  }
  for (std::size_t rank = 0; rank < peer_topology.cells.size(); ++rank) {
    const bool same_copy =
        peer_topology.copy_of.empty() || peer_topology.copy_of[rank] == peer_topology.copy_of[own];
    if (same_copy && peer_topology.cells[rank] == *cell) return static_cast<std::int64_t>(rank);
  }
  return -1;
}

} // namespace rondo::logical
