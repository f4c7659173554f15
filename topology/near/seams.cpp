// SPDX-License-Identifier: Apache-2.0
#include "topology/near/seams.hpp"

#include "topology/lattice_edges.hpp"

#include <algorithm>

namespace rondo::topology::internal {
namespace {

bool is_box(const Topology& t) {
  return t.kind == TopologyKind::kMesh || t.kind == TopologyKind::kMoore ||
         t.kind == TopologyKind::kEighteenPoint;
}

Topology closed(Topology t) {
  for (Dimension& d : t.dimensions) d.periodic = d.size >= 3;
  return t;
}

class Seams {
public:
  Seams(const Adjacency& graph, const Match& match)
      : graph_(graph), closed_(closed(match.topology)), cells_(match.cells),
        points_(match.cells.size()) {
    for (std::size_t v = 0; v < cells_.size(); ++v)
      points_[v] = coordinates(closed_.dimensions, cells_[v]);
  }

  Match run() {
    count_crossings();
    Match result{closed_, std::vector<Vertex>(cells_.size())};
    for (std::size_t i = 0; i < closed_.dimensions.size(); ++i) {
      Dimension& d = result.topology.dimensions[i];
      if (d.size < 3) continue;
      const auto& crossing = crossings_[i];
      const auto seam = std::min_element(crossing.begin(), crossing.end()) - crossing.begin();
      auto sorted = crossing;
      std::sort(sorted.begin(), sorted.end());
      // what crosses elsewhere is what a closed seam would have
      d.periodic = 2 * sorted.front() >= sorted[sorted.size() / 2];
      for (auto& point : points_)
        point[i] = (point[i] - static_cast<Vertex>(seam) + d.size) % d.size;
    }
    for (std::size_t v = 0; v < cells_.size(); ++v)
      result.cells[v] = cell_at(closed_.dimensions, points_[v]);
    return result;
  }

private:
  // crossings_[i][p]: edges from coordinate p - 1 to coordinate p in dimension i.
  void count_crossings() {
    const LatticeEdges fits(closed_);
    for (const Dimension& d : closed_.dimensions) crossings_.emplace_back(at(d.size), 0);
    for (Vertex v = 0; v < graph_.vertices(); ++v) {
      for (const Vertex w : graph_.neighbours(v)) {
        if (v < w && fits.adjacent(cells_[at(v)], cells_[at(w)])) count(v, w);
      }
    }
  }

  void count(Vertex v, Vertex w) {
    for (std::size_t i = 0; i < closed_.dimensions.size(); ++i) {
      const Vertex a = points_[at(v)][i];
      const Vertex b = points_[at(w)][i];
      if (a == b) continue;
      const Vertex size = closed_.dimensions[i].size;
      ++crossings_[i][at((a + 1) % size == b ? b : a)];
    }
  }

  const Adjacency& graph_;
  Topology closed_;
  const std::vector<Vertex>& cells_;
  std::vector<std::vector<Vertex>> points_;
  std::vector<std::vector<std::int64_t>> crossings_;
};

} // namespace

MaybeMatch with_best_seams(const Adjacency& graph, const Match& match) {
  if (!is_box(match.topology)) return std::nullopt;
  return Seams(graph, match).run();
}

} // namespace rondo::topology::internal
