// SPDX-License-Identifier: Apache-2.0
// Loops over the vertices of a large graph on all cores. Small graphs stay on one: waking another
// takes longer than they do.
#pragma once

#include "rondo/topology/adjacency.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>

namespace rondo::topology::internal {

using Block = tbb::blocked_range<Vertex>;

constexpr Vertex kSmallGraph = 1 << 15; // vertices
constexpr Vertex kBlockSize = 1 << 13;

/// Calls `body(block)` for blocks that make up 0 .. vertices - 1.
template <class Body> void for_blocks(Vertex vertices, const Body& body) {
  if (vertices < kSmallGraph) {
    body(Block(0, vertices));
  } else {
    tbb::parallel_for(Block(0, vertices, kBlockSize), body);
  }
}

/// True if `test(vertex)` is for all vertices.
template <class Test> bool all_vertices(Vertex vertices, const Test& test) {
  const auto all = [&](const Block& block, bool so_far) {
    for (Vertex v = block.begin(); so_far && v != block.end(); ++v) so_far = test(v);
    return so_far;
  };
  if (vertices < kSmallGraph) return all(Block(0, vertices), true);
  return tbb::parallel_reduce(Block(0, vertices, kBlockSize), true, all,
                              [](bool a, bool b) { return a && b; });
}

} // namespace rondo::topology::internal
