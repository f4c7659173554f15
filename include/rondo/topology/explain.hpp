// SPDX-License-Identifier: Apache-2.0
// The paper's three stages made visible: which topologies remain after the simple tests, after
// comparing spectra, and after isomorphism. Recognition itself does not go this way.
//
//   for (const Stage& stage : explain(graph.adjacency(), {}).stages)
//     std::cout << stage.test << ": " << stage.candidates.size() << '\n';
#pragma once

#include "rondo/topology/family.hpp"

#include <string>
#include <vector>

namespace rondo::topology {

struct ExplainOptions {
  /// Above this number of ranks no spectra are computed and nothing is searched.
  Vertex spectrum_up_to = 2048;
  /// Of users; their members are candidates too.
  std::vector<Family> families = {};
};

struct Stage {
  std::string test; // "ranks, edges and degrees", "spectrum", "isomorphism"
  std::vector<Topology> candidates; // those that passed, in no particular order of merit
  double seconds = 0;
  bool done = true; // false if the graph is too large for it
};

struct Explanation {
  Vertex ranks = 0; // of the graph looked at
  std::vector<Stage> stages;
};

/// Topologies of `ranks` ranks with coordinates, with the same ranks, edges and degrees as the
/// graph, and dense, tree and pattern families that have them too.
/// @complexity     O(number of ways to write the number of ranks as a product)
/// @source         [logicalization, sec. 4.2]; closed forms of counts instead of built graphs
std::vector<Topology> candidates_by_counts(const Adjacency& graph);

/// The largest set of ranks that reach each other, as a graph of its own; the first if several are
/// as large.
/// @complexity     O(ranks + edges)
Adjacency largest_part(const Adjacency& graph);

/// All three stages, for a connected graph.
/// @complexity     O(ranks^3) for the spectrum; the search is that of recognition's rarest families
/// @source         [logicalization, sec. 4.2 and 5.1]
Explanation explain(const Adjacency& graph, const ExplainOptions& options);

} // namespace rondo::topology
