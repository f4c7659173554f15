// SPDX-License-Identifier: Apache-2.0
#include "rondo/topology/parts.hpp"

#include "rondo/base/sort_stably.hpp"
#include "topology/names/few_ranks.hpp"
#include "topology/names/plain_names.hpp"
#include "topology/parts/layer_groups.hpp"
#include "topology/parts/nodes.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <list>
#include <map>
#include <numeric>
#include <set>

namespace rondo::topology {
namespace {

using internal::by_site;
using internal::layers_below;
using internal::Node;
using matrix::LayeredTraffic;
using Layers = std::vector<std::size_t>;

Graph graph_of(const LayeredTraffic& layered, const Layers& layers, std::int64_t ranks) {
  std::vector<matrix::MatrixEntry> entries;
  for (const std::size_t layer : layers) {
    const auto& more = layered.layers[layer].entries;
    entries.insert(entries.end(), more.begin(), more.end());
  }
  return Graph::from_matrix(matrix::CommunicationMatrix::from_entries(ranks, std::move(entries)));
}

// A choice of parts, and how much there is to say about them.
struct Choice {
  double cost = 0;
  std::vector<Layers> parts;
};

class Chooser {
public:
  Chooser(const LayeredTraffic& layered, std::int64_t ranks) : layered_(layered), ranks_(ranks) {
    options_.filter = FilterKind::kNone;
    options_.all_names_up_to = 0;
  }

  /// @param node  stays where it is as long as this is used
  Choice best(const Node& node) {
    Layers all = layers_below(node);
    const Judged whole = judge(all);
    if (node.children.empty() || (whole.cost <= kNamed && !whole.by_chance))
      return {whole.cost, {std::move(all)}};
    return whole_or(all, segments(node.children));
  }

  /// Parts that have a name only by chance are taken apart at their call sites, if that says more.
  std::vector<Layers> apart_at_sites(const std::vector<Layers>& parts) {
    return apart(parts, [&](const Layers& part) -> std::vector<Layers> {
      if (sites_of(part).contains(0) || !judge(part).by_chance) return {};
      const Node& sites = nodes_.emplace_back(by_site(layered_, part));
      return sites.children.size() > 1 ? best(sites).parts : std::vector<Layers>{};
    });
  }

  /// Rings of all ranks, of half of them, and of half of these have no name on top of each other:
  /// parts without one are taken apart at their communicators, if each then has a name.
  std::vector<Layers> apart_at_communicators(const std::vector<Layers>& parts) {
    constexpr std::size_t kMostGroups = 16; // as many times 65,536 ranks are halved
    return apart(parts, [&](const Layers& part) -> std::vector<Layers> {
      if (has_name(part)) return {};
      auto groups = internal::by_overlapping_communicators(layered_, part, ranks_);
      const bool have_names = groups.size() <= kMostGroups &&
                              std::all_of(groups.begin(), groups.end(),
                                          [&](const Layers& one) { return has_name(one); });
      return have_names ? std::move(groups) : std::vector<Layers>{};
    });
  }

  /// Messages of one call site may be several patterns, where all that the program sends goes
  /// through one function: parts without a plain name are taken apart at their tags, if each then
  /// has one.
  std::vector<Layers> apart_at_tags(const std::vector<Layers>& parts) {
    constexpr std::size_t kMostTags = 4; // more are directions, or who sends
    return apart(parts, [&](const Layers& part) -> std::vector<Layers> {
      const Judged whole = judge(part);
      if (whole.cost <= kNamed) return {};
      auto groups = internal::by_tags(layered_, part);
      const bool say_more = groups.size() <= kMostTags &&
                            std::all_of(groups.begin(), groups.end(), [&](const Layers& one) {
                              return is_named(judge(one)) && pairs_of(one) != whole.pairs;
                            });
      return say_more ? std::move(groups) : std::vector<Layers>{};
    });
  }

  /// A name that is no chance.
  bool is_plain(const Layers& layers) {
    const Judged judged = judge(layers);
    return judged.cost <= kNamed && !judged.by_chance;
  }

