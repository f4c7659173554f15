// SPDX-License-Identifier: Apache-2.0
#include "logical/places/names.hpp"

#include "rondo/trace/communicator_names.hpp"

#include <gtest/gtest.h>

namespace rondo::logical::internal {
namespace {

PeerTopology peer_topology(const std::string& name, topology::Vertex rows,
                           topology::Vertex columns) {
  topology::Topology topology;
  topology.kind = topology::TopologyKind::kMesh;
  topology.ranks = rows * columns;
  topology.dimensions = {{rows, false}, {columns, false}};
  return {name, topology, {}, {}, Directions(topology, {})};
}

std::size_t direction(const PeerTopology& peer_topology, const std::string& name) {
  for (std::size_t i = 0; i < peer_topology.directions.size(); ++i) {
    if (peer_topology.directions.name(i) == name) return i;
  }
  ADD_FAILURE() << peer_topology.name << " has no " << name;
  return 0;
}

std::string named(const LogicalProgram& logical, std::size_t g, const std::string& name) {
  const Peer peer{Peer::Form::kDirection, g, direction(logical.peer_topologies[g], name), 0};
  return Names(logical).direction(peer);
}

trace::CommDefinition comm(std::int64_t slot, std::vector<trace::RankRange> members) {
  trace::CommDefinition definition{slot, std::move(members), {}, {}};
  std::vector<std::int64_t> ranks;
  for (const trace::RankRange& range : definition.members) {
    for (std::int64_t i = 0; i < range.count; ++i) ranks.push_back(range.start + i * range.stride);
  }
  definition.holders = trace::RankSet::of(std::move(ranks));
  return definition;
}

TEST(LogicalNames, OfRecursiveDoublingAreHostAndGuestBeyondAPowerOfTwo) {
  topology::Topology topology;
  topology.kind = topology::TopologyKind::kRecursiveDoubling;
  topology.ranks = 5; // 0 is the guest of 1
  const Directions directions(topology, {});
  const auto name = [&](topology::Vertex from, topology::Vertex to) {
    return directions.name(directions.between(from, to).value());
  };
  EXPECT_EQ(name(0, 1), "host");
  EXPECT_EQ(name(1, 0), "guest");
  EXPECT_EQ(name(1, 2), "bit 0");
  EXPECT_EQ(name(2, 4), "bit 1");
}

TEST(LogicalNames, SayTheTopologyOnlyWhereOneBeforeHasTheDirectionToo) {
  LogicalProgram logical;
  logical.peer_topologies = {peer_topology("4x3 grid", 4, 3), peer_topology("5x4 grid", 5, 4)};
  EXPECT_EQ(named(logical, 0, "east"), "east");
  EXPECT_EQ(named(logical, 1, "east"), "east of 5x4 grid");
}

TEST(LogicalNames, NumberTopologiesOfOneName) {
  LogicalProgram logical;
  logical.peer_topologies = {peer_topology("4x3 grid", 4, 3), peer_topology("4x3 grid", 4, 3)};
  EXPECT_EQ(Names(logical).peer_topologies(), (std::vector<std::string>{"4x3 grid", "4x3 grid 2"}));
  EXPECT_EQ(named(logical, 1, "east"), "east of 4x3 grid 2");
}

TEST(LogicalNames, KnowRowsColumnsAndThoseWithAllRanks) {
  LogicalProgram logical;
  logical.cells.run.ranks = 6; // two rows of three
  logical.cells.comms = {comm(0, {{0, 1, 3}}), comm(0, {{3, 1, 3}}), comm(1, {{0, 3, 2}}),
                         comm(1, {{1, 3, 2}}), comm(1, {{2, 3, 2}}), comm(2, {{0, 1, 6}}),
                         comm(3, {{0, 1, 4}})};
  logical.communicators = std::make_shared<const trace::CommunicatorNames>(logical.cells);
  logical.crossed = topology::crossed_families(logical.cells);
  logical.comms_of_all_ranks = internal::comms_of_all_ranks(logical.cells);
  const Names names(logical);
  EXPECT_EQ(names.role(0), " (rows)");
  EXPECT_EQ(names.role(1), " (columns)");
  EXPECT_EQ(names.role(2), " (all ranks)");
  EXPECT_EQ(names.role(3), "");
  EXPECT_EQ(names.communicator(3), "comm#4"); // nobody saw it made
}

} // namespace
} // namespace rondo::logical::internal
