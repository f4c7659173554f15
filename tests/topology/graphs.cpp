// SPDX-License-Identifier: Apache-2.0
#include "tests/topology/graphs.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace rondo::topology::testing {
namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

TopologyKind kind_of_mesh(const std::vector<Dimension>& dims) {
  if (dims.size() > 1) return TopologyKind::kMesh;
  return dims[0].periodic ? TopologyKind::kRing : TopologyKind::kChain;
}

} // namespace

Vertex product(const std::vector<Dimension>& dims) {
  Vertex ranks = 1;
  for (const Dimension& d : dims) ranks *= d.size;
  return ranks;
}

Topology of_kind(TopologyKind kind, Vertex ranks) { return {.kind = kind, .ranks = ranks}; }

std::vector<Dimension> dimensions(const std::vector<int>& sizes) {
  std::vector<Dimension> dims;
  for (const int size : sizes) dims.push_back({std::abs(size), size < 0});
  return dims;
}

Topology mesh(const std::vector<int>& sizes) {
  Topology t;
  t.dimensions = dimensions(sizes);
  t.kind = kind_of_mesh(t.dimensions);
  t.ranks = product(t.dimensions);
  return t;
}

Topology moore(const std::vector<int>& sizes) {
  Topology t = mesh(sizes);
  t.kind = TopologyKind::kMoore;
  return t;
}

Topology star_stencil(const std::vector<int>& sizes, Vertex radius) {
  Topology t = mesh(sizes);
  t.kind = TopologyKind::kStarStencil;
  t.radius = radius;
  return t;
}

Topology six_point(Vertex rows, Vertex columns, Vertex shift) {
  Topology t;
  t.kind = TopologyKind::kSixPoint;
  t.ranks = rows * columns;
  t.dimensions = {{rows, true}, {columns, true}};
  t.shift = shift;
  return t;
}

std::vector<Vertex> shuffle(Vertex ranks, std::uint64_t seed) {
  std::vector<Vertex> names(at(ranks));
  std::iota(names.begin(), names.end(), 0);
  std::shuffle(names.begin(), names.end(), std::mt19937_64(seed));
  return names;
}

Adjacency shuffled(const Adjacency& graph, std::uint64_t seed) {
  return renumbered(graph, shuffle(graph.vertices(), seed));
}

matrix::CommunicationMatrix matrix_of(const Adjacency& graph) {
  std::vector<matrix::MatrixEntry> entries;
  for (Vertex v = 0; v < graph.vertices(); ++v) {
    for (const Vertex w : graph.neighbours(v)) entries.push_back({v, w, 1, 8});
  }
  return matrix::CommunicationMatrix::from_entries(graph.vertices(), std::move(entries));
}

std::vector<Edge> edges_of(const Adjacency& graph) {
  std::vector<Edge> edges;
  for (Vertex v = 0; v < graph.vertices(); ++v) {
    for (const Vertex w : graph.neighbours(v)) {
      if (v < w) edges.emplace_back(v, w);
    }
  }
  return edges;
}

Adjacency beside(const Adjacency& a, const Adjacency& b) {
  auto edges = edges_of(a);
  for (const auto& [u, v] : edges_of(b)) edges.emplace_back(u + a.vertices(), v + a.vertices());
  return Adjacency::from_edges(a.vertices() + b.vertices(), edges);
}

Adjacency two_switched(const Adjacency& graph, std::uint64_t seed) {
  auto edges = edges_of(graph);
  std::mt19937_64 random(seed);
  for (int attempt = 0; attempt < 100; ++attempt) {
    Edge& first = edges[random() % edges.size()];
    Edge& second = edges[random() % edges.size()];
    const auto [a, b] = first;
    const auto [c, d] = second;
    if (a == c || a == d || b == c || b == d) continue;
    if (graph.adjacent(a, d) || graph.adjacent(c, b)) continue;
    first = {a, d};
    second = {c, b};
    break;
  }
  return Adjacency::from_edges(graph.vertices(), edges);
}

Recognition recognized(const Adjacency& graph) {
  TopologyOptions options;
  options.filter = FilterKind::kNone;
  options.plain_names = false; // whatever graphs are called, all families are found
  return recognize(matrix_of(graph), options);
}

std::string wrong_mapping(const Adjacency& graph, const Recognition& recognition) {
  const Adjacency reference = reference_graph(recognition.topology);
  if (recognition.cells.size() != at(graph.vertices())) return "no cell for every rank";
  if (reference.edges() != graph.edges()) return "another number of edges";
  std::vector<bool> used(recognition.cells.size(), false);
  for (const Vertex cell : recognition.cells) {
    if (cell < 0 || at(cell) >= used.size() || used[at(cell)]) return "not a bijection";
    used[at(cell)] = true;
  }
  for (const auto& [u, v] : edges_of(graph)) {
    if (!reference.adjacent(recognition.cells[at(u)], recognition.cells[at(v)])) {
      return "edge " + std::to_string(u) + "-" + std::to_string(v) + " has no image";
    }
  }
  return "";
}

std::vector<std::string> all_names(const Recognition& recognition) {
  std::vector<std::string> names = {name(recognition.topology)};
  for (const Topology& alias : recognition.aliases) names.push_back(name(alias));
  return names;
}

} // namespace rondo::topology::testing