  /// Every part has a name, at call sites of its own, and two differ. The name takes in all ranks,
  /// or is no chance, as a butterfly on as many ranks as there is a power of two.
  /// @param pairs  of all parts together
  bool says_more(const Choice& choice, std::int64_t pairs) {
    bool differ = false;
    for (std::size_t i = 0; i < choice.parts.size(); ++i) {
      const Judged part = judge(choice.parts[i]);
      if (!is_named(part)) return false;
      differ = differ || part.pairs != pairs;
      for (std::size_t j = 0; j < i; ++j) {
        if (!stand_apart(choice.parts[i], choice.parts[j])) return false;
      }
    }
    return differ;
  }

  std::int64_t pairs_of(const Layers& layers) { return judge(layers).pairs; }

  /// Parts that say nothing new beside another one are added to it.
  std::vector<Layers> joined(std::vector<Layers> parts) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      for (std::size_t j = i + 1; j < parts.size();) {
        Layers both = parts[i];
        both.insert(both.end(), parts[j].begin(), parts[j].end());
        const Judged together = judge(both);
        const Judged a = judge(parts[i]);
        const Judged b = judge(parts[j]);
        const bool same = together.cost <= kMostNamed &&
                          (together.pairs == a.pairs || together.pairs == b.pairs) &&
                          together.cost <= std::max(a.cost, b.cost) &&
                          !(stand_apart(parts[i], parts[j]) && a.pairs != b.pairs &&
                            std::max(a.cost, b.cost) <= kNamed);
        // rows here and columns there are a grid
        const bool is_plainer = together.cost < std::min(a.cost, b.cost) &&
                                together.cost <= kNamed && !together.by_chance;
        if (!same && !is_plainer) {
          ++j;
          continue;
        }
        parts[i] = std::move(both);
        parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(j));
        j = i + 1;
      }
    }
    for (Layers& part : parts) std::sort(part.begin(), part.end());
    return parts;
  }

