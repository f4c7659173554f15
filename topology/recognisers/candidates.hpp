// SPDX-License-Identifier: Apache-2.0
// The families without a recognizer of their own: which of them have the graph's counts.
#pragma once

#include "topology/match.hpp"
#include "topology/paired_refinement.hpp"

namespace rondo::topology::internal {

/// Counts that do not depend on the numbering.
struct Signature {
  Vertex ranks = 0;
  std::int64_t edges = 0;
  Vertex least_degree = 0;
  Vertex most_degree = 0;

  bool regular() const { return least_degree == most_degree; }
  friend bool operator==(const Signature&, const Signature&) = default;
};

/// @complexity     O(vertices)
Signature signature_of(const Adjacency& graph);

struct Candidate {
  Topology topology;
  Symmetry symmetry = Symmetry::kNone;
};

/// Whether that many ranks, each talking to those that differ from it in one bit, are no graph of
/// another family: neither a hypercube, nor recursive doubling (one rank more), nor a grid (half as
/// many ranks more).
bool has_own_hypercube(Vertex ranks);

/// Small six-point stencils, 18-point stencils, recursive doubling, incomplete hypercubes,
/// dissemination, CG pattern.
/// @complexity     O(divisors of ranks squared), by closed forms of the counts
/// @source         [logicalization, sec. 4.2]; closed forms instead of building every candidate
std::vector<Candidate> candidates_for(const Signature& signature);

/// The candidates the graph is isomorphic to.
/// @complexity     that of find_isomorphism for each candidate, usually one
std::vector<Match> match_candidates(const Adjacency& graph, const Signature& signature);

} // namespace rondo::topology::internal
