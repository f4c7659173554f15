// SPDX-License-Identifier: Apache-2.0
#include "rondo/topology/headline.hpp"

#include <algorithm>

namespace rondo::topology {
namespace {

// The part's name, with all other traffic counted as left out.
Recognition beside_others(const TrafficPart& part, const Graph& all) {
  Recognition found = part.found;
  found.filtered.edges = all.adjacency().edges() - part.graph.adjacency().edges();
  found.filtered.traffic = {all.total().messages - found.kept.messages,
                            all.total().bytes - found.kept.bytes};
  found.to_self = all.to_self();
  return found;
}

bool has_name(const TrafficPart& part) {
  return part.found.recognized() && part.found.topology.kind != Kind::kTree;
}

// The parts are what the whole is made of: rows and columns of its grid.
bool covers(const Graph& whole, const TrafficPart& part) {
  for (Vertex v = 0; v < part.graph.ranks(); ++v) {
    for (const Vertex w : part.graph.adjacency().neighbours(v)) {
      if (!whole.adjacency().adjacent(v, w)) return false;
    }
  }
  return true;
}

// A lattice of all ranks in which the heavy parts lie is more than they are one by one.
bool is_made_of(const Recognition& whole, const Graph& kept, const std::vector<TrafficPart>& parts,
                const PartWeights& weights) {
  const Kind kind = whole.topology.kind;
  const bool is_lattice = kind == Kind::kMesh || kind == Kind::kHypercube ||
                          kind == Kind::kSixPoint || kind == Kind::kCg;
  if (!is_lattice || whole.copies > 1 || whole.silent_ranks > 0 || weights.heavy.size() < 2)
    return false;
  return std::all_of(weights.heavy.begin(), weights.heavy.end(),
                     [&](std::size_t i) { return covers(kept, parts[i]); });
}

} // namespace

Headline headline_of(const Graph& all, Recognition whole, const std::vector<TrafficPart>& parts,
                     const TopologyOptions& options) {
  Headline headline;
  const auto weights = weigh(parts, options.measure);
  const bool says_more = parts.size() > 1 && options.filter == FilterKind::kAutomatic &&
                         std::all_of(weights.heavy.begin(), weights.heavy.end(),
                                     [&](std::size_t i) { return has_name(parts[i]); });
  headline.kept = whole.filtered.edges == 0
                      ? all
                      : all.without_light_edges(options.measure, whole.filtered.least_weight);
  if (!says_more || is_made_of(whole, headline.kept, parts, weights)) {
    headline.found = std::move(whole);
    return headline;
  }
  headline.light = weights.light;
  if (weights.heavy.size() == 1) {
    const TrafficPart& part = parts[weights.heavy[0]];
    headline.found = beside_others(part, all);
    headline.kept = part.graph;
    return headline;
  }
  headline.mixture = weights.heavy;
  whole.topology = {.kind = Kind::kIrregular, .ranks = all.ranks()};
  whole.aliases.clear();
  whole.cells.clear();
  whole.copies = 1;
  whole.numbering = {};
  whole.filtered = {};
  whole.kept = all.total();
  headline.found = std::move(whole);
  headline.kept = all;
  return headline;
}

} // namespace rondo::topology
