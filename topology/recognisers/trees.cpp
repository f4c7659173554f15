// SPDX-License-Identifier: Apache-2.0
#include "topology/recognisers/trees.hpp"

#include "rondo/base/mixed.hpp"

#include <algorithm>
#include <unordered_map>

namespace rondo::topology::internal {
namespace {

struct VectorHash {
  std::size_t operator()(const std::vector<Vertex>& values) const {
    std::uint64_t hash = values.size();
    for (const Vertex v : values) hash = mixed(hash, static_cast<std::uint64_t>(v));
    return static_cast<std::size_t>(hash);
  }
};

// Numbers rooted trees so that equal numbers mean isomorphic trees.
class TreeClasses {
public:
  Vertex class_of(const std::vector<Vertex>& sorted_children) {
    return classes_.try_emplace(sorted_children, static_cast<Vertex>(classes_.size()))
        .first->second;
  }

private:
  std::unordered_map<std::vector<Vertex>, Vertex, VectorHash> classes_;
};

// Vertices from the leaves inwards; the last one, or the last two if adjacent centres, are the
// centre.
struct Peeling {
  std::vector<Vertex> order;
  std::vector<Vertex> parent; // the neighbour left when a vertex was peeled; -1 for the last
};

Peeling peel(const Adjacency& tree) {
  const Vertex n = tree.vertices();
  Peeling peeling{{}, std::vector<Vertex>(at(n), -1)};
  peeling.order.reserve(at(n));
  std::vector<Vertex> degree(at(n));
  std::vector<bool> peeled(at(n), false);
  for (Vertex v = 0; v < n; ++v) {
    degree[at(v)] = tree.degree(v);
    if (degree[at(v)] <= 1) peeling.order.push_back(v);
  }
  for (std::size_t i = 0; i < peeling.order.size(); ++i) {
    const Vertex v = peeling.order[i];
    peeled[at(v)] = true;
    for (const Vertex w : tree.neighbours(v)) {
      if (peeled[at(w)]) continue;
      peeling.parent[at(v)] = w;
      if (--degree[at(w)] == 1) peeling.order.push_back(w);
    }
  }
  return peeling;
}

struct RootedTree {
  Vertex root = 0;
  std::vector<Vertex> kind; // vertex -> class of the tree below it
  Vertex other_root = -1; // the second centre, if there are two
};

std::vector<Vertex> classes_below(const Adjacency& tree, Vertex v, Vertex parent,
                                  const std::vector<Vertex>& kind) {
  std::vector<Vertex> below;
  below.reserve(at(tree.degree(v)));
  for (const Vertex w : tree.neighbours(v)) {
    if (w != parent) below.push_back(kind[at(w)]);
  }
  std::sort(below.begin(), below.end());
  return below;
}

RootedTree rooted(const Adjacency& tree, TreeClasses& classes) {
  const Peeling peeling = peel(tree);
  RootedTree result{peeling.order.back(), std::vector<Vertex>(at(tree.vertices()), -1), -1};
  for (const Vertex v : peeling.order) {
    const Vertex parent = peeling.parent[at(v)];
    result.kind[at(v)] = classes.class_of(classes_below(tree, v, parent, result.kind));
  }
  // Of two centres the one peeled last is the root, and the other one may stand in for it.
  if (peeling.order.size() >= 2) {
    const Vertex before = peeling.order[peeling.order.size() - 2];
    if (tree.adjacent(before, result.root)) result.other_root = before;
  }
  return result;
}

// Walks both trees down together, pairing children of equal classes.
std::optional<std::vector<Vertex>> paired_down(const Adjacency& a, const RootedTree& ra,
                                               Vertex root_a, const Adjacency& b,
                                               const RootedTree& rb, Vertex root_b) {
  std::vector<Vertex> image(at(a.vertices()), -1);
  struct Step {
    Vertex v, parent, image_parent;
  };
  std::vector<Step> stack = {{root_a, -1, -1}};
  image[at(root_a)] = root_b;
  while (!stack.empty()) {
    const Step step = stack.back();
    stack.pop_back();
    const auto children = [](const Adjacency& t, const RootedTree& r, Vertex v, Vertex parent) {
      std::vector<std::pair<Vertex, Vertex>> list;
      for (const Vertex w : t.neighbours(v)) {
        if (w != parent) list.emplace_back(r.kind[at(w)], w);
      }
      std::sort(list.begin(), list.end());
      return list;
    };
    const Vertex target = image[at(step.v)];
    const auto from = children(a, ra, step.v, step.parent);
    const auto to = children(b, rb, target, step.image_parent);
    if (from.size() != to.size()) return std::nullopt;
    for (std::size_t i = 0; i < from.size(); ++i) {
      image[at(from[i].second)] = to[i].second;
      stack.push_back({from[i].second, step.v, target});
    }
  }
  return image;
}

std::vector<Vertex> degree_counts(const Adjacency& graph) {
  std::vector<Vertex> counts;
  for (Vertex v = 0; v < graph.vertices(); ++v) {
    if (at(graph.degree(v)) >= counts.size()) counts.resize(at(graph.degree(v)) + 1, 0);
    ++counts[at(graph.degree(v))];
  }
  return counts;
}

bool try_family(const Adjacency& graph, const Topology& topology, std::vector<Match>& matches) {
  const Adjacency reference = reference_graph(topology);
  if (degree_counts(graph) != degree_counts(reference)) return false;
  auto cells = find_tree_isomorphism(graph, reference);
  if (cells) matches.push_back({topology, std::move(*cells)});
  return cells.has_value();
}

// Where the number of ranks is no power of two, the two ways to number children give two trees.
void match_binomial(const Adjacency& graph, std::vector<Match>& matches) {
  Topology topology{.kind = TopologyKind::kBinomialTree, .ranks = graph.vertices()};
  if (try_family(graph, topology, matches)) return;
  topology.clears_highest_bit = true;
  try_family(graph, topology, matches);
}

void match_star(const Adjacency& graph, std::vector<Match>& matches) {
  const Vertex n = graph.vertices();
  for (Vertex v = 0; v < n && n >= 3; ++v) {
    if (graph.degree(v) != n - 1) continue;
    Match match{{.kind = TopologyKind::kStar, .ranks = n}, std::vector<Vertex>(at(n))};
    Vertex next = 1;
    for (Vertex w = 0; w < n; ++w) match.cells[at(w)] = w == v ? 0 : next++;
    matches.push_back(std::move(match));
    return;
  }
}

} // namespace

std::optional<std::vector<Vertex>> find_tree_isomorphism(const Adjacency& graph,
                                                         const Adjacency& reference) {
  TreeClasses classes;
  const RootedTree a = rooted(graph, classes);
  const RootedTree b = rooted(reference, classes);
  for (const Vertex root_b : {b.root, b.other_root}) {
    if (root_b < 0) continue;
    RootedTree turned = b;
    if (root_b != b.root) { // the classes of the two centres change with the root
      const Vertex old = b.root;
      turned.kind[at(old)] = classes.class_of(classes_below(reference, old, root_b, turned.kind));
      turned.kind[at(root_b)] = classes.class_of(classes_below(reference, root_b, -1, turned.kind));
    }
    if (turned.kind[at(root_b)] != a.kind[at(a.root)]) continue;
    auto image = paired_down(graph, a, a.root, reference, turned, root_b);
    if (image && maps_onto(graph, reference, *image)) return image;
  }
  return std::nullopt;
}

std::vector<Match> match_trees(const Adjacency& graph) {
  const Vertex n = graph.vertices();
  std::vector<Match> matches;
  if (n < 2 || graph.edges() != n - 1) return matches;
  const auto most = static_cast<Vertex>(degree_counts(graph).size()) - 1;
  match_star(graph, matches);
  for (const Vertex arity : {most - 1, most}) {
    if (arity >= 2 && arity < n - 1) {
      try_family(graph, {.kind = TopologyKind::kHeapTree, .ranks = n, .arity = arity}, matches);
    }
  }
  if (n == 3) try_family(graph, {.kind = TopologyKind::kHeapTree, .ranks = n, .arity = 2}, matches);
  if (n >= 3) match_binomial(graph, matches);
  if (matches.empty()) matches.push_back({{.kind = TopologyKind::kTree, .ranks = n}, {}});
  return matches;
}

} // namespace rondo::topology::internal
