// SPDX-License-Identifier: Apache-2.0
#include "rondo/topology/recognize.hpp"

#include "topology/match.hpp"
#include "topology/names/few_ranks.hpp"
#include "topology/names/natural_name.hpp"
#include "topology/names/plain_names.hpp"
#include "topology/recognisers/components.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <limits>
#include <map>
#include <optional>

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

// The same where some ranks talk to nobody, without a numbering, which is one of all ranks.
void put_natural_name_first_among_talkers(const Adjacency& graph, Recognition& result) {
  std::vector<Vertex> talkers;
  for (Vertex v = 0; v < graph.vertices(); ++v) {
    if (graph.degree(v) > 0) talkers.push_back(v);
  }
  Recognition among = result;
  among.cells.clear();
  for (const Vertex v : talkers) among.cells.push_back(result.cells[at(v)]);
  std::vector<Vertex> index_of(at(graph.vertices()));
  internal::put_natural_name_first(part_of(graph, talkers, index_of), {}, among);
  result.topology = std::move(among.topology);
  result.aliases = std::move(among.aliases);
  for (std::size_t i = 0; i < talkers.size(); ++i) result.cells[at(talkers[i])] = among.cells[i];
}

// Names, cells and numbering, from the shape alone.
Recognition recognize_shape(const Adjacency& graph, const TopologyOptions& options) {
  Recognition result = internal::recognize_components(graph, options.all_names_up_to,
                                                      options.families, options.plain_names);
  result.degrees = degree_statistics(graph);
  if (result.copies == 1 && has_coordinates(result.topology)) {
    if (result.silent_ranks == 0)
      internal::put_natural_name_first(graph, options.suggested, result);
    else
      put_natural_name_first_among_talkers(graph, result);
  }
  if (options.plain_names) internal::prefer_bits_of_ranks(graph, result);
  if (options.plain_names) internal::keep_plain_aliases(graph, result);
  if (options.plain_names) internal::prefer_tree_in_rank_order(graph, result);
  if (options.plain_names && options.suggested.empty())
    internal::name_three_in_a_row(graph, result);
  return result;
}

