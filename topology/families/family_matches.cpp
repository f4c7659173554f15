// SPDX-License-Identifier: Apache-2.0
#include "topology/families/family_matches.hpp"

#include "topology/layering.hpp"
#include "topology/paired_refinement.hpp"
#include "topology/recognisers/candidates.hpp"
#include "topology/recognisers/trees.hpp"

namespace rondo::topology::internal {
namespace {

constexpr std::int64_t kMostVisits = 200'000'000; // of a search; a second or two

bool is_connected(const Adjacency& graph) { return layer(graph, 0).reached() == graph.vertices(); }

std::optional<std::vector<Vertex>> cells_in(const Adjacency& graph, const Adjacency& reference) {
  if (signature_of(graph) != signature_of(reference)) return std::nullopt;
  const bool tree = graph.edges() == graph.vertices() - 1;
  if (tree && is_connected(graph)) {
    if (!is_connected(reference)) return std::nullopt;
    return find_tree_isomorphism(graph, reference);
  }
  return find_isomorphism(graph, reference, Symmetry::kNone, kMostVisits);
}

} // namespace

std::vector<Match> FamilyMatches::of(const Adjacency& graph) {
  std::vector<Match> matches;
  if (families_.empty() || graph.edges() == 0) return matches;
  auto [known, is_new] = members_.try_emplace({graph.vertices(), graph.edges()});
  if (is_new) {
    for (const Family& family : families_)
      known->second.push_back(family.topologies(graph.vertices(), {graph.edges(), graph.edges()}));
  }
  for (const auto& members : known->second) {
    for (const Topology& member : members) {
      auto cells = cells_in(graph, member.user->graph);
      if (!cells) continue;
      matches.push_back({member, std::move(*cells)});
      break;
    }
  }
  return matches;
}

} // namespace rondo::topology::internal
