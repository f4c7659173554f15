// SPDX-License-Identifier: Apache-2.0
#include "tests/topology/canonical.hpp"

// nauty's headers are C11
#define _Thread_local thread_local
extern "C" {
#include <nauty/nausparse.h>
#include <nauty/traces.h>
}
#undef _Thread_local

#include <algorithm>
#include <vector>

namespace rondo::topology::testing {
namespace {

// The arrays belong to the vectors, so nauty must not free them.
struct SparseGraph {
  explicit SparseGraph(const Adjacency& rows)
      : begin(static_cast<std::size_t>(rows.vertices())), degree(begin.size()) {
    for (Vertex v = 0; v < rows.vertices(); ++v) {
      begin[static_cast<std::size_t>(v)] = to.size();
      degree[static_cast<std::size_t>(v)] = rows.degree(v);
      to.insert(to.end(), rows.neighbours(v).begin(), rows.neighbours(v).end());
    }
    SG_INIT(sg);
    sg.nv = rows.vertices();
    sg.nde = to.size();
    sg.v = begin.data();
    sg.d = degree.data();
    sg.e = to.data();
    sg.vlen = begin.size();
    sg.dlen = degree.size();
    sg.elen = to.size();
  }
  std::vector<std::size_t> begin;
  std::vector<int> degree;
  std::vector<int> to;
  sparsegraph sg;
};

Adjacency taken(sparsegraph& canonical) {
  std::vector<Edge> edges;
  for (int v = 0; v < canonical.nv; ++v) {
    for (int k = 0; k < canonical.d[v]; ++k)
      edges.emplace_back(v, canonical.e[canonical.v[v] + static_cast<std::size_t>(k)]);
  }
  const Vertex vertices = canonical.nv;
  SG_FREE(canonical);
  return Adjacency::from_edges(vertices, edges);
}

} // namespace

Adjacency traces_form(const Adjacency& rows) {
  SparseGraph input(rows);
  const auto n = static_cast<std::size_t>(rows.vertices());
  std::vector<int> labels(n);
  std::vector<int> partition(n);
  std::vector<int> orbits(n);
  static DEFAULTOPTIONS_TRACES(options);
  options.getcanon = TRUE;
  TracesStats stats;
  SG_DECL(canonical);
  Traces(&input.sg, labels.data(), partition.data(), orbits.data(), &options, &stats, &canonical);
  return taken(canonical);
}

Adjacency canonical_form(const Adjacency& rows) {
  SparseGraph input(rows);
  const auto n = static_cast<std::size_t>(rows.vertices());
  std::vector<int> labels(n);
  std::vector<int> partition(n);
  std::vector<int> orbits(n);
  static DEFAULTOPTIONS_SPARSEGRAPH(options);
  options.getcanon = TRUE;
  statsblk stats;
  SG_DECL(canonical);
  sparsenauty(&input.sg, labels.data(), partition.data(), orbits.data(), &options, &stats,
              &canonical);
  return taken(canonical);
}

} // namespace rondo::topology::testing
