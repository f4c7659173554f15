// SPDX-License-Identifier: Apache-2.0
#include "topology/lattice_edges.hpp"

#include <array>
#include <utility>

namespace rondo::topology::internal {

LatticeEdges::LatticeEdges(const Topology& topology) : topology_(topology) {
  if (topology.kind == TopologyKind::kMoore)
    most_changed_ = static_cast<int>(topology.dimensions.size());
  if (topology.kind == TopologyKind::kEighteenPoint) most_changed_ = 2;
  if (topology.kind == TopologyKind::kStarStencil) radius_ = topology.radius;
  strides_.resize(topology.dimensions.size());
  Vertex stride = 1;
  for (std::size_t i = strides_.size(); i-- > 0;) {
    strides_[i] = stride;
    stride *= topology.dimensions[i].size;
  }
}

// Meshes: the cells differ by one stride without a carry, or span a periodic dimension. One
// division.
bool LatticeEdges::one_step(Vertex a, Vertex b) const {
  const Vertex low = a < b ? a : b;
  const Vertex apart = a < b ? b - a : a - b;
  for (std::size_t i = strides_.size(); i-- > 0;) {
    const Dimension& d = topology_.dimensions[i];
    if (apart == strides_[i]) return low / strides_[i] % d.size + 1 < d.size;
    if (d.periodic && apart == strides_[i] * (d.size - 1)) return low / strides_[i] % d.size == 0;
  }
  return false;
}

bool LatticeEdges::close(std::size_t dimension, Vertex a, Vertex b) const {
  const Dimension& d = topology_.dimensions[dimension];
  const Vertex apart = a < b ? b - a : a - b;
  return apart <= radius_ || (d.periodic && apart >= d.size - radius_);
}

// Six-point stencils and twisted tori: the difference is one of few offsets modulo the shifted
// lattice.
bool LatticeEdges::sheared(Vertex a, Vertex b) const {
  static constexpr std::array<std::pair<Vertex, Vertex>, 6> kOffsets = {
      {{0, 1}, {0, -1}, {1, 0}, {-1, 0}, {1, -1}, {-1, 1}}};
  const Vertex rows = topology_.dimensions[0].size;
  const Vertex columns = topology_.dimensions[1].size;
  const std::size_t count = topology_.kind == TopologyKind::kSixPoint ? 6 : 4;
  for (std::size_t i = 0; i < count; ++i) {
    Vertex row = a / columns + kOffsets[i].first;
    Vertex column = a % columns + kOffsets[i].second;
    if (row == rows) column += topology_.shift;
    if (row < 0) column -= topology_.shift;
    row = (row + rows) % rows;
    column = (column % columns + columns) % columns;
    if (row * columns + column == b) return true;
  }
  return false;
}

bool LatticeEdges::adjacent(Vertex a, Vertex b) const {
  if (a == b) return false;
  if (topology_.kind == TopologyKind::kSixPoint || topology_.kind == TopologyKind::kTwistedTorus)
    return sheared(a, b);
  if (most_changed_ == 1 && radius_ == 1) return one_step(a, b);
  int changed = 0;
  for (std::size_t i = topology_.dimensions.size(); i-- > 0;) {
    const Vertex size = topology_.dimensions[i].size;
    const Vertex xa = a % size;
    const Vertex xb = b % size;
    a /= size;
    b /= size;
    if (xa == xb) continue;
    if (++changed > most_changed_ || !close(i, xa, xb)) return false;
  }
  return true;
}

} // namespace rondo::topology::internal
