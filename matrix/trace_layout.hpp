// SPDX-License-Identifier: Apache-2.0
// Which words of a call say how much it sends, and to whom.
#pragma once

#include "rondo/trace/collective_steps.hpp"
#include "rondo/trace/functions.hpp"

#include <array>
#include <cstdint>
#include <optional>

namespace rondo::matrix::internal {

/// How a collective's counts make up what a rank hands over (rondo/matrix/trace_traffic.hpp).
enum class Amount : std::uint8_t {
  kNothing,
  kMessage, // no collective: one message of count elements
  kRootsBlock, // bcast
  kOwnBlock, // gather, allgather, allreduce, scan, ...
  kOwnBlockOfMany, // gatherv, allgatherv: in place, one of the receive counts
  kReduceBlock, // reduce
  kBlockForEachRank, // scatter, alltoall
  kBlockForEachMember, // reduce_scatter_block
  kBlockForEachNeighbor, // neighbor_alltoall
  kListedBlocks, // scatterv, alltoallv, alltoallw and their neighbourhood forms
  kReceivedBlocks, // reduce_scatter
};

struct Layout {
  static constexpr int kNone = -1;
  Amount amount = Amount::kNothing;
  std::optional<trace::CollectiveKind> operation{};
  // Indices of words, kNone where the function has no such argument.
  int comm = kNone;
  int dest = kNone;
  int root = kNone;
  int partitions = kNone;
  int send_buffer = kNone;
  int send_count = kNone; // an array for kListedBlocks
  int send_type = kNone; // an array for alltoallw
  int receive_count = kNone;
  int receive_type = kNone;
  bool has_type_arrays = false;

  std::array<int, 9> words() const {
    return {comm,       dest,      root,          partitions,  send_buffer,
            send_count, send_type, receive_count, receive_type};
  }
};

/// The layout of a function that is_send() or is_collective().
const Layout& layout_of(const trace::Function& function);

inline bool is_send(const trace::Function& function) {
  return function.role == trace::Role::kSend || function.role == trace::Role::kSendrecv;
}

inline bool is_collective(const trace::Function& function) {
  return function.role == trace::Role::kCollective || function.role == trace::Role::kNeighbor;
}

/// Its request is named by a slot, and what it does happens when that is started.
inline bool is_started_later(const trace::Function& function) {
  return function.mode == trace::Mode::kPersistent || function.mode == trace::Mode::kPartitioned;
}

} // namespace rondo::matrix::internal
