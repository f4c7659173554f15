// SPDX-License-Identifier: Apache-2.0
#include "rondo/topology/layout.hpp"

#include "topology/aliases.hpp"
#include "topology/components.hpp"
#include "topology/layering.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace rondo::topology {
namespace {

using internal::at;

struct Box {
  double width = 0;
  double height = 0;
};

// Moves points so that the least x and y are 0.
Box to_origin(std::vector<Point>& points) {
  if (points.empty()) return {};
  Point least = points[0];
  Point most = points[0];
  for (const Point& p : points) {
    least = {std::min(least.x, p.x), std::min(least.y, p.y)};
    most = {std::max(most.x, p.x), std::max(most.y, p.y)};
  }
  for (Point& p : points) p = {p.x - least.x, p.y - least.y};
  return {most.x - least.x, most.y - least.y};
}

// Beginning at the top, clockwise, neighbours 1 apart.
std::vector<Point> circle(std::size_t count) {
  const double n = static_cast<double>(count);
  const double radius = count < 2 ? 0 : 0.5 / std::sin(std::numbers::pi / std::max(n, 3.0));
  std::vector<Point> points;
  for (std::size_t i = 0; i < count; ++i) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(i) / n;
    points.push_back({radius * std::sin(angle), -radius * std::cos(angle)});
  }
  return points;
}

std::vector<Point> star(std::size_t count) {
  std::vector<Point> points = circle(count - 1);
  if (points.size() < 6) { // a circle of few is too near to its middle
    for (Point& p : points) p = {1.2 * p.x, 1.2 * p.y};
  }
  points.insert(points.begin(), Point{});
  return points;
}

// Row after row, every second one backwards.
std::vector<Point> winding(Vertex count) {
  const auto width = static_cast<Vertex>(std::ceil(std::sqrt(static_cast<double>(count)) * 1.3));
  std::vector<Point> points;
  for (Vertex i = 0; i < count; ++i) {
    const Vertex row = i / width;
    const Vertex column = row % 2 == 0 ? i % width : width - 1 - i % width;
    points.push_back({static_cast<double>(column), static_cast<double>(row)});
  }
  return points;
}

// The last dimension to the right, so that row-major ranks read like text, the one before it down,
// the one before that into the depth; further ones repeat the whole beside itself and below.
std::vector<Point> lattice(const std::vector<Dimension>& dimensions, Vertex cells) {
  std::vector<Point> step(dimensions.size());
  Point size{1, 1};
  for (std::size_t back = 0; back < dimensions.size(); ++back) {
    const std::size_t i = dimensions.size() - 1 - back;
    const double extent = dimensions[i].size;
    if (back == 2) {
      // all of the depth fits between a cell and its neighbours, so that nothing is hidden
      step[i] = {0.86 / extent, -0.74 / extent};
      size = {size.x + 0.86, size.y + 0.74};
    } else if (back == 0 || back == 3 || back == 5) {
      step[i] = {size.x, 0};
      size.x = size.x * extent + (back == 0 ? 0 : 0.6);
    } else {
      step[i] = {0, size.y};
      size.y = size.y * extent + (back == 1 ? 0 : 0.6);
    }
  }
  std::vector<Point> points;
  for (Vertex cell = 0; cell < cells; ++cell) {
    const auto place = coordinates(dimensions, cell);
    Point p;
    for (std::size_t i = 0; i < place.size(); ++i) {
      p.x += step[i].x * place[i];
      p.y += step[i].y * place[i];
    }
    points.push_back(p);
  }
  return points;
}

// Leaves side by side, each parent above the middle of its children; by vertex.
class TreeLayout {
public:
  TreeLayout(const Adjacency& tree, Vertex root) : points_(at(tree.vertices())) {
    const auto order = internal::layer(tree, root).order;
    std::vector<Vertex> parent(points_.size(), -1);
    std::vector<std::vector<Vertex>> children(points_.size());
    std::vector<double> width(points_.size(), 0);
    for (const Vertex v : order) {
      for (const Vertex w : tree.neighbours(v)) {
        if (w == parent[at(v)]) continue;
        parent[at(w)] = v;
        children[at(v)].push_back(w);
      }
    }
    for (std::size_t i = order.size(); i-- > 0;) {
      const Vertex v = order[i];
      width[at(v)] = std::max(1.0, width[at(v)]);
      if (parent[at(v)] >= 0) width[at(parent[at(v)])] += width[at(v)];
    }
    std::vector<double> left(points_.size(), 0);
    for (const Vertex v : order) {
      double x = left[at(v)];
      for (const Vertex w : children[at(v)]) {
        left[at(w)] = x;
        x += width[at(w)];
        points_[at(w)].y = points_[at(v)].y + 1.4;
      }
    }
    for (std::size_t i = order.size(); i-- > 0;) place(order[i], children[at(order[i])], left);
  }

