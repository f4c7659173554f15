// SPDX-License-Identifier: Apache-2.0
// Let M[x] be x and its neighbours. In a strong product sizes multiply over dimensions: |M[x]| is a
// product of 2 (end of a path) and 3, and |M[x] ^ M[y]| for an edge xy has the factor 2 for each
// dimension in which x and y differ. So xy changes one coordinate iff
//   |M[x]| = |M[y]| and 3 |M[x] ^ M[y]| = 2 |M[x]|,  or  3 |M[x]| = 2 |M[y]| and |M[x] ^ M[y]| =
//   |M[x]|.
// One false positive remains: two coordinates change, one onto the end of a path and one off it.
// These edges lie near corners; there some z has M[x] ^ M[y] inside M[z] with M[z] between in the
// other sense (the definition of a dispensable edge), and the edge is dropped.
#include "topology/recognisers/moore.hpp"

#include "rondo/base/sort_stably.hpp"
#include "topology/parallel.hpp"
#include "topology/recognisers/cartesian.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <tbb/combinable.h>

namespace rondo::topology::internal {
namespace {

constexpr std::size_t kMostDimensions = 5;
constexpr Vertex kMostNeighbours = 242; // in as many dimensions

// Vertices with equal M[x], merged.
struct Quotient {
  std::vector<Vertex> class_of; // by breadth-first number
  Layering layers; // one vertex for each class
};

bool same_closed_neighbourhood(const Layering& g, Vertex u, Vertex v) {
  if (g.degree(u) != g.degree(v)) return false;
  for (const Vertex w : g.neighbours(u)) {
    if (w != v && !g.adjacent(v, w)) return false;
  }
  return true;
}

// Classes lie within the neighbourhood of their first member, and all have the same size.
std::optional<Quotient> merge_twins(const Layering& g, Vertex twins) {
  Quotient q;
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
    if (size != twins) return std::nullopt;
    first.push_back(v);
  }
  std::vector<Edge> edges;
  for (const Vertex v : first) {
    for (const Vertex w : g.neighbours(v)) edges.emplace_back(q.class_of[at(v)], q.class_of[at(w)]);
  }
  q.layers = layer(Adjacency::from_edges(static_cast<Vertex>(first.size()), edges), 0);
  const std::vector<Vertex> number = inverse(q.layers.order);
  for (Vertex& c : q.class_of) c = number[at(c)];
  return q;
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
  explicit Skeleton(const Layering& layers) : g_(layers) {}

  // Nothing if the degrees cannot be those of a strong product, or too few edges remain.
  std::optional<Adjacency> build() {
    for (Vertex v = 0; v < g_.reached(); ++v) most_ = std::max(most_, g_.degree(v) + 1);
    tbb::combinable<Found> found(Found{std::vector<Vertex>(at(g_.reached()), -1), {}});
    for_blocks(g_.reached(), [&](const Block& block) { search(block, found.local()); });
    std::vector<Edge> edges;
    found.combine_each([&](const Found& part) {
      edges.insert(edges.end(), part.edges.begin(), part.edges.end());
    });
    if (static_cast<Vertex>(edges.size()) < g_.reached() - 1) return std::nullopt;
    return Adjacency::from_edges(g_.reached(), edges);
  }

private:
  using Marks = std::vector<Vertex>; // by vertex: the last one whose M has it

  struct Found { // by one thread
    Marks marks;
    std::vector<Edge> edges;
  };

  void search(const Block& block, Found& found) const {
    for (Vertex x = block.begin(); x != block.end(); ++x) {
      found.marks[at(x)] = x;
      for (const Vertex w : g_.neighbours(x)) found.marks[at(w)] = x;
      for (const Vertex y : g_.neighbours(x)) {
        if (y > x && changes_one_coordinate(x, y, found.marks)) found.edges.emplace_back(x, y);
      }
    }
  }