Recognition recognize_kept(const Graph& all, const Graph& kept, double least,
                           const TopologyOptions& options) {
  Recognition result = recognize_shape(kept.adjacency(), options);
  if (options.plain_names) {
    internal::refuse_bits_in_an_odd_order(kept.adjacency(), result);
    internal::root_tree_by_messages(kept, result);
    internal::prefer_what_directions_say(kept, result);
  }
  result.kept = kept.total();
  result.to_self = all.to_self();
  result.symmetric = used_both_ways(kept);
  if (options.plain_names) internal::refuse_damaged_all_to_all(kept, result);
  if (options.plain_names) internal::refuse_levels_by_chance(kept, result);
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

// Gaps between pairs that differ in both measures: what is below one is set-up or the like, and not
// what the program does all the time. Edges and corners of a stencil are small, but come about as
// often as its faces do: they are part of it. The widest first.
std::vector<double> set_up_cuts(const Graph& graph, WeightMeasure measure) {
  constexpr std::uint64_t kLeastRatio = 4;
  constexpr std::uint64_t kLeastRatioOfOther = 2;
  std::vector<Traffic> edges = graph.edge_traffic();
  const auto other =
      measure == WeightMeasure::kBytes ? WeightMeasure::kMessages : WeightMeasure::kBytes;
  std::sort(edges.begin(), edges.end(),
            [&](const Traffic& a, const Traffic& b) { return a.of(measure) < b.of(measure); });
  std::vector<std::uint64_t> least_above(edges.size());
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (std::size_t i = edges.size(); i-- > 0;)
    least_above[i] = least = std::min(least, edges[i].of(other));
  std::vector<std::pair<double, double>> gaps; // ratio, weight above the gap
  std::uint64_t most_below = 0;
  for (std::size_t i = 1; i < edges.size(); ++i) {
    most_below = std::max(most_below, edges[i - 1].of(other));
    const std::uint64_t above = edges[i].of(measure);
    const std::uint64_t below = std::max<std::uint64_t>(edges[i - 1].of(measure), 1);
    if (above / kLeastRatio < below || most_below >= least_above[i] ||
        least_above[i] / kLeastRatioOfOther < most_below)
      continue;
    gaps.emplace_back(static_cast<double>(above) / static_cast<double>(below),
                      static_cast<double>(above));
  }
  std::sort(gaps.rbegin(), gaps.rend());
  std::vector<double> cuts;
  for (const auto& gap : gaps) cuts.push_back(gap.second);
  return cuts;
}

// The name of what carries the traffic, if it is at least as plain as that of all pairs.
std::optional<Recognition> recognize_without_set_up(const Graph& graph,
                                                    const TopologyOptions& options,
                                                    const Recognition& all) {
  constexpr std::size_t kMostTrials = 4;
  constexpr Vertex kFewLevels = 2;
  std::vector<double> cuts = set_up_cuts(graph, options.measure);
  if (cuts.size() > kMostTrials) cuts.resize(kMostTrials);
  for (const double cut : cuts) {
    const Graph kept = graph.without_light_edges(options.measure, cut);
    if (2 * kept.total().of(options.measure) < graph.total().of(options.measure)) continue;
    Recognition result = recognize_kept(graph, kept, cut, options);
    if (!result.recognized() || internal::effort(result) > internal::effort(all)) continue;
    // The coarsest levels of a multigrid are light, and no set-up; three levels are no chance.
    if (all.topology.kind == TopologyKind::kMultigrid &&
        (result.topology.kind == TopologyKind::kMultigrid || all.topology.levels > kFewLevels))
      continue;
    if (all.recognized()) result.filtered.with = title(all);
    return result;
  }
  return std::nullopt;
}

// The lightest cut that gives a name: it keeps the most traffic. A cut that drops half of the
// traffic would name what the program mostly does not do. One that silences ranks says less than
// the names of all parts do.
Recognition recognize_automatic(const Graph& graph, const TopologyOptions& options) {
  Recognition unfiltered = recognize_kept(graph, graph, 0, options);
  if (auto result = recognize_without_set_up(graph, options, unfiltered)) return std::move(*result);
  if (unfiltered.recognized()) return unfiltered;
  const bool have_names =
      !unfiltered.parts.empty() &&
      std::all_of(unfiltered.parts.begin(), unfiltered.parts.end(), [](const Component& part) {
        return part.topology.kind != TopologyKind::kIrregular &&
               part.topology.kind != TopologyKind::kTree;
      });
  for (const double cut : largest_gaps(graph, options.measure)) {
    const Graph kept = graph.without_light_edges(options.measure, cut);
    if (2 * kept.total().of(options.measure) < graph.total().of(options.measure)) break;
    Recognition result = recognize_kept(graph, kept, cut, options);
    const bool silences = have_names && result.silent_ranks > unfiltered.silent_ranks;
    if (result.recognized() && !silences) return result;
  }
  return unfiltered;
}

double heaviest(const Graph& graph, WeightMeasure measure) {
  std::uint64_t most = 0;
  for (const Traffic& t : graph.edge_traffic()) most = std::max(most, t.of(measure));
  return static_cast<double>(most);
}

// The plural, of kinds that are named by their number of ranks; else empty.
std::string plural_of(TopologyKind kind) {
  switch (kind) {
  case TopologyKind::kStar:
    return "stars";
  case TopologyKind::kChain:
    return "chains";
  case TopologyKind::kRing:
    return "rings";
  case TopologyKind::kComplete:
    return "all-to-alls";
  case TopologyKind::kBinomialTree:
    return "binomial trees";
  default:
    return "";
  }
}

std::string title_of_one_kind(const std::vector<Component>& parts) {
  Vertex copies = 0;
  for (const Component& part : parts) copies += part.copies;
  return fmt::format("{} {} of {} to {} ranks", copies, plural_of(parts.front().topology.kind),
                     parts.back().topology.ranks, parts.front().topology.ranks);
}

std::string with_copies(const Topology& topology, Vertex copies) {
  if (copies == 1) return name(topology);
  if (topology.ranks == 2) return std::to_string(copies) + " pairs";
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

bool Recognition::is_of_one_kind() const {
  return !parts.empty() && !plural_of(parts.front().topology.kind).empty() &&
         std::all_of(parts.begin(), parts.end(), [&](const Component& part) {
           return part.topology.kind == parts.front().topology.kind;
         });
}

std::string title(const Recognition& recognition) {
  if (recognition.topology.kind != TopologyKind::kSeveral) {
    return with_copies(recognition.topology, recognition.copies);
  }
  if (recognition.is_of_one_kind()) return title_of_one_kind(recognition.parts);
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
