// SPDX-License-Identifier: Apache-2.0
// The other names of a graph that has been recognized.
#pragma once

#include "topology/match.hpp"

#include <vector>

namespace rondo::topology::internal {

/// Names of the same mesh that follow from its sizes alone: two open dimensions of two ranks are
/// one periodic dimension of four; if all have two ranks it is a hypercube.
/// @complexity     O(dimensions squared)
/// @source         [logicalization, Table 7]
std::vector<Topology> mesh_aliases(const Topology& mesh);

/// True if both have the same dimensions, in any order.
bool same_up_to_order(std::vector<Dimension> a, std::vector<Dimension> b);

/// A cell of `mesh` as a cell of `alias`, which is one of mesh_aliases(mesh), or the mesh with its
/// dimensions in another order.
/// @complexity     O(dimensions squared), prepared once
class MeshTranslation {
public:
  MeshTranslation(const Topology& mesh, const Topology& alias);
  Vertex operator()(Vertex cell) const;

private:
  struct Part {
    Dimension dimension;
    std::size_t first = 0; // dimension of the mesh
    std::size_t second = 0; // and a second one, for a periodic dimension of four made of two
    bool paired = false;
  };
  std::vector<Dimension> mesh_;
  std::vector<Part> parts_;
};

} // namespace rondo::topology::internal
