// SPDX-License-Identifier: Apache-2.0
// Whom neighbourhood collectives of a rank go to: what it made of its communicators.
#pragma once

#include "rondo/trace/call_meaning.hpp"
#include "rondo/trace/collective_part.hpp"
#include "simulate/ranks/call_source.hpp"
#include "simulate/transport/joined_graphs.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

namespace rondo::simulate::internal {

/// Process topologies of one rank's communicators, by their slots.
class ProcessTopologies {
public:
  struct Neighbors {
    std::vector<std::int32_t> sources; // world ranks, -1 for none
    std::vector<std::int32_t> destinations;
  };

  /// The call that `source` gave last made the communicator `made`.
  void learn(const CallSource& source, std::int64_t made, JoinedGraphs& graphs, std::int64_t rank);
  /// nullptr if the communicator has no process topology that the trace knows. Graphs of
  /// MPI_Dist_graph_create are whole once all ranks have met in it, so at the first use.
  const Neighbors* of(const CallSource& source, std::int64_t comm);

private:
  struct Grid {
    std::vector<std::int64_t> dims, periods;
  };

  void learn_same(std::int64_t comm, std::int64_t made);
  void learn_grid(const CallSource& source, std::int64_t comm, const Grid& grid);
  Grid part_of(std::int64_t comm, std::span<const std::int64_t> kept) const;
  void set(const CallSource& source, std::int64_t comm, const trace::Neighbors& ranks);

  std::unordered_map<std::int64_t, Neighbors> neighbors_;
  std::unordered_map<std::int64_t, Grid> grids_;
  std::unordered_map<std::int64_t, std::shared_ptr<const trace::DistGraph>>
      joined_; // edges of all ranks that were not looked up yet
};

} // namespace rondo::simulate::internal
