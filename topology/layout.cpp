// SPDX-License-Identifier: Apache-2.0
#include "rondo/topology/layout.hpp"

#include "rondo/base/sort_stably.hpp"
#include "topology/names/aliases.hpp"
#include "topology/places.hpp"
#include "topology/recognisers/components.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace rondo::topology {
namespace {

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
  if (own.kind != TopologyKind::kMesh || own.dimensions.size() <= 3) return best;
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
    for (const Topology& alias : recognition.aliases) {
      if (alias.kind == recognition.numbering.of && !(drawn.kind == alias.kind)) drawn = alias;
    }
    drawn.kind = recognition.numbering.of;
    drawn.dimensions = recognition.numbering.layout;
    for (std::size_t v = 0; v < n; ++v)
      cells[v] = cell_by_rule(recognition.numbering, static_cast<Vertex>(v));
  } else if (!(drawn == recognition.topology)) {
    const internal::MeshTranslation translate(recognition.topology, drawn);
    for (Vertex& cell : cells) cell = cell < 0 ? cell : translate(cell);
  }
  // The same with its axes in another order has the name that is said elsewhere.
  const bool is_turned =
      drawn.kind == recognition.topology.kind &&
      internal::same_up_to_order(drawn.dimensions, recognition.topology.dimensions);
  layout.drawn_as = name(is_turned ? recognition.topology : drawn);
  const auto key = [&](Vertex v) { return cells[at(v)] < 0 ? graph.vertices() : cells[at(v)]; };
  sort_stably(layout.order.begin(), layout.order.end(),
              [&](Vertex a, Vertex b) { return key(a) < key(b); });
  if (drawn.kind == TopologyKind::kTree && graph.edges() == graph.vertices() - 1) {
    layout.points = internal::tree_places(graph, busiest(graph));
    return layout;
  }
  drawn.ranks = static_cast<Vertex>(
      std::count_if(cells.begin(), cells.end(), [](Vertex cell) { return cell >= 0; }));
  const std::vector<Point> of_cell = internal::places_of(drawn);
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
  if (whole.topology.kind == TopologyKind::kSeveral || whole.cells.size() != whole.copy_of.size())
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