  std::vector<Point> take() { return std::move(points_); }

private:
  void place(Vertex v, const std::vector<Vertex>& children, const std::vector<double>& left) {
    double& x = points_[at(v)].x;
    x = left[at(v)];
    if (children.empty()) return;
    const auto by_x = [&](Vertex a, Vertex b) { return points_[at(a)].x < points_[at(b)].x; };
    const auto [first, last] = std::minmax_element(children.begin(), children.end(), by_x);
    x = (points_[at(*first)].x + points_[at(*last)].x) / 2;
  }

  std::vector<Point> points_;
};

bool is_tree(const Adjacency& graph, const Topology& t) {
  return t.kind == Kind::kHeapTree || t.kind == Kind::kBinomialTree ||
         (t.kind == Kind::kTree && graph.edges() == graph.vertices() - 1);
}

// The rank with most partners is taken for the root of a tree without a family.
Vertex busiest(const Adjacency& graph) {
  Vertex best = 0;
  for (Vertex v = 1; v < graph.vertices(); ++v) {
    if (graph.degree(v) > graph.degree(best)) best = v;
  }
  return best;
}

bool has_rule(const Numbering& numbering) {
  return numbering.kind != NumberingKind::kNone && numbering.kind != NumberingKind::kArbitrary &&
         !numbering.layout.empty();
}

// The name with the fewest dimensions, if the first one has more than a page.
Topology to_draw(const Recognition& recognition) {
  const Topology& own = recognition.topology;
  Topology best = own;
  if (own.kind != Kind::kMesh || own.dimensions.size() <= 3) return best;
  for (const Topology& alias : internal::mesh_aliases(own)) {
    if (alias.dimensions.size() < best.dimensions.size()) best = alias;
  }
  return best;
}

// One part; cells of -1 are left where they are, at the origin.
Layout layout_of_one(const Adjacency& graph, const Recognition& recognition) {
  Layout layout;
  const auto n = at(graph.vertices());
  layout.points.resize(n);
  layout.order.resize(n);
  std::iota(layout.order.begin(), layout.order.end(), 0);
  std::vector<Vertex> cells = recognition.cells;
  if (cells.size() != n) cells = layout.order;
  Topology drawn = to_draw(recognition);
  if (has_rule(recognition.numbering)) { // as the program sees it
    drawn.kind = recognition.numbering.of;
    drawn.dimensions = recognition.numbering.layout;
    for (std::size_t v = 0; v < n; ++v)
      cells[v] = cell_by_rule(recognition.numbering, static_cast<Vertex>(v));
  } else if (!(drawn == recognition.topology)) {
    const internal::MeshTranslation translate(recognition.topology, drawn);
    for (Vertex& cell : cells) cell = cell < 0 ? cell : translate(cell);
  }
  layout.drawn_as = name(drawn);
  const auto key = [&](Vertex v) { return cells[at(v)] < 0 ? graph.vertices() : cells[at(v)]; };
  std::stable_sort(layout.order.begin(), layout.order.end(),
                   [&](Vertex a, Vertex b) { return key(a) < key(b); });
  if (drawn.kind == Kind::kTree && is_tree(graph, drawn)) {
    layout.points = TreeLayout(graph, busiest(graph)).take();
    return layout;
  }
  const auto count = static_cast<Vertex>(
      std::count_if(cells.begin(), cells.end(), [](Vertex cell) { return cell >= 0; }));
  std::vector<Point> of_cell;
  if (drawn.kind == Kind::kStar) {
    of_cell = star(at(count));
  } else if (is_tree(graph, drawn)) {
    of_cell = TreeLayout(reference_graph(drawn), 0).take();
  } else if (drawn.kind == Kind::kChain) {
    of_cell = winding(count);
  } else if (has_coordinates(drawn) && drawn.dimensions.size() > 1) {
    of_cell = lattice(drawn.dimensions, count);
  } else {
    of_cell = circle(at(count));
  }
  for (std::size_t v = 0; v < n; ++v) {
    if (cells[v] >= 0) layout.points[v] = of_cell[at(cells[v])];
  }
  return layout;
}