  bool changes_one_coordinate(Vertex x, Vertex y, const Marks& marks) const {
    const Vertex size = g_.degree(x) + 1;
    const Vertex other = g_.degree(y) + 1;
    if (3 * size == 2 * other) return common(x, y, marks) == size;
    if (2 * size == 3 * other) return common(x, y, marks) == other;
    if (size != other || 3 * common(x, y, marks) != 2 * size) return false;
    return size == most_ || !dispensable(x, y);
  }

  // |M[x] ^ M[y]|, with M[x] marked.
  Vertex common(Vertex x, Vertex y, const Marks& marks) const {
    Vertex count = 1;
    for (const Vertex w : g_.neighbours(y)) count += marks[at(w)] == x ? 1 : 0;
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

  const Layering& g_;
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
  DimensionPairing(const Layering& quotient, const Match& mesh) : q_(quotient), mesh_(mesh) {}

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

  const Layering& q_;
  const Match& mesh_;
};

Vertex position(const Source& source, const std::vector<Vertex>& point) {
  if (source.from.size() == 1) return point[source.from[0]];
  constexpr std::array<Vertex, 4> kAround = {0, 1, 3, 2}; // a square, walked
  return kAround[at(2 * point[source.from[0]] + point[source.from[1]])];
}

// The product's dimensions, largest first, and where their coordinates come from.
struct Layout {
  std::vector<Source> sources; // those of the quotient have an origin, those of the twins none
  std::vector<Vertex> strides; // of a cell, for each source
  std::vector<Dimension> dimensions;
};

Layout layout_of(std::vector<Source> sources, Vertex twins) {
  Layout layout{std::move(sources), {}, {}};
  std::vector<Dimension> twin_dims;
  twin_dimensions(twins, twin_dims);
  for (const Dimension& d : twin_dims) layout.sources.push_back({d, {}});
  sort_stably(layout.sources.begin(), layout.sources.end(), [](const Source& a, const Source& b) {
    if (a.dimension.size != b.dimension.size) return a.dimension.size > b.dimension.size;
    return a.dimension.periodic && !b.dimension.periodic;
  });
  layout.strides.resize(layout.sources.size());
  Vertex stride = 1;
  for (std::size_t i = layout.sources.size(); i-- > 0;) {
    layout.strides[i] = stride;
    stride *= layout.sources[i].dimension.size;
  }
  for (const Source& source : layout.sources) layout.dimensions.push_back(source.dimension);
  return layout;
}

// Coordinates of all vertices, a row of `width` for each, in one array.
struct Points {
  std::size_t width = 0;
  std::vector<Vertex> coordinates;
  const Vertex* of(Vertex v) const { return &coordinates[at(v) * width]; }
};

// The twins of a class are told apart in the order of their numbers.
Points points_of(const Layering& g, const Quotient* q, const Match* mesh, const Layout& layout) {
  Points points{layout.sources.size(),
                std::vector<Vertex>(at(g.reached()) * layout.sources.size())};
  std::vector<Vertex> next_twin(q == nullptr ? 0 : at(q->layers.reached()), 0);
  std::vector<Vertex> cell(mesh == nullptr ? 0 : mesh->topology.dimensions.size());
  for (Vertex v = 0; v < g.reached(); ++v) {
    const Vertex c = q == nullptr ? v : q->class_of[at(v)];
    Vertex twin = q == nullptr ? 0 : next_twin[at(c)]++;
    Vertex rest = mesh == nullptr ? 0 : mesh->cells[at(c)];
    for (std::size_t i = cell.size(); i-- > 0; rest /= mesh->topology.dimensions[i].size) {
      cell[i] = rest % mesh->topology.dimensions[i].size;
    }
    for (std::size_t i = 0; i < points.width; ++i) {
      const Source& source = layout.sources[i];
      Vertex& x = points.coordinates[at(v) * points.width + i];
      if (!source.from.empty()) {
        x = position(source, cell);
      } else {
        x = twin % source.dimension.size;
        twin /= source.dimension.size;
      }
    }
  }
  return points;
}

// Every edge joins points at distance one in the largest of the differences.
bool edges_fit(const Layering& g, const Points& points, const Layout& layout) {
  std::vector<Vertex> around; // the difference across a periodic end
  for (const Dimension& d : layout.dimensions) around.push_back(d.periodic ? d.size - 1 : 1);
  return all_vertices(g.reached(), [&](Vertex v) {
    const Vertex* a = points.of(v);
    for (const Vertex w : g.neighbours(v)) {
      if (w > v) continue;
      const Vertex* b = points.of(w);
      for (std::size_t i = 0; i < points.width; ++i) {
        const Vertex apart = std::abs(a[i] - b[i]);
        if (apart > 1 && apart != around[i]) return false;
      }
    }
    return true;
  });
}

// Edges of a strong product: |M| is the product of the ball sizes, so 2 E + P = product of (n + 2
// lines).
bool has_edge_count(const Layering& g, const Layout& layout) {
  std::int64_t balls = 1;
  for (const Dimension& d : layout.dimensions) {
    const std::int64_t lines = d.periodic ? d.size : d.size - 1;
    balls *= d.size + 2 * lines;
  }
  return balls == static_cast<std::int64_t>(g.to.size()) + g.reached();
}

std::vector<Vertex> cells_of(const Points& points, const Layout& layout) {
  std::vector<Vertex> cells(points.coordinates.size() / points.width, 0);
  for (std::size_t v = 0; v < cells.size(); ++v) {
    const Vertex* point = points.of(static_cast<Vertex>(v));
    for (std::size_t i = 0; i < points.width; ++i) cells[v] += point[i] * layout.strides[i];
  }
  return cells;
}

// The mesh formed by the edges that change one coordinate.
MaybeMatch skeleton_mesh(const Layering& thin) {
  const auto skeleton = Skeleton(thin).build();
  if (!skeleton) return std::nullopt;
  const Layering layers = layer(*skeleton, least_degree_vertex(*skeleton));
  if (layers.reached() != skeleton->vertices()) return std::nullopt;
  return match_cartesian(layers);
}

MaybeMatch verified(const Layering& g, const Quotient* q, const Match* mesh, const Layout& layout) {
  // one dimension is a path or a cycle; many are another word for all-to-all
  if (layout.sources.size() < 2 || layout.sources.size() > kMostDimensions) return std::nullopt;
  if (!has_edge_count(g, layout)) return std::nullopt;
  const Points points = points_of(g, q, mesh, layout);
  const std::vector<Vertex> cells = cells_of(points, layout);
  if (!is_bijection(cells) || !edges_fit(g, points, layout)) return std::nullopt;
  return Match{
      {.kind = TopologyKind::kMoore, .ranks = g.reached(), .dimensions = layout.dimensions},
      g.for_vertices(cells)};
}

bool few_neighbours(const Layering& g) {
  for (Vertex v = 0; v < g.reached(); ++v) {
    if (g.degree(v) > kMostNeighbours) return false;
  }
  return g.degree(0) >= 2;
}

} // namespace

MaybeMatch match_moore(const Layering& layers) {
  if (!few_neighbours(layers)) return std::nullopt;
  std::vector<Dimension> twin_dims;
  const Vertex twins = twins_of_root(layers);
  if (!twin_dimensions(twins, twin_dims)) return std::nullopt;
  std::optional<Quotient> quotient;
  if (twins > 1 && !(quotient = merge_twins(layers, twins))) return std::nullopt;
  const Layering& thin = quotient ? quotient->layers : layers;
  MaybeMatch mesh;
  std::vector<Source> sources;
  if (thin.reached() > 1) {
    mesh = skeleton_mesh(thin);
    if (!mesh) return std::nullopt;
    auto paired = DimensionPairing(thin, *mesh).run();
    if (!paired) return std::nullopt;
    sources = std::move(*paired);
  }
  return verified(layers, quotient ? &*quotient : nullptr, mesh ? &*mesh : nullptr,
                  layout_of(std::move(sources), twins));
}

} // namespace rondo::topology::internal
