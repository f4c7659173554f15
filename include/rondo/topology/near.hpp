// SPDX-License-Identifier: Apache-2.0
// The family a graph nearly belongs to: a few pairs are missing, a few too many, one rank talks to
// all others beside, or light traffic covers the pattern. All numbers are counted on the graph.
//
//   if (auto near = nearest(graph, {.tolerance = 0.1}))
//     std::cout << title(*near) << ' ' << near->jaccard() << '\n';   // "8x8 torus and hub 0" 0.97
#pragma once

#include "rondo/topology/family.hpp"
#include "rondo/topology/graph.hpp"
#include "rondo/topology/topology.hpp"

#include <optional>
#include <string>
#include <vector>

namespace rondo::topology {

struct NearOptions {
  /// Share of the topology's edges that may be missing, and share of the graph's edges, or of its
  /// traffic, that may be extra; the stars of hubs are not counted in either.
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
  Traffic explained; // of the shared edges
  Traffic total; // of all edges

  /// Share of the match's edges that the graph has.
  double recall() const;
  /// Shared edges among the edges of either.
  double jaccard() const;
  /// Share of the traffic on shared edges.
  double accuracy(WeightMeasure measure) const;
};

/// The best match within the tolerance, for graphs without an exact name: families under natural
/// numberings (row-major in any order of dimensions), and, whatever the numbering, what is left
/// without hubs, without light edges, or without edges in no square.
/// @complexity     O(edges * orders of dimensions that have votes), plus exact recognition of at
///                 most ten repaired graphs
/// @source         [logicalization, sec. 4.2]; added: the paper names exact matches only
std::optional<NearMatch> nearest(const Graph& graph, const NearOptions& options);

/// "8x8 torus", "8x8 torus and hub 0", "4x4 grid and hubs 0 and 7".
std::string title(const NearMatch& match);

} // namespace rondo::topology
