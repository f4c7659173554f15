// SPDX-License-Identifier: Apache-2.0
#include "tests/topology/corpus.hpp"

#include "tests/topology/graphs.hpp"

#include <algorithm>
#include <fmt/core.h>
#include <random>
#include <set>

namespace rondo::topology::testing {
namespace {

Topology heap(Vertex ranks, Vertex arity) {
  return {.kind = TopologyKind::kHeapTree, .ranks = ranks, .arity = arity};
}

Topology with_parts(TopologyKind kind, const std::vector<Vertex>& parts) {
  Topology t{.kind = kind, .parts = parts};
  t.ranks = kind == TopologyKind::kRowColumn ? 1 : 0;
  for (const Vertex p : parts)
    t.ranks = kind == TopologyKind::kRowColumn ? t.ranks * p : t.ranks + p;
  return t;
}

Topology eighteen_point(const std::vector<int>& sizes) {
  Topology t = mesh(sizes);
  t.kind = TopologyKind::kEighteenPoint;
  return t;
}

using Family = std::pair<std::string, std::vector<Topology>>;

std::vector<Topology> meshes(const std::vector<std::vector<int>>& list) {
  std::vector<Topology> result;
  for (const auto& sizes : list) result.push_back(mesh(sizes));
  return result;
}

std::vector<Topology> of_kinds(TopologyKind kind, const std::vector<Vertex>& list) {
  std::vector<Topology> result;
  for (const Vertex ranks : list) result.push_back(of_kind(kind, ranks));
  return result;
}

std::vector<Family> families() {
  return {
      {"chain", meshes({{12}, {40}, {150}})},
      {"ring", meshes({{-12}, {-40}, {-150}})},
      {"2-D grid", meshes({{4, 3}, {5, 5}, {8, 8}, {10, 7}, {20, 20}, {60, 5}})},
      {"2-D torus", meshes({{-5, -3}, {-5, -5}, {-8, -8}, {-12, -10}, {-20, -20}, {-60, -5}})},
      {"2-D mixed", meshes({{-12, 6}, {20, -12}, {-6, 3}})},
      {"3-D grid", meshes({{3, 3, 3}, {4, 4, 4}, {5, 4, 3}, {7, 7, 7}})},
      {"3-D torus", meshes({{-3, -3, -3}, {-6, -5, -4}, {-5, -5, -5}, {-7, -7, -7}})},
      {"3-D mixed", meshes({{-6, 5, 4}, {-5, -5, 3}})},
      {"4-D mesh", meshes({{3, 3, 3, 3}, {-5, -3, -3, -3}, {-5, -5, -3, 4}})},
      {"hypercube", meshes({{2, 2, 2, 2}, {2, 2, 2, 2, 2, 2}, {2, 2, 2, 2, 2, 2, 2, 2}})},
      {"8-point", {moore({5, 4}), moore({8, 8}), moore({-6, -6}), moore({15, 12})}},
      {"26-point", {moore({3, 3, 3}), moore({4, 4, 4}), moore({-5, -5, -5}), moore({7, 7, 6})}},
      {"18-point", {eighteen_point({4, 4, 4}), eighteen_point({-6, -5, -5})}},
      {"6-point", {six_point(4, 4), six_point(6, 6), six_point(8, 5), six_point(16, 16)}},
      {"complete", of_kinds(TopologyKind::kComplete, {12, 20, 60})},
      {"multipartite",
       {with_parts(TopologyKind::kMultipartite, {10, 10}),
        with_parts(TopologyKind::kMultipartite, {6, 8, 10}),
        with_parts(TopologyKind::kMultipartite, {5, 20}),
        with_parts(TopologyKind::kMultipartite, {30, 30}),
        with_parts(TopologyKind::kMultipartite, {8, 8, 8, 8, 8})}},
      {"row+column",
       {with_parts(TopologyKind::kRowColumn, {4, 5}), with_parts(TopologyKind::kRowColumn, {6, 7}),
        with_parts(TopologyKind::kRowColumn, {12, 12}),
        with_parts(TopologyKind::kRowColumn, {20, 20})}},
      {"star", of_kinds(TopologyKind::kStar, {12, 40, 200})},
      {"heap tree", {heap(31, 2), heap(127, 2), heap(40, 3), heap(300, 2)}},
      {"binomial tree", of_kinds(TopologyKind::kBinomialTree, {16, 64, 256})},
      {"recursive doubling", of_kinds(TopologyKind::kRecursiveDoubling, {24, 44, 100, 300})},
      {"dissemination", of_kinds(TopologyKind::kDissemination, {20, 40, 128, 300})},
      {"CG", of_kinds(TopologyKind::kCg, {32, 64, 256})},
  };
}

std::size_t percent_of(const Adjacency& graph, std::size_t percent) {
  const auto edges = static_cast<std::size_t>(graph.edges());
  return percent == 0 ? 0 : std::max<std::size_t>(1, edges * percent / 100);
}

std::string words(std::size_t missing, std::size_t extra, bool random) {
  return fmt::format("-{} % +{} %, {}", missing, extra, random ? "shuffled" : "natural");
}

// Points of the unit square, joined if near each other.
Adjacency random_geometric(Vertex ranks, double degree, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> unit;
  std::vector<std::pair<double, double>> points(static_cast<std::size_t>(ranks));
  for (auto& p : points) p = {unit(random), unit(random)};
  const double reach = degree / (3.14159 * ranks); // square of the radius
  std::vector<Edge> edges;
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double x = points[i].first - points[j].first;
      const double y = points[i].second - points[j].second;
      if (x * x + y * y < reach) edges.emplace_back(i, j);
    }
  }
  return Adjacency::from_edges(ranks, edges);
}

