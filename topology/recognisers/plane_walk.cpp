// SPDX-License-Identifier: Apache-2.0
// The walk: from the root along a straight line until it returns (row 0, n columns); from the root
// along a second line until it meets row 0, which gives the number of rows and the shift; then row
// by row, each vertex from two known neighbours. The result is checked offset by offset at every
// cell.
#include "topology/recognisers/plane_walk.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace rondo::topology::internal {
namespace {

struct Frame {
  Vertex first = -1; // neighbours of the root in the directions of rows and of columns
  Vertex second = -1;
  Vertex columns = 0; // length of row 0
  Vertex rows = 0;
  Vertex shift = 0; // going up from the last row ends in row 0, `shift` columns on

  bool better_than(const Frame& other) const {
    if (rows == 0 || other.rows == 0) return other.rows == 0;
    if ((shift == 0) != (other.shift == 0)) return shift == 0;
    const Vertex mine = std::abs(rows - columns);
    const Vertex theirs = std::abs(other.rows - other.columns);
    if (mine != theirs) return mine < theirs;
    if (rows != other.rows) return rows > other.rows;
    return shift < other.shift;
  }
};

// What the two lattices have in common. Geometry says what is straight, and completes cells.
template <class Geometry> class PlaneWalk {
public:
  explicit PlaneWalk(const Layering& layers) : g_(layers), geometry_(layers) {}

  MaybeMatch run() {
    if (!geometry_.fits_root()) return std::nullopt;
    Frame best;
    for (const auto& [first, second] : geometry_.frames()) {
      const Frame frame = measure(first, second);
      if (frame.rows > 0 && frame.better_than(best)) best = frame;
      if (best.rows > 0 && best.shift == 0 && best.rows == best.columns) break;
    }
    if (best.rows == 0 || !sweep(best) || !check(best)) return std::nullopt;
    return match(best);
  }

private:
  Frame measure(Vertex first, Vertex second) {
    Frame frame{first, second};
    std::vector<Vertex>& column_of = scratch_;
    column_of.assign(at(g_.reached()), -1);
    Vertex previous = 0;
    Vertex current = first;
    column_of[0] = frame.columns++;
    while (current != 0) {
      if (column_of[at(current)] >= 0) return {};
      column_of[at(current)] = frame.columns++;
      const Vertex next = geometry_.straight(previous, current);
      if (next < 0) return {};
      previous = std::exchange(current, next);
    }
    previous = 0;
    current = second;
    Vertex rows = 1;
    while (column_of[at(current)] < 0) {
      if (++rows > g_.reached() / frame.columns) return {};
      const Vertex next = geometry_.straight(previous, current);
      if (next < 0) return {};
      previous = std::exchange(current, next);
    }
    if (static_cast<std::int64_t>(rows) * frame.columns != g_.reached()) return {};
    if (rows < Geometry::kLeast || frame.columns < Geometry::kLeast) return {};
    frame.rows = rows;
    // The column line ends in column c of row 0, so (rows, 0) and (0, c) are the same cell.
    frame.shift = column_of[at(current)];
    return frame;
  }

  // vertex_at_[row * columns + column], a row at a time.
  bool sweep(const Frame& f) {
    vertex_at_.assign(at(g_.reached()), -1);
    Vertex previous = 0;
    Vertex current = f.first;
    for (Vertex i = 1; i < f.columns; ++i) {
      vertex_at_[at(i)] = current;
      previous = std::exchange(current, geometry_.straight(previous, current));
    }
    vertex_at_[0] = 0;
    if (f.rows > 1) vertex_at_[at(f.columns)] = f.second;
    for (Vertex j = 1; j < f.rows; ++j) {
      const Vertex* below = &vertex_at_[at((j - 1) * f.columns)];
      Vertex* row = &vertex_at_[at(j * f.columns)];
      for (Vertex i = j == 1 ? 1 : 0; i < f.columns; ++i) {
        row[i] = geometry_.above(below, row, i, f.columns, j > 1 ? below - f.columns : nullptr);
        if (row[i] < 0) return false;
      }
    }
    return is_bijection(vertex_at_);
  }

  Vertex moved(const Frame& f, Vertex row, Vertex column, Vertex up, Vertex right) const {
    row += up;
    column += right;
    if (row == f.rows) {
      row = 0;
      column += f.shift;
    } else if (row < 0) {
      row = f.rows - 1;
      column -= f.shift;
    }
    return row * f.columns + (column % f.columns + f.columns) % f.columns;
  }

  // The offsets and their opposites lead to different cells, from cell 0 and so from every cell.
  bool offsets_differ(const Frame& f) const {
    std::vector<Vertex> cells = {0};
    for (const auto& [up, right] : Geometry::kOffsets) {
      cells.push_back(moved(f, 0, 0, up, right));
      cells.push_back(moved(f, 0, 0, -up, -right));
    }
    std::sort(cells.begin(), cells.end());
    return std::adjacent_find(cells.begin(), cells.end()) == cells.end();
  }

  // All edges of the lattice are edges of the graph, and there are no others.
  bool check(const Frame& f) const {
    if (!offsets_differ(f)) return false;
    const std::int64_t expected =
        static_cast<std::int64_t>(Geometry::kOffsets.size()) * g_.reached();
    if (2 * expected != static_cast<std::int64_t>(g_.to.size())) return false;
    for (Vertex row = 0; row < f.rows; ++row) {
      for (Vertex column = 0; column < f.columns; ++column) {
        const Vertex v = vertex_at_[at(row * f.columns + column)];
        for (const auto& [up, right] : Geometry::kOffsets) {
          if (!g_.adjacent(v, vertex_at_[at(moved(f, row, column, up, right))])) return false;
        }
      }
    }
    return true;
  }

  MaybeMatch match(const Frame& f) const {
    Match result;
    result.topology.kind = f.shift == 0 && Geometry::kKind == TopologyKind::kTwistedTorus
                               ? TopologyKind::kMesh
                               : Geometry::kKind;
    result.topology.ranks = g_.reached();
    result.topology.dimensions = {{f.rows, true}, {f.columns, true}};
    result.topology.shift = f.shift;
    result.cells = g_.for_vertices(inverse(vertex_at_));
    return result;
  }

  const Layering& g_;
  Geometry geometry_;
  std::vector<Vertex> vertex_at_;
  std::vector<Vertex> scratch_;
};

// The one common neighbour of u and v that is neither of the two given; -1 if none or several.
Vertex common_neighbour(const Layering& g, Vertex u, Vertex v, Vertex not_this,
                        Vertex nor_this = -1) {
  Vertex found = -1;
  for (const Vertex x : g.neighbours(u)) {
    if (x == v || x == not_this || x == nor_this) continue;
    if (!g.adjacent(v, x)) continue;
    if (found >= 0) return -1;
    found = x;
  }
  return found;
}

class TriangularGeometry {
public:
  static constexpr TopologyKind kKind = TopologyKind::kSixPoint;
  static constexpr Vertex kLeast = 1;
  static constexpr std::array<std::pair<Vertex, Vertex>, 3> kOffsets = {{{0, 1}, {1, 0}, {1, -1}}};

