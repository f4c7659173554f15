// SPDX-License-Identifier: Apache-2.0
// How the ranks of a recognized lattice are numbered: row by row in some order of the dimensions,
// as a snake, in blocks, or in no such way.
//
//   describe(recognition.numbering); // "row-major", "column-major (2x4)",
//   // "blocks of 2x2, row-major"
#pragma once

#include "rondo/topology/topology.hpp"

#include <string>
#include <vector>

namespace rondo::topology {

enum class NumberingKind {
  kNone, // no coordinates, or no lattice
  kRowMajor, // the last dimension of the layout counts fastest
  kColumnMajor, // the same, the layout being the topology's dimensions in reverse order
  kSnake, // row by row, every second row backwards
  kBlocked, // row-major within blocks, blocks row-major
  kCartesian, // as MPI_Cart_create gave coordinates, not row-major
  kArbitrary,
};

struct Numbering {
  NumberingKind kind = NumberingKind::kNone;
  TopologyKind of = TopologyKind::kEmpty; // kind of the name it belongs to, which may be an alias
  /// Dimensions as the numbering counts them, slowest first.
  std::vector<Dimension> layout = {};
  std::vector<Vertex> block = {}; // kBlocked: extent of a block in each dimension of the layout
};

/// In words.
std::string describe(const Numbering& numbering);

/// Cell of `rank` in the layout (row-major cell), by the numbering's rule.
Vertex cell_by_rule(const Numbering& numbering, Vertex rank);

/// The first rule under which the graph is exactly `topology` or one of `aliases`: row-major in any
/// order of dimensions first, then snakes and blocks. kArbitrary if none fits, kNone if no name has
/// coordinates.
/// @complexity     O(edges * dimensions) for the rule that fits, little for those that do not
/// @source         [logicalization, sec. 4.2]; added: the paper leaves the numbering open
Numbering find_numbering(const Adjacency& graph, const Topology& topology,
                         const std::vector<Topology>& aliases);

} // namespace rondo::topology