// Each new rank talks to `links` older ones, chosen by how many partners they have.
Adjacency preferential_attachment(Vertex ranks, int links, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Vertex> ends = {0, 1};
  std::vector<Edge> edges = {{0, 1}};
  for (Vertex v = 2; v < ranks; ++v) {
    std::set<Vertex> partners;
    for (int i = 0; i < links; ++i) partners.insert(ends[random() % ends.size()]);
    for (const Vertex w : partners) {
      edges.emplace_back(v, w);
      ends.insert(ends.end(), {v, w});
    }
  }
  return Adjacency::from_edges(ranks, edges);
}

Adjacency random_bipartite(Vertex ranks, Vertex degree, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto half = static_cast<std::uint64_t>(ranks) / 2;
  std::set<Edge> edges;
  while (edges.size() < half * static_cast<std::size_t>(degree))
    edges.emplace(random() % half, half + random() % half);
  return Adjacency::from_edges(ranks, std::vector<Edge>(edges.begin(), edges.end()));
}

} // namespace

Adjacency damaged(const Adjacency& graph, std::size_t missing, std::size_t extra,
                  std::uint64_t seed) {
  std::mt19937_64 random(seed);
  auto edges = edges_of(graph);
  std::shuffle(edges.begin(), edges.end(), random);
  edges.resize(edges.size() - missing);
  const auto any = [&] {
    return static_cast<Vertex>(random() % static_cast<std::uint64_t>(graph.vertices()));
  };
  std::set<Edge> added;
  while (added.size() < extra) {
    const auto [a, b] = std::minmax({any(), any()});
    if (a != b && !graph.adjacent(a, b)) added.insert({a, b});
  }
  edges.insert(edges.end(), added.begin(), added.end());
  return Adjacency::from_edges(graph.vertices(), edges);
}

Adjacency with_hub(const Adjacency& graph, Vertex hub) {
  auto edges = edges_of(graph);
  const Vertex ranks = std::max(graph.vertices(), hub + 1);
  for (Vertex v = 0; v < ranks; ++v) edges.emplace_back(hub, v);
  return Adjacency::from_edges(ranks, edges);
}

Adjacency random_regular(Vertex ranks, Vertex degree, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Vertex> stubs;
  for (Vertex v = 0; v < ranks; ++v) stubs.insert(stubs.end(), static_cast<std::size_t>(degree), v);
  std::shuffle(stubs.begin(), stubs.end(), random);
  std::vector<Edge> edges;
  for (std::size_t i = 0; i + 1 < stubs.size(); i += 2) edges.emplace_back(stubs[i], stubs[i + 1]);
  return Adjacency::from_edges(ranks, edges);
}

Adjacency random_sparse(Vertex ranks, std::size_t edges, std::uint64_t seed) {
  return damaged(Adjacency::from_edges(ranks, {}), 0, edges, seed);
}

