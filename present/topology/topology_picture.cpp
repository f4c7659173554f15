// SPDX-License-Identifier: Apache-2.0
#include "present/topology/topology_picture.hpp"
#include "topology/at.hpp"

#include "present/draw/canvas.hpp"
#include "present/draw/rank_ticks.hpp"
#include "rondo/base/units.hpp"
#include "rondo/matrix/binned_matrix.hpp"

#include <algorithm>
#include <cmath>

namespace rondo::present {
namespace {

using matrix::BinnedMatrix;
using matrix::CommunicationMatrix;
using matrix::MatrixEntry;
using topology::at;
using topology::coordinates;
using topology::Edge;
using topology::Graph;
using topology::Layout;
using topology::Point;
using topology::Recognition;
using topology::Vertex;
using topology::WeightMeasure;

constexpr double kSide = 380; // of a panel, in points
constexpr double kMargin = 36;
constexpr double kPanelTop = 132;
constexpr std::int64_t kMostEdges = 30'000;
constexpr Colour kPanelFrame{0.45, 0.45, 0.45};
constexpr Colour kGridLine{0.91, 0.91, 0.91};
constexpr Colour kPanelQuiet{0.40, 0.40, 0.40};
constexpr Colour kNode{0.93, 0.95, 0.98};
constexpr Colour kBorder{0.20, 0.27, 0.40};
constexpr Colour kSpoke{0.82, 0.84, 0.88};
constexpr Colour kCasing{0.62, 0.62, 0.62};
constexpr std::int64_t kMostTooltips = 128; // ranks; beyond them a cell is too small to point at
constexpr Colour kStray{0.10, 0.45, 0.85};

CommunicationMatrix reordered(const CommunicationMatrix& matrix, const std::vector<Vertex>& order) {
  std::vector<std::int64_t> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[at(order[i])] = static_cast<std::int64_t>(i);
  std::vector<MatrixEntry> entries(matrix.entries().begin(), matrix.entries().end());
  for (MatrixEntry& e : entries) {
    e.source = place[at(e.source)];
    e.destination = place[at(e.destination)];
  }
  return CommunicationMatrix::from_entries(matrix.ranks(), std::move(entries));
}

class Sheet {
public:
  Sheet(const CommunicationMatrix& matrix, const Graph& graph, const Recognition& recognition,
        const Layout& layout, PictureFormat format, const TopologyPictureOptions& options)
      : matrix_(matrix), graph_(graph), recognition_(recognition), layout_(layout),
        options_(options), is_reordered_(!std::is_sorted(layout.order.begin(), layout.order.end())),
        scale_(scale_of(matrix)),
        canvas_(format, width(), kPanelTop + kSide + 34, options.pixels_per_point) {}

  Result<std::string> draw() {
    const std::string name = options_.title.empty() ? title(recognition_) : options_.title;
    canvas_.text(kMargin, 38, name, {.size = 20, .bold = true, .colour = {0.1, 0.1, 0.1}},
                 width() - 2 * kMargin);
    canvas_.text(kMargin, 60, options_.subtitle, {.size = 12, .colour = kPanelQuiet},
                 width() - 2 * kMargin);
    if (!options_.about.empty())
      canvas_.text(kMargin, 77, options_.about, {.size = 12, .colour = kPanelQuiet},
                   width() - 2 * kMargin);
    canvas_.title(options_.about.empty() ? name : name + ": " + options_.about);
    draw_matrix(matrix_, left(0), "from rank (down) to rank (right)", {});
    draw_matrix(reordered(matrix_, layout_.order), left(1), order_text(), layout_.order);
    draw_graph();
    draw_legend();
    return canvas_.finish();
  }

private:
  // One for both matrices and the graph: the shades of rondo matrix.
  ValueScale scale_of(const CommunicationMatrix& matrix) const {
    const BinnedMatrix cells = matrix::binned(matrix, measure(), static_cast<std::int64_t>(kSide));
    return {ScaleKind::kAuto, cells.smallest, cells.largest};
  }