  explicit TriangularGeometry(const Layering& g) : g_(g) {}

  bool fits_root() {
    if (g_.degree(0) != 6 || static_cast<std::int64_t>(g_.to.size()) != 6LL * g_.reached())
      return false;
    return hexagon(0, root_);
  }

  // Every pair of directions at 60 degrees, seen from both sides of the sheet.
  std::vector<std::pair<Vertex, Vertex>> frames() const {
    std::vector<std::pair<Vertex, Vertex>> result;
    for (std::size_t i = 0; i < 6; ++i) {
      result.emplace_back(root_[i], root_[(i + 1) % 6]);
      result.emplace_back(root_[(i + 1) % 6], root_[i]);
    }
    return result;
  }

  Vertex straight(Vertex from, Vertex v) const {
    std::array<Vertex, 6> around;
    if (g_.degree(v) != 6 || !hexagon(v, around)) return -1;
    for (std::size_t i = 0; i < 6; ++i) {
      if (around[i] == from) return around[(i + 3) % 6];
    }
    return -1;
  }

  // Above (i, j-1) and to the upper left of (i+1, j-1). In row 1 the vertex below is not known yet;
  // there the neighbour to the left decides.
  Vertex above(const Vertex* below, const Vertex* row, Vertex i, Vertex columns,
               const Vertex* two_below) const {
    const Vertex right = i + 1 < columns ? i + 1 : 0;
    if (two_below != nullptr) {
      return common_neighbour(g_, below[i], below[right], two_below[right]);
    }
    for (const Vertex x : g_.neighbours(below[i])) {
      if (x != below[right] && x != below[i - 1] && g_.adjacent(below[right], x) &&
          g_.adjacent(row[i - 1], x)) {
        return x;
      }
    }
    return -1;
  }

private:
  // The neighbours of v in cyclic order, if they form one six-cycle.
  bool hexagon(Vertex v, std::array<Vertex, 6>& around) const {
    const auto row = g_.neighbours(v);
    std::array<std::array<Vertex, 2>, 6> sides;
    for (std::size_t i = 0; i < 6; ++i) {
      std::size_t count = 0;
      for (std::size_t j = 0; j < 6; ++j) {
        if (i == j || !g_.adjacent(row[i], row[j])) continue;
        if (count == 2) return false;
        sides[i][count++] = static_cast<Vertex>(j);
      }
      if (count != 2) return false;
    }
    Vertex previous = 0;
    Vertex current = sides[0][0];
    around[0] = row[0];
    for (std::size_t k = 1; k < 6; ++k) {
      if (current == 0) return false; // two triangles: the rook graph
      around[k] = row[at(current)];
      const auto& next = sides[at(current)];
      previous = std::exchange(current, next[0] == previous ? next[1] : next[0]);
    }
    return current == 0;
  }

