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
  kOneSided, // elements to the target, elements back, or both
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
  // Of one-sided calls:
  int window = kNone;
  int op = kNone;
  std::uint64_t elements_there = 0; // times the origin's count, where there is one
  std::uint64_t elements_back = 0;

  std::array<int, 11> words() const {
    return {comm,      dest,          root,         partitions, send_buffer, send_count,
            send_type, receive_count, receive_type, window,     op};
  }
};

/// The layout of a function that has_traffic().
const Layout& layout_of(const trace::Function& function);

inline bool is_send(const trace::Function& function) {
  return function.role == trace::Role::kSend || function.role == trace::Role::kSendrecv;
}

inline bool is_collective(const trace::Function& function) {
  return function.role == trace::Role::kCollective || function.role == trace::Role::kNeighbor;
}

/// It moves data between the caller and a target of its choice.
inline bool is_one_sided(const trace::Function& function) {
  return function.role == trace::Role::kRma && function.word_of("target_rank") >= 0;
}

/// It reads from a file or writes to one, or begins to.
inline bool is_file_access(const trace::Function& function) {
  return function.role == trace::Role::kIo && function.word_of("count") >= 0 &&
         function.word_of("datatype") >= 0;
}

inline bool has_traffic(const trace::Function& function) {
  return is_send(function) || is_collective(function) || is_one_sided(function) ||
         is_file_access(function);
}

/// Its request is named by a slot, and what it does happens when that is started.
inline bool is_started_later(const trace::Function& function) {
  return function.mode == trace::Mode::kPersistent || function.mode == trace::Mode::kPartitioned;
}

} // namespace rondo::matrix::internal