  static double left(int panel) { return kMargin + 14 + panel * (kSide + 2 * kMargin); }
  static double legend_left() { return left(2) + kSide + 16; }
  static double width() { return legend_left() + 104; }

  matrix::Measure measure() const {
    return {options_.measure == WeightMeasure::kBytes ? matrix::Quantity::kBytes
                                                      : matrix::Quantity::kMessages};
  }

  std::string order_text() const {
    if (is_irregular()) return "no topology to order it by";
    return is_reordered_ ? "in the order of the topology"
                         : "in the order of the topology: the same";
  }

  bool is_irregular() const {
    return recognition_.topology.kind == topology::TopologyKind::kIrregular;
  }

  void caption(double x, const std::string& text) {
    canvas_.text(x, kPanelTop - 28, text, {.size = 12, .colour = kPanelQuiet}, kSide);
  }

  void draw_matrix(const CommunicationMatrix& shown, double x, const std::string& text,
                   const std::vector<Vertex>& order) {
    caption(x, text);
    const BinnedMatrix cells = matrix::binned(shown, measure(), static_cast<std::int64_t>(kSide));
    const double cell = kSide / static_cast<double>(cells.side);
    if (cell >= 8) {
      for (std::int64_t i = 1; i < cells.side; ++i) {
        const double offset = static_cast<double>(i) * cell;
        canvas_.line(x + offset, kPanelTop, x + offset, kPanelTop + kSide, kGridLine);
        canvas_.line(x, kPanelTop + offset, x + kSide, kPanelTop + offset, kGridLine);
      }
    }
    const double gap = cell >= 8 ? 0.5 : 0;
    for (std::int64_t row = 0; row < cells.side; ++row) {
      for (std::int64_t column = 0; column < cells.side; ++column) {
        const double value = cells.at(row, column);
        if (value <= 0) continue;
        const double left = x + static_cast<double>(column) * cell;
        const double top = kPanelTop + static_cast<double>(row) * cell;
        canvas_.rectangle(left + gap, top + gap, cell - 2 * gap, cell - 2 * gap,
                          heat_colour(scale_.position(value)));
        if (cells.block == 1 && cells.side <= kMostTooltips)
          canvas_.tooltip(left, top, cell, cell, pair_text(order, row, column, value));
      }
    }
    canvas_.frame(x, kPanelTop, kSide, kSide, kPanelFrame);
    if (cells.largest <= 0)
      canvas_.text(x + kSide / 2, kPanelTop + kSide / 2, "No messages between ranks were counted.",
                   {.size = 14, .colour = kPanelQuiet, .anchor = Anchor::kCentre}, kSide - 20);
    draw_ticks(x, cell, cells, order);
  }

  std::string pair_text(const std::vector<Vertex>& order, std::int64_t row, std::int64_t column,
                        double value) const {
    const auto rank = [&](std::int64_t i) {
      return order.empty() ? i : std::int64_t{order[at(i)]};
    };
    return "rank " + std::to_string(rank(row)) + " to rank " + std::to_string(rank(column)) + ": " +
           matrix::human_value(value, measure().quantity);
  }

  void draw_legend() {
    constexpr double kBar = 16;
    const double x = legend_left();
    const double height = kSide - 36;
    const std::string what(matrix::name_of(measure().quantity));
    canvas_.text(x, kPanelTop - 28, what + (scale_.logarithmic() ? ", log scale" : ""),
                 {.size = 11, .colour = kPanelQuiet}, width() - x - 8);
    canvas_.frame(x, kPanelTop + kSide - kBar, kBar, kBar, kPanelFrame);
    canvas_.text(x + kBar + 7, kPanelTop + kSide - 4, "none", {.size = 10});
    if (scale_.high() <= 0) return;
    canvas_.heat_gradient(x, kPanelTop, kBar, height);
    canvas_.frame(x, kPanelTop, kBar, height, kPanelFrame);
    for (const double tick : scale_.ticks(6)) {
      const double y = kPanelTop + height * (1 - scale_.position(tick));
      canvas_.line(x + kBar, y, x + kBar + 4, y, kPanelFrame);
      canvas_.text(x + kBar + 7, y + 3.5, matrix::human_value(tick, measure().quantity),
                   {.size = 10});
    }
  }

