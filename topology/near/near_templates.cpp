// SPDX-License-Identifier: Apache-2.0
#include "topology/near/near_templates.hpp"

#include "rondo/base/sort_stably.hpp"
#include "topology/match.hpp"
#include "topology/recognisers/candidates.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace rondo::topology::internal {
namespace {

constexpr int kMostBoxes = 20'000;

// Neighbours along one dimension, added up over its cells.
std::int64_t ends(const Dimension& d) { return 2 * std::int64_t{d.periodic ? d.size : d.size - 1}; }

std::int64_t mesh_edges(const Topology& t) {
  std::int64_t twice = 0;
  for (const Dimension& d : t.dimensions) twice += ends(d) * (t.ranks / d.size);
  return twice / 2;
}

std::int64_t moore_edges(const Topology& t) {
  std::int64_t blocks = 1; // pairs of cells that are equal or neighbours
  for (const Dimension& d : t.dimensions) blocks *= d.size + ends(d);
  return (blocks - t.ranks) / 2;
}

std::int64_t eighteen_point_edges(const Topology& t) {
  std::int64_t twice = 2 * mesh_edges(t);
  const auto& dims = t.dimensions;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    for (std::size_t j = i + 1; j < dims.size(); ++j)
      twice += ends(dims[i]) * ends(dims[j]) * (t.ranks / dims[i].size / dims[j].size);
  }
  return twice / 2;
}

class Templates {
public:
  Templates(Vertex ranks, std::int64_t edges, double tolerance)
      : n_(ranks), edges_(edges), tolerance_(tolerance) {}

  std::vector<Topology> run() {
    box_.ranks = n_;
    boxes(n_);
    trees();
    row_column();
    patterns();
    sort_stably(list_.begin(), list_.end(), [&](const auto& a, const auto& b) {
      return std::abs(a.first - edges_) < std::abs(b.first - edges_);
    });
    std::vector<Topology> result;
    for (auto& [edges, topology] : list_) result.push_back(std::move(topology));
    return result;
  }

private:
  bool fits(std::int64_t edges) const {
    const auto wanted = static_cast<double>(edges);
    const auto there = static_cast<double>(edges_);
    return wanted >= (1 - tolerance_) * there && there >= (1 - tolerance_) * wanted;
  }

  void add(const Topology& topology, std::int64_t edges) {
    if (fits(edges)) list_.emplace_back(edges, topology);
  }

  // Sizes descend; of equal sizes the periodic ones stand first.
  void boxes(Vertex rest) {
    if (rest == 1) return add_box();
    auto& dims = box_.dimensions;
    const Vertex most = dims.empty() ? rest / 2 : std::min(rest, dims.back().size);
    for (Vertex size = most; size >= 2; --size) {
      if (rest % size != 0) continue;
      for (const bool periodic : {true, false}) {
        if (periodic && size < 3) continue;
        if (!dims.empty() && dims.back().size == size && periodic && !dims.back().periodic)
          continue;
        if (++tried_ > kMostBoxes) return;
        dims.push_back({size, periodic});
        boxes(rest / size);
        dims.pop_back();
      }
    }
  }

  void add_box() {
    Topology t = box_;
    const auto& dims = t.dimensions;
    const bool prime = std::none_of(dims.begin(), dims.end(),
                                    [](const Dimension& d) { return d.periodic && d.size == 4; });
    t.kind = TopologyKind::kMesh;
    if (prime) add(t, mesh_edges(t));
    t.kind = TopologyKind::kMoore;
    add(t, moore_edges(t));
    t.kind = TopologyKind::kEighteenPoint;
    if (dims.size() == 3) add(t, eighteen_point_edges(t));
    t.kind = TopologyKind::kSixPoint;
    const bool plane = dims.size() == 2 && dims[0].periodic && dims[1].periodic;
    if (plane) add(t, 3 * std::int64_t{n_});
  }

  void trees() {
    if (!fits(n_ - 1)) return;
    for (const bool highest : {false, true})
      add({.kind = TopologyKind::kBinomialTree, .ranks = n_, .clears_highest_bit = highest},
          n_ - 1);
    constexpr Vertex kMostChildren = 8;
    for (Vertex arity = 2; arity <= kMostChildren && arity < n_ - 1; ++arity)
      add({.kind = TopologyKind::kHeapTree, .ranks = n_, .arity = arity}, n_ - 1);
  }

  void row_column() {
    for (Vertex a = 2; a <= n_ / a; ++a) {
      if (n_ % a != 0) continue;
      add({.kind = TopologyKind::kRowColumn, .ranks = n_, .parts = {a, n_ / a}},
          std::int64_t{n_} * (a + n_ / a - 2) / 2);
    }
  }

  // A rank has log2(ranks) partners or fewer here, up to a factor of two; only then is it worth
  // building the graph to count.
  void patterns() {
    const std::int64_t log = std::bit_width(static_cast<std::uint32_t>(n_));
    if (edges_ > 2 * n_ * log || 8 * edges_ < n_ * log) return;
    count_and_add({.kind = TopologyKind::kDissemination, .ranks = n_});
    if (!std::has_single_bit(static_cast<std::uint32_t>(n_))) {
      count_and_add({.kind = TopologyKind::kRecursiveDoubling, .ranks = n_});
      if (has_own_hypercube(n_))
        count_and_add({.kind = TopologyKind::kIncompleteHypercube, .ranks = n_});
      return;
    }
    if (n_ >= 16) count_and_add({.kind = TopologyKind::kCg, .ranks = n_});
  }

  void count_and_add(const Topology& t) { add(t, reference_graph(t).edges()); }

  Vertex n_;
  std::int64_t edges_;
  double tolerance_;
  Topology box_;
  int tried_ = 0;
  std::vector<std::pair<std::int64_t, Topology>> list_; // with their numbers of edges
};

} // namespace

std::vector<Topology> templates_near(Vertex ranks, std::int64_t edges, double tolerance) {
  if (ranks < 4 || edges == 0) return {};
  return Templates(ranks, edges, tolerance).run();
}

} // namespace rondo::topology::internal
