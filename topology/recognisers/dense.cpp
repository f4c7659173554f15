// SPDX-License-Identifier: Apache-2.0
#include "topology/recognisers/dense.hpp"

#include "rondo/base/sort_stably.hpp"

#include <algorithm>
#include <numeric>

namespace rondo::topology::internal {
namespace {

// Groups the vertices into parts by degree and non-adjacency; part[v] < 0 cannot remain.
bool split_into_parts(const Adjacency& graph, std::vector<Vertex>& part,
                      std::vector<Vertex>& sizes) {
  const Vertex n = graph.vertices();
  std::vector<Vertex> seen_by(at(n), -1);
  std::vector<Vertex> waiting(at(n)); // vertices without a part
  std::iota(waiting.begin(), waiting.end(), 0);
  while (!waiting.empty()) {
    const Vertex v = waiting.front();
    const auto label = static_cast<Vertex>(sizes.size());
    for (const Vertex w : graph.neighbours(v)) seen_by[at(w)] = v;
    const auto start_of_rest = std::stable_partition(waiting.begin(), waiting.end(),
                                                     [&](Vertex w) { return seen_by[at(w)] != v; });
    const auto size = static_cast<Vertex>(start_of_rest - waiting.begin());
    if (size != n - graph.degree(v)) return false;
    for (auto it = waiting.begin(); it != start_of_rest; ++it) {
      if (graph.degree(*it) != graph.degree(v)) return false;
      part[at(*it)] = label;
    }
    waiting.erase(waiting.begin(), start_of_rest);
    sizes.push_back(size);
  }
  return true;
}

bool no_edge_inside(const Adjacency& graph, const std::vector<Vertex>& part) {
  for (Vertex v = 0; v < graph.vertices(); ++v) {
    for (const Vertex w : graph.neighbours(v)) {
      if (part[at(v)] == part[at(w)]) return false;
    }
  }
  return true;
}

std::int64_t multipartite_edges(std::int64_t n, const std::vector<Vertex>& sizes) {
  std::int64_t edges = n * n;
  for (const std::int64_t s : sizes) edges -= s * s;
  return edges / 2;
}

// Every degree d occurs a multiple of n - d times, or this is no multipartite graph. Rejects almost
// all graphs before any work on edges.
bool degrees_allow_parts(const Adjacency& graph) {
  const Vertex n = graph.vertices();
  std::vector<Vertex> count(at(n), 0);
  std::int64_t parts = 0;
  for (Vertex v = 0; v < n; ++v) ++count[at(graph.degree(v))];
  for (Vertex d = 0; d < n; ++d) {
    if (count[at(d)] == 0) continue;
    if (count[at(d)] % (n - d) != 0) return false;
    parts += count[at(d)] / (n - d);
  }
  return parts >= 2;
}

// Neighbours of the root fall into two cliques: its row and its column.
bool split_neighbourhood(const Adjacency& graph, std::vector<Vertex>& row,
                         std::vector<Vertex>& column) {
  for (const Vertex v : graph.neighbours(0)) {
    const bool same = row.empty() || graph.adjacent(row.front(), v);
    (same ? row : column).push_back(v);
  }
  return !column.empty();
}

} // namespace

MaybeMatch match_complete(const Adjacency& graph) {
  const std::int64_t n = graph.vertices();
  if (n < 2 || 2 * graph.edges() != n * (n - 1)) return std::nullopt;
  Match match{{.kind = TopologyKind::kComplete, .ranks = graph.vertices()},
              std::vector<Vertex>(at(n))};
  std::iota(match.cells.begin(), match.cells.end(), 0);
  return match;
}

MaybeMatch match_multipartite(const Adjacency& graph) {
  const Vertex n = graph.vertices();
  if (!degrees_allow_parts(graph)) return std::nullopt;
  std::vector<Vertex> part(at(n), -1);
  std::vector<Vertex> sizes;
  if (!split_into_parts(graph, part, sizes)) return std::nullopt;
  if (sizes.size() == at(n) || multipartite_edges(n, sizes) != graph.edges()) return std::nullopt;
  if (!no_edge_inside(graph, part)) return std::nullopt;
  std::vector<Vertex> order(sizes.size());
  std::iota(order.begin(), order.end(), 0);
  sort_stably(order.begin(), order.end(),
              [&](Vertex a, Vertex b) { return sizes[at(a)] < sizes[at(b)]; });
  Match match{{.kind = TopologyKind::kMultipartite, .ranks = n}, std::vector<Vertex>(at(n))};
  std::vector<Vertex> next(sizes.size());
  Vertex begin = 0;
  for (const Vertex p : order) {
    match.topology.parts.push_back(sizes[at(p)]);
    next[at(p)] = std::exchange(begin, begin + sizes[at(p)]);
  }
  for (Vertex v = 0; v < n; ++v) match.cells[at(v)] = next[at(part[at(v)])]++;
  return match;
}

MaybeMatch match_row_column(const Adjacency& graph) {
  const std::int64_t n = graph.vertices();
  const std::int64_t degree = n > 0 ? graph.degree(0) : 0;
  if (n < 4 || degree < 2 || 2 * graph.edges() != n * degree) return std::nullopt;
  // a + b = degree + 2 and a b = n have a solution only for few n
  const std::int64_t square = (degree + 2) * (degree + 2) - 4 * n;
  if (square < 0) return std::nullopt;
  std::vector<Vertex> row;
  std::vector<Vertex> column;
  if (!split_neighbourhood(graph, row, column)) return std::nullopt;
  if (row.size() < column.size()) std::swap(row, column);
  const auto columns = static_cast<Vertex>(row.size()) + 1;
  const auto rows = static_cast<Vertex>(column.size()) + 1;
  if (static_cast<std::int64_t>(rows) * columns != n) return std::nullopt;
  std::vector<Vertex> x(at(n), 0);
  std::vector<Vertex> y(at(n), 0);
  for (std::size_t i = 0; i < row.size(); ++i) {
    for (const Vertex w : graph.neighbours(row[i])) x[at(w)] = static_cast<Vertex>(i) + 1;
  }
  for (std::size_t i = 0; i < column.size(); ++i) {
    for (const Vertex w : graph.neighbours(column[i])) y[at(w)] = static_cast<Vertex>(i) + 1;
  }
  x[0] = y[0] = 0;
  for (std::size_t i = 0; i < row.size(); ++i) x[at(row[i])] = static_cast<Vertex>(i) + 1;
  for (std::size_t i = 0; i < column.size(); ++i) y[at(column[i])] = static_cast<Vertex>(i) + 1;
  for (const Vertex v : row) y[at(v)] = 0;
  for (const Vertex v : column) x[at(v)] = 0;
  Match match{{.kind = TopologyKind::kRowColumn, .ranks = graph.vertices()},
              std::vector<Vertex>(at(n))};
  match.topology.parts = {rows, columns};
  for (std::size_t v = 0; v < at(n); ++v) match.cells[v] = y[v] * columns + x[v];
  if (!is_bijection(match.cells)) return std::nullopt;
  for (Vertex v = 0; v < graph.vertices(); ++v) {
    for (const Vertex w : graph.neighbours(v)) {
      if (x[at(v)] != x[at(w)] && y[at(v)] != y[at(w)]) return std::nullopt;
    }
  }
  return match;
}

} // namespace rondo::topology::internal
