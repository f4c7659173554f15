// SPDX-License-Identifier: Apache-2.0
// Sizes of fat trees from counts, level by level: the degree of a level is its children plus its
// parents, so each degree that occurs leaves few choices.
#include "topology/paired_refinement.hpp"
#include "topology/recognisers/candidates.hpp"
#include "topology/recognisers/hierarchy.hpp"

#include <algorithm>
#include <bit>
#include <map>

namespace rondo::topology::internal {
namespace {

constexpr Vertex kMostTreeRanks = 1024; // of a search, which pairs twin by twin
constexpr std::int64_t kMostTreeVisits = 200'000'000;

using DegreeCounts = std::map<Vertex, std::int64_t>;

DegreeCounts degrees_of(const Adjacency& graph) {
  DegreeCounts counts;
  for (Vertex v = 0; v < graph.vertices(); ++v) ++counts[graph.degree(v)];
  return counts;
}

class FatTreeSizes {
public:
  explicit FatTreeSizes(const Adjacency& graph)
      : n_(graph.vertices()), wanted_(degrees_of(graph)) {}

  std::vector<Topology> run() {
    // one degree for each level
    if (wanted_.size() > at(std::bit_width(static_cast<std::uint32_t>(n_)))) return {};
    for (const auto& [parents, count] : wanted_) {
      for (Vertex leaves = 4; leaves <= count; ++leaves) {
        if (take(parents, leaves)) climb(leaves, leaves, parents);
        give(parents, leaves);
      }
    }
    return std::move(list_);
  }

private:
  bool take(Vertex degree, std::int64_t nodes) {
    const auto found = wanted_.find(degree);
    auto& used = used_[degree];
    used += nodes;
    return found != wanted_.end() && used <= found->second;
  }
  void give(Vertex degree, std::int64_t nodes) {
    const auto used = used_.find(degree);
    if ((used->second -= nodes) == 0) used_.erase(used);
  }

  // From a level of `nodes` nodes with `parents` parents each; `choices` is the product of the
  // children of the levels above.
  void climb(std::int64_t nodes, Vertex choices, Vertex parents) {
    const Vertex most = std::min(choices, wanted_.rbegin()->first);
    for (Vertex children = 2; children <= most; ++children) {
      if (choices % children != 0) continue;
      const std::int64_t above = nodes / children * parents;
      if (above > n_) continue;
      children_.push_back(children);
      parents_.push_back(parents);
      const Vertex rest = choices / children;
      for (const auto& [degree, count] : wanted_) {
        if (degree < children || (degree == children) != (rest == 1)) continue;
        if (take(degree, above)) {
          if (rest == 1) {
            finish();
          } else {
            climb(above, rest, degree - children);
          }
        }
        give(degree, above);
      }
      children_.pop_back();
      parents_.pop_back();
    }
  }

  void finish() {
    if (used_ != wanted_ || children_.size() < 2) return;
    if (std::all_of(parents_.begin(), parents_.end(), [](Vertex w) { return w == 1; })) return;
    Topology t{.kind = TopologyKind::kFatTree, .ranks = n_, .parts = children_};
    t.parts.insert(t.parts.end(), parents_.begin(), parents_.end());
    list_.push_back(std::move(t));
  }

  Vertex n_;
  DegreeCounts wanted_;
  DegreeCounts used_; // by the levels so far
  std::vector<Vertex> children_;
  std::vector<Vertex> parents_;
  std::vector<Topology> list_;
};

} // namespace

std::vector<Topology> fat_tree_candidates(const Adjacency& graph) {
  return FatTreeSizes(graph).run();
}

MaybeMatch match_fat_tree(const Adjacency& graph) {
  if (graph.vertices() > kMostTreeRanks) return std::nullopt;
  for (const Topology& t : fat_tree_candidates(graph)) {
    auto cells = find_isomorphism(graph, reference_graph(t), Symmetry::kNone, kMostTreeVisits);
    if (cells) return Match{t, std::move(*cells)};
  }
  return std::nullopt;
}

} // namespace rondo::topology::internal
