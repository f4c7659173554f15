// SPDX-License-Identifier: Apache-2.0
// How it works. A line of radius two or more is held together by triangles, and no triangle leaves
// a line. So among the neighbours of a vertex those of one line are connected to each other, and
// not to those of other lines.
//   1. the lines through the root are followed neighbourhood by neighbourhood, and recognized one
//   by one: powers of paths and cycles, or complete.
//   2. any other vertex has two nearer neighbours that differ from each other in two coordinates;
//   it has the farther one of each.
//   3. every edge is then checked against the coordinates. Only this step is trusted.
#include "topology/recognisers/star_stencil.hpp"

#include "rondo/base/sort_stably.hpp"
#include "topology/lattice_edges.hpp"
#include "topology/paired_refinement.hpp"

#include <algorithm>
#include <array>

namespace rondo::topology::internal {
namespace {

constexpr Vertex kMostDegree = 400;

struct Line {
  std::vector<Vertex> members; // breadth-first numbers, the root first
  std::vector<Vertex> position; // of each member, along the line
  std::vector<Vertex> distance; // position -> distance from the root
  Dimension dimension;
  std::int64_t edges = 0;

  Vertex size() const { return static_cast<Vertex>(members.size()); }
  bool complete() const { return 2 * edges == std::int64_t{size()} * (size() - 1); }
};

class StarStencilRecognizer {
public:
  explicit StarStencilRecognizer(const Layering& layers) : g_(layers) {}

  MaybeMatch run() {
    if (g_.degree(0) < 2 || g_.degree(0) > kMostDegree) return std::nullopt;
    if (!find_lines() || !find_shapes()) return std::nullopt;
    sort_lines();
    place_axes();
    if (!spread()) return std::nullopt;
    return verified();
  }

private:
  // Those neighbours of v that are connected with `start` among the neighbours of v.
  std::vector<Vertex> neighbours_in_line(Vertex v, Vertex start) {
    for (const Vertex w : g_.neighbours(v)) near_[at(w)] = v;
    std::vector<Vertex> found = {start};
    near_[at(start)] = -1;
    for (std::size_t i = 0; i < found.size(); ++i) {
      for (const Vertex w : g_.neighbours(found[i])) {
        if (near_[at(w)] != v) continue;
        near_[at(w)] = -1;
        found.push_back(w);
      }
    }
    return found;
  }

  bool find_lines() {
    near_.assign(at(g_.reached()), -1);
    line_of_.assign(at(g_.reached()), -1);
    if (is_too_wide_for_one_line()) return false;
    std::int64_t cells = 1;
    for (const Vertex start : g_.neighbours(0)) {
      if (line_of_[at(start)] >= 0) continue;
      cells *= follow(start);
      if (cells <= 0 || cells > g_.reached()) return false;
    }
    return cells == g_.reached();
  }

  // All neighbours of the root are in one line, but more ranks are two steps away than a line has.
  // Saves following the line through graphs full of triangles.
  bool is_too_wide_for_one_line() {
    if (g_.layers() < 3) return false;
    const Vertex two_away = g_.layer_begin[3] - g_.layer_begin[2];
    const auto line = neighbours_in_line(0, g_.neighbours(0).front());
    return two_away > g_.degree(0) && static_cast<Vertex>(line.size()) == g_.degree(0);
  }

  // The line through the root and `start`; its size, 0 if it meets another one.
  Vertex follow(Vertex start) {
    const auto label = static_cast<Vertex>(lines_.size());
    Line line;
    line.members = {0};
    std::vector<Vertex> reached_from = {start}; // a neighbour in the line
    std::int64_t ends = 0;
    for (std::size_t i = 0; i < line.members.size(); ++i) {
      const Vertex v = line.members[i];
      if (g_.degree(v) > kMostDegree) return 0;
      for (const Vertex w : neighbours_in_line(v, reached_from[i])) {
        ++ends;
        if (w == 0 || line_of_[at(w)] == label) continue;
        if (line_of_[at(w)] >= 0) return 0;
        line_of_[at(w)] = label;
        line.members.push_back(w);
        reached_from.push_back(v);
      }
    }
    line.edges = ends / 2;
    lines_.push_back(std::move(line));
    return lines_.back().size();
  }