  void draw_ticks(double x, double cell, const BinnedMatrix& cells,
                  const std::vector<Vertex>& order) {
    const double digits = static_cast<double>(std::to_string(cells.ranks - 1).size());
    const double room = std::max(14.0, digits * 7 + 6);
    const std::int64_t step = rank_step(cells.side, room / cell);
    for (std::int64_t i = 0; i < cells.side; i += step) {
      const std::int64_t rank =
          order.empty() ? i * cells.block : std::int64_t{order[at(i * cells.block)]};
      const double middle = (static_cast<double>(i) + 0.5) * cell;
      const std::string text = std::to_string(rank);
      canvas_.text(x + middle, kPanelTop - 6, text, {.size = 10, .anchor = Anchor::kCentre});
      canvas_.text(x - 6, kPanelTop + middle + 3.5, text, {.size = 10, .anchor = Anchor::kRight});
    }
  }

  // Points of the sheet, from those of the layout.
  std::vector<Point> on_sheet(double& unit) const {
    Point most;
    for (const Point& p : layout_.points) most = {std::max(most.x, p.x), std::max(most.y, p.y)};
    const double extent = std::max({most.x, most.y, 1.0}) + 1.2; // room for nodes and bends
    unit = kSide / extent;
    std::vector<Point> points;
    for (const Point& p : layout_.points) {
      points.push_back({left(2) + kSide / 2 + (p.x - most.x / 2) * unit,
                        kPanelTop + kSide / 2 + (p.y - most.y / 2) * unit});
    }
    return points;
  }

  double shortest(const std::vector<Point>& points, double unit) const {
    double least = 0.72 * unit;
    for (Vertex v = 0; v < graph_.ranks(); ++v) {
      const Point& a = points[at(v)];
      for (const Vertex w : graph_.adjacency().neighbours(v))
        least = std::min(least, std::hypot(points[at(w)].x - a.x, points[at(w)].y - a.y));
    }
    return least;
  }

  void draw_graph() {
    const std::int64_t edges = graph_.adjacency().edges();
    std::string text = layout_.drawn_as.empty() ? "the parts" : "as " + layout_.drawn_as;
    if (is_irregular()) text = "on a circle";
    if (edges > kMostEdges)
      text += " (" + human_count(static_cast<double>(edges)) + " pairs not drawn)";
    if (!options_.stray.empty()) text += ", pairs that do not fit in blue";
    caption(left(2), text);
    double unit = 1;
    const std::vector<Point> points = on_sheet(unit);
    if (edges <= kMostEdges) draw_edges(points, unit);
    const double radius = std::clamp(0.42 * shortest(points, unit), 0.8, 15.0);
    for (std::size_t v = 0; v < points.size(); ++v) {
      if (radius < 2) {
        canvas_.rectangle(points[v].x - radius, points[v].y - radius, 2 * radius, 2 * radius,
                          kBorder);
        continue;
      }
      canvas_.disc(points[v].x, points[v].y, radius, kNode, kBorder);
      canvas_.tooltip(points[v].x - radius, points[v].y - radius, 2 * radius, 2 * radius,
                      node_text(v));
      if (radius < 6) continue;
      const std::string number = std::to_string(v);
      const double size = std::min(radius * 1.0, radius * 2.4 / static_cast<double>(number.size()));
      canvas_.text(points[v].x, points[v].y + size * 0.36, number,
                   {.size = size, .anchor = Anchor::kCentre});
    }
  }

  std::string node_text(std::size_t rank) const {
    std::string text = "rank " + std::to_string(rank);
    if (!has_coordinates(recognition_.topology) || rank >= recognition_.cells.size() ||
        recognition_.cells[rank] < 0)
      return text;
    std::string place;
    for (const Vertex x : coordinates(recognition_.topology.dimensions, recognition_.cells[rank]))
      place += (place.empty() ? " at (" : ",") + std::to_string(x);
    return text + place + ")";
  }

