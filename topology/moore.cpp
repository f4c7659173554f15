// SPDX-License-Identifier: Apache-2.0
// Let M[x] be x and its neighbours. In a strong product sizes multiply over dimensions: |M[x]| is a
// product of 2 (end of a path) and 3, and |M[x] ^ M[y]| for an edge xy has the factor 2 for each
// dimension in which x and y differ. So xy changes one coordinate iff
//   |M[x]| = |M[y]| and 3 |M[x] ^ M[y]| = 2 |M[x]|,  or  3 |M[x]| = 2 |M[y]| and |M[x] ^ M[y]| =
//   |M[x]|.
// One false positive remains: two coordinates change, one onto the end of a path and one off it.
// These edges lie near corners; there some z has M[x] ^ M[y] inside M[z] with M[z] between in the
// other sense (the definition of a dispensable edge), and the edge is dropped.
#include "topology/moore.hpp"

#include "topology/cartesian.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace rondo::topology::internal {
namespace {

constexpr std::size_t kMostDimensions = 5;
constexpr Vertex kMostNeighbours = 242; // in as many dimensions

// Vertices with equal M[x], merged.
struct Quotient {
  std::vector<Vertex> class_of;
  Vertex twins = 1; // size of every class
  Adjacency graph; // one vertex for each class
};

bool same_closed_neighbourhood(const Layering& g, Vertex u, Vertex v) {
  if (g.degree(u) != g.degree(v)) return false;
  for (const Vertex w : g.neighbours(u)) {
    if (w != v && !g.adjacent(v, w)) return false;
  }
  return true;
}

// Classes lie within the neighbourhood of their first member.
bool merge_twins(const Layering& g, Vertex twins, Quotient& q) {
  q.twins = twins;
  q.class_of.assign(at(g.reached()), -1);
  std::vector<Vertex> first;
  for (Vertex v = 0; v < g.reached(); ++v) {
    if (q.class_of[at(v)] >= 0) continue;
    const auto label = static_cast<Vertex>(first.size());
    Vertex size = 1;
    q.class_of[at(v)] = label;
    for (const Vertex w : g.neighbours(v)) {
      if (w < v || q.class_of[at(w)] >= 0 || !same_closed_neighbourhood(g, v, w)) continue;
      q.class_of[at(w)] = label;
      ++size;
    }
    if (size != twins) return false;
    first.push_back(v);
  }
  std::vector<Edge> edges;
  for (const Vertex v : first) {
    for (const Vertex w : g.neighbours(v)) edges.emplace_back(q.class_of[at(v)], q.class_of[at(w)]);
  }
  q.graph = Adjacency::from_edges(static_cast<Vertex>(first.size()), edges);
  return true;
}

Vertex twins_of_root(const Layering& g) {
  Vertex count = 1;
  for (const Vertex v : g.neighbours(0)) count += same_closed_neighbourhood(g, 0, v) ? 1 : 0;
  return count;
}

// twins = 2^a 3^b as dimensions: a of two ranks, b periodic ones of three.
bool twin_dimensions(Vertex twins, std::vector<Dimension>& dimensions) {
  for (; twins % 3 == 0; twins /= 3) dimensions.push_back({3, true});
  for (; twins % 2 == 0; twins /= 2) dimensions.push_back({2, false});
  return twins == 1;
}

class Skeleton {
public:
  explicit Skeleton(const Adjacency& graph) : g_(graph), mark_(at(graph.vertices()), -1) {}

  // Nothing if the degrees cannot be those of a strong product, or too few edges remain.
  std::optional<Adjacency> build() {
    for (Vertex v = 0; v < g_.vertices(); ++v) most_ = std::max(most_, g_.degree(v) + 1);
    std::vector<Edge> edges;
    edges.reserve(at(g_.vertices()) * 3);
    for (Vertex x = 0; x < g_.vertices(); ++x) {
      const Vertex size = g_.degree(x) + 1;
      mark_[at(x)] = x;
      for (const Vertex w : g_.neighbours(x)) mark_[at(w)] = x;
      for (const Vertex y : g_.neighbours(x)) {
        if (y > x && changes_one_coordinate(x, y, size)) edges.emplace_back(x, y);
      }
    }
    if (static_cast<Vertex>(edges.size()) < g_.vertices() - 1) return std::nullopt;
    return Adjacency::from_edges(g_.vertices(), edges);
  }

private:
  bool changes_one_coordinate(Vertex x, Vertex y, Vertex size) const {
    const Vertex other = g_.degree(y) + 1;
    if (3 * size == 2 * other) return common(x, y) == size;
    if (2 * size == 3 * other) return common(x, y) == other;
    if (size != other || 3 * common(x, y) != 2 * size) return false;
    return size == most_ || !dispensable(x, y);
  }