  // The radius that gives a path's or cycle's power so many edges; 0 if none does.
  static Vertex radius_of(const Line& line, bool periodic) {
    const std::int64_t n = line.size();
    if (periodic) return line.edges % n == 0 ? static_cast<Vertex>(line.edges / n) : 0;
    for (std::int64_t r = 1; r < n; ++r) {
      if (r * n - r * (r + 1) / 2 == line.edges) return static_cast<Vertex>(r);
    }
    return 0;
  }

  Adjacency graph_of(const Line& line) {
    std::vector<Vertex>& index = near_; // not needed any more
    for (Vertex i = 0; i < line.size(); ++i) index[at(line.members[at(i)])] = i;
    const auto label = static_cast<Vertex>(&line - lines_.data());
    const auto on_line = [&](Vertex v) { return v == 0 || line_of_[at(v)] == label; };
    std::vector<Edge> edges;
    for (const Vertex v : line.members) {
      for (const Vertex w : g_.neighbours(v)) {
        if (v < w && on_line(w)) edges.emplace_back(index[at(v)], index[at(w)]);
      }
    }
    return Adjacency::from_edges(line.size(), edges);
  }

  // Complete lines fit any radius that is large enough, so the others decide.
  bool find_shapes() {
    std::vector<Adjacency> graphs;
    for (const Line& line : lines_) {
      graphs.push_back(graph_of(line));
      if (graphs.back().edges() != line.edges) return false;
      if (line.complete()) continue;
      const Vertex radius = radius_of(line, is_regular(graphs.back()));
      if (radius < 2 || (radius_ > 0 && radius != radius_)) return false;
      radius_ = radius;
    }
    if (radius_ == 0) return false;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (!find_positions(lines_[i], graphs[i])) return false;
    }
    return std::any_of(lines_.begin(), lines_.end(), [&](const Line& line) {
      return line.size() > 2 * radius_ + (line.dimension.periodic ? 1 : 0);
    });
  }

  static bool is_regular(const Adjacency& graph) {
    for (Vertex v = 1; v < graph.vertices(); ++v) {
      if (graph.degree(v) != graph.degree(0)) return false;
    }
    return true;
  }

  bool find_positions(Line& line, const Adjacency& graph) const {
    const bool complete = line.complete();
    if (complete && line.size() > 2 * radius_ + 1) return false;
    const bool periodic = complete ? line.size() > radius_ + 1 : is_regular(graph);
    line.dimension = {line.size(), periodic};
    const Topology reference{.kind = TopologyKind::kStarStencil,
                             .ranks = line.size(),
                             .dimensions = {line.dimension},
                             .radius = radius_};
    const auto symmetry = periodic ? Symmetry::kVertexTransitive : Symmetry::kNone;
    auto positions = find_isomorphism(graph, reference_graph(reference), symmetry);
    if (!positions) return false;
    line.position = std::move(*positions);
    return true;
  }

  void sort_lines() {
    sort_stably(lines_.begin(), lines_.end(), [](const Line& a, const Line& b) {
      if (a.size() != b.size()) return a.size() > b.size();
      return a.dimension.periodic && !b.dimension.periodic;
    });
  }

  Vertex& coordinate(Vertex v, std::size_t dimension) {
    return coordinates_[at(v) * lines_.size() + dimension];
  }

