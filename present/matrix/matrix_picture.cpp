// SPDX-License-Identifier: Apache-2.0
#include "present/matrix/matrix_picture.hpp"

#include "present/draw/canvas.hpp"
#include "present/draw/rank_ticks.hpp"
#include "rondo/base/units.hpp"
#include "rondo/matrix/binned_matrix.hpp"

#include <algorithm>
#include <cmath>

namespace rondo::present {
namespace {

constexpr double kPlotSide = 640; // wanted; a cell is a whole number of points
constexpr double kLargestPixels = 32000; // cairo's images end at 32767
constexpr Colour kCellGrid{0.91, 0.91, 0.91};
constexpr Colour kMatrixFrame{0.45, 0.45, 0.45};
constexpr Colour kQuietText{0.40, 0.40, 0.40};
constexpr double kDigit = 7.2; // width of a digit of the tick labels, a little generous

// Where everything stands, in points.
struct SheetLayout {
  double cell = 1;
  double plot = 0; // side of the square
  double left = 0; // of the plot
  double top = 0;
  double bar_left = 0;
  double bar_width = 18;
  double bar_height = 0;
  double width = 0;
  double height = 0;
};

SheetLayout layout_of(const matrix::BinnedMatrix& cells) {
  SheetLayout layout;
  layout.cell = std::max(1.0, std::floor(kPlotSide / static_cast<double>(cells.side)));
  layout.plot = layout.cell * static_cast<double>(cells.side);
  const double digits = static_cast<double>(std::to_string(cells.ranks - 1).size());
  layout.left = std::ceil(44 + digits * kDigit); // whole points keep the cells' edges sharp
  layout.top = 126;
  layout.bar_left = layout.left + layout.plot + 28;
  layout.bar_height = layout.plot - 40; // leaves room for the box that means "none"
  layout.width = layout.bar_left + layout.bar_width + 92;
  layout.height = layout.top + layout.plot + 24;
  return layout;
}

class Picture {
public:
  Picture(const matrix::CommunicationMatrix& matrix, const matrix::BinnedMatrix& cells,
          PictureFormat format, const PictureOptions& options)
      : matrix_(matrix), cells_(cells), options_(options), layout_(layout_of(cells)),
        scale_(options.scale, cells.smallest, cells.largest),
        canvas_(format, layout_.width, layout_.height, options.pixels_per_point) {}

  Result<std::string> draw() {
    draw_titles();
    draw_cells();
    draw_axes();
    draw_colour_bar();
    return canvas_.finish();
  }

private:
  void draw_titles() {
    const double most = layout_.width - 40;
    std::string title = options_.title;
    if (title.empty()) title = default_title();
    canvas_.text(20, 34, title, {.size = 18, .bold = true, .colour = {0.1, 0.1, 0.1}}, most);
    canvas_.text(20, 54, subtitle(), {.size = 12, .colour = kQuietText}, most);
    if (!options_.about.empty())
      canvas_.text(20, 71, options_.about, {.size = 12, .colour = kQuietText}, most);
    canvas_.title(options_.about.empty() ? title : title + ": " + options_.about);
  }

  std::string default_title() const {
    switch (options_.measure.quantity) {
    case matrix::Quantity::kMessages:
      return "Messages sent from rank to rank";
    case matrix::Quantity::kBytes:
      return "Bytes sent from rank to rank";
    case matrix::Quantity::kBytesPerSecond:
      return "Bytes per second from rank to rank";
    }
    return "";
  }

  std::string subtitle() const {
    const auto pairs = static_cast<double>(matrix_.entries().size());
    std::string text = std::to_string(cells_.ranks) + (cells_.ranks == 1 ? " rank" : " ranks") +
                       " · " + human_count(pairs) +
                       (pairs == 1 ? " pair talks · " : " pairs talk · ") +
                       (matrix_.total_bytes() == 0
                            ? ""
                            : human_bytes(static_cast<double>(matrix_.total_bytes())) + " in ") +
                       human_count(static_cast<double>(matrix_.total_messages())) + " messages";
    if (cells_.block > 1) text += " · " + cells_.block_text();
    return text;
  }

