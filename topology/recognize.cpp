// SPDX-License-Identifier: Apache-2.0
#include "rondo/topology/recognize.hpp"

#include "topology/components.hpp"
#include "topology/match.hpp"
#include "topology/natural_name.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace rondo::topology {
namespace {

bool used_both_ways(const Graph& graph) {
  const Adjacency& adjacency = graph.adjacency();
  for (Vertex v = 0; v < graph.ranks(); ++v) {
    for (std::int64_t arc = adjacency.row_begin(v); arc < adjacency.row_end(v); ++arc) {
      if (graph.sent(arc).messages == 0) return false;
    }
  }
  return true;
}

// Names, cells and numbering, from the shape alone.
Recognition recognize_shape(const Adjacency& graph, const TopologyOptions& options) {
  Recognition result =
      internal::recognize_components(graph, options.all_names_up_to, options.families);
  result.degrees = degree_statistics(graph);
  if (result.copies == 1 && result.silent_ranks == 0 && has_coordinates(result.topology)) {
    internal::put_natural_name_first(graph, options.suggested, result);
  }
  return result;
}

Recognition recognize_kept(const Graph& all, const Graph& kept, double least,
                           const TopologyOptions& options) {
  Recognition result = recognize_shape(kept.adjacency(), options);
  result.kept = kept.total();
  result.to_self = all.to_self();
  result.symmetric = used_both_ways(kept);
  result.filtered.edges = all.adjacency().edges() - kept.adjacency().edges();
  result.filtered.traffic = {all.total().messages - kept.total().messages,
                             all.total().bytes - kept.total().bytes};
  result.filtered.least_weight = result.filtered.edges > 0 ? least : 0;
  return result;
}

// Weights at which the sorted distinct weights jump most, by ratio; the heaviest side of each jump.
std::vector<double> largest_gaps(const Graph& graph, WeightMeasure measure) {
  constexpr std::size_t kMostTrials = 4;
  constexpr double kLeastRatio = 2;
  std::vector<double> weights;
  for (const Traffic& t : graph.edge_traffic())
    weights.push_back(static_cast<double>(t.of(measure)));
  std::sort(weights.begin(), weights.end());
  weights.erase(std::unique(weights.begin(), weights.end()), weights.end());
  std::vector<std::pair<double, double>> gaps; // ratio, weight above the gap
  for (std::size_t i = 1; i < weights.size(); ++i) {
    const double ratio = weights[i] / std::max(weights[i - 1], 1.0);
    if (ratio >= kLeastRatio) gaps.emplace_back(ratio, weights[i]);
  }
  std::sort(gaps.rbegin(), gaps.rend());
  if (gaps.size() > kMostTrials) gaps.resize(kMostTrials);
  std::vector<double> cuts;
  for (const auto& gap : gaps) cuts.push_back(gap.second);
  std::sort(cuts.begin(), cuts.end());
  return cuts;
}

// The lightest cut that gives a name: it keeps the most traffic. A cut that drops half of the
// traffic would name what the program mostly does not do.
Recognition recognize_automatic(const Graph& graph, const TopologyOptions& options) {
  Recognition unfiltered = recognize_kept(graph, graph, 0, options);
  if (unfiltered.recognized()) return unfiltered;
  for (const double cut : largest_gaps(graph, options.measure)) {
    const Graph kept = graph.without_light_edges(options.measure, cut);
    if (2 * kept.total().of(options.measure) < graph.total().of(options.measure)) break;
    Recognition result = recognize_kept(graph, kept, cut, options);
    if (result.recognized()) return result;
  }
  return unfiltered;
}

double heaviest(const Graph& graph, WeightMeasure measure) {
  std::uint64_t most = 0;
  for (const Traffic& t : graph.edge_traffic()) most = std::max(most, t.of(measure));
  return static_cast<double>(most);
}

std::string with_copies(const Topology& topology, Vertex copies) {
  if (copies == 1) return name(topology);
  return std::to_string(copies) + " copies of " + name(topology);
}

} // namespace

Recognition recognize(const matrix::CommunicationMatrix& matrix, const TopologyOptions& options) {
  return recognize(Graph::from_matrix(matrix), options);
}

Recognition recognize(const Graph& graph, const TopologyOptions& options) {
  switch (options.filter) {
  case FilterKind::kNone:
    break;
  case FilterKind::kAutomatic:
    return recognize_automatic(graph, options);
  case FilterKind::kFraction: {
    const double least = options.fraction * heaviest(graph, options.measure);
    return recognize_kept(graph, graph.without_light_edges(options.measure, least), least, options);
  }
  }
  return recognize_kept(graph, graph, 0, options);
}

double Recognition::accuracy(WeightMeasure measure) const {
  const auto all = static_cast<double>(kept.of(measure) + filtered.traffic.of(measure));
  return all == 0 ? 1.0 : static_cast<double>(kept.of(measure)) / all;
}

std::string title(const Recognition& recognition) {
  if (recognition.topology.kind != Kind::kSeveral) {
    return with_copies(recognition.topology, recognition.copies);
  }
  std::string text;
  for (std::size_t i = 0; i < recognition.parts.size(); ++i) {
    if (i > 0) text += i + 1 == recognition.parts.size() ? " and " : ", ";
    text += with_copies(recognition.parts[i].topology, recognition.parts[i].copies);
  }
  return text;
}

DegreeStatistics degree_statistics(const Adjacency& graph) {
  DegreeStatistics result;
  std::map<Vertex, Vertex> counts;
  for (Vertex v = 0; v < graph.vertices(); ++v) ++counts[graph.degree(v)];
  if (counts.empty()) return result;
  result.least = counts.begin()->first;
  result.most = counts.rbegin()->first;
  result.mean = 2.0 * static_cast<double>(graph.edges()) / graph.vertices();
  result.histogram.assign(counts.begin(), counts.end());
  return result;
}

} // namespace rondo::topology