private:
  static constexpr double kNamed = 1; // a family that takes in all ranks
  static constexpr double kMostNamed = 1.5;
  static constexpr double kAnotherPart = 1.5; // of some ranks, with a name
  static constexpr std::size_t kAllIntervals = 16; // terms
  static constexpr std::size_t kLongestInterval = 8; // of more terms

  struct Judged {
    double cost = 0;
    std::int64_t pairs = 0;
    bool by_chance = false; // patterns on top of each other easily form one of its kind
    bool is_named_within = false; // the family takes in all ranks that talk
    bool is_doubling_of_ranks = false; // by their numbers
  };

  static bool is_named(const Judged& part) {
    return part.cost <= kNamed || (part.is_named_within && !part.by_chance);
  }

  /// @param groups_of  of a part, what it is taken apart to; nothing: it stays
  template <class GroupsOf>
  static std::vector<Layers> apart(const std::vector<Layers>& parts, const GroupsOf& groups_of) {
    std::vector<Layers> result;
    for (const Layers& part : parts) {
      std::vector<Layers> groups = groups_of(part);
      if (groups.empty()) groups.push_back(part);
      std::move(groups.begin(), groups.end(), std::back_inserter(result));
    }
    return result;
  }

  bool has_name(const Layers& layers) {
    const Judged judged = judge(layers);
    return judged.cost <= kMostNamed || judged.is_named_within;
  }

  std::set<std::uint32_t> sites_of(const Layers& layers) const {
    std::set<std::uint32_t> sites;
    for (const std::size_t i : layers) sites.insert(layered_.layers[i].site);
    return sites;
  }

  // Statements of the source, each of which call stacks may make several sites of.
  std::size_t places_of(const std::set<std::uint32_t>& sites) const {
    std::set<std::uint32_t> places;
    for (const std::uint32_t site : sites)
      places.insert(site < layered_.place_of_site.size() ? layered_.place_of_site[site] : site);
    return places.size();
  }

  // Written at call sites of their own, which are known.
  bool stand_apart(const Layers& a, const Layers& b) const {
    const auto first = sites_of(a);
    const auto second = sites_of(b);
    return !first.contains(0) && !second.contains(0) &&
           std::none_of(first.begin(), first.end(),
                        [&](std::uint32_t site) { return second.contains(site); });
  }

  static bool may_be_chance(const Topology& topology) {
    const TopologyKind kind = topology.kind;
    if (kind == TopologyKind::kMultigrid) return internal::is_multigrid_by_chance(topology);
    return kind == TopologyKind::kComplete || kind == TopologyKind::kMultipartite ||
           kind == TopologyKind::kStarStencil || kind == TopologyKind::kDissemination ||
           kind == TopologyKind::kPrefixScan || kind == TopologyKind::kRecursiveDoubling ||
           kind == TopologyKind::kRowColumn || kind == TopologyKind::kTwistedTorus ||
           kind == TopologyKind::kFatTree || kind == TopologyKind::kMoore;
  }

  // Pairs that talk all the time, and one rank of each that seldom talks to those of others, form a
  // tree, too, and a chain. Along these as many messages go by each edge, or about so.
  static bool may_be_groups(const Graph& graph, const Topology& topology) {
    constexpr std::uint64_t kFarMore = 8;
    const TopologyKind kind = topology.kind;
    const bool is_chain = kind == TopologyKind::kChain;
    if (!is_chain && kind != TopologyKind::kBinomialTree && kind != TopologyKind::kHeapTree)
      return false;
    const std::vector<Traffic> edges = graph.edge_traffic();
    const auto [least, most] =
        std::minmax_element(edges.begin(), edges.end(), [](const Traffic& a, const Traffic& b) {
          return a.messages < b.messages;
        });
    if (least == edges.end() || most->messages < kFarMore * least->messages) return false;
    const auto often = static_cast<double>(least->messages * kFarMore);
    return !is_chain || are_pairs(graph.without_light_edges(WeightMeasure::kMessages, often));
  }

  static bool are_pairs(const Graph& graph) {
    for (Vertex v = 0; v < graph.ranks(); ++v)
      if (graph.adjacency().degree(v) > 1) return false;
    return true;
  }

  // What it takes to describe the layers as one pattern.
  Judged judge(const Layers& layers) {
    if (const auto known = judged_.find(layers); known != judged_.end()) return known->second;
    const Graph graph = graph_of(layered_, layers, ranks_);
    const Recognition found = recognize(graph, options_);
    const bool by_chance =
        may_be_chance(found.topology) ||
        std::any_of(found.parts.begin(), found.parts.end(),
                    [](const Component& part) { return may_be_chance(part.topology); });
    Judged judged{internal::effort(found), graph.adjacency().edges(), by_chance};
    judged.is_named_within = internal::effort_within(found) <= kNamed;
    judged.is_doubling_of_ranks = found.topology.kind == TopologyKind::kRecursiveDoubling &&
                                  internal::is_doubling_of_ranks(graph.adjacency());
    const std::set<std::uint32_t> sites = sites_of(layers);
    const std::size_t statements = sites.contains(0) ? layers.size() : sites.size();
    if (found.topology.kind == TopologyKind::kIrregular)
      judged.cost = 2 + 0.75 * static_cast<double>(statements);
    if (may_be_groups(graph, found.topology)) judged.cost += kAnotherPart;
    // Many patterns on top of each other are it, too; not one of the source with many callers.
    const std::size_t patterns = sites.contains(0) ? layers.size() : places_of(sites);
    if (found.topology.kind == TopologyKind::kComplete)
      judged.cost += 0.25 * static_cast<double>(std::min<std::size_t>(patterns - 1, 12));
    return judged_.emplace(layers, judged).first->second;
  }

  // The cheapest cut of a sequence into intervals, each one part or, if it is one term, its own
  // best choice. An interval that has a name only by chance is cut if its parts say more.
  Choice segments(const std::vector<Node>& parts) {
    const std::vector<Node>& terms = statements_of(parts);
    const std::size_t n = terms.size();
    const std::size_t longest = n <= kAllIntervals ? n : kLongestInterval;
    std::vector<std::vector<Choice>> best(n); // from a term, by length less one
    for (std::size_t begin = n; begin-- > 0;) {
      Layers interval;
      for (std::size_t end = begin + 1; end <= n && end - begin <= longest; ++end) {
        const Layers more = layers_below(terms[end - 1]);
        interval.insert(interval.end(), more.begin(), more.end());
        best[begin].push_back(end - begin == 1
                                  ? best_of(terms[begin])
                                  : whole_or(interval, cheapest_cut(best, begin, end)));
      }
    }
    std::vector<Choice> upto(n + 1);
    for (std::size_t end = 1; end <= n; ++end) {
      upto[end].cost = std::numeric_limits<double>::infinity();
      for (std::size_t begin = end; begin-- > 0 && end - begin <= longest;)
        take_if_cheaper(upto[begin], best[begin][end - begin - 1], upto[end]);
    }
    return upto[n];
  }

  static void take_if_cheaper(const Choice& first, const Choice& last, Choice& best) {
    if (first.cost + last.cost >= best.cost) return;
    best.cost = first.cost + last.cost;
    best.parts = first.parts;
    best.parts.insert(best.parts.end(), last.parts.begin(), last.parts.end());
  }

  static Choice cheapest_cut(const std::vector<std::vector<Choice>>& best, std::size_t begin,
                             std::size_t end) {
    Choice cut{std::numeric_limits<double>::infinity(), {}};
    for (std::size_t middle = end - 1; middle > begin; --middle)
      take_if_cheaper(best[begin][middle - begin - 1], best[middle][end - middle - 1], cut);
    return cut;
  }

  Choice whole_or(const Layers& all, Choice cut) {
    const Judged whole = judge(all);
    if (splits_a_statement(cut)) return {whole.cost, {all}};
    if (whole.is_doubling_of_ranks && !has_part_of_all_ranks(cut)) return {whole.cost, {all}};
    if (cut.cost < whole.cost || (whole.by_chance && says_more(cut, whole.pairs))) return cut;
    return {whole.cost, {all}};
  }

  // Ranks beyond a power of two, and the hypercube of the others, are one pattern.
  bool has_part_of_all_ranks(const Choice& cut) {
    return std::any_of(cut.parts.begin(), cut.parts.end(),
                       [&](const Layers& part) { return judge(part).cost <= kNamed; });
  }

  // A loop over the neighbours in a mesh, some of whom get more than others, is no tree and
  // cliques. Of up to five ranks all trees have names, which are chance.
  bool splits_a_statement(const Choice& cut) {
    constexpr std::int64_t kFewRanks = 5;
    if (cut.parts.size() < 2) return false;
    const std::set<std::uint32_t> sites = sites_of(cut.parts[0]);
    return !sites.contains(0) &&
           std::all_of(cut.parts.begin(), cut.parts.end(), [&](const Layers& part) {
             return sites_of(part) == sites && (ranks_ <= kFewRanks || !is_plain(part));
           });
  }

  // Neighbours of one call site are one statement, where they have a name together: a loop over
  // directions or distances that was written out.
  const std::vector<Node>& statements_of(const std::vector<Node>& terms) {
    std::vector<Node>& joined = statements_.emplace_back();
    for (const Node& term : terms) {
      if (!joined.empty() && is_call(term) && is_call(joined.back()) &&
          site_of(term) == site_of(joined.back())) {
        joined.back().layers.insert(joined.back().layers.end(), term.layers.begin(),
                                    term.layers.end());
      } else {
        joined.push_back(term);
      }
    }
    const bool all_named = std::all_of(joined.begin(), joined.end(), [&](const Node& node) {
      return !is_call(node) || node.layers.size() < 2 || judge(node.layers).cost <= kMostNamed;
    });
    if (all_named) return joined;
    joined = terms;
    return joined;
  }

  bool is_call(const Node& node) const {
    return node.children.empty() && !node.layers.empty() && site_of(node) != 0;
  }

  std::uint32_t site_of(const Node& node) const {
    return layered_.layers[node.layers.front()].site;
  }

  const Choice& best_of(const Node& node) {
    const auto known = best_.find(&node);
    return known != best_.end() ? known->second : best_.emplace(&node, best(node)).first->second;
  }

  const LayeredTraffic& layered_;
  std::int64_t ranks_;
  TopologyOptions options_;
  std::map<Layers, Judged> judged_;
  std::map<const Node*, Choice> best_; // nodes stay where they are
  std::list<std::vector<Node>> statements_;
  std::list<Node> nodes_;
};

