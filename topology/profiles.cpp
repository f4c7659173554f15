// SPDX-License-Identifier: Apache-2.0
#include "topology/profiles.hpp"

#include "topology/match.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace rondo::topology::internal {
namespace {

bool in_square(const Adjacency& graph, Vertex u, Vertex v) {
  for (const Vertex a : graph.neighbours(u)) {
    if (a == v) continue;
    if (graph.adjacent(a, v)) return true;
    for (const Vertex b : graph.neighbours(v)) {
      if (b != u && graph.adjacent(a, b)) return true;
    }
  }
  return false;
}

// Counts vertices around a vertex.
class Surroundings {
public:
  explicit Surroundings(const Adjacency& graph)
      : graph_(graph), seen_by_(at(graph.vertices()), -1) {}

  std::tuple<std::int64_t, std::int64_t, std::int64_t> within_3_5_7(Vertex v) {
    constexpr std::size_t kMostCounted = 1000;
    std::array<std::int64_t, 8> within{};
    reached_ = {v};
    seen_by_[at(v)] = v;
    std::size_t next = 0;
    for (std::size_t step = 1; step < within.size(); ++step) {
      const std::size_t end = reached_.size();
      for (; next < end && reached_.size() < kMostCounted; ++next) {
        for (const Vertex w : graph_.neighbours(reached_[next])) {
          if (seen_by_[at(w)] == v) continue;
          seen_by_[at(w)] = v;
          reached_.push_back(w);
        }
      }
      within[step] = static_cast<std::int64_t>(reached_.size());
    }
    return {within[3], within[5], within[7]};
  }

private:
  const Adjacency& graph_;
  std::vector<Vertex> seen_by_;
  std::vector<Vertex> reached_;
};

} // namespace

std::vector<Profile> profiles_of(const Adjacency& graph) {
  std::vector<Profile> profiles(at(graph.vertices()));
  std::vector<Vertex> paths(profiles.size(), 0); // of two edges from v
  std::vector<Vertex> ends;
  const bool sparse = 4 * graph.edges() <= 5 * std::int64_t{graph.vertices()};
  Surroundings wide(graph);
  for (Vertex v = 0; v < graph.vertices(); ++v) {
    auto& [degree, degrees_around, triangles, squares, around, near, far, farther] =
        profiles[at(v)];
    degree = graph.degree(v);
    ends.clear();
    for (const Vertex w : graph.neighbours(v)) {
      degrees_around += graph.degree(w);
      for (const Vertex x : graph.neighbours(w)) {
        if (x != v && paths[at(x)]++ == 0) ends.push_back(x);
      }
    }
    for (const Vertex w : graph.neighbours(v)) triangles += paths[at(w)];
    around = static_cast<std::int64_t>(ends.size());
    if (sparse) std::tie(near, far, farther) = wide.within_3_5_7(v);
    for (const Vertex x : ends) {
      squares += std::int64_t{paths[at(x)]} * (paths[at(x)] - 1) / 2;
      paths[at(x)] = 0;
    }
  }
  return profiles;
}

double distance(const Profile& a, const Profile& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    sum += static_cast<double>(std::abs(a[i] - b[i])) / (1 + std::max(a[i], b[i]));
  return sum;
}

Adjacency edges_in_squares(const Adjacency& graph) {
  std::vector<Edge> edges;
  for (Vertex v = 0; v < graph.vertices(); ++v) {
    for (const Vertex w : graph.neighbours(v)) {
      if (v < w && in_square(graph, v, w)) edges.emplace_back(v, w);
    }
  }
  return Adjacency::from_edges(graph.vertices(), edges);
}

} // namespace rondo::topology::internal
