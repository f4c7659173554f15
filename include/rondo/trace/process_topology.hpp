// SPDX-License-Identifier: Apache-2.0
// Whom a rank hears from and speaks to in neighbourhood collectives, from the arguments of the call
// that made the process topology. Ranks are those of the new communicator; the ranks of
// MPI_Dist_graph_create are numbers of the graph's nodes, which are the same.
//
//   Neighbors mine = grid_neighbors(rank, dims, periods);
//   DistGraph graph; // what each rank says of MPI_Dist_graph_create's edges, joined
//   graph.add(nodes, degrees, destinations);
//   Neighbors theirs = graph.of(rank);
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace rondo::trace {

struct Neighbors {
  std::vector<std::int64_t> sources; // -1 beyond the border of a grid
  std::vector<std::int64_t> destinations;

  friend bool operator==(const Neighbors&, const Neighbors&) = default;
};

/// Of a Cartesian grid: in each dimension the one below and the one above, -1 beyond a border.
/// @param periods  as many as dims; not 0 closes the dimension
/// @complexity     O(dimensions)
Neighbors grid_neighbors(std::int64_t rank, std::span<const std::int64_t> dims,
                         std::span<const std::int64_t> periods);

/// Of MPI_Graph_create: index holds where each rank's edges end.
/// @complexity  O(neighbours)
Neighbors graph_neighbors(std::int64_t rank, std::span<const std::int64_t> index,
                          std::span<const std::int64_t> edges);

/// The edges of MPI_Dist_graph_create, where any rank may give any edges. Which neighbour comes
/// first is up to the MPI library; here it is the order in which edges are added.
class DistGraph {
public:
  /// What one call gives: for each source so many destinations. Lists that are too short for the
  /// degrees give the edges that are there.
  void add(std::span<const std::int64_t> sources, std::span<const std::int64_t> degrees,
           std::span<const std::int64_t> destinations);

  /// Both lists are empty for a rank without edges.
  const Neighbors& of(std::int64_t rank) const;

private:
  std::unordered_map<std::int64_t, Neighbors> of_rank_;
  Neighbors none_;
};

} // namespace rondo::trace
