// SPDX-License-Identifier: Apache-2.0
// The name of a communication graph up to the numbering of its ranks: a family and its sizes. Two
// topologies may have the same graph (a 4x4 torus is a hypercube); they are then aliases.
//
//   name({.kind = TopologyKind::kMesh, .ranks = 12, .dimensions = {{4, true}, {3, true}}});
//   // "4x3 torus"
#pragma once

#include "rondo/topology/adjacency.hpp"
#include "rondo/topology/shared.hpp"

#include <string>
#include <vector>

namespace rondo::topology {

enum class TopologyKind {
  kEmpty, // no two ranks communicate
  kIrregular, // none of the families below
  kSeveral, // parts that do not talk to each other and differ
  kChain, // one open dimension
  kRing, // one periodic dimension
  kMesh, // product of open and periodic dimensions: grid, torus, mixtures
  kHypercube, // ranks differ in one bit
  kSixPoint, // multi-partition: (1,0), (0,1), (1,-1) and their opposites on a torus
  kTwistedTorus, // a 2-D torus whose columns close with a shift
  kMoore, // all neighbours at distance one, with diagonals: 8 in 2-D, 26 in 3-D
  kEighteenPoint, // 3-D, neighbours across faces and edges but not corners
  kStarStencil, // neighbours up to some distance along every axis, none across
  kComplete, // all pairs
  kMultipartite, // all pairs of different parts
  kRowColumn, // all pairs within a row or a column
  kStar, // one rank talks to all others
  kHeapTree, // parent of i is (i - 1) / arity
  kBinomialTree, // parent of i is i with its lowest bit cleared, or its highest
  kTree, // any other tree
  kRecursiveDoubling, // hypercube with the surplus ranks folded in, for any number of ranks
  kIncompleteHypercube, // ranks differ in one bit, for any number of ranks
  kDissemination, // ranks i and i + 2^j, modulo the number of ranks
  kPrefixScan, // ranks i and i + 2^j, where there is such a rank
  kMultigrid, // a grid, and on it every second, fourth, ... rank of each dimension as a grid
  kCg, // NAS CG: halving exchanges within rows, and the transpose partner
  kHierarchy, // groups that talk among themselves, and whose leaders form another topology
  kFatTree, // levels of switches, XGFT(h; m; w): a node has m children below and w parents above
  kUser, // of a family that was read from a file (family.hpp)
};

struct Dimension {
  Vertex size = 1;
  bool periodic = false;

  friend bool operator==(const Dimension&, const Dimension&) = default;
};

/// A member of a family that was read from a file.
struct UserTopology {
  std::string name; // with its sizes and parameters
  Adjacency graph;

  friend bool operator==(const UserTopology&, const UserTopology&) = default;
};

struct Topology {
  TopologyKind kind = TopologyKind::kEmpty;
  Vertex ranks = 0;
  /// Meshes, stencils and hypercubes: sizes, largest first. A dimension of size 2 is never
  /// periodic, one of at most radius + 1 neither. User families: in the order of their file.
  std::vector<Dimension> dimensions = {};
  Vertex shift = 0; // columns of a twisted torus or six-point stencil: row n ends in row 0, shifted
  /// Sizes of the parts (kMultipartite), rows and columns (kRowColumn), or children of the levels
  /// and then parents of the levels, both from below (kFatTree).
  std::vector<Vertex> parts = {};
  Vertex arity = 0; // kHeapTree
  bool clears_highest_bit = false; // kBinomialTree: of i, for its parent
  Vertex levels = 0; // kMultigrid: grids, the finest one too
  Vertex radius = 0; // kStarStencil: farthest neighbour along an axis, at least 2
  Vertex group = 0; // kHierarchy: ranks of each group, with its leader
  /// kHierarchy: one group may be smaller, as the last node of a machine that is not filled; its
  /// ranks, and the cell of its leader among the leaders. 0 if all groups are alike.
  Vertex small_group = 0;
  Vertex small_cell = 0;
  bool cliques = false; // kHierarchy: all pairs of a group talk, not only with the leader
  Shared<Topology> leaders = {}; // kHierarchy
  Shared<UserTopology> user = {}; // kUser

  friend bool operator==(const Topology&, const Topology&) = default;
};

/// kHierarchy: the cell of the leader of a group; its members follow.
Vertex leader_cell(const Topology& topology, Vertex group);

/// kHierarchy: ranks of a group, with its leader.
Vertex group_size(const Topology& topology, Vertex group);

/// A topology whose cells are points of a box with `dimensions`.
bool has_coordinates(const Topology& topology);

/// In words, e.g. "4x4 6-point stencil", "8x2x2 torus", "5x4 grid, periodic in dimension 1", "CG
/// pattern".
/// @source         [logicalization, Table 7]; wording
std::string name(const Topology& topology);

/// "4x4x2".
std::string size_text(const std::vector<Dimension>& dimensions);

/// Coordinates of a cell; the last dimension counts fastest.
std::vector<Vertex> coordinates(const std::vector<Dimension>& dimensions, Vertex cell);

/// The cell at coordinates inside the box.
Vertex cell_at(const std::vector<Dimension>& dimensions, const std::vector<Vertex>& coordinates);

/// The graph a topology stands for, on cells 0 .. ranks - 1: row-major cells where there are
/// coordinates, tree nodes, process numbers of the pattern, or ranks part by part. For kTree,
/// kIrregular and kSeveral, which name no single graph, it has no edges.
/// @complexity     O(ranks + edges)
/// @source         [logicalization, sec. 4.2], [npb]; one program for each family of the reference
/// library
Adjacency reference_graph(const Topology& topology);

} // namespace rondo::topology
