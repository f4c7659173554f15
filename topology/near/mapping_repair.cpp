// SPDX-License-Identifier: Apache-2.0
#include "topology/near/mapping_repair.hpp"

#include "topology/match.hpp"

#include <algorithm>

namespace rondo::topology::internal {
namespace {

class Swaps {
public:
  Swaps(const Adjacency& graph, const Adjacency& reference, std::vector<Vertex>& cells,
        std::int64_t most_steps)
      : graph_(graph), reference_(reference), cells_(cells), vertex_at_(inverse(cells)),
        count_(cells.size(), 0), steps_left_(most_steps) {}

  std::int64_t run() {
    constexpr int kMostRounds = 10;
    const std::int64_t before = steps_left_;
    for (int round = 0; round < kMostRounds && sweep(); ++round) {
    }
    return before - steps_left_;
  }

private:
  bool sweep() {
    bool better = false;
    for (Vertex v = 0; v < graph_.vertices() && steps_left_ > 0; ++v) better = improve(v) || better;
    return better;
  }

  // Common edges of v if it stood at `cell`; the edge to `except` is common before and after a
  // swap of both, or neither time.
  Vertex common_at(Vertex v, Vertex cell, Vertex except) const {
    Vertex count = 0;
    for (const Vertex w : graph_.neighbours(v)) {
      if (w != except && reference_.adjacent(cells_[at(w)], cell)) ++count;
    }
    return count;
  }

  Vertex gain(Vertex v, Vertex u) const {
    const Vertex a = cells_[at(v)];
    const Vertex b = cells_[at(u)];
    return common_at(v, b, u) + common_at(u, a, v) - common_at(v, a, u) - common_at(u, b, v);
  }

  // Common edges that v would have at each cell beside one of its neighbours' cells.
  void count_around(Vertex v) {
    for (const Vertex cell : around_) count_[at(cell)] = 0;
    around_.clear();
    for (const Vertex w : graph_.neighbours(v)) {
      const Vertex stands = cells_[at(w)];
      steps_left_ -= reference_.degree(stands);
      for (const Vertex cell : reference_.neighbours(stands)) {
        if (count_[at(cell)]++ == 0) around_.push_back(cell);
      }
    }
  }

  bool improve(Vertex v) {
    const Vertex now = common_at(v, cells_[at(v)], -1);
    steps_left_ -= 1 + graph_.degree(v);
    if (now == graph_.degree(v)) return false;
    count_around(v);
    Vertex most = 0;
    Vertex best = -1;
    for (const Vertex cell : around_) {
      const Vertex u = vertex_at_[at(cell)];
      // whoever stands there may gain by the swap, but v does not lose
      if (u == v || count_[at(cell)] < now) continue;
      steps_left_ -= 2 * (graph_.degree(u) + graph_.degree(v));
      const Vertex gained = gain(v, u);
      if (gained <= most) continue;
      most = gained;
      best = u;
    }
    if (best < 0) return false;
    std::swap(cells_[at(v)], cells_[at(best)]);
    vertex_at_[at(cells_[at(v)])] = v;
    vertex_at_[at(cells_[at(best)])] = best;
    return true;
  }

  const Adjacency& graph_;
  const Adjacency& reference_;
  std::vector<Vertex>& cells_;
  std::vector<Vertex> vertex_at_;
  std::vector<Vertex> count_; // scratch, by cell
  std::vector<Vertex> around_; // cells with a count
  std::int64_t steps_left_;
};

} // namespace

std::int64_t common_edges(const Adjacency& graph, const Adjacency& reference,
                          const std::vector<Vertex>& cells) {
  std::int64_t count = 0;
  for (Vertex v = 0; v < graph.vertices(); ++v) {
    for (const Vertex w : graph.neighbours(v)) {
      if (v < w && reference.adjacent(cells[at(v)], cells[at(w)])) ++count;
    }
  }
  return count;
}

std::int64_t improve_by_swaps(const Adjacency& graph, const Adjacency& reference,
                              std::vector<Vertex>& cells, std::int64_t most_steps) {
  return Swaps(graph, reference, cells, most_steps).run();
}

std::vector<Edge> well_placed(const Adjacency& graph, const Adjacency& reference,
                              const std::vector<Vertex>& cells) {
  std::vector<Edge> pairs;
  for (Vertex v = 0; v < graph.vertices(); ++v) {
    const Vertex cell = cells[at(v)];
    const Vertex wanted = std::max(graph.degree(v), reference.degree(cell));
    Vertex common = 0;
    for (const Vertex w : graph.neighbours(v))
      common += reference.adjacent(cells[at(w)], cell) ? 1 : 0;
    if (5 * common >= 3 * wanted && common >= 2) pairs.emplace_back(v, cell);
  }
  return pairs;
}

} // namespace rondo::topology::internal