  // |M[x] ^ M[y]|, with M[x] marked.
  Vertex common(Vertex x, Vertex y) const {
    Vertex count = 1;
    for (const Vertex w : g_.neighbours(y)) count += mark_[at(w)] == x ? 1 : 0;
    return count;
  }

  bool inside(Vertex x, Vertex w) const { return w == x || g_.adjacent(x, w); }

  // Members of M[x] that are in M[y] as well; of both and of M[z].
  std::vector<Vertex> shared(Vertex x, Vertex y) const {
    std::vector<Vertex> result = {x};
    for (const Vertex w : g_.neighbours(x)) {
      if (inside(y, w)) result.push_back(w);
    }
    return result;
  }

  bool strictly_between(Vertex x, Vertex y, Vertex z, const std::vector<Vertex>& xy) const {
    const auto xz = shared(x, z);
    if (xz.size() <= xy.size()) return false;
    return std::all_of(xy.begin(), xy.end(), [&](Vertex w) { return inside(z, w); });
  }

  bool dispensable(Vertex x, Vertex y) const {
    const auto xy = shared(x, y);
    return std::any_of(xy.begin(), xy.end(), [&](Vertex z) {
      return z != x && z != y && strictly_between(x, y, z, xy) && strictly_between(y, x, z, xy);
    });
  }

  const Adjacency& g_;
  std::vector<Vertex> mark_;
  Vertex most_ = 0;
};

// A dimension of the skeleton, as one of the product: a cycle of four is two dimensions of two
// there.
struct Source {
  Dimension dimension;
  std::vector<std::size_t> from; // one dimension of the skeleton, or two
};

class DimensionPairing {
public:
  DimensionPairing(const Adjacency& quotient, const Match& mesh) : q_(quotient), mesh_(mesh) {}

  // A quotient without twins has no factor of two ranks, so each dimension of two has its partner:
  // the one with which it is not completed by diagonals.
  std::optional<std::vector<Source>> run() const {
    const auto& dims = mesh_.topology.dimensions;
    const std::vector<Vertex> vertex_at = inverse(mesh_.cells);
    std::vector<Source> sources;
    std::vector<bool> used(dims.size(), false);
    for (std::size_t i = 0; i < dims.size(); ++i) {
      if (used[i]) continue;
      if (dims[i].size > 2) {
        sources.push_back({dims[i], {i}});
        continue;
      }
      std::size_t j = i + 1;
      while (j < dims.size() &&
             (used[j] || q_.adjacent(vertex_at[0], vertex_at[at(step(i) + step(j))])))
        ++j;
      if (j == dims.size()) return std::nullopt;
      used[j] = true;
      sources.push_back({{4, true}, {i, j}});
    }
    return sources;
  }

private:
  Vertex step(std::size_t dimension) const {
    std::vector<Vertex> point(mesh_.topology.dimensions.size(), 0);
    point[dimension] = 1;
    return cell_at(mesh_.topology.dimensions, point);
  }

  const Adjacency& q_;
  const Match& mesh_;
};

Vertex position(const Source& source, const std::vector<Vertex>& point) {
  if (source.from.size() == 1) return point[source.from[0]];
  constexpr std::array<Vertex, 4> kAround = {0, 1, 3, 2}; // a square, walked
  return kAround[at(2 * point[source.from[0]] + point[source.from[1]])];
}

// The product's dimensions in order of size, and how to get a cell's coordinates.
struct Layout {
  std::vector<Source> sources; // first those of the quotient, then those of the twins
  std::vector<std::size_t> order;
  std::size_t from_quotient = 0;

