// SPDX-License-Identifier: Apache-2.0
// Collective operations as the messages of which they consist, by the algorithms that MPI libraries
// use [thakur2005]: what one rank receives and sends, in order.
//
//   CollectivePart part{.operation = CollectiveKind::kBcast, .rank = 3, .members = all};
//   part.block = 8000;
//   for (const CollectiveStep& step : steps_of(part)) use(step);
#pragma once

#include "rondo/trace/functions.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rondo::trace {

enum class CollectiveKind : std::uint8_t {
  kBarrier,
  kBcast,
  kGather,
  kGatherv,
  kScatter,
  kScatterv,
  kAllgather,
  kAllgatherv,
  kAlltoall,
  kAlltoallv,
  kReduce,
  kAllreduce,
  kReduceScatter,
  kScan,
  kExscan,
  kNeighborAllgather,
  kNeighborAlltoall,
};

/// Of those that speak to the neighbours in a topology that the program made.
constexpr bool is_neighborhood(CollectiveKind kind) {
  return kind >= CollectiveKind::kNeighborAllgather;
}

/// "MPI_Igatherv", "MPI_Gatherv_init_c", ... -> "gatherv".
std::string collective_name_of(const Function& function);

/// Nothing for functions that are no collective operation on data, and no barrier.
std::optional<CollectiveKind> collective_kind_of(const Function& function);
bool is_neighborhood(const Function& function);

/// Receive, then send, then wait for both.
struct CollectiveStep {
  std::int32_t from = -1; // world rank; -1: nothing is received
  std::int32_t to = -1;
  std::uint64_t bytes = 0; // sent
  bool goes_on = false; // waits together with the next step
  std::uint64_t received = 0; // bytes; 0 where the part does not say
};

/// Those that a rank meets in a communicator, as world ranks in its order. Each rank of a large one
/// has such a list, so consecutive ranks take no memory, and others are shared.
class Members {
public:
  Members() = default;
  static Members consecutive(std::int64_t first, std::int64_t count) {
    Members members;
    members.first_ = first;
    members.count_ = count;
    return members;
  }
  /// @param ranks  not null
  static Members listed(std::shared_ptr<const std::vector<std::int64_t>> ranks) {
    Members members = consecutive(0, static_cast<std::int64_t>(ranks->size()));
    members.ranks_ = std::move(ranks);
    return members;
  }
  std::int64_t size() const { return count_; }
  /// @param member  below size()
  std::int32_t operator[](std::int64_t member) const {
    return static_cast<std::int32_t>(ranks_ ? (*ranks_)[static_cast<std::size_t>(member)]
                                            : first_ + member);
  }

private:
  std::int64_t first_ = 0; // without a list
  std::int64_t count_ = 0;
  std::shared_ptr<const std::vector<std::int64_t>> ranks_;
};

/// One rank's part in an operation.
struct CollectivePart {
  CollectiveKind operation = CollectiveKind::kBarrier;
  std::int64_t rank = 0; // in the communicator
  Members members{}; // of an inter-communicator: the other group's
  bool is_inter = false;
  std::int64_t root = 0; // of an inter-communicator: the other group's, -1 none, kHere this rank
  std::uint64_t block = 0; // bytes: what one rank has of the whole
  std::vector<std::uint64_t> blocks{}; // for each rank or neighbour, where they differ
  std::vector<std::uint64_t> received_blocks{}; // the same of what comes; empty: as `blocks`
  std::vector<std::int32_t> sources{}; // neighbours as world ranks, -1 for none
  std::vector<std::int32_t> destinations{};
  static constexpr std::int64_t kHere = -2;

  /// What this rank hands over, for formulas.
  std::uint64_t total_bytes() const;
};

/// Binomial trees for a root's operations (one by one where the sizes differ), dissemination for
/// barriers, recursive doubling for reductions of all and scans, Bruck's algorithm for short and
/// rings for long allgathers, Bruck's for short and pairwise exchange for long alltoalls.
/// @complexity  O(steps): log(ranks) for trees and doubling, ranks for rings and pairs
/// @source      [thakur2005]
std::vector<CollectiveStep> steps_of(const CollectivePart& part);

/// What that is called: "binomial tree", "pairwise exchange".
std::string_view algorithm_of(const CollectivePart& part);

} // namespace rondo::trace
