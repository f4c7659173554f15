// SPDX-License-Identifier: Apache-2.0
#include "logical/places/names.hpp"

#include "rondo/topology/groups.hpp"
#include "rondo/trace/communicator_names.hpp"

namespace rondo::logical::internal {
namespace {

std::string numbered(const std::string& name, int number) {
  return number == 1 ? name : name + " " + std::to_string(number);
}

// A family of one communicator that has all ranks.
bool is_world(const topology::CommFamily& family, std::int64_t ranks) {
  return family.comms.size() == 1 && family.sizes.front() == ranks &&
         family.comms.front()->remote.empty();
}

// What any of those is called that are below one rank.
std::string leaf_of(const topology::Topology& topology) {
  if (topology.kind == topology::TopologyKind::kStar) return "leaf";
  if (topology.kind == topology::TopologyKind::kMultipartite) return "opposite";
  if (topology.kind == topology::TopologyKind::kUser && !topology::has_coordinates(topology))
    return "neighbour";
  return topology.kind == topology::TopologyKind::kHierarchy ? "member" : "";
}

} // namespace

std::set<std::int64_t> comms_of_all_ranks(const trace::Trace& trace) {
  std::set<std::int64_t> slots;
  for (const topology::CommFamily& family : topology::comm_families(trace)) {
    if (is_world(family, trace.run.ranks)) slots.insert(family.slot);
  }
  return slots;
}

Names::Names(const LogicalProgram& logical) : logical_(logical) {
  std::map<std::string, int> seen;
  for (const PeerTopology& peer_topology : logical.peer_topologies) {
    peer_topologies_.push_back(numbered(peer_topology.name, ++seen[peer_topology.name]));
    for (std::size_t i = 0; i < peer_topology.directions.size(); ++i)
      first_with_.emplace(peer_topology.directions.name(i), peer_topologies_.size() - 1);
    if (const std::string leaf = leaf_of(peer_topology.topology); !leaf.empty())
      first_with_.emplace(leaf, peer_topologies_.size() - 1);
  }
  find_roles();
}

void Names::find_roles() {
  int grids = 0;
  for (const topology::CrossedFamilies& crossed : logical_.crossed) {
    // A grid of three dimensions crosses each family with several: the first role stays.
    if (roles_.contains(crossed.rows) || roles_.contains(crossed.columns)) continue;
    ++grids;
    roles_[crossed.rows] = numbered("rows", grids);
    roles_[crossed.columns] = numbered("columns", grids);
  }
  for (const std::int64_t slot : logical_.comms_of_all_ranks) roles_.try_emplace(slot, "all ranks");
}

std::string Names::direction(const Peer& peer) const {
  const Directions& directions = logical_.peer_topologies[peer.peer_topology].directions;
  const std::string name = peer.direction == Peer::kAnyLeaf
                               ? leaf_of(logical_.peer_topologies[peer.peer_topology].topology)
                               : directions.name(peer.direction);
  return first_with_.at(name) == peer.peer_topology
             ? name
             : name + " of " + peer_topologies_[peer.peer_topology];
}

std::string Names::communicator(std::int64_t slot) const {
  return logical_.communicators->of(slot);
}

std::string Names::other_process(std::int64_t slot) const {
  const std::string way = logical_.communicators->how_made(slot);
  if (way.starts_with("spawn")) return "spawned";
  if (way == "parent") return way;
  return way == "accept" || way == "connect" || way == "join" ? "remote" : "unknown";
}

std::string Names::role(std::int64_t slot) const {
  const auto known = roles_.find(slot);
  return known == roles_.end() ? "" : " (" + known->second + ")";
}

} // namespace rondo::logical::internal
