// SPDX-License-Identifier: Apache-2.0
#include "topology/names/natural_numbering.hpp"

#include "topology/recognisers/candidates.hpp"

#include <algorithm>
#include <bit>
#include <unordered_map>

namespace rondo::topology::internal {
namespace {

constexpr int kMostOrders = 20'000; // orders of dimensions looked at
constexpr double kUnclear = 0.67;

// Votes of all pairs for their difference.
class Votes {
public:
  explicit Votes(const Adjacency& graph) {
    for (Vertex v = 0; v < graph.vertices(); ++v) {
      for (const Vertex w : graph.neighbours(v)) {
        if (v < w) ++count_[w - v];
      }
    }
  }
  std::int64_t of(Vertex difference) const {
    const auto found = count_.find(difference);
    return found == count_.end() ? 0 : found->second;
  }

private:
  std::unordered_map<Vertex, std::int64_t> count_;
};

class NaturalCandidates {
public:
  NaturalCandidates(const Adjacency& graph, double least_share)
      : graph_(graph), n_(graph.vertices()), least_share_(least_share), votes_(graph) {}

  std::vector<Topology> run() {
    orders(n_);
    add_patterns();
    return std::move(list_);
  }

private:
  // Dimensions are chosen from the fastest to the slowest, so that the stride of each is known and
  // a dimension without votes ends the branch.
  void orders(Vertex rest) {
    if (rest == 1) return add_lattices();
    const Vertex stride = n_ / rest;
    for (Vertex size = 2; size <= rest; ++size) {
      if (rest % size != 0 || tried_ > kMostOrders) continue;
      ++tried_;
      if (!enough(votes_.of(stride), n_ / size * (size - 1))) continue;
      const double closed = closed_share(stride, size);
      for (const bool periodic : {true, false}) {
        if (periodic ? closed < 1 - kUnclear : closed > kUnclear) continue;
        reversed_.push_back({size, periodic});
        orders(rest / size);
        reversed_.pop_back();
      }
    }
  }

  bool enough(std::int64_t found, std::int64_t expected) const {
    return static_cast<double>(found) >= least_share_ * static_cast<double>(expected);
  }

  // How many of the last cells of a dimension talk to the first ones. Between a third and two
  // thirds, open and periodic are both tried.
  double closed_share(Vertex stride, Vertex size) const {
    if (size < 3) return 0;
    const Vertex span = stride * (size - 1);
    const double all = n_ / size;
    if (static_cast<double>(votes_.of(span)) < (1 - kUnclear) * all) return 0;
    double closing = 0;
    for (Vertex v = 0; v + span < n_; ++v) {
      if (v / stride % size == 0 && graph_.adjacent(v, v + span)) ++closing;
    }
    return closing / all;
  }

  void add_lattices() {
    Topology t{.kind = TopologyKind::kMesh, .ranks = n_};
    t.dimensions.assign(reversed_.rbegin(), reversed_.rend());
    const std::size_t k = t.dimensions.size();
    if (k == 1) t.kind = t.dimensions[0].periodic ? TopologyKind::kRing : TopologyKind::kChain;
    list_.push_back(t);
    const bool has_corners =
        k >= 2 &&
        votes_.of(t.dimensions[k - 1].size + 1) + votes_.of(t.dimensions[k - 1].size - 1) > 0;
    if (!has_corners) return;
    t.kind = TopologyKind::kMoore;
    list_.push_back(t);
    if (k == 3) {
      t.kind = TopologyKind::kEighteenPoint;
      list_.push_back(t);
    }
    if (k == 2 && t.dimensions[0].periodic && t.dimensions[1].periodic) {
      t.kind = TopologyKind::kSixPoint;
      list_.push_back(t);
    }
  }

  void add_patterns() {
    add(TopologyKind::kComplete, std::int64_t{n_} * (n_ - 1) / 2);
    add(TopologyKind::kBinomialTree, n_ - 1);
    for (Vertex arity = 2; arity <= 8 && arity < n_ - 1; ++arity) {
      if (add(TopologyKind::kHeapTree, n_ - 1)) list_.back().arity = arity;
    }
    if (add(TopologyKind::kBinomialTree, n_ - 1)) list_.back().clears_highest_bit = true;
    const int bits = std::bit_width(static_cast<unsigned>(n_ - 1));
    add(TopologyKind::kDissemination, std::int64_t{n_} * bits);
    if (std::has_single_bit(static_cast<unsigned>(n_))) {
      if (n_ >= 16) add(TopologyKind::kCg, std::int64_t{n_} * (bits + 2) / 4);
    } else {
      add(TopologyKind::kRecursiveDoubling,
          std::int64_t{std::bit_floor(static_cast<unsigned>(n_))} * (bits - 1) / 2);
      if (has_own_hypercube(n_))
        add(TopologyKind::kIncompleteHypercube, std::int64_t{n_} * (bits - 1) / 2);
    }
    add_row_column();
  }

  void add_row_column() {
    for (Vertex rows = 2; rows <= n_ / 2; ++rows) {
      if (n_ % rows != 0 ||
          !add(TopologyKind::kRowColumn, std::int64_t{n_} * (rows + n_ / rows - 2) / 2))
        continue;
      list_.back().parts = {rows, n_ / rows};
    }
  }

  // Only if the numbers of edges are near each other; counts above are exact to a factor of two.
  bool add(TopologyKind kind, std::int64_t edges) {
    if (graph_.edges() > 2 * edges || 2 * graph_.edges() < edges) return false;
    list_.push_back({.kind = kind, .ranks = n_});
    return true;
  }

  const Adjacency& graph_;
  Vertex n_;
  double least_share_;
  Votes votes_;
  int tried_ = 0;
  std::vector<Dimension> reversed_; // fastest first
  std::vector<Topology> list_;
};

} // namespace

std::vector<Topology> natural_candidates(const Adjacency& graph, double least_share) {
  if (graph.vertices() < 3) return {};
  return NaturalCandidates(graph, least_share).run();
}

} // namespace rondo::topology::internal
