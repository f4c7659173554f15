// SPDX-License-Identifier: Apache-2.0
#include "rondo/topology/topology.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <functional>
#include <numeric>

namespace rondo::topology {
namespace {

using Offset = std::vector<Vertex>;

// All offsets in {-1, 0, 1}^k that have between one and `most` nonzero parts, one of each opposite
// pair.
std::vector<Offset> offsets_with_nonzeros(std::size_t k, int most) {
  std::vector<Offset> result;
  Offset offset(k, -1);
  for (;;) {
    const int nonzeros = std::accumulate(offset.begin(), offset.end(), 0,
                                         [](int sum, Vertex x) { return sum + std::abs(x); });
    if (nonzeros >= 1 && nonzeros <= most && offset > Offset(k, 0)) result.push_back(offset);
    std::size_t i = k;
    while (i > 0 && offset[i - 1] == 1) offset[--i] = -1;
    if (i == 0) return result;
    ++offset[i - 1];
  }
}

std::vector<Offset> unit_offsets(std::size_t k) {
  std::vector<Offset> result(k, Offset(k, 0));
  for (std::size_t i = 0; i < k; ++i) result[i][i] = 1;
  return result;
}

std::vector<Offset> star_offsets(std::size_t k, Vertex radius) {
  std::vector<Offset> result;
  for (Vertex distance = 1; distance <= radius; ++distance) {
    for (Offset offset : unit_offsets(k)) {
      for (Vertex& x : offset) x *= distance;
      result.push_back(std::move(offset));
    }
  }
  return result;
}

std::vector<Offset> stencil(const Topology& t) {
  const std::size_t k = t.dimensions.size();
  switch (t.kind) {
  case TopologyKind::kMoore:
    return offsets_with_nonzeros(k, static_cast<int>(k));
  case TopologyKind::kEighteenPoint:
    return offsets_with_nonzeros(k, 2);
  case TopologyKind::kSixPoint:
    return {{1, 0}, {0, 1}, {1, -1}};
  case TopologyKind::kStarStencil:
    return star_offsets(k, t.radius);
  default:
    return unit_offsets(k);
  }
}

// Moves a point by an offset; false if that leaves an open dimension.
bool move(const Topology& t, std::vector<Vertex>& point, const Offset& offset) {
  for (std::size_t i = 0; i < point.size(); ++i) {
    const Dimension& d = t.dimensions[i];
    point[i] += offset[i];
    if (point[i] >= 0 && point[i] < d.size) continue;
    if (!d.periodic) return false;
    const Vertex turns = point[i] < 0 ? -1 : 1;
    point[i] -= turns * d.size;
    if (i == 0 && t.shift != 0) point[1] += turns * t.shift;
  }
  if (t.shift != 0)
    point[1] = ((point[1] % t.dimensions[1].size) + t.dimensions[1].size) % t.dimensions[1].size;
  return true;
}

std::vector<Edge> lattice_edges(const Topology& t) {
  std::vector<Edge> edges;
  Topology closed = t;
  // a six-point stencil closes over dimensions of two as well
  if (t.kind == TopologyKind::kSixPoint)
    closed.dimensions[0].periodic = closed.dimensions[1].periodic = true;
  const auto offsets = stencil(t);
  for (Vertex cell = 0; cell < t.ranks; ++cell) {
    const auto point = coordinates(t.dimensions, cell);
    for (const Offset& offset : offsets) {
      auto target = point;
      if (move(closed, target, offset)) edges.emplace_back(cell, cell_at(t.dimensions, target));
    }
  }
  return edges;
}

std::vector<Edge> pairs_where(Vertex ranks, const std::function<bool(Vertex, Vertex)>& talk) {
  std::vector<Edge> edges;
  for (Vertex u = 0; u < ranks; ++u) {
    for (Vertex v = u + 1; v < ranks; ++v) {
      if (talk(u, v)) edges.emplace_back(u, v);
    }
  }
  return edges;
}

std::vector<Edge> tree_edges(Vertex ranks, const std::function<Vertex(Vertex)>& parent) {
  std::vector<Edge> edges;
  for (Vertex v = 1; v < ranks; ++v) edges.emplace_back(v, parent(v));
  return edges;
}

std::vector<Edge> multipartite_edges(const Topology& t) {
  std::vector<Vertex> part_of_rank;
  for (std::size_t p = 0; p < t.parts.size(); ++p) {
    part_of_rank.insert(part_of_rank.end(), static_cast<std::size_t>(t.parts[p]),
                        static_cast<Vertex>(p));
  }
  const auto part = [&](Vertex v) { return part_of_rank[static_cast<std::size_t>(v)]; };
  return pairs_where(t.ranks, [&](Vertex u, Vertex v) { return part(u) != part(v); });
}

std::vector<Edge> row_column_edges(const Topology& t) {
  const Vertex columns = t.parts[1];
  return pairs_where(t.ranks, [&](Vertex u, Vertex v) {
    return u / columns == v / columns || u % columns == v % columns;
  });
}

// MPICH's scheme: of the first 2 * surplus ranks the even ones hand over to the odd ones, which go
// on with those behind them as a hypercube.
std::vector<Edge> recursive_doubling_edges(Vertex ranks) {
  const auto core = static_cast<Vertex>(std::bit_floor(static_cast<std::uint32_t>(ranks)));
  const Vertex surplus = ranks - core;
  const auto rank_of = [&](Vertex i) { return i < surplus ? 2 * i + 1 : i + surplus; };
  std::vector<Edge> edges;
  for (Vertex i = 0; i < surplus; ++i) edges.emplace_back(2 * i, 2 * i + 1);
  for (Vertex i = 0; i < core; ++i) {
    for (Vertex bit = 1; bit < core; bit *= 2) {
      if ((i & bit) == 0) edges.emplace_back(rank_of(i), rank_of(i | bit));
    }
  }
  return edges;
}

std::vector<Edge> incomplete_hypercube_edges(Vertex ranks) {
  std::vector<Edge> edges;
  for (Vertex v = 0; v < ranks; ++v) {
    for (Vertex bit = 1; bit <= v; bit *= 2) {
      if ((v & bit) != 0) edges.emplace_back(v - bit, v);
    }
  }
  return edges;
}

std::vector<Edge> dissemination_edges(Vertex ranks) {
  std::vector<Edge> edges;
  for (Vertex v = 0; v < ranks; ++v) {
    for (std::int64_t step = 1; step < ranks; step *= 2) {
      edges.emplace_back(v, static_cast<Vertex>((v + step) % ranks));
    }
  }
  return edges;
}

std::vector<Edge> prefix_scan_edges(Vertex ranks) {
  std::vector<Edge> edges;
  for (Vertex step = 1; step < ranks; step *= 2) {
    for (Vertex v = 0; v + step < ranks; ++v) edges.emplace_back(v, v + step);
  }
  return edges;
}

// On each level, cells whose coordinates are multiples of its step are next to each other.
std::vector<Edge> multigrid_edges(const Topology& t) {
  std::vector<Edge> edges;
  for (Vertex level = 0; level < t.levels; ++level) {
    const Vertex step = Vertex{1} << level;
    for (Vertex cell = 0; cell < t.ranks; ++cell) {
      const auto point = coordinates(t.dimensions, cell);
      if (std::any_of(point.begin(), point.end(), [&](Vertex x) { return x % step != 0; }))
        continue;
      for (std::size_t i = 0; i < point.size(); ++i) {
        const Dimension& d = t.dimensions[i];
        auto next = point;
        next[i] += step;
        if (next[i] >= d.size && !(d.periodic && d.size > 2 * step)) continue;
        next[i] %= d.size;
        edges.emplace_back(cell, cell_at(t.dimensions, next));
      }
    }
  }
  return edges;
}

// setup_proc_info of NPB's cg.f: a power of two of ranks as rows x columns, twice as many columns
// as rows if the power is odd.
std::vector<Edge> cg_edges(Vertex ranks) {
  const int power = std::bit_width(static_cast<std::uint32_t>(ranks)) - 1;
  const Vertex rows = Vertex{1} << (power / 2);
  const Vertex columns = ranks / rows;
  std::vector<Edge> edges;
  for (Vertex v = 0; v < ranks; ++v) {
    for (Vertex bit = 1; bit < columns; bit *= 2) edges.emplace_back(v, v ^ bit);
    const Vertex transposed = columns == rows ? (v % rows) * rows + v / rows
                                              : 2 * ((v / 2 % rows) * rows + v / 2 / rows) + v % 2;
    edges.emplace_back(v, transposed);
  }
  return edges;
}

std::vector<Edge> hierarchy_edges(const Topology& t) {
  std::vector<Edge> edges;
  const Adjacency leaders = reference_graph(*t.leaders);
  for (Vertex u = 0; u < leaders.vertices(); ++u) {
    const Vertex first = leader_cell(t, u);
    for (const Vertex v : leaders.neighbours(u)) edges.emplace_back(first, leader_cell(t, v));
    for (Vertex a = 0; a < group_size(t, u); ++a) {
      for (Vertex b = a + 1; b < group_size(t, u); ++b) {
        if (a == 0 || t.cliques) edges.emplace_back(first + a, first + b);
      }
    }
  }
  return edges;
}

// A node of level i is numbered by digits: the parents chosen on levels up to i, and the children
// still to be chosen above. Going up replaces a child's digit by a parent's.
std::vector<Edge> fat_tree_edges(const Topology& t) {
  const std::size_t levels = t.parts.size() / 2;
  std::vector<Edge> edges;
  Vertex above = 1; // combinations of the digits above level i + 1
  for (std::size_t i = 0; i < levels; ++i) above *= t.parts[i];
  Vertex below = 1; // combinations of those below
  Vertex first = 0; // node of level i
  for (std::size_t i = 0; i < levels; ++i) {
    const Vertex children = t.parts[i];
    const Vertex parents = t.parts[levels + i];
    above /= children;
    const Vertex next = first + above * children * below;
    for (Vertex low = 0; low < below; ++low) {
      for (Vertex high = 0; high < above; ++high) {
        for (Vertex child = 0; child < children; ++child) {
          for (Vertex parent = 0; parent < parents; ++parent) {
            edges.emplace_back(first + (high * children + child) * below + low,
                               next + high * below * parents + parent * below + low);
          }
        }
      }
    }
    below *= parents;
    first = next;
  }
  return edges;
}

std::vector<Edge> edges_of(const Topology& t) {
  switch (t.kind) {
  case TopologyKind::kEmpty:
  case TopologyKind::kIrregular:
  case TopologyKind::kSeveral:
  case TopologyKind::kTree:
  case TopologyKind::kUser: // brings its graph along
    return {};
  case TopologyKind::kComplete:
    return pairs_where(t.ranks, [](Vertex, Vertex) { return true; });
  case TopologyKind::kMultipartite:
    return multipartite_edges(t);
  case TopologyKind::kRowColumn:
    return row_column_edges(t);
  case TopologyKind::kStar:
    return tree_edges(t.ranks, [](Vertex) { return 0; });
  case TopologyKind::kHeapTree:
    return tree_edges(t.ranks, [&](Vertex v) { return (v - 1) / t.arity; });
  case TopologyKind::kBinomialTree:
    return tree_edges(t.ranks, [&](Vertex v) {
      const Vertex highest = static_cast<Vertex>(std::bit_floor(static_cast<unsigned>(v)));
      return t.clears_highest_bit ? v - highest : v & (v - 1);
    });
  case TopologyKind::kRecursiveDoubling:
    return recursive_doubling_edges(t.ranks);
  case TopologyKind::kIncompleteHypercube:
    return incomplete_hypercube_edges(t.ranks);
  case TopologyKind::kDissemination:
    return dissemination_edges(t.ranks);
  case TopologyKind::kPrefixScan:
    return prefix_scan_edges(t.ranks);
  case TopologyKind::kMultigrid:
    return multigrid_edges(t);
  case TopologyKind::kCg:
    return cg_edges(t.ranks);
  case TopologyKind::kHierarchy:
    return hierarchy_edges(t);
  case TopologyKind::kFatTree:
    return fat_tree_edges(t);
  default:
    return lattice_edges(t);
  }
}

} // namespace

Adjacency reference_graph(const Topology& topology) {
  if (topology.kind == TopologyKind::kUser) return topology.user->graph;
  return Adjacency::from_edges(topology.ranks, edges_of(topology));
}

} // namespace rondo::topology