  std::vector<Dimension> dimensions() const {
    std::vector<Dimension> result;
    for (const std::size_t i : order) result.push_back(sources[i].dimension);
    return result;
  }
};

Layout layout_of(std::vector<Source> sources, Vertex twins) {
  Layout layout{std::move(sources), {}, 0};
  layout.from_quotient = layout.sources.size();
  std::vector<Dimension> twin_dims;
  twin_dimensions(twins, twin_dims);
  for (const Dimension& d : twin_dims) layout.sources.push_back({d, {}});
  layout.order.resize(layout.sources.size());
  std::iota(layout.order.begin(), layout.order.end(), 0);
  std::stable_sort(layout.order.begin(), layout.order.end(), [&](std::size_t a, std::size_t b) {
    const Dimension& da = layout.sources[a].dimension;
    const Dimension& db = layout.sources[b].dimension;
    return da.size != db.size ? da.size > db.size : da.periodic && !db.periodic;
  });
  return layout;
}

std::vector<Vertex> point_of(const Layout& layout, const std::vector<Vertex>& mesh_point,
                             Vertex twin) {
  std::vector<Vertex> by_source(layout.sources.size());
  for (std::size_t i = 0; i < layout.sources.size(); ++i) {
    const Source& source = layout.sources[i];
    if (i < layout.from_quotient) {
      by_source[i] = position(source, mesh_point);
    } else {
      by_source[i] = twin % source.dimension.size;
      twin /= source.dimension.size;
    }
  }
  std::vector<Vertex> point;
  for (const std::size_t i : layout.order) point.push_back(by_source[i]);
  return point;
}

// Cells of the breadth-first numbers; the twins of a class are told apart in order.
std::vector<Vertex> cells_of(const Layering& g, const Quotient& q, const Match* mesh,
                             const Layout& layout) {
  std::vector<Vertex> next_twin(at(q.graph.vertices()), 0);
  std::vector<Vertex> cells(at(g.reached()));
  const auto dims = layout.dimensions();
  for (Vertex v = 0; v < g.reached(); ++v) {
    const Vertex c = q.class_of[at(v)];
    const auto mesh_point = mesh == nullptr
                                ? std::vector<Vertex>{}
                                : coordinates(mesh->topology.dimensions, mesh->cells[at(c)]);
    cells[at(v)] = cell_at(dims, point_of(layout, mesh_point, next_twin[at(c)]++));
  }
  return cells;
}

} // namespace

MaybeMatch match_moore(const Adjacency& graph, const Layering& layers) {
  if (layers.degree(0) < 2 || layers.degree(0) > kMostNeighbours) return std::nullopt;
  for (Vertex v = 0; v < layers.reached(); ++v) {
    if (layers.degree(v) > kMostNeighbours) return std::nullopt;
  }
  Quotient q;
  std::vector<Dimension> twin_dims;
  const Vertex twins = twins_of_root(layers);
  if (!twin_dimensions(twins, twin_dims) || !merge_twins(layers, twins, q)) return std::nullopt;
  MaybeMatch mesh;
  std::vector<Source> sources;
  if (q.graph.vertices() > 1) {
    const auto skeleton = Skeleton(q.graph).build();
    if (!skeleton) return std::nullopt;
    const Layering skeleton_layers = layer(*skeleton, least_degree_vertex(*skeleton));
    if (skeleton_layers.reached() != skeleton->vertices()) return std::nullopt;
    mesh = match_cartesian(skeleton_layers);
    if (!mesh) return std::nullopt;
    auto paired = DimensionPairing(q.graph, *mesh).run();
    if (!paired) return std::nullopt;
    sources = std::move(*paired);
  }
  const Layout layout = layout_of(std::move(sources), twins);
  if (layout.sources.size() < 2) return std::nullopt; // a path or a cycle
  Match match{{.kind = Kind::kMoore, .ranks = graph.vertices(), .dimensions = layout.dimensions()},
              {}};
  match.cells = layers.for_vertices(cells_of(layers, q, mesh ? &*mesh : nullptr, layout));
  if (!maps_onto(graph, reference_graph(match.topology), match.cells)) return std::nullopt;
  return match;
}

} // namespace rondo::topology::internal
