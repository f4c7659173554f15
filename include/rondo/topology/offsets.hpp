// SPDX-License-Identifier: Apache-2.0
// The traffic of a recognized lattice by direction: how many edges step by (1, 0), and which way
// their messages go. Shows wavefronts (one way) and faces against corners (bytes per edge).
//
//   for (const OffsetUse& use : offset_usage(graph, recognition))
//     std::cout << offset_text(use.offset) << ' ' << use.edges << '\n';
#pragma once

#include "rondo/topology/recognize.hpp"

#include <string>
#include <vector>

namespace rondo::topology {

/// An offset stands for its opposite too; its first nonzero part is positive.
struct OffsetUse {
  std::vector<Vertex> offset;
  std::int64_t edges = 0;
  std::int64_t forward_only = 0; // edges with messages only in the direction of the offset
  std::int64_t backward_only = 0; // only against it
  Traffic forward;
  Traffic backward;

  bool one_way() const { return forward_only == edges || backward_only == edges; }
};

/// Traffic by offset; empty if the topology has no coordinates. Offsets are modulo the periodic
/// dimensions, the nearest to zero; edges outside the topology do not occur in a recognition.
/// @param graph    what was recognized, after the filter
/// @complexity     O(edges * dimensions)
/// @source         [logicalization, sec. 4.3]; added: directions and traffic of each
std::vector<OffsetUse> offset_usage(const Graph& graph, const Recognition& recognition);

/// "(1, 0)".
std::string offset_text(const std::vector<Vertex>& offset);

} // namespace rondo::topology