std::vector<Labelled> undamaged() {
  std::vector<Labelled> list;
  for (const auto& [family, topologies] : families()) {
    for (const Topology& t : topologies)
      list.push_back({family, t, -1, reference_graph(t), 0, 0, words(0, 0, false)});
  }
  return list;
}

std::vector<Labelled> damaged_corpus() {
  const std::vector<std::pair<std::size_t, std::size_t>> damages = {
      {0, 0}, {1, 1}, {2, 2}, {5, 5}, {10, 10}, {2, 0}, {5, 0}, {10, 0}, {0, 2}, {0, 5}, {0, 10}};
  std::vector<Labelled> list;
  std::uint64_t seed = 0;
  for (const Labelled& whole : undamaged()) {
    for (const auto& [missing, extra] : damages) {
      const bool full = whole.topology.kind == TopologyKind::kComplete; // nothing can be added
      if (full && extra > missing) continue;
      Labelled one = whole;
      one.missing = percent_of(whole.graph, missing);
      one.extra = full ? 0 : percent_of(whole.graph, extra);
      for (const bool random : {false, true}) {
        one.graph = damaged(whole.graph, one.missing, one.extra, ++seed);
        if (random) one.graph = shuffled(one.graph, seed);
        one.how = words(missing, extra, random);
        list.push_back(one);
      }
    }
  }
  return list;
}

std::vector<Labelled> hub_corpus() {
  std::vector<Labelled> list;
  std::uint64_t seed = 0;
  for (const Topology& t : {mesh({-8, -8}), mesh({10, 9}), mesh({-6, -5, -4}), mesh({5, 5, 5}),
                            mesh({-12, 8}), moore({9, 9}), mesh({2, 2, 2, 2, 2, 2})}) {
    for (const Vertex hub : {Vertex{17}, t.ranks}) {
      for (const std::size_t percent : {0, 2, 5}) {
        for (const bool random : {false, true}) {
          Labelled one{"with a hub", t, hub, reference_graph(t), 0, 0, ""};
          one.missing = one.extra = percent_of(one.graph, percent);
          one.graph = with_hub(damaged(one.graph, one.missing, one.extra, ++seed), hub);
          one.how = words(percent, percent, random);
          if (random) {
            const auto names = shuffle(one.graph.vertices(), seed);
            one.graph = renumbered(one.graph, names);
            one.hub = names[static_cast<std::size_t>(hub)];
          }
          list.push_back(one);
        }
      }
    }
  }
  return list;
}

std::vector<Labelled> irregular_corpus() {
  std::vector<Labelled> list;
  const auto add = [&](Adjacency graph, const std::string& how) {
    list.push_back({"none of these", of_kind(TopologyKind::kIrregular, graph.vertices()), -1,
                    std::move(graph), 0, 0, how});
  };
  std::uint64_t seed = 0;
  for (const Vertex n : {16, 27, 36, 64, 100, 144, 256, 400}) {
    for (const Vertex degree : {3, 4, 6, 8}) {
      const auto half = static_cast<std::size_t>(n * degree / 2);
      const std::string size = fmt::format(" of {} ranks, degree {}", n, degree);
      ++seed;
      add(random_regular(n, degree, seed), "random regular" + size);
      add(random_sparse(n, half, seed), "Erdos-Renyi" + size);
      add(random_geometric(n, degree, seed), "random geometric" + size);
      add(preferential_attachment(n, degree / 2 + 1, seed), "preferential attachment" + size);
      add(random_bipartite(n, degree / 2 + 1, seed), "random bipartite" + size);
    }
  }
  for (const Labelled& whole : undamaged()) {
    if (whole.graph.vertices() < 24) continue;
    const std::size_t changed = percent_of(whole.graph, 40);
    const auto n = static_cast<std::size_t>(whole.graph.vertices());
    const std::size_t room = n * (n - 1) / 2 - static_cast<std::size_t>(whole.graph.edges());
    const Adjacency graph = damaged(whole.graph, changed, std::min(changed, room), ++seed);
    add(graph, name(whole.topology) + ", 40 % damaged");
    add(shuffled(graph, seed), name(whole.topology) + ", 40 % damaged, shuffled");
  }
  return list;
}

} // namespace rondo::topology::testing