// Puts boxes side by side in rows of about equal width.
class Shelves {
public:
  explicit Shelves(std::size_t boxes)
      : columns_(std::max(1, static_cast<int>(std::ceil(std::sqrt(static_cast<double>(boxes)))))) {}

  Point place(const Box& box) {
    if (column_ == columns_) {
      top_ += height_ + kGap;
      height_ = left_ = 0;
      column_ = 0;
    }
    const Point corner{left_, top_};
    left_ += box.width + kGap;
    height_ = std::max(height_, box.height);
    ++column_;
    return corner;
  }

private:
  static constexpr double kGap = 1.5;
  int columns_;
  int column_ = 0;
  double left_ = 0;
  double top_ = 0;
  double height_ = 0;
};

// Copies have their cells already; different parts are looked at again.
Recognition of_part(const Adjacency& part, const std::vector<Vertex>& members,
                    const Recognition& whole) {
  if (whole.topology.kind == Kind::kSeveral || whole.cells.size() != whole.copy_of.size())
    return internal::recognize_components(part, 0);
  Recognition result;
  result.topology = whole.topology;
  for (const Vertex v : members) result.cells.push_back(whole.cells[at(v)]);
  return result;
}

Layout layout_of_parts(const Adjacency& graph, const Recognition& recognition) {
  const std::vector<Vertex>& copy_of = recognition.copy_of;
  const Vertex parts = *std::max_element(copy_of.begin(), copy_of.end()) + 1;
  std::vector<std::vector<Vertex>> members(at(parts));
  for (std::size_t v = 0; v < copy_of.size(); ++v) {
    if (copy_of[v] >= 0) members[at(copy_of[v])].push_back(static_cast<Vertex>(v));
  }
  Layout layout;
  layout.points.resize(copy_of.size());
  std::vector<Vertex> index_of(copy_of.size(), -1);
  Shelves shelves(members.size());
  for (const auto& part : members) {
    const Adjacency own = part_of(graph, part, index_of);
    Layout one = layout_of_one(own, of_part(own, part, recognition));
    const Point corner = shelves.place(to_origin(one.points));
    for (std::size_t i = 0; i < part.size(); ++i) {
      layout.points[at(part[i])] = {corner.x + one.points[i].x, corner.y + one.points[i].y};
      layout.order.push_back(part[at(one.order[i])]);
    }
  }
  return layout;
}

// Ranks without a place stand in rows below all others.
void add_the_rest(Layout& layout, const std::vector<bool>& placed) {
  std::vector<Point> points;
  std::vector<Vertex> rest;
  for (std::size_t v = 0; v < placed.size(); ++v) {
    if (placed[v]) {
      points.push_back(layout.points[v]);
    } else {
      rest.push_back(static_cast<Vertex>(v));
    }
  }
  if (rest.empty()) return;
  const Box box = to_origin(points);
  std::size_t next = 0;
  for (std::size_t v = 0; v < placed.size(); ++v) {
    if (placed[v]) layout.points[v] = points[next++];
  }
  const auto width = std::max<std::size_t>(1, static_cast<std::size_t>(box.width) + 1);
  const auto fits = std::max(width, static_cast<std::size_t>(std::sqrt(rest.size())));
  const double centre = (box.width - static_cast<double>(std::min(fits, rest.size()) - 1)) / 2;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    layout.points[at(rest[i])] = {centre + static_cast<double>(i % fits),
                                  box.height + 1.6 + static_cast<double>(i / fits)};
  }
}

} // namespace

Layout layout_of(const Adjacency& graph, const Recognition& recognition) {
  const auto n = at(graph.vertices());
  std::vector<bool> placed(n, true);
  Layout layout;
  if (!recognition.copy_of.empty()) {
    layout = layout_of_parts(graph, recognition);
    for (std::size_t v = 0; v < n; ++v) placed[v] = recognition.copy_of[v] >= 0;
    for (std::size_t v = 0; v < n; ++v) {
      if (!placed[v]) layout.order.push_back(static_cast<Vertex>(v));
    }
  } else {
    layout = layout_of_one(graph, recognition);
    for (std::size_t v = 0; v < recognition.cells.size(); ++v)
      placed[v] = recognition.cells[v] >= 0;
  }
  add_the_rest(layout, placed);
  to_origin(layout.points);
  return layout;
}

} // namespace rondo::topology
