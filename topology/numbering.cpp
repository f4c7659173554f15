// SPDX-License-Identifier: Apache-2.0
#include "rondo/topology/numbering.hpp"

#include "rondo/base/sort_stably.hpp"
#include "topology/lattice_edges.hpp"
#include "topology/match.hpp"

#include <algorithm>

namespace rondo::topology {
namespace {

using internal::LatticeEdges;

constexpr int kMostOrders = 2000; // orders of dimensions tried for one name

bool before(const Dimension& a, const Dimension& b) {
  return a.size != b.size ? a.size < b.size : a.periodic < b.periodic;
}

std::vector<Vertex> sizes_of(const std::vector<Dimension>& dimensions) {
  std::vector<Vertex> sizes;
  for (const Dimension& d : dimensions) sizes.push_back(d.size);
  return sizes;
}

// Ranks count through the blocks, and within a block row by row.
Vertex blocked_cell(const Numbering& numbering, Vertex rank) {
  const auto& layout = numbering.layout;
  Vertex block_ranks = 1;
  for (const Vertex extent : numbering.block) block_ranks *= extent;
  Vertex block = rank / block_ranks;
  Vertex inner = rank % block_ranks;
  std::vector<Vertex> point(layout.size());
  for (std::size_t i = layout.size(); i-- > 0;) {
    const Vertex extent = numbering.block[i];
    const Vertex blocks = layout[i].size / extent;
    point[i] = block % blocks * extent + inner % extent;
    block /= blocks;
    inner /= extent;
  }
  return cell_at(layout, point);
}

// Each dimension runs backwards if the slower coordinates, reversed as they are, add up to an odd
// number.
Vertex snake_cell(const std::vector<Dimension>& layout, Vertex rank) {
  auto point = coordinates(layout, rank);
  Vertex prefix = 0; // rank divided by the sizes behind: how often this dimension was run through
  for (std::size_t i = 0; i < layout.size(); ++i) {
    const Vertex digit = point[i];
    if (prefix % 2 != 0) point[i] = layout[i].size - 1 - digit;
    prefix = prefix * layout[i].size + digit;
  }
  return cell_at(layout, point);
}

// All edges have an image. The recognizer has shown that the numbers of edges agree.
bool fits(const Adjacency& graph, const Topology& topology, const Numbering& numbering) {
  Topology laid_out = topology;
  laid_out.dimensions = numbering.layout;
  const LatticeEdges edges(laid_out);
  const bool row_major = numbering.kind == NumberingKind::kRowMajor;
  for (Vertex v = 0; v < graph.vertices(); ++v) {
    const Vertex cell = row_major ? v : cell_by_rule(numbering, v);
    for (const Vertex w : graph.neighbours(v)) {
      if (w > v && !edges.adjacent(cell, row_major ? w : cell_by_rule(numbering, w))) return false;
    }
  }
  return true;
}

bool find_row_major(const Adjacency& graph, const Topology& topology, Numbering& numbering) {
  numbering.kind = NumberingKind::kRowMajor;
  numbering.layout = topology.dimensions;
  if (fits(graph, topology, numbering)) return true;
  if (topology.kind == TopologyKind::kSixPoint || topology.kind == TopologyKind::kTwistedTorus)
    return false;
  std::reverse(numbering.layout.begin(), numbering.layout.end());
  if (fits(graph, topology, numbering)) {
    numbering.kind = NumberingKind::kColumnMajor;
    return true;
  }
  sort_stably(numbering.layout.begin(), numbering.layout.end(), before);
  for (int tried = 0; tried < kMostOrders; ++tried) {
    if (fits(graph, topology, numbering)) return true;
    if (!std::next_permutation(numbering.layout.begin(), numbering.layout.end(), before))
      return false;
  }
  return false;
}

bool find_blocks(const Adjacency& graph, const Topology& topology, Numbering& numbering) {
  numbering.kind = NumberingKind::kBlocked;
  const auto sizes = sizes_of(numbering.layout);
  numbering.block.assign(sizes.size(), 1);
  for (int tried = 0; tried < kMostOrders; ++tried) {
    if (fits(graph, topology, numbering)) return true;
    std::size_t i = sizes.size();
    for (;;) { // next divisor of each size, like an odometer
      if (i == 0) return false;
      --i;
      do ++numbering.block[i];
      while (numbering.block[i] <= sizes[i] && sizes[i] % numbering.block[i] != 0);
      if (numbering.block[i] <= sizes[i]) break;
      numbering.block[i] = 1;
    }
  }
  return false;
}

bool find_snake_or_blocks(const Adjacency& graph, const Topology& topology, Numbering& numbering) {
  auto reversed = topology.dimensions;
  std::reverse(reversed.begin(), reversed.end());
  for (const auto& layout : {topology.dimensions, reversed}) {
    numbering.layout = layout;
    numbering.kind = NumberingKind::kSnake;
    if (layout.size() > 1 && fits(graph, topology, numbering)) return true;
    if (layout.size() > 1 && find_blocks(graph, topology, numbering)) return true;
    if (topology.kind == TopologyKind::kSixPoint || topology.kind == TopologyKind::kTwistedTorus)
      return false;
  }
  numbering.block.clear();
  return false;
}

// The order of dimensions belongs to the definition, so there is only one to be tried.
Numbering user_numbering(const Adjacency& graph, const Topology& topology) {
  if (!has_coordinates(topology)) return {};
  if (!(graph == topology.user->graph)) return {.kind = NumberingKind::kArbitrary};
  return {NumberingKind::kRowMajor, TopologyKind::kUser, topology.dimensions, {}};
}

// The corner of all levels is rank 0; rows turned round are another graph.
Numbering multigrid_numbering(const Adjacency& graph, const Topology& topology) {
  if (!(graph == reference_graph(topology))) return {.kind = NumberingKind::kArbitrary};
  return {NumberingKind::kRowMajor, TopologyKind::kMultigrid, topology.dimensions, {}};
}

} // namespace

Vertex cell_by_rule(const Numbering& numbering, Vertex rank) {
  switch (numbering.kind) {
  case NumberingKind::kSnake:
    return snake_cell(numbering.layout, rank);
  case NumberingKind::kBlocked:
    return blocked_cell(numbering, rank);
  default:
    return rank;
  }
}

std::string describe(const Numbering& numbering) {
  std::string size = size_text(numbering.layout);
  std::string block;
  for (const Vertex extent : numbering.block)
    block += (block.empty() ? "" : "x") + std::to_string(extent);
  switch (numbering.kind) {
  case NumberingKind::kNone:
    return "";
  case NumberingKind::kRowMajor:
    return "row-major in " + size;
  case NumberingKind::kColumnMajor:
    return "column-major (row-major in " + size + ")";
  case NumberingKind::kSnake:
    return "snake through " + size;
  case NumberingKind::kBlocked:
    return "blocks of " + block + ", row-major in " + size;
  case NumberingKind::kCartesian:
    return "by MPI_Cart_create, " + size;
  case NumberingKind::kArbitrary:
    return "arbitrary";
  }
  return "";
}

Numbering find_numbering(const Adjacency& graph, const Topology& topology,
                         const std::vector<Topology>& aliases) {
  std::vector<Topology> names = {topology};
  names.insert(names.end(), aliases.begin(), aliases.end());
  if (topology.kind == TopologyKind::kUser) return user_numbering(graph, topology);
  if (topology.kind == TopologyKind::kMultigrid) return multigrid_numbering(graph, topology);
  std::erase_if(names, [](const Topology& t) {
    return !has_coordinates(t) || t.kind == TopologyKind::kUser;
  });
  Numbering numbering;
  if (names.empty()) return numbering;
  for (const Topology& t : names) {
    numbering.of = t.kind;
    if (find_row_major(graph, t, numbering)) return numbering;
  }
  for (const Topology& t : names) {
    numbering.of = t.kind;
    if (find_snake_or_blocks(graph, t, numbering)) return numbering;
  }
  return {.kind = NumberingKind::kArbitrary};
}

} // namespace rondo::topology
