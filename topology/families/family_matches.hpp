// SPDX-License-Identifier: Apache-2.0
// Which members of the users' families a graph is.
#pragma once

#include "rondo/topology/family.hpp"
#include "topology/match.hpp"

#include <map>
#include <span>

namespace rondo::topology::internal {

/// Keeps the members it has built, as parts of a graph are often alike.
class FamilyMatches {
public:
  explicit FamilyMatches(std::span<const Family> families) : families_(families) {}

  bool empty() const { return families_.empty(); }

  /// The first member of every family that the graph is isomorphic to, in the order of families.
  /// @complexity     that of Family::topologies, and of find_isomorphism for each member
  std::vector<Match> of(const Adjacency& graph);

private:
  std::span<const Family> families_;
  /// By ranks and edges, for each family.
  std::map<std::pair<Vertex, std::int64_t>, std::vector<std::vector<Topology>>> members_;
};

} // namespace rondo::topology::internal