bool goes_one_way(const TrafficPart& part) {
  return part.direction.kind == DirectionKind::kWavefront ||
         part.direction.kind == DirectionKind::kPipeline ||
         part.direction.kind == DirectionKind::kShift;
}

// The same sweep may stand in several loops.
void add_sweep(const LayeredTraffic& layered, TrafficPart sweep, std::int64_t ranks,
               const TopologyOptions& options, TrafficPart& part) {
  for (TrafficPart& known : part.sweeps) {
    if (known.direction != sweep.direction || known.graph.adjacency() != sweep.graph.adjacency())
      continue;
    Layers both = known.layers;
    both.insert(both.end(), sweep.layers.begin(), sweep.layers.end());
    known = part_of_layers(layered, std::move(both), ranks, options);
    return;
  }
  part.sweeps.push_back(std::move(sweep));
}

// The outermost loops of a part that go one way.
void add_sweeps(const LayeredTraffic& layered, const Node& node, std::int64_t ranks,
                const TopologyOptions& options, TrafficPart& part) {
  Layers layers = layers_below(node); // ascending, as layers are in the order of the program
  const bool is_inside =
      std::includes(part.layers.begin(), part.layers.end(), layers.begin(), layers.end());
  if (node.is_loop && is_inside && layers != part.layers) {
    TrafficPart sweep = part_of_layers(layered, std::move(layers), ranks, options);
    if (goes_one_way(sweep) && sweep.found.copies == 1 && sweep.found.silent_ranks == 0) {
      add_sweep(layered, std::move(sweep), ranks, options, part);
      return;
    }
  }
  for (const Node& child : node.children) add_sweeps(layered, child, ranks, options, part);
}

} // namespace

