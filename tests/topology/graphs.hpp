// SPDX-License-Identifier: Apache-2.0
// Words for topology tests: graphs by name, renumbered at random, as matrices; answers checked
// against the reference graph.
#pragma once

#include "rondo/matrix/communication_matrix.hpp"
#include "rondo/topology/recognize.hpp"

#include <cstdint>
#include <initializer_list>
#include <random>
#include <string>
#include <vector>

namespace rondo::topology::testing {

/// A topology that has no more than its kind and its ranks.
Topology of_kind(TopologyKind kind, Vertex ranks);

/// {4, 3} are open dimensions, {-4, 3} is periodic in the first.
std::vector<Dimension> dimensions(const std::vector<int>& sizes);

/// The ranks of a lattice of these dimensions.
Vertex product(const std::vector<Dimension>& dims);

/// grid, torus, mixture: sizes as above.
Topology mesh(const std::vector<int>& sizes);
Topology moore(const std::vector<int>& sizes);
Topology star_stencil(const std::vector<int>& sizes, Vertex radius);
Topology six_point(Vertex rows, Vertex columns, Vertex shift = 0);

/// Random new numbers for `ranks` ranks.
std::vector<Vertex> shuffle(Vertex ranks, std::uint64_t seed);

/// `graph` under shuffle(seed).
Adjacency shuffled(const Adjacency& graph, std::uint64_t seed);

/// One message each way along every edge.
matrix::CommunicationMatrix matrix_of(const Adjacency& graph);

/// Two graphs beside each other.
Adjacency beside(const Adjacency& a, const Adjacency& b);

/// Edges of a graph, each once.
std::vector<Edge> edges_of(const Adjacency& graph);

/// Replaces edges ab, cd by ad, cb at random: degrees stay, the topology usually does not.
Adjacency two_switched(const Adjacency& graph, std::uint64_t seed);

/// Recognition without filter.
Recognition recognized(const Adjacency& graph);

/// Empty if the mapping carries the graph exactly onto the reference graph of the topology it
/// names.
std::string wrong_mapping(const Adjacency& graph, const Recognition& recognition);

/// Names of the topology and its aliases.
std::vector<std::string> all_names(const Recognition& recognition);

} // namespace rondo::topology::testing
