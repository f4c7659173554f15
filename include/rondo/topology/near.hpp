// SPDX-License-Identifier: Apache-2.0
// The family a graph nearly belongs to: a few pairs are missing, a few too many, one rank talks to
// all others beside, or light traffic covers the pattern. All numbers are counted on the graph.
//
//   if (auto near = nearest(graph, {.tolerance = 0.1}))
//     std::cout << title(*near) << ' ' << near->jaccard() << '\n';   // "8x8 torus and hub 0" 0.97
#pragma once

#include "rondo/topology/family.hpp"
#include "rondo/topology/graph.hpp"
#include "rondo/topology/recognize.hpp"
#include "rondo/topology/topology.hpp"

#include <optional>
#include <string>
#include <vector>

namespace rondo::topology {

struct NearOptions {
  /// Share of the topology's edges that may be missing, and share of the graph's edges, or of its
  /// traffic, that may be extra; the stars of hubs are not counted in either. At 12 %
  /// the first random graphs of 12 ranks get a name, at 15 % those of 16.
  double tolerance = 0.1;
  WeightMeasure measure = WeightMeasure::kBytes;
  /// Laid over the graph in their own numbering.
  std::vector<Family> families = {};
};

struct NearMatch {
  Topology topology;
  /// Ranks that also talk to all others; these stars belong to the match.
  std::vector<Vertex> hubs;
  std::vector<Vertex> cells; // rank -> cell of reference_graph(topology); -1 for hubs outside of it
  std::int64_t shared = 0; // edges of both the match and the graph
  std::vector<Edge> missing; // edges of the match that the graph lacks; ranks, lower first
  std::vector<Edge> extra; // edges of the graph that do not fit
  std::vector<Edge> one_way; // of an all-to-all: shared edges on which one side is silent
  Traffic explained; // of the shared edges
  Traffic total; // of all edges

  /// Share of the match's edges that the graph has; one that goes one way only counts half.
  double recall() const;
  /// Shared edges among the edges of either.
  double jaccard() const;
  /// Share of the traffic on shared edges.
  double accuracy(WeightMeasure measure) const;
};

/// The best match found within the tolerance, for graphs without an exact name. Families are laid
/// over the graph under natural numberings (row-major in any order of dimensions); if none fits,
/// and whatever the numbering, mappings are grown onto all topologies with as many ranks and about
/// as many edges, for chains, rings and multipartite graphs found in ways of their own; with and
/// without hubs, light edges, and edges in no square. Twisted tori are not looked for.
/// A mapping found for a graph of unknown numbering may have a few more wrong edges than the best
/// one, so damage close to the tolerance may go without a name. Graphs of more than some ten
/// thousand ranks run out of steps before all topologies have been tried.
/// @complexity     O(edges * orders of dimensions that have votes) for natural numberings; else
///                 O(topologies * sum of squares of degrees * log), at most 10^9 pairs of
///                 neighbours visited for each of at most three graphs, plus exact recognition of
///                 at most ten repaired graphs
/// @source         [logicalization, sec. 4.2]; added: the paper names exact matches only.
///                 [yartseva2013] for growth
std::optional<NearMatch> nearest(const Graph& graph, const NearOptions& options);

/// The same where it is worth looking for: a tree without a family is a name that says little, too.
/// @param found  the recognition of the graph
std::optional<NearMatch> nearest(const Graph& graph, const Recognition& found,
                                 const NearOptions& options);

/// "8x8 torus", "8x8 torus and hub 0", "4x4 grid and hubs 0 and 7".
std::string title(const NearMatch& match);

} // namespace rondo::topology
