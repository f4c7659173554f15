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
  return (part.found.recognized() && part.found.topology.kind != TopologyKind::kTree) ||
         part.found.is_of_one_kind();
}

// Parts with a name, one of them of all ranks, that carry twice what those without one do: a
// program of which something is irregular. Where the whole has a name, all have to have one.
bool names_suffice(const Recognition& whole, const std::vector<TrafficPart>& parts,
                   const std::vector<std::size_t>& named, const std::vector<std::size_t>& others,
                   WeightMeasure measure) {
  if (others.empty()) return true;
  const auto sum = [&](const std::vector<std::size_t>& some) {
    std::uint64_t traffic = 0;
    for (const std::size_t i : some) traffic += parts[i].traffic.of(measure);
    return traffic;
  };
  const bool is_of_all = std::any_of(named.begin(), named.end(), [&](std::size_t i) {
    return parts[i].found.copies == 1 && parts[i].found.silent_ranks == 0;
  });
  return !whole.recognized() && is_of_all && sum(named) >= 2 * sum(others);
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
  const TopologyKind kind = whole.topology.kind;
  const bool is_lattice = kind == TopologyKind::kMesh || kind == TopologyKind::kHypercube ||
                          kind == TopologyKind::kSixPoint || kind == TopologyKind::kCg;
  if (!is_lattice || whole.copies > 1 || whole.silent_ranks > 0 || weights.heavy.size() < 2)
    return false;
  return std::all_of(weights.heavy.begin(), weights.heavy.end(),
                     [&](std::size_t i) { return covers(kept, parts[i]); });
}

} // namespace

Headline headline_of(const Graph& all, Recognition whole, const std::vector<TrafficPart>& parts,
                     const TopologyOptions& options) {
  Headline headline;
  auto weights = weigh(parts, options.measure);
  // What ranks send to themselves is counted apart, and has no name.
  for (auto* const some : {&weights.heavy, &weights.light})
    std::erase_if(
        *some, [&](std::size_t i) { return parts[i].found.topology.kind == TopologyKind::kEmpty; });
  std::vector<std::size_t> named = weights.heavy;
  const auto middle = std::stable_partition(named.begin(), named.end(),
                                            [&](std::size_t i) { return has_name(parts[i]); });
  const std::vector<std::size_t> others(middle, named.end());
  named.erase(middle, named.end());
  const bool says_more = !named.empty() && parts.size() > 1 &&
                         options.filter == FilterKind::kAutomatic &&
                         names_suffice(whole, parts, named, others, options.measure);
  headline.kept = whole.filtered.edges == 0
                      ? all
                      : all.without_light_edges(options.measure, whole.filtered.least_weight);
  if (!says_more || is_made_of(whole, headline.kept, parts, weights)) {
    headline.found = std::move(whole);
    return headline;
  }
  headline.light = others;
  headline.light.insert(headline.light.end(), weights.light.begin(), weights.light.end());
  if (named.size() == 1) {
    const TrafficPart& part = parts[named[0]];
    headline.found = beside_others(part, all);
    headline.kept = part.graph;
    return headline;
  }
  headline.mixture = named;
  whole.topology = {.kind = TopologyKind::kIrregular, .ranks = all.ranks()};
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
