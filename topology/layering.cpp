// SPDX-License-Identifier: Apache-2.0
#include "topology/layering.hpp"

#include <algorithm>

namespace rondo::topology::internal {

bool Layering::adjacent(Vertex u, Vertex v) const {
  for (const Vertex w : neighbours(u)) {
    if (w == v) return true;
  }
  return false;
}

std::vector<Vertex> Layering::for_vertices(const std::vector<Vertex>& cells) const {
  std::vector<Vertex> result(cells.size());
  for (std::size_t i = 0; i < cells.size(); ++i) result[at(order[i])] = cells[i];
  return result;
}

namespace {

// The queue tells which rows come next; they lie anywhere in memory unless ranks were numbered
// kindly.
class Lookahead {
public:
  Lookahead(const Adjacency& graph, const std::vector<Vertex>& order,
            const std::vector<Vertex>& number)
      : graph_(graph), order_(order), number_(number) {}

  void before(Vertex i, Vertex reached) const {
    if (i + 24 < reached) __builtin_prefetch(graph_.row_position(order_[at(i + 24)]));
    if (i + 16 < reached) __builtin_prefetch(graph_.neighbours(order_[at(i + 16)]).data());
    if (i + 8 >= reached) return;
    for (const Vertex w : graph_.neighbours(order_[at(i + 8)])) __builtin_prefetch(&number_[at(w)]);
  }

private:
  const Adjacency& graph_;
  const std::vector<Vertex>& order_;
  const std::vector<Vertex>& number_;
};

} // namespace

Layering layer(const Adjacency& graph, Vertex root) {
  Layering result;
  const auto n = at(graph.vertices());
  result.order.resize(n);
  result.begin.resize(n + 1);
  result.to.resize(at(2 * graph.edges()));
  std::vector<Vertex> number(n, -1);
  result.order[0] = root;
  number[at(root)] = 0;
  Vertex reached = 1;
  Vertex layer_end = 0;
  std::size_t written = 0;
  const Lookahead lookahead(graph, result.order, number);
  for (Vertex i = 0; i < reached; ++i) {
    if (i == layer_end) {
      result.layer_begin.push_back(i);
      layer_end = reached;
    }
    lookahead.before(i, reached);
    for (const Vertex w : graph.neighbours(result.order[at(i)])) {
      Vertex& name = number[at(w)];
      if (name < 0) {
        name = reached;
        result.order[at(reached++)] = w;
      }
      result.to[written++] = name;
    }
    result.begin[at(i) + 1] = static_cast<std::int64_t>(written);
  }
  result.layer_begin.push_back(reached);
  result.order.resize(at(reached));
  result.begin.resize(at(reached) + 1);
  result.to.resize(written);
  return result;
}

Vertex least_degree_vertex(const Adjacency& graph) {
  Vertex best = 0;
  for (Vertex v = 1; v < graph.vertices(); ++v) {
    if (graph.degree(v) < graph.degree(best)) best = v;
  }
  return best;
}

} // namespace rondo::topology::internal
