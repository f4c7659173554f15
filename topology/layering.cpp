// SPDX-License-Identifier: Apache-2.0
#include "topology/layering.hpp"

#include "topology/parallel.hpp"

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

// Which vertices have been reached, in little memory: it is looked up once for every arc.
class Reached {
public:
  explicit Reached(std::size_t vertices) : bits_((vertices + 63) / 64, 0) {}

  /// True the first time.
  bool add(Vertex v) {
    std::uint64_t& word = bits_[at(v) / 64];
    const std::uint64_t bit = std::uint64_t{1} << (at(v) % 64);
    if ((word & bit) != 0) return false;
    word |= bit;
    return true;
  }

private:
  std::vector<std::uint64_t> bits_;
};

// The rows that come next lie anywhere in memory, unless ranks were numbered kindly.
void fetch_rows(const Adjacency& graph, const std::vector<Vertex>& order, Vertex next,
                Vertex known) {
  if (next + 24 < known) __builtin_prefetch(graph.row_position(order[at(next + 24)]));
  if (next + 12 >= known) return;
  const auto row = graph.neighbours(order[at(next + 12)]);
  constexpr std::size_t kInLine = 64 / sizeof(Vertex);
  for (std::size_t i = 0; i < row.size() + kInLine - 1; i += kInLine)
    __builtin_prefetch(row.data() + i);
}

// Order and layers, and where each row begins.
void find_order(const Adjacency& graph, Vertex root, Layering& result) {
  const auto n = at(graph.vertices());
  result.order.resize(n);
  result.begin.resize(n + 1);
  result.order[0] = root;
  Reached seen(n);
  seen.add(root);
  Vertex reached = 1;
  Vertex layer_end = 0;
  for (Vertex i = 0; i < reached; ++i) {
    if (i == layer_end) {
      result.layer_begin.push_back(i);
      layer_end = reached;
    }
    fetch_rows(graph, result.order, i, reached);
    const auto row = graph.neighbours(result.order[at(i)]);
    for (const Vertex w : row) {
      if (seen.add(w)) result.order[at(reached++)] = w;
    }
    result.begin[at(i) + 1] = result.begin[at(i)] + static_cast<std::int64_t>(row.size());
  }
  result.layer_begin.push_back(reached);
  result.order.resize(at(reached));
  result.begin.resize(at(reached) + 1);
}

void renumber_rows(const Adjacency& graph, Layering& result) {
  const Vertex reached = result.reached();
  std::vector<Vertex> number(at(graph.vertices()), -1);
  for (Vertex i = 0; i < reached; ++i) number[at(result.order[at(i)])] = i;
  result.to.resize(at(result.begin.back()));
  for_blocks(reached, [&](const Block& block) {
    Vertex* next = result.to.data() + result.begin[at(block.begin())];
    for (Vertex i = block.begin(); i != block.end(); ++i) {
      fetch_rows(graph, result.order, i, reached);
      for (const Vertex w : graph.neighbours(result.order[at(i)])) *next++ = number[at(w)];
    }
  });
}

} // namespace

Layering layer(const Adjacency& graph, Vertex root) {
  Layering result;
  find_order(graph, root, result);
  renumber_rows(graph, result);
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
