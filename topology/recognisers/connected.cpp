// SPDX-License-Identifier: Apache-2.0
#include "topology/recognisers/connected.hpp"

#include "topology/recognisers/candidates.hpp"
#include "topology/recognisers/cartesian.hpp"
#include "topology/recognisers/dense.hpp"
#include "topology/recognisers/hierarchy.hpp"
#include "topology/recognisers/moore.hpp"
#include "topology/recognisers/plane_lattices.hpp"
#include "topology/recognisers/plane_walk.hpp"
#include "topology/recognisers/star_stencil.hpp"
#include "topology/recognisers/trees.hpp"

#include <algorithm>
#include <iterator>

namespace rondo::topology::internal {
namespace {

// Collects matches, and says when enough are known.
class ConnectedNames {
public:
  explicit ConnectedNames(bool all) : all_(all) {}
  bool enough() const { return !all_ && !matches_.empty(); }
  void add(MaybeMatch match) {
    if (match) matches_.push_back(std::move(*match));
  }
  void add(std::vector<Match> matches) {
    std::move(matches.begin(), matches.end(), std::back_inserter(matches_));
  }
  // Without "tree" if a closer name is known.
  std::vector<Match> take() {
    if (matches_.size() > 1) {
      std::erase_if(matches_,
                    [](const Match& m) { return m.topology.kind == TopologyKind::kTree; });
    }
    return std::move(matches_);
  }

private:
  bool all_;
  std::vector<Match> matches_;
};

// A multi-partition method needs at least three ranks in each direction; below, the six-point
// stencil is another name for all-to-all or a thin 8-point stencil.
bool goes_first(const Match& match) {
  const Topology& t = match.topology;
  return t.kind == TopologyKind::kSixPoint &&
         std::min(t.dimensions[0].size, t.dimensions[1].size) >= 3;
}

// Among few ranks every other tree is a heap of many children.
bool is_vague(const Match& match) {
  const Topology& t = match.topology;
  if (t.kind == TopologyKind::kHeapTree)
    return t.arity > 2 && t.ranks < 1 + t.arity + t.arity * t.arity;
  return t.kind == TopologyKind::kTree;
}

} // namespace

std::vector<Match> match_connected(const Adjacency& graph, const Layering& layers, bool all_names) {
  ConnectedNames names(all_names);
  names.add(match_cartesian(layers));
  if (names.enough()) return names.take();
  if (graph.edges() == graph.vertices() - 1) {
    auto trees = match_trees(graph);
    if (std::all_of(trees.begin(), trees.end(), is_vague)) {
      if (auto hierarchy = match_hierarchy(graph))
        trees.insert(trees.begin(), std::move(*hierarchy));
    }
    if (trees.size() > 1)
      std::erase_if(trees, [](const Match& m) { return m.topology.kind == TopologyKind::kTree; });
    names.add(std::move(trees));
    if (names.enough()) return names.take();
  }
  const Signature signature = signature_of(graph);
  names.add(match_six_point(layers));
  if (names.enough()) return names.take();
  names.add(match_complete(graph));
  if (names.enough()) return names.take();
  names.add(match_moore(layers));
  if (names.enough()) return names.take();
  names.add(match_multipartite(graph));
  if (names.enough()) return names.take();
  names.add(match_row_column(graph));
  if (names.enough()) return names.take();
  names.add(match_star_stencil(layers));
  if (names.enough()) return names.take();
  names.add(match_candidates(graph, signature));
  if (names.enough()) return names.take();
  auto matches = names.take();
  if (matches.empty()) {
    if (auto twisted = match_twisted_torus(layers)) matches.push_back(std::move(*twisted));
  }
  for (const auto match_rest : {match_hierarchy, match_narrow_plane, match_fat_tree}) {
    if (!matches.empty()) break;
    if (auto match = match_rest(graph)) matches.push_back(std::move(*match));
  }
  const auto first = std::find_if(matches.begin(), matches.end(), goes_first);
  const bool mesh_first = !matches.empty() && has_coordinates(matches[0].topology) &&
                          matches[0].topology.kind != TopologyKind::kMoore;
  if (first != matches.end() && !mesh_first) std::rotate(matches.begin(), first, first + 1);
  return matches;
}

} // namespace rondo::topology::internal