TrafficPart part_of_layers(const LayeredTraffic& layered, std::vector<std::size_t> layers,
                           std::int64_t ranks, const TopologyOptions& options) {
  TrafficPart part;
  const Graph all = graph_of(layered, layers, ranks);
  part.layers = std::move(layers);
  part.traffic = all.total();
  part.traffic += all.to_self();
  part.found = recognize(all, options);
  part.graph = part.found.filtered.edges == 0
                   ? all
                   : all.without_light_edges(options.measure, part.found.filtered.least_weight);
  part.direction = direction_of(part.graph, part.found);
  return part;
}

std::vector<TrafficPart> parts_of(const LayeredTraffic& layered, std::int64_t ranks,
                                  const TopologyOptions& options) {
  if (layered.layers.empty()) return {};
  const Node root = internal::tree_of_places(layered);
  Chooser chooser(layered, ranks);
  std::vector<TrafficPart> parts;
  Choice choice = chooser.best(root);
  const bool is_settled = choice.parts.size() == 1 && chooser.is_plain(choice.parts[0]);
  const bool has_sites = std::all_of(layered.layers.begin(), layered.layers.end(),
                                     [](const auto& l) { return l.site != 0; });
  Layers all(layered.layers.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  const Node sites = by_site(layered, all);
  if (!is_settled && has_sites) {
    Choice other = chooser.best(sites);
    const bool says_more =
        choice.parts.size() == 1 && chooser.says_more(other, chooser.pairs_of(choice.parts[0]));
    if (other.cost < choice.cost || says_more) choice = std::move(other);
  }
  const auto apart =
      chooser.apart_at_tags(chooser.apart_at_communicators(chooser.apart_at_sites(choice.parts)));
  for (Layers& layers : chooser.joined(apart)) {
    parts.push_back(part_of_layers(layered, std::move(layers), ranks, options));
    if (!goes_one_way(parts.back())) add_sweeps(layered, root, ranks, options, parts.back());
  }
  sort_stably(parts.begin(), parts.end(), [](const TrafficPart& a, const TrafficPart& b) {
    return a.layers.front() < b.layers.front();
  });
  return parts;
}

} // namespace rondo::topology
