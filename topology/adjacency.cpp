// SPDX-License-Identifier: Apache-2.0
#include "rondo/topology/adjacency.hpp"
#include "topology/at.hpp"

#include <algorithm>

namespace rondo::topology {
namespace {

// Two counting sorts: arcs by target, then stably by source, which leaves every row ascending.
struct Rows {
  std::vector<std::int64_t> begin;
  std::vector<Vertex> to;
};

Rows sorted_rows(Vertex vertices, std::span<const Edge> edges) {
  Rows by_target{std::vector<std::int64_t>(at(vertices) + 1, 0), {}};
  for (const auto& [u, v] : edges) {
    if (u == v) continue;
    ++by_target.begin[at(u) + 1];
    ++by_target.begin[at(v) + 1];
  }
  for (std::size_t v = 1; v < by_target.begin.size(); ++v) {
    by_target.begin[v] += by_target.begin[v - 1];
  }
  by_target.to.resize(at(by_target.begin.back()));
  std::vector<std::int64_t> next(by_target.begin.begin(), by_target.begin.end() - 1);
  for (const auto& [u, v] : edges) {
    if (u == v) continue;
    by_target.to[at(next[at(v)]++)] = u;
    by_target.to[at(next[at(u)]++)] = v;
  }
  Rows rows{by_target.begin, std::vector<Vertex>(by_target.to.size())};
  std::copy(rows.begin.begin(), rows.begin.end() - 1, next.begin());
  for (Vertex v = 0; v < vertices; ++v) {
    for (auto k = by_target.begin[at(v)]; k < by_target.begin[at(v) + 1]; ++k) {
      rows.to[at(next[at(by_target.to[at(k)])]++)] = v;
    }
  }
  return rows;
}

} // namespace

Adjacency Adjacency::from_edges(Vertex vertices, std::span<const Edge> edges) {
  Rows rows = sorted_rows(vertices, edges);
  std::size_t kept = 0;
  std::size_t read = 0;
  for (Vertex v = 0; v < vertices; ++v) {
    const std::size_t end = at(rows.begin[at(v) + 1]);
    const std::size_t start = kept;
    for (; read < end; ++read) {
      if (kept == start || rows.to[kept - 1] != rows.to[read]) rows.to[kept++] = rows.to[read];
    }
    rows.begin[at(v)] = static_cast<std::int64_t>(start);
  }
  rows.begin.back() = static_cast<std::int64_t>(kept);
  rows.to.resize(kept);
  return Adjacency(std::move(rows.begin), std::move(rows.to));
}

bool Adjacency::adjacent(Vertex u, Vertex v) const {
  const auto row = neighbours(u);
  return std::binary_search(row.begin(), row.end(), v);
}

Adjacency renumbered(const Adjacency& graph, std::span<const Vertex> new_name) {
  std::vector<Edge> edges;
  edges.reserve(at(graph.edges()));
  for (Vertex v = 0; v < graph.vertices(); ++v) {
    for (const Vertex w : graph.neighbours(v)) {
      if (v < w) edges.emplace_back(new_name[at(v)], new_name[at(w)]);
    }
  }
  return Adjacency::from_edges(graph.vertices(), edges);
}

Adjacency part_of(const Adjacency& graph, std::span<const Vertex> members,
                  std::span<Vertex> index_of) {
  for (std::size_t i = 0; i < members.size(); ++i)
    index_of[at(members[i])] = static_cast<Vertex>(i);
  std::vector<std::int64_t> begin = {0};
  begin.reserve(members.size() + 1);
  std::vector<Vertex> to;
  for (const Vertex v : members) {
    const auto row_start = static_cast<std::ptrdiff_t>(to.size());
    for (const Vertex w : graph.neighbours(v)) to.push_back(index_of[at(w)]);
    if (!std::is_sorted(to.begin() + row_start, to.end()))
      std::sort(to.begin() + row_start, to.end());
    begin.push_back(static_cast<std::int64_t>(to.size()));
  }
  return Adjacency(std::move(begin), std::move(to));
}

} // namespace rondo::topology
