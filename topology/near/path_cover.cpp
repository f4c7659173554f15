// SPDX-License-Identifier: Apache-2.0
#include "topology/near/path_cover.hpp"

#include <algorithm>
#include <numeric>
#include <random>

namespace rondo::topology::internal {
namespace {

class PathCover {
public:
  explicit PathCover(const Adjacency& graph)
      : graph_(graph), n_(graph.vertices()), root_(at(n_)), links_(at(n_)), place_(at(n_), -1) {
    std::iota(root_.begin(), root_.end(), 0);
  }

  std::vector<Vertex> run() {
    link();
    put_in_order();
    constexpr Vertex kMostMended = 20'000;
    if (n_ <= kMostMended) mend();
    return std::move(order_);
  }

private:
  Vertex root(Vertex v) {
    while (root_[at(v)] != v) v = root_[at(v)] = root_[at(root_[at(v)])];
    return v;
  }

  // Edges at ranks of few partners first: they are least likely to be extra.
  void link() {
    std::vector<std::pair<Vertex, Edge>> edges;
    for (Vertex v = 0; v < n_; ++v) {
      for (const Vertex w : graph_.neighbours(v)) {
        if (v < w) edges.push_back({graph_.degree(v) + graph_.degree(w), {v, w}});
      }
    }
    std::sort(edges.begin(), edges.end());
    for (const auto& [degrees, edge] : edges) {
      const auto [v, w] = edge;
      if (links_[at(v)].size() == 2 || links_[at(w)].size() == 2 || root(v) == root(w)) continue;
      root_[at(root(v))] = root(w);
      links_[at(v)].push_back(w);
      links_[at(w)].push_back(v);
    }
  }

  void put_in_order() {
    for (Vertex start = 0; start < n_; ++start) {
      if (links_[at(start)].size() > 1 || place_[at(start)] >= 0) continue;
      Vertex before = -1;
      for (Vertex v = start; v >= 0;) {
        place_[at(v)] = static_cast<Vertex>(order_.size());
        order_.push_back(v);
        Vertex next = -1;
        for (const Vertex w : links_[at(v)]) {
          if (w != before) next = w;
        }
        before = v;
        v = next;
      }
    }
  }

  Vertex after(Vertex place) const { return place + 1 == n_ ? 0 : place + 1; }

  // 1 if the ranks at a place and at the next one talk; the order is seen as a ring.
  int linked(Vertex place) const {
    return graph_.adjacent(order_[at(place)], order_[at(after(place))]) ? 1 : 0;
  }

  // Links after places i and j become links between the first ends and between the second ends.
  int gain(Vertex i, Vertex j) const {
    const int now = linked(i) + linked(j);
    const int then = (graph_.adjacent(order_[at(i)], order_[at(j)]) ? 1 : 0) +
                     (graph_.adjacent(order_[at(after(i))], order_[at(after(j))]) ? 1 : 0);
    return then - now;
  }

  void reverse(Vertex i, Vertex j) {
    if (i > j) std::swap(i, j);
    std::reverse(order_.begin() + i + 1, order_.begin() + j + 1);
    for (Vertex p = i + 1; p <= j; ++p) place_[at(order_[at(p)])] = p;
  }

  // At a gap, a partner of its end is brought beside it. Reversals that change nothing move the
  // gap to another place, and are made too.
  void mend() {
    std::mt19937 random(1);
    constexpr int kRounds = 200;
    for (int round = 0; round < kRounds; ++round) {
      std::vector<Vertex> gaps;
      for (Vertex p = 0; p < n_; ++p) {
        if (linked(p) == 0) gaps.push_back(p);
      }
      if (gaps.empty() || static_cast<Vertex>(gaps.size()) > n_ / 4) return;
      for (const Vertex gap : gaps) {
        if (linked(gap) == 0) mend(gap, random);
      }
    }
  }

  void mend(Vertex gap, std::mt19937& random) {
    const bool backward = random() % 2 == 0;
    const Vertex end = order_[at(backward ? after(gap) : gap)];
    const auto partners = graph_.neighbours(end);
    if (partners.empty()) return;
    const Vertex partner = partners[random() % partners.size()];
    // forward: partner comes behind the gap's first rank; backward: before its second one
    const Vertex place = place_[at(partner)];
    const Vertex j = !backward ? place : place == 0 ? n_ - 1 : place - 1;
    if (j != gap && gain(gap, j) >= 0) reverse(gap, j);
  }

  const Adjacency& graph_;
  Vertex n_;
  std::vector<Vertex> root_;
  std::vector<std::vector<Vertex>> links_;
  std::vector<Vertex> order_;
  std::vector<Vertex> place_; // of each rank in order_
};

} // namespace

std::vector<Vertex> order_along_paths(const Adjacency& graph) { return PathCover(graph).run(); }

} // namespace rondo::topology::internal
