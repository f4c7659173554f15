// SPDX-License-Identifier: Apache-2.0
// Are two cells neighbours in a topology with coordinates? Answered from the coordinates alone.
#pragma once

#include "rondo/topology/topology.hpp"

#include <vector>

namespace rondo::topology::internal {

class LatticeEdges {
public:
  explicit LatticeEdges(const Topology& topology);

  /// @complexity     O(dimensions)
  bool adjacent(Vertex a, Vertex b) const;

private:
  bool one_step(Vertex a, Vertex b) const;
  bool close(std::size_t dimension, Vertex a, Vertex b) const;
  bool sheared(Vertex a, Vertex b) const;

  Topology topology_;
  std::vector<Vertex> strides_;
  int most_changed_ = 1; // dimensions in which neighbours may differ
  Vertex radius_ = 1; // how far apart they may be in one dimension
};

} // namespace rondo::topology::internal
