// SPDX-License-Identifier: Apache-2.0
#include "logical/places/closed_axes.hpp"

#include <cstdlib>
#include <set>
#include <utility>

namespace rondo::logical::internal {
namespace {

bool has_same_axes(const topology::Topology& a, const topology::Topology& b) {
  const auto axes = [](const topology::Topology& of) {
    std::multiset<std::pair<topology::Vertex, bool>> all;
    for (const topology::Dimension& d : of.dimensions) all.emplace(d.size, d.periodic);
    return all;
  };
  return axes(a) == axes(b);
}

// Whether the message goes one step along one axis, which it closes if it goes around.
bool close_axis(const matrix::MatrixEntry& entry, topology::Recognition& torus) {
  auto& dimensions = torus.topology.dimensions;
  const auto from = torus.cells[static_cast<std::size_t>(entry.source)];
  const auto to = torus.cells[static_cast<std::size_t>(entry.destination)];
  if (from < 0 || to < 0) return false;
  const auto a = topology::coordinates(dimensions, from);
  const auto b = topology::coordinates(dimensions, to);
  std::size_t moved = 0;
  for (std::size_t axis = 0; axis < a.size(); ++axis) {
    const topology::Vertex step = std::abs(a[axis] - b[axis]);
    if (step == 0) continue;
    ++moved;
    if (step == 1) continue;
    if (step + 1 != dimensions[axis].size) return false;
    dimensions[axis].periodic = true;
  }
  return moved == 1;
}

} // namespace

bool closes(const topology::Topology& closed, const topology::Topology& open) {
  if (open.kind == topology::TopologyKind::kChain)
    return closed.kind == topology::TopologyKind::kRing;
  const auto sizes = [](const topology::Topology& of) {
    std::multiset<topology::Vertex> all;
    for (const topology::Dimension& d : of.dimensions) all.insert(d.size);
    return all;
  };
  return open.kind == topology::TopologyKind::kMesh && closed.kind == open.kind &&
         sizes(closed) == sizes(open);
}

topology::Recognition with_axes_of(const topology::Recognition& open,
                                   const topology::Recognition& closed,
                                   const matrix::LayeredTraffic& layered,
                                   const std::vector<std::size_t>& layers) {
  topology::Recognition result = closed;
  result.topology.dimensions = open.topology.dimensions;
  result.cells = open.cells;
  for (const std::size_t layer : layers) {
    for (const matrix::MatrixEntry& entry : layered.layers[layer].entries) {
      if (entry.source != entry.destination && !close_axis(entry, result)) return closed;
    }
  }
  return has_same_axes(result.topology, closed.topology) ? result : closed;
}

} // namespace rondo::logical::internal
