// SPDX-License-Identifier: Apache-2.0
#include "rondo/topology/explain.hpp"

#include "rondo/topology/spectrum.hpp"
#include "topology/layering.hpp"
#include "topology/paired_refinement.hpp"
#include "topology/recognisers/candidates.hpp"
#include "topology/recognisers/hierarchy.hpp"
#include "topology/recognisers/plane_lattices.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <functional>
#include <map>

namespace rondo::topology {
namespace {

using internal::find_isomorphism;

using DegreeCounts = std::map<Vertex, std::int64_t>;

DegreeCounts degrees_of(const Adjacency& graph) {
  DegreeCounts counts;
  for (Vertex v = 0; v < graph.vertices(); ++v) ++counts[graph.degree(v)];
  return counts;
}

// Degrees in one dimension; a product adds them (mesh, star), or multiplies degree + 1 (stencil
// with corners).
DegreeCounts degrees_of(const Dimension& d, Vertex radius) {
  if (d.periodic) return {{std::min(2 * radius, d.size - 1), d.size}};
  DegreeCounts counts;
  for (Vertex x = 0; x < d.size; ++x)
    ++counts[std::min(x, radius) + std::min(d.size - 1 - x, radius)];
  return counts;
}

DegreeCounts degrees_of_product(const Topology& t) {
  DegreeCounts counts = {{0, 1}};
  for (const Dimension& d : t.dimensions) {
    DegreeCounts next;
    for (const auto& [a, times_a] : counts) {
      for (const auto& [b, times_b] : degrees_of(d, std::max(1, t.radius))) {
        const Vertex degree = t.kind == TopologyKind::kMoore ? (a + 1) * (b + 1) - 1 : a + b;
        next[degree] += times_a * times_b;
      }
    }
    counts = std::move(next);
  }
  return counts;
}

// All boxes of exactly `ranks` cells, sizes descending, each size open and, from three on,
// periodic.
void each_box(Vertex ranks, std::vector<Dimension>& dims, const std::function<void()>& visit) {
  if (ranks == 1) return visit();
  const Vertex most = dims.empty() ? ranks : std::min(ranks, dims.back().size);
  for (Vertex size = most; size >= 2; --size) {
    if (ranks % size != 0) continue;
    for (const bool periodic : {true, false}) {
      if (periodic && size < 3) continue;
      if (!dims.empty() && dims.back().size == size && periodic && !dims.back().periodic) continue;
      dims.push_back({size, periodic});
      each_box(ranks / size, dims, visit);
      dims.pop_back();
    }
  }
}

void add_products(const Adjacency& graph, const DegreeCounts& degrees,
                  std::vector<Topology>& list) {
  Topology t{.kind = TopologyKind::kMesh, .ranks = graph.vertices()};
  each_box(graph.vertices(), t.dimensions, [&] {
    const bool one = t.dimensions.size() == 1;
    t.kind = !one                       ? TopologyKind::kMesh
             : t.dimensions[0].periodic ? TopologyKind::kRing
                                        : TopologyKind::kChain;
    if (degrees_of_product(t) == degrees) list.push_back(t);
    t.kind = TopologyKind::kMoore;
    if (!one && degrees_of_product(t) == degrees) list.push_back(t);
  });
}

// The canonical ones: a dimension in which all are neighbours is open if it is short enough.
void add_star_stencils(const Adjacency& graph, const DegreeCounts& degrees,
                       std::vector<Topology>& list) {
  Topology t{.kind = TopologyKind::kStarStencil, .ranks = graph.vertices()};
  const Vertex most = degrees.rbegin()->first;
  each_box(graph.vertices(), t.dimensions, [&] {
    Vertex longest = 0;
    for (const Dimension& d : t.dimensions)
      longest = std::max(longest, (d.periodic ? d.size - 2 : d.size - 1) / 2);
    for (t.radius = 2; t.radius <= std::min(longest, most); ++t.radius) {
      const bool canonical =
          std::all_of(t.dimensions.begin(), t.dimensions.end(),
                      [&](const Dimension& d) { return !d.periodic || d.size > t.radius + 1; });
      if (canonical && degrees_of_product(t) == degrees) list.push_back(t);
    }
  });
}

void add_six_point(const Adjacency& graph, const DegreeCounts& degrees,
                   std::vector<Topology>& list) {
  if (degrees.size() != 1 || degrees.begin()->first != 6) return;
  const Vertex n = graph.vertices();
  for (Vertex p = 4; p <= n / p; ++p) {
    if (n % p != 0) continue;
    list.push_back(
        {.kind = TopologyKind::kSixPoint, .ranks = n, .dimensions = {{n / p, true}, {p, true}}});
  }
}

// Their number grows with the ranks, so very many are not listed.
void add_twisted(const Adjacency& graph, const DegreeCounts& degrees, std::vector<Topology>& list) {
  constexpr std::size_t kMostTwisted = 2000;
  if (degrees.size() != 1 || degrees.begin()->first != 4) return;
  const auto twisted = internal::twisted_tori(graph.vertices(), kMostTwisted);
  list.insert(list.end(), twisted.begin(), twisted.end());
}

void add_dense(const Adjacency& graph, const DegreeCounts& degrees, std::vector<Topology>& list) {
  const Vertex n = graph.vertices();
  if (degrees.size() != 1) return;
  const Vertex degree = degrees.begin()->first;
  if (degree == n - 1) list.push_back({.kind = TopologyKind::kComplete, .ranks = n});
  for (Vertex a = 2; a <= n / a; ++a) {
    if (n % a == 0 && a + n / a - 2 == degree) {
      list.push_back({.kind = TopologyKind::kRowColumn, .ranks = n, .parts = {a, n / a}});
    }
  }
}

// Ranks of degree d stand in parts of ranks - d; each degree makes up whole parts.
void add_multipartite(const Adjacency& graph, const DegreeCounts& degrees,
                      std::vector<Topology>& list) {
  const Vertex n = graph.vertices();
  Topology t{.kind = TopologyKind::kMultipartite, .ranks = n};
  for (auto it = degrees.rbegin(); it != degrees.rend(); ++it) {
    const Vertex part = n - it->first;
    if (it->second % part != 0) return;
    t.parts.insert(t.parts.end(), at(it->second / part), part);
  }
  const bool other_name = t.parts.back() == 1 || (t.parts.size() == 2 && t.parts.front() == 1);
  if (!other_name) list.push_back(std::move(t));
}

void add_trees(const Adjacency& graph, const DegreeCounts& degrees, std::vector<Topology>& list) {
  const Vertex n = graph.vertices();
  if (graph.edges() != n - 1 || n < 3) return;
  std::vector<Topology> trees = {{.kind = TopologyKind::kStar, .ranks = n},
                                 {.kind = TopologyKind::kBinomialTree, .ranks = n}};
  for (const Vertex arity : {degrees.rbegin()->first - 1, degrees.rbegin()->first}) {
    if (arity >= 2 && arity < n - 1) {
      trees.push_back({.kind = TopologyKind::kHeapTree, .ranks = n, .arity = arity});
    }
  }
  bool is_binomial = false;
  const auto try_tree = [&](const Topology& t) {
    if (degrees_of(reference_graph(t)) != degrees) return;
    list.push_back(t);
    is_binomial = is_binomial || t.kind == TopologyKind::kBinomialTree;
  };
  for (const Topology& t : trees) try_tree(t);
  if (!is_binomial)
    try_tree({.kind = TopologyKind::kBinomialTree, .ranks = n, .clears_highest_bit = true});
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Stage by_counts(const Adjacency& graph, const std::vector<Family>& families) {
  const auto start = std::chrono::steady_clock::now();
  Stage stage{"ranks, edges and degrees", candidates_by_counts(graph), 0, true};
  for (const Family& family : families) {
    for (Topology& t : family.topologies(graph.vertices(), {graph.edges(), graph.edges()})) {
      if (degrees_of(t.user->graph) == degrees_of(graph)) stage.candidates.push_back(std::move(t));
    }
  }
  stage.seconds = seconds_since(start);
  return stage;
}

// Runs one test over the candidates of the stage before.
Stage filtered(const Stage& before, const std::string& test,
               const std::function<std::function<bool(const Topology&)>()>& prepare) {
  const auto start = std::chrono::steady_clock::now();
  Stage stage{test, {}, 0, true};
  const auto passes = prepare();
  std::copy_if(before.candidates.begin(), before.candidates.end(),
               std::back_inserter(stage.candidates), passes);
  stage.seconds = seconds_since(start);
  return stage;
}

Stage by_spectrum(const Adjacency& graph, const Stage& before) {
  return filtered(before, "spectrum", [&] {
    return [own = spectrum(graph)](const Topology& t) {
      const auto closed = closed_form_spectrum(t);
      return same_spectrum(own, closed ? *closed : spectrum(reference_graph(t)));
    };
  });
}

Stage by_isomorphism(const Adjacency& graph, const Stage& before) {
  return filtered(before, "isomorphism", [&] {
    return
        [&](const Topology& t) { return find_isomorphism(graph, reference_graph(t)).has_value(); };
  });
}

} // namespace

std::vector<Topology> candidates_by_counts(const Adjacency& graph) {
  const DegreeCounts degrees = degrees_of(graph);
  std::vector<Topology> list;
  if (graph.edges() == 0) return list;
  add_products(graph, degrees, list);
  add_star_stencils(graph, degrees, list);
  add_six_point(graph, degrees, list);
  add_twisted(graph, degrees, list);
  add_dense(graph, degrees, list);
  add_multipartite(graph, degrees, list);
  add_trees(graph, degrees, list);
  if (auto hierarchy = internal::match_hierarchy(graph))
    list.push_back(std::move(hierarchy->topology));
  const auto fat_trees = internal::fat_tree_candidates(graph);
  list.insert(list.end(), fat_trees.begin(), fat_trees.end());
  for (auto& candidate : internal::candidates_for(internal::signature_of(graph))) {
    const Adjacency reference = reference_graph(candidate.topology);
    if (degrees_of(reference) == degrees) list.push_back(std::move(candidate.topology));
  }
  return list;
}

Adjacency largest_part(const Adjacency& graph) {
  std::vector<bool> seen(at(graph.vertices()), false);
  std::vector<Vertex> largest;
  for (Vertex v = 0; v < graph.vertices(); ++v) {
    if (seen[at(v)]) continue;
    std::vector<Vertex> members = internal::layer(graph, v).order;
    for (const Vertex w : members) seen[at(w)] = true;
    if (members.size() > largest.size()) largest = std::move(members);
  }
  if (largest.size() == seen.size()) return graph;
  std::sort(largest.begin(), largest.end());
  std::vector<Vertex> index_of(seen.size(), -1);
  return part_of(graph, largest, index_of);
}

Explanation explain(const Adjacency& graph, const ExplainOptions& options) {
  Explanation result;
  result.ranks = graph.vertices();
  result.stages.push_back(by_counts(graph, options.families));
  if (graph.vertices() > options.spectrum_up_to) {
    result.stages.push_back({"spectrum", {}, 0, false});
    result.stages.push_back({"isomorphism", {}, 0, false});
    return result;
  }
  result.stages.push_back(by_spectrum(graph, result.stages.back()));
  result.stages.push_back(by_isomorphism(graph, result.stages.back()));
  return result;
}

} // namespace rondo::topology