  void place_axes() {
    coordinates_.assign(at(g_.reached()) * lines_.size(), 0);
    placed_.assign(at(g_.reached()), false);
    std::vector<Vertex> layer_of(at(g_.reached()));
    for (Vertex l = 0; l < g_.layers(); ++l) {
      for (Vertex v = g_.layer_begin[at(l)]; v < g_.layer_begin[at(l) + 1]; ++v)
        layer_of[at(v)] = l;
    }
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      Line& line = lines_[i];
      line.distance.resize(line.members.size());
      for (std::size_t m = 0; m < line.members.size(); ++m)
        line.distance[at(line.position[m])] = layer_of[at(line.members[m])];
      for (std::size_t j = 0; j < lines_.size(); ++j) { // of the root in the other dimensions
        for (const Vertex v : lines_[j].members) coordinate(v, i) = line.position[0];
      }
    }
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      for (std::size_t m = 0; m < lines_[i].members.size(); ++m) {
        coordinate(lines_[i].members[m], i) = lines_[i].position[m];
        placed_[at(lines_[i].members[m])] = true;
      }
    }
  }

  // The dimensions in which u and w differ, if there are two.
  std::optional<std::pair<std::size_t, std::size_t>> two_differences(Vertex u, Vertex w) {
    std::array<std::size_t, 2> found{};
    std::size_t count = 0;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (coordinate(u, i) == coordinate(w, i)) continue;
      if (count == 2) return std::nullopt;
      found[count++] = i;
    }
    if (count < 2) return std::nullopt;
    return std::pair(found[0], found[1]);
  }

  bool spread() {
    for (Vertex layer = 1; layer < g_.layers(); ++layer) {
      const Vertex begin = g_.layer_begin[at(layer)];
      for (Vertex v = begin; v < g_.layer_begin[at(layer) + 1]; ++v) {
        if (!placed_[at(v)] && !place(v, begin)) return false;
      }
    }
    return true;
  }

  bool place(Vertex v, Vertex begin) {
    Vertex first = -1;
    for (const Vertex w : g_.neighbours(v)) {
      if (w >= begin) continue;
      if (first < 0) {
        first = w;
        continue;
      }
      const auto differences = two_differences(first, w);
      if (!differences) continue;
      for (std::size_t i = 0; i < lines_.size(); ++i) coordinate(v, i) = coordinate(first, i);
      for (const std::size_t i : {differences->first, differences->second}) {
        const auto& distance = lines_[i].distance;
        if (distance[at(coordinate(w, i))] > distance[at(coordinate(first, i))])
          coordinate(v, i) = coordinate(w, i);
      }
      return true;
    }
    return false;
  }

  std::int64_t expected_edges() const {
    std::int64_t edges = 0;
    for (const Line& line : lines_) edges += g_.reached() / line.size() * line.edges;
    return edges;
  }

  MaybeMatch verified() {
    Match match;
    match.topology = {.kind = TopologyKind::kStarStencil, .ranks = g_.reached(), .radius = radius_};
    for (const Line& line : lines_) match.topology.dimensions.push_back(line.dimension);
    std::vector<Vertex> cells(at(g_.reached()), 0);
    for (Vertex v = 0; v < g_.reached(); ++v) {
      for (std::size_t i = 0; i < lines_.size(); ++i)
        cells[at(v)] = cells[at(v)] * lines_[i].size() + coordinate(v, i);
    }
    if (2 * expected_edges() != static_cast<std::int64_t>(g_.to.size())) return std::nullopt;
    if (!is_bijection(cells)) return std::nullopt;
    const LatticeEdges edges(match.topology);
    for (Vertex v = 0; v < g_.reached(); ++v) {
      for (const Vertex w : g_.neighbours(v)) {
        if (v < w && !edges.adjacent(cells[at(v)], cells[at(w)])) return std::nullopt;
      }
    }
    match.cells = g_.for_vertices(cells);
    return match;
  }

  const Layering& g_;
  std::vector<Line> lines_; // through the root, one for each dimension
  Vertex radius_ = 0;
  std::vector<Vertex> line_of_; // vertex -> line through the root, -1 off the axes
  std::vector<Vertex> near_; // scratch
  std::vector<Vertex> coordinates_; // a row for each vertex
  std::vector<bool> placed_;
};

} // namespace

MaybeMatch match_star_stencil(const Layering& layers) {
  return StarStencilRecognizer(layers).run();
}

} // namespace rondo::topology::internal
