// SPDX-License-Identifier: Apache-2.0
#include "topology/places.hpp"

#include "topology/layering.hpp"
#include "topology/match.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace rondo::topology::internal {
namespace {

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
    const auto order = layer(tree, root).order;
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

// The members of a group around their leader, which stands where its topology has it.
std::vector<Point> groups(const Topology& t) {
  std::vector<Point> ring = circle(at(t.group - 1));
  if (ring.size() < 6) { // as in a star
    for (Point& p : ring) p = {1.2 * p.x + (ring.size() == 1 ? 0.8 : 0), 1.2 * p.y};
  }
  double radius = 0.8;
  for (const Point& p : ring) radius = std::max({radius, std::abs(p.x), std::abs(p.y)});
  std::vector<Point> points;
  Vertex group = 0;
  for (const Point& leader : places_of(*t.leaders)) {
    const Point middle{leader.x * (2 * radius + 1), leader.y * (2 * radius + 1)};
    points.push_back(middle);
    for (std::size_t i = 0; i + 1 < at(group_size(t, group)); ++i)
      points.push_back({middle.x + ring[i].x, middle.y + ring[i].y});
    ++group;
  }
  return points;
}

// Each level a row, the leaves at the bottom.
std::vector<Point> levels(const Topology& t) {
  const std::size_t count = t.parts.size() / 2;
  std::vector<Vertex> nodes(count + 1, 1);
  for (std::size_t level = 0; level <= count; ++level) {
    for (std::size_t i = 0; i < count; ++i)
      nodes[level] *= i < level ? t.parts[count + i] : t.parts[i];
  }
  const double width = *std::max_element(nodes.begin(), nodes.end());
  std::vector<Point> points;
  for (std::size_t level = 0; level <= count; ++level) {
    const double gap = width / nodes[level];
    for (Vertex i = 0; i < nodes[level]; ++i)
      points.push_back({gap * (i + 0.5), 2.0 * static_cast<double>(count - level)});
  }
  return points;
}

bool is_open_line(const Topology& t) {
  return t.kind == TopologyKind::kChain || (t.kind == TopologyKind::kStarStencil &&
                                            t.dimensions.size() == 1 && !t.dimensions[0].periodic);
}

} // namespace

std::vector<Point> tree_places(const Adjacency& tree, Vertex root) {
  return TreeLayout(tree, root).take();
}

std::vector<Point> places_of(const Topology& t) {
  if (t.kind == TopologyKind::kStar) return star(at(t.ranks));
  if (t.kind == TopologyKind::kHeapTree || t.kind == TopologyKind::kBinomialTree)
    return tree_places(reference_graph(t), 0);
  if (t.kind == TopologyKind::kHierarchy) return groups(t);
  if (t.kind == TopologyKind::kFatTree) return levels(t);
  if (is_open_line(t)) return winding(t.ranks);
  if (has_coordinates(t) && t.dimensions.size() > 1) return lattice(t.dimensions, t.ranks);
  return circle(at(t.ranks));
}

} // namespace rondo::topology::internal
