// SPDX-License-Identifier: Apache-2.0
// Collective operations as messages, by the algorithms that MPI libraries use [thakur2005].
#pragma once

#include <cstdint>
#include <vector>

namespace rondo::simulate::internal {

/// Receive, then send, then wait for both.
struct Step {
  std::int32_t from = -1; // world rank; -1: nothing is received
  std::int32_t to = -1;
  std::uint64_t bytes = 0; // sent
  bool goes_on = false; // waits together with the next step
};

enum class Operation : std::uint8_t {
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

/// One rank's part in an operation.
struct CollectivePart {
  Operation operation = Operation::kBarrier;
  std::int64_t rank = 0; // in the communicator
  std::vector<std::int32_t> members; // world ranks; of an inter-communicator: the other group's
  bool is_inter = false;
  std::int64_t root = 0; // of an inter-communicator: the other group's, -1 none, kHere this rank
  std::uint64_t block = 0; // bytes: what one rank has of the whole
  std::vector<std::uint64_t> blocks; // for each rank or neighbour, where they differ
  std::vector<std::int32_t> sources; // neighbours as world ranks, -1 for none
  std::vector<std::int32_t> destinations;
  static constexpr std::int64_t kHere = -2;

  /// What this rank hands over, for formulas.
  std::uint64_t total_bytes() const;
};

/// @complexity O(steps): log(ranks) for trees and doubling, ranks for rings and pairs
std::vector<Step> steps_of(const CollectivePart& part);

} // namespace rondo::simulate::internal