  void draw_cells() {
    constexpr std::ptrdiff_t kMostRectangles = 20'000; // an SVG with more is slow to show
    const auto busy = std::count_if(cells_.values.begin(), cells_.values.end(),
                                    [](double value) { return value > 0; });
    if (layout_.cell >= 8) draw_grid();
    if (busy <= kMostRectangles) {
      draw_rectangles();
    } else {
      draw_pixels();
    }
    canvas_.frame(layout_.left, layout_.top, layout_.plot, layout_.plot, kMatrixFrame);
    if (busy == 0)
      canvas_.text(layout_.left + layout_.plot / 2, layout_.top + layout_.plot / 2,
                   "No messages between ranks were counted.",
                   {.size = 16, .colour = kQuietText, .anchor = Anchor::kCentre},
                   layout_.plot - 20);
  }

  void draw_grid() {
    for (std::int64_t i = 1; i < cells_.side; ++i) {
      const double at = static_cast<double>(i) * layout_.cell;
      canvas_.line(layout_.left + at, layout_.top, layout_.left + at, layout_.top + layout_.plot,
                   kCellGrid);
      canvas_.line(layout_.left, layout_.top + at, layout_.left + layout_.plot, layout_.top + at,
                   kCellGrid);
    }
  }

  void draw_rectangles() {
    const double gap = layout_.cell >= 8 ? 0.5 : 0; // lets the grid show
    for (std::int64_t row = 0; row < cells_.side; ++row) {
      for (std::int64_t column = 0; column < cells_.side; ++column) {
        const double value = cells_.at(row, column);
        if (value <= 0) continue;
        const double x = layout_.left + static_cast<double>(column) * layout_.cell;
        const double y = layout_.top + static_cast<double>(row) * layout_.cell;
        const double position = scale_.position(value);
        canvas_.rectangle(x + gap, y + gap, layout_.cell - 2 * gap, layout_.cell - 2 * gap,
                          colour_of(options_.palette, position));
        if (layout_.cell >= 36) draw_number(x, y, value, position);
        canvas_.tooltip(x, y, layout_.cell, layout_.cell, tooltip_of(row, column, value));
      }
    }
  }

  std::string ranks_text(std::int64_t cell) const {
    const std::int64_t first = cell * cells_.block;
    const std::int64_t last = std::min(first + cells_.block, cells_.ranks) - 1;
    return first == last ? "rank " + std::to_string(first)
                         : "ranks " + std::to_string(first) + "-" + std::to_string(last);
  }

  std::string tooltip_of(std::int64_t row, std::int64_t column, double value) const {
    return ranks_text(row) + " to " + ranks_text(column) + ": " +
           human_value(value, options_.measure.quantity);
  }

  void draw_number(double x, double y, double value, double position) {
    const bool dark = heat_lightness(position) < 0.62;
    const Colour colour = dark ? Colour{1, 1, 1} : Colour{0.15, 0.15, 0.15};
    const double size = std::min(layout_.cell * 0.28, 14.0);
    canvas_.text(x + layout_.cell / 2, y + layout_.cell / 2 + size * 0.36, compact_number(value),
                 {.size = size, .colour = colour, .anchor = Anchor::kCentre});
  }

  void draw_pixels() {
    std::vector<std::uint32_t> colours(cells_.values.size(), 0x00FFFFFF);
    for (std::size_t i = 0; i < colours.size(); ++i) {
      if (cells_.values[i] <= 0) continue;
      const Colour colour = colour_of(options_.palette, scale_.position(cells_.values[i]));
      colours[i] = static_cast<std::uint32_t>(std::lround(colour.red * 255)) << 16 |
                   static_cast<std::uint32_t>(std::lround(colour.green * 255)) << 8 |
                   static_cast<std::uint32_t>(std::lround(colour.blue * 255));
    }
    canvas_.pixels(layout_.left, layout_.top, layout_.cell, static_cast<int>(cells_.side), colours);
  }

  void draw_axes() {
    const double middle = layout_.plot / 2;
    const TextStyle label{.size = 12, .anchor = Anchor::kCentre};
    canvas_.text(layout_.left + middle, layout_.top - 24, "to rank", label);
    canvas_.upright_text(26, layout_.top + middle, "from rank", label);
    const double per_rank = layout_.cell / static_cast<double>(cells_.block);
    const double room = static_cast<double>(std::to_string(cells_.ranks - 1).size()) * kDigit + 12;
    const std::int64_t step = rank_step(cells_.ranks, room / per_rank);
    for (std::int64_t rank = 0; rank < cells_.ranks; rank += step) draw_tick(rank);
  }

