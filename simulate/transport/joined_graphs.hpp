// SPDX-License-Identifier: Apache-2.0
// The graphs of MPI_Dist_graph_create: every rank says some edges, of itself or of others, and only
// what all say together tells a rank its neighbours.
#pragma once

#include "rondo/trace/process_topology.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>

namespace rondo::simulate::internal {

class JoinedGraphs {
public:
  /// Adds one rank's edges to the graph of a communicator. A communicator that is made again is
  /// the next graph: the i-th calls of all ranks belong together.
  /// @param comm  the same number on all ranks
  /// @return      the graph, which is whole once all ranks have added to it
  std::shared_ptr<const trace::DistGraph> add(std::uint32_t comm, std::int64_t rank,
                                              std::span<const std::int64_t> sources,
                                              std::span<const std::int64_t> degrees,
                                              std::span<const std::int64_t> destinations) {
    const std::uint64_t number = calls_[{comm, rank}]++;
    auto& graph = graphs_[{comm, number}];
    if (!graph) graph = std::make_shared<trace::DistGraph>();
    graph->add(sources, degrees, destinations);
    if (number > 0) graphs_.erase({comm, number - 1}); // all have met in it, and hold it
    return graph;
  }

private:
  std::map<std::pair<std::uint32_t, std::int64_t>, std::uint64_t> calls_; // by rank
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::shared_ptr<trace::DistGraph>> graphs_;
};

} // namespace rondo::simulate::internal
