// SPDX-License-Identifier: Apache-2.0
// Communication graphs with known labels: families of several sizes, whole and damaged, with and
// without a hub, numbered as they come and at random; and graphs that are none of these.
#pragma once

#include "rondo/topology/topology.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace rondo::topology::testing {

struct Labelled {
  std::string family; // "torus", "row+column", ..., "none of these"
  Topology topology; // kIrregular for "none of these"
  Vertex hub = -1; // a rank that talks to all others beside
  Adjacency graph;
  std::size_t missing = 0; // edges taken away
  std::size_t extra = 0; // edges added
  std::string how; // damage and numbering, in words
};

/// Takes `missing` edges away and adds `extra` ones, at random.
Adjacency damaged(const Adjacency& graph, std::size_t missing, std::size_t extra,
                  std::uint64_t seed);

/// All ranks talk to `hub`, which may be one more rank.
Adjacency with_hub(const Adjacency& graph, Vertex hub);

/// Every rank has `degree` partners: a random matching of stubs, repetitions dropped.
Adjacency random_regular(Vertex ranks, Vertex degree, std::uint64_t seed);

/// So many edges between any ranks.
Adjacency random_sparse(Vertex ranks, std::size_t edges, std::uint64_t seed);

/// Topologies of 8 to 400 ranks, with the names of their families.
std::vector<Labelled> undamaged();

/// Up to a tenth of the edges missing and a tenth extra, in a natural and in a random numbering.
std::vector<Labelled> damaged_corpus();

/// Lattices with a hub inside or beside.
std::vector<Labelled> hub_corpus();

/// Random graphs of several kinds, and topologies with 40 % of their edges missing and as many
/// extra.
std::vector<Labelled> irregular_corpus();

} // namespace rondo::topology::testing
