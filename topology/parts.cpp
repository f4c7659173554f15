// SPDX-License-Identifier: Apache-2.0
#include "rondo/topology/parts.hpp"

#include <algorithm>
#include <limits>
#include <map>

namespace rondo::topology {
namespace {

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

// A place with messages, or with places in it that have some.
struct Node {
  std::vector<Node> children; // in the order of the program
  Layers layers; // of the place itself: of a call
  std::uint32_t place = 0; // or call site, where ranks have different programs
  bool is_loop = false;
};

Layers layers_below(const Node& node) {
  Layers all = node.layers;
  for (const Node& child : node.children) {
    const Layers more = layers_below(child);
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

// Layers come in the order of the program, so children do too.
class TreeOfPlaces {
public:
  explicit TreeOfPlaces(const LayeredTraffic& layered) : layered_(layered) {}

  Node run() {
    Node root;
    for (std::size_t i = 0; i < layered_.layers.size(); ++i) {
      const matrix::Layer& layer = layered_.layers[i];
      if (layered_.places.size() > 1) {
        call_site(root, layer.site).layers.push_back(i);
      } else {
        child(root, layer.program, layer.place).layers.push_back(i);
      }
    }
    return root;
  }

private:
  // Programs of different ranks have no common order; a call site stands for all of them.
  static Node& call_site(Node& root, std::uint32_t site) {
    for (Node& node : root.children) {
      if (node.place == site) return node;
    }
    root.children.push_back({{}, {}, site, false});
    return root.children.back();
  }

  // The node of a place under the root, made with all nodes on the way.
  Node& child(Node& root, std::size_t program, std::uint32_t place) {
    std::vector<std::uint32_t> way;
    for (; place != 0; place = layered_.places[program][place].parent) way.push_back(place);
    Node* node = &root;
    for (auto next = way.rbegin(); next != way.rend(); ++next) node = &step(*node, program, *next);
    return *node;
  }

  Node& step(Node& node, std::size_t program, std::uint32_t place) {
    if (!node.children.empty() && node.children.back().place == place) return node.children.back();
    const auto& what = layered_.places[program][place].what;
    node.children.push_back({{}, {}, place, what && what->is_loop()});
    return node.children.back();
  }

  const LayeredTraffic& layered_;
};

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

  Choice best(const Node& node) {
    Layers all = layers_below(node);
    const double whole = judge(all).cost;
    if (node.children.empty() || whole <= kNamed) return {whole, {std::move(all)}};
    Choice choice = segments(node.children);
    if (choice.cost < whole) return choice;
    return {whole, {std::move(all)}};
  }

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
                          together.cost <= std::max(a.cost, b.cost);
        if (!same) {
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
  static constexpr std::size_t kAllIntervals = 16; // terms
  static constexpr std::size_t kLongestInterval = 8; // of more terms

  struct Judged {
    double cost = 0;
    std::int64_t pairs = 0;
  };

  // What it takes to describe the layers as one pattern.
  Judged judge(const Layers& layers) {
    if (const auto known = judged_.find(layers); known != judged_.end()) return known->second;
    const Graph graph = graph_of(layered_, layers, ranks_);
    const Recognition found = recognize(graph, options_);
    Judged judged{0, graph.adjacency().edges()};
    switch (found.topology.kind) {
    case Kind::kEmpty:
      break;
    case Kind::kIrregular:
      judged.cost = 2 + 0.75 * static_cast<double>(layers.size());
      break;
    case Kind::kSeveral:
      judged.cost = 1 + 0.5 * static_cast<double>(found.parts.size());
      break;
    case Kind::kTree:
      judged.cost = 2;
      break;
    case Kind::kComplete: // many patterns on top of each other are it, too
      judged.cost =
          kNamed + 0.25 * static_cast<double>(std::min<std::size_t>(layers.size() - 1, 12));
      break;
    default:
      judged.cost = kNamed + (found.silent_ranks > 0 ? 0.25 : 0) + (found.copies > 1 ? 0.1 : 0);
    }
    return judged_.emplace(layers, judged).first->second;
  }

  // The cheapest cut of a sequence into intervals, each one part or, if it is one term, its own
  // best choice.
  Choice segments(const std::vector<Node>& terms) {
    const std::size_t n = terms.size();
    std::vector<Choice> upto(n + 1);
    for (std::size_t end = 1; end <= n; ++end) {
      upto[end].cost = std::numeric_limits<double>::infinity();
      Layers interval;
      const std::size_t longest = n <= kAllIntervals ? n : kLongestInterval;
      for (std::size_t begin = end; begin-- > 0 && end - begin <= longest;) {
        const Layers more = layers_below(terms[begin]);
        interval.insert(interval.begin(), more.begin(), more.end());
        Choice last =
            end - begin == 1 ? best_of(terms[begin]) : Choice{judge(interval).cost, {interval}};
        if (upto[begin].cost + last.cost >= upto[end].cost) continue;
        upto[end].cost = upto[begin].cost + last.cost;
        upto[end].parts = upto[begin].parts;
        upto[end].parts.insert(upto[end].parts.end(), last.parts.begin(), last.parts.end());
      }
    }
    return upto[n];
  }

  const Choice& best_of(const Node& node) {
    const auto known = best_.find(&node);
    return known != best_.end() ? known->second : best_.emplace(&node, best(node)).first->second;
  }

  const LayeredTraffic& layered_;
  std::int64_t ranks_;
  TopologyOptions options_;
  std::map<Layers, Judged> judged_;
  std::map<const Node*, Choice> best_;
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
  const Node root = TreeOfPlaces(layered).run();
  Chooser chooser(layered, ranks);
  std::vector<TrafficPart> parts;
  for (Layers& layers : chooser.joined(chooser.best(root).parts)) {
    parts.push_back(part_of_layers(layered, std::move(layers), ranks, options));
    if (!goes_one_way(parts.back())) add_sweeps(layered, root, ranks, options, parts.back());
  }
  std::sort(parts.begin(), parts.end(), [](const TrafficPart& a, const TrafficPart& b) {
    return a.layers.front() < b.layers.front();
  });
  return parts;
}

} // namespace rondo::topology