  void draw_spokes(const std::vector<Point>& points) {
    for (const Vertex hub : options_.hubs) {
      const Point& a = points[at(hub)];
      for (const Vertex w : graph_.adjacency().neighbours(hub)) {
        const Point& b = points[at(w)];
        canvas_.curve(a.x, a.y, b.x, b.y, 0, 1, kSpoke);
      }
    }
  }

  bool is_spoke(Vertex v, Vertex w) const {
    return std::any_of(options_.hubs.begin(), options_.hubs.end(),
                       [&](Vertex hub) { return hub == v || hub == w; });
  }

  void draw_edges(const std::vector<Point>& points, double unit) {
    draw_spokes(points);
    const std::vector<topology::Traffic> weights = graph_.edge_traffic();
    const double widest = std::clamp(unit * 0.09, 0.5, 3.5);
    std::size_t i = 0;
    for (Vertex v = 0; v < graph_.ranks(); ++v) {
      for (const Vertex w : graph_.adjacency().neighbours(v)) {
        if (w < v) continue;
        const auto weight = static_cast<double>(weights[i++].of(options_.measure));
        const double position = scale_.position(weight / 2); // of each way
        if (is_spoke(v, w) && !is_short(points[at(v)], points[at(w)], unit)) continue;
        const bool is_stray =
            std::binary_search(options_.stray.begin(), options_.stray.end(), Edge{v, w});
        const Colour colour = is_stray ? kStray : heat_colour(position);
        const Point& a = points[at(v)];
        const Point& b = points[at(w)];
        const double thick = widest * (0.35 + 0.65 * position);
        // light colours need an edge on white
        const double aside = goes_along_others(v, w) ? bend(a, b, unit) : 0;
        canvas_.curve(a.x, a.y, b.x, b.y, aside, thick + 1, kCasing);
        canvas_.curve(a.x, a.y, b.x, b.y, aside, thick, colour);
      }
    }
  }

  static bool is_short(Point a, Point b, double unit) {
    return std::hypot(b.x - a.x, b.y - a.y) < 1.1 * unit;
  }

  // Around a torus, for one: other ranks stand between the two.
  bool goes_along_others(Vertex v, Vertex w) const {
    const topology::Topology& topology = recognition_.topology;
    if (!has_coordinates(topology) || topology.kind == topology::TopologyKind::kRing) return false;
    const std::vector<Vertex>& cells = recognition_.cells;
    if (at(std::max(v, w)) >= cells.size() || cells[at(v)] < 0 || cells[at(w)] < 0) return false;
    const auto from = coordinates(topology.dimensions, cells[at(v)]);
    const auto to = coordinates(topology.dimensions, cells[at(w)]);
    for (std::size_t axis = 0; axis < from.size(); ++axis)
      if (std::abs(from[axis] - to[axis]) > 1) return true;
    return false;
  }

  // Such edges bow out of their row to be seen; those that lead into the picture are short.
  static double bend(Point a, Point b, double unit) {
    const bool goes_right = b.x > a.x + 0.01 || (std::abs(b.x - a.x) <= 0.01 && b.y > a.y);
    const double most = std::min(0.32 * unit, 0.25 * std::hypot(b.x - a.x, b.y - a.y));
    return goes_right ? most : -most;
  }

  const CommunicationMatrix& matrix_;
  const Graph& graph_;
  const Recognition& recognition_;
  const Layout& layout_;
  const TopologyPictureOptions& options_;
  bool is_reordered_;
  ValueScale scale_;
  Canvas canvas_;
};

} // namespace

Result<std::string> draw_topology(const CommunicationMatrix& matrix, const Graph& graph,
                                  const Recognition& recognition, const Layout& layout,
                                  PictureFormat format, const TopologyPictureOptions& options) {
  if (matrix.ranks() < 1)
    return fail(ErrorCode::kUsage, "the matrix has no ranks; nothing to draw");
  return Sheet(matrix, graph, recognition, layout, format, options).draw();
}

} // namespace rondo::present