  const Layering& g_;
  std::array<Vertex, 6> root_{};
};

class SquareGeometry {
public:
  static constexpr TopologyKind kKind = TopologyKind::kTwistedTorus;
  static constexpr Vertex kLeast = 1;
  static constexpr std::array<std::pair<Vertex, Vertex>, 2> kOffsets = {{{0, 1}, {1, 0}}};

  explicit SquareGeometry(const Layering& g) : g_(g) {}

  bool fits_root() {
    if (g_.degree(0) != 4 || static_cast<std::int64_t>(g_.to.size()) != 4LL * g_.reached())
      return false;
    for (const Vertex v : g_.neighbours(0)) {
      if (g_.degree(v) != 4 || straight(v, 0) < 0) return false;
    }
    return true;
  }

  std::vector<std::pair<Vertex, Vertex>> frames() const {
    const auto row = g_.neighbours(0);
    const Vertex first = row[0];
    const Vertex second = straight(first, 0) == row[1] ? row[2] : row[1];
    return {{first, second}, {second, first}};
  }

  // The neighbour of v that spans no square with `from` across v.
  Vertex straight(Vertex from, Vertex v) const {
    Vertex found = -1;
    for (const Vertex w : g_.neighbours(v)) {
      if (w == from || common_neighbour(g_, from, w, v) != -1) continue;
      if (found >= 0) return -1;
      found = w;
    }
    return found;
  }

  Vertex above(const Vertex* below, const Vertex* row, Vertex i, Vertex columns,
               const Vertex* two_below) const {
    if (i > 0) return common_neighbour(g_, below[i], row[i - 1], below[i - 1]);
    return two_below == nullptr ? row[0] : straight(two_below[0], below[0]);
  }

private:
  const Layering& g_;
};

} // namespace

MaybeMatch match_six_point(const Layering& layers) {
  return PlaneWalk<TriangularGeometry>(layers).run();
}

MaybeMatch match_twisted_torus(const Layering& layers) {
  return PlaneWalk<SquareGeometry>(layers).run();
}

} // namespace rondo::topology::internal