  void draw_tick(std::int64_t rank) {
    const double at =
        (std::floor(static_cast<double>(rank) / static_cast<double>(cells_.block)) + 0.5) *
        layout_.cell;
    const std::string name = std::to_string(rank);
    canvas_.line(layout_.left + at, layout_.top - 4, layout_.left + at, layout_.top, kMatrixFrame);
    canvas_.line(layout_.left - 4, layout_.top + at, layout_.left, layout_.top + at, kMatrixFrame);
    canvas_.text(layout_.left + at, layout_.top - 8, name, {.anchor = Anchor::kCentre});
    canvas_.text(layout_.left - 8, layout_.top + at + 4, name, {.anchor = Anchor::kRight});
  }

  void draw_colour_bar() {
    const double x = layout_.bar_left;
    const double caption = layout_.top - 24;
    const TextStyle quiet{.colour = kQuietText};
    canvas_.text(x, caption, bar_caption(), quiet, layout_.width - x - 10);
    draw_none_box(layout_.top + layout_.plot - layout_.bar_width);
    if (cells_.largest <= 0) return;
    canvas_.heat_gradient(x, layout_.top, layout_.bar_width, layout_.bar_height, options_.palette);
    canvas_.frame(x, layout_.top, layout_.bar_width, layout_.bar_height, kMatrixFrame);
    const std::vector<double> ticks = scale_.ticks(8);
    for (const double tick : ticks) draw_bar_tick(tick, {});
    for (const double end : {scale_.low(), scale_.high()}) {
      if (far_from_all(end, ticks)) draw_bar_tick(end, quiet);
    }
  }

  double bar_y(double value) const {
    return layout_.top + layout_.bar_height * (1 - scale_.position(value));
  }

  bool far_from_all(double value, const std::vector<double>& ticks) const {
    constexpr double kLine = 15; // the height of a label
    return std::none_of(ticks.begin(), ticks.end(),
                        [&](double tick) { return std::abs(bar_y(tick) - bar_y(value)) < kLine; });
  }

  void draw_bar_tick(double value, const TextStyle& style) {
    const double edge = layout_.bar_left + layout_.bar_width;
    canvas_.line(edge, bar_y(value), edge + 4, bar_y(value), kMatrixFrame);
    canvas_.text(edge + 8, bar_y(value) + 4, tick_text(value), style);
  }

  std::string bar_caption() const {
    return std::string(name_of(options_.measure.quantity)) +
           (scale_.logarithmic() ? ", log scale" : "");
  }

  // Ticks are round numbers: "2 MB" says as much as "2.0 MB".
  std::string tick_text(double tick) const {
    std::string text = human_value(tick, options_.measure.quantity);
    if (const auto zero = text.find(".0 "); zero != std::string::npos) text.erase(zero, 2);
    return text;
  }

  void draw_none_box(double y) {
    const double x = layout_.bar_left;
    canvas_.frame(x, y, layout_.bar_width, layout_.bar_width, kMatrixFrame);
    canvas_.text(x + layout_.bar_width + 8, y + layout_.bar_width / 2 + 4, "none", {});
  }

  const matrix::CommunicationMatrix& matrix_;
  const matrix::BinnedMatrix& cells_;
  const PictureOptions& options_;
  SheetLayout layout_;
  ValueScale scale_;
  Canvas canvas_;
};

Status check_size(const matrix::BinnedMatrix& cells, const PictureOptions& options) {
  const SheetLayout layout = layout_of(cells);
  const double pixels = std::max(layout.width, layout.height) * options.pixels_per_point;
  if (options.pixels_per_point > 0 && pixels >= 1 && pixels <= kLargestPixels) return {};
  return fail(ErrorCode::kUsage, "the picture would be " + human_count(pixels) +
                                     " pixels wide; ask for fewer cells or pixels");
}

} // namespace

Result<std::string> draw_matrix(const matrix::CommunicationMatrix& matrix, PictureFormat format,
                                const PictureOptions& options) {
  if (auto good = check_measure(options.measure); !good) return propagate(good);
  if (matrix.ranks() < 1)
    return fail(ErrorCode::kUsage, "the matrix has no ranks; nothing to draw");
  if (options.most_cells < 1) return fail(ErrorCode::kUsage, "a picture needs at least one cell");
  const matrix::BinnedMatrix cells = binned(matrix, options.measure, options.most_cells);
  if (auto good = check_size(cells, options); !good) return propagate(good);
  return Picture(matrix, cells, format, options).draw();
}

} // namespace rondo::present
