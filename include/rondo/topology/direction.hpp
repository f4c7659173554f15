// SPDX-License-Identifier: Apache-2.0
// Which way the messages of a recognized graph go: a grid on which everybody talks both ways is a
// halo exchange, one on which all messages go away from a corner is a wavefront.
//
//   describe(direction_of(graph, recognition)); // "wavefront from rank 0", "shift", ""
#pragma once

#include "rondo/topology/offsets.hpp"
#include "rondo/topology/recognize.hpp"

#include <string>

namespace rondo::topology {

enum class DirectionKind {
  kBothWays, // or neither way in particular
  kWavefront, // a lattice of two or more dimensions, an open one among them; each is gone one way
  kPipeline, // the same with one open dimension
  kShift, // each dimension is periodic and gone one way
  kFromRoot, // a tree; every message goes away from its root
  kToRoot,
};

struct Direction {
  DirectionKind kind = DirectionKind::kBothWays;
  /// Wavefronts and pipelines: the rank from which all messages lead away, -1 if there is not just
  /// one. Trees: the root.
  Vertex source = -1;

  friend bool operator==(const Direction&, const Direction&) = default;
};

/// @param graph    what was recognized, after the filter
/// @complexity     O(edges * dimensions)
/// @source         [logicalization, sec. 4.3]; added: the paper's topologies have no direction
Direction direction_of(const Graph& graph, const Recognition& recognition);

/// In words, empty for kBothWays.
std::string describe(const Direction& direction);

} // namespace rondo::topology
