// SPDX-License-Identifier: Apache-2.0
// What a call means for traffic: whether it moves data, and how its counts make up the amount.
#pragma once

#include "rondo/trace/call_meaning.hpp"
#include "rondo/trace/collective_steps.hpp"

#include <cstdint>
#include <vector>

namespace rondo::matrix::internal {

/// What a call moves, if anything.
enum class Traffic : std::uint8_t {
  kNone,
  kMessage, // is sent; what is received was counted where it was sent
  kOneSided, // between the caller and a target of its choice
  kCollective,
  kFile, // is read or written, or begins to be
};

Traffic traffic_of(const trace::Function& function);

/// How a collective's counts make up what a rank hands over (rondo/matrix/trace_traffic.hpp).
enum class Amount : std::uint8_t {
  kNothing,
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

Amount amount_of(trace::Collective operation);

/// The words that say whom a call speaks to: a destination, a target; -1: none.
int peer_word_of(const trace::CallMeaning& means);

/// The words that matter for the traffic of a call; empty for one that has none.
/// @param with_tags  the tag of what is sent, too
std::vector<int> traffic_words_of(const trace::Function& function, bool with_tags = false);

inline bool is_send(const trace::Function& function) {
  return traffic_of(function) == Traffic::kMessage;
}
inline bool is_collective(const trace::Function& function) {
  return traffic_of(function) == Traffic::kCollective;
}
inline bool is_one_sided(const trace::Function& function) {
  return traffic_of(function) == Traffic::kOneSided;
}
inline bool is_file_access(const trace::Function& function) {
  return traffic_of(function) == Traffic::kFile;
}
inline bool has_traffic(const trace::Function& function) {
  return traffic_of(function) != Traffic::kNone;
}

/// Its request is named by a slot, and what it does happens when that is started.
inline bool is_started_later(const trace::Function& function) {
  return trace::meaning_of(function).is_started_later;
}

} // namespace rondo::matrix::internal
