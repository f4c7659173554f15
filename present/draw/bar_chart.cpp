// SPDX-License-Identifier: Apache-2.0
#include "present/draw/bar_chart.hpp"

#include "present/draw/value_scale.hpp"
#include "rondo/base/units.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

namespace rondo::present {
namespace {

constexpr Colour kGrid{0.91, 0.91, 0.91};
constexpr Colour kFrame{0.45, 0.45, 0.45};
constexpr Colour kQuiet{0.40, 0.40, 0.40};
constexpr double kLeft = 74; // of the plot
constexpr double kRight = 20;
constexpr double kTitle = 40; // height of the title
constexpr double kLegendLine = 20;
constexpr double kPlot = 240;
constexpr double kAbove = 40; // what the values are, and numbers on bars
constexpr double kBelow = 36; // names of the groups
constexpr double kLetter = 6.3; // width of a letter of 11 points, a little generous

double legend_width(const BarSeries& series) {
  return 24 + kLetter * static_cast<double>(series.name.size()) + 16;
}

// Legend entries from left to right, in as many lines as they need.
std::size_t legend_lines(const BarChart& chart, double width) {
  std::size_t lines = 1;
  double x = kLeft;
  for (const BarSeries& series : chart.series) {
    if (x > kLeft && x + legend_width(series) > width - kRight) {
      ++lines;
      x = kLeft;
    }
    x += legend_width(series);
  }
  return lines;
}

// "lu.W.8" and "(8 ranks)" of "lu.W.8 (8 ranks)"; any other name is whole.
std::pair<std::string, std::string> lines_of(const std::string& name) {
  const std::size_t bracket = name.rfind(" (");
  if (bracket == std::string::npos) return {name, {}};
  return {name.substr(0, bracket), name.substr(bracket + 1)};
}

class Drawing {
public:
  Drawing(Canvas& canvas, const BarChart& chart, double top, double width)
      : canvas_(canvas), chart_(chart), width_(width - kLeft - kRight),
        top_(top + kTitle + kLegendLine * static_cast<double>(legend_lines(chart, width)) + kAbove),
        scale_(chart.is_stacked_to_100 ? ScaleKind::kLinear : ScaleKind::kAuto, smallest(),
               largest()) {
    canvas_.text(20, top + 28, chart.title, {.size = 15, .bold = true, .colour = {0.1, 0.1, 0.1}},
                 width - 40);
    draw_legend(top + kTitle + 12, width);
  }

  void draw() {
    draw_axis();
    for (std::size_t group = 0; group < chart_.groups.size(); ++group) {
      if (chart_.is_stacked_to_100) {
        draw_stack(group);
      } else {
        draw_group(group);
      }
      draw_name(group);
    }
    canvas_.line(kLeft, top_ + kPlot, kLeft + width_, top_ + kPlot, kFrame);
  }

private:
  double largest() const {
    if (chart_.is_stacked_to_100) return 100;
    double most = 0;
    for (const BarSeries& series : chart_.series) {
      for (const double value : series.values) most = std::max(most, value);
    }
    return most > 0 ? most : 1;
  }

  // Half of it, so that the smallest bar of a logarithmic axis is one.
  double smallest() const {
    double least = 0;
    for (const BarSeries& series : chart_.series) {
      for (const double value : series.values) {
        if (value > 0) least = least == 0 ? value : std::min(least, value);
      }
    }
    return least / 2;
  }

  static Colour colour(std::size_t series) { return distinct_colour(series); }

  void draw_legend(double y, double width) {
    double x = kLeft;
    for (std::size_t i = 0; i < chart_.series.size(); ++i) {
      if (x > kLeft && x + legend_width(chart_.series[i]) > width - kRight) {
        x = kLeft;
        y += kLegendLine;
      }
      canvas_.rectangle(x, y - 10, 12, 12, colour(i));
      canvas_.text(x + 18, y, chart_.series[i].name, {});
      x += legend_width(chart_.series[i]);
    }
  }

  double y_of(double value) const { return top_ + kPlot * (1 - scale_.position(value)); }

  void draw_axis() {
    canvas_.text(20, top_ - 22, chart_.axis + (scale_.logarithmic() ? ", log scale" : ""),
                 {.colour = kQuiet});
    for (const double tick : scale_.ticks(6)) {
      canvas_.line(kLeft, y_of(tick), kLeft + width_, y_of(tick), kGrid);
      canvas_.text(kLeft - 8, y_of(tick) + 4, human_count(tick), {.anchor = Anchor::kRight});
    }
  }

  double group_width() const { return width_ / static_cast<double>(chart_.groups.size()); }

  // Something that is there is seen, however little it is.
  void draw_bar(double x, double low, double high, double width, const Colour& colour) {
    const double height = std::max(y_of(low) - y_of(high), high > low ? 1.0 : 0.0);
    canvas_.rectangle(x, y_of(low) - height, width, height, colour);
  }

  void draw_group(std::size_t group) {
    const double room = group_width() * 0.84;
    const double bar = std::min(room / static_cast<double>(chart_.series.size()), 60.0);
    const double all = bar * static_cast<double>(chart_.series.size());
    double x = kLeft + group_width() * (static_cast<double>(group) + 0.5) - all / 2;
    for (std::size_t i = 0; i < chart_.series.size(); ++i, x += bar) {
      const double value = chart_.series[i].values[group];
      if (value <= 0) continue;
      draw_bar(x, 0, value, bar * 0.94, colour(i));
      canvas_.tooltip(x, top_, bar, kPlot,
                      chart_.series[i].name + ", " + chart_.groups[group] + ": " +
                          human_count(value));
      if (bar >= 22) draw_number(x + bar * 0.47, y_of(value) - 4, value, bar);
    }
  }

  void draw_number(double x, double y, double value, double bar) {
    const double size = std::clamp(bar * 0.30, 7.0, 11.0);
    canvas_.text(x, y, compact_number(value),
                 {.size = size, .colour = kQuiet, .anchor = Anchor::kCentre});
  }

  void draw_stack(std::size_t group) {
    double sum = 0;
    for (const BarSeries& series : chart_.series) sum += series.values[group];
    if (sum <= 0) return;
    const double bar = std::min(group_width() * 0.62, 60.0);
    const double x = kLeft + group_width() * (static_cast<double>(group) + 0.5) - bar / 2;
    double low = 0;
    for (std::size_t i = 0; i < chart_.series.size(); ++i) {
      const double high = low + 100 * chart_.series[i].values[group] / sum;
      draw_bar(x, low, high, bar, colour(i));
      canvas_.tooltip(x, y_of(high), bar, y_of(low) - y_of(high),
                      chart_.groups[group] + ", " + chart_.series[i].name + ": " +
                          human_percent((high - low) / 100));
      low = high;
    }
    const std::string share = human_percent(chart_.series.back().values[group] / sum);
    canvas_.text(x + bar / 2, y_of(100) - 5, share,
                 {.size = 10, .colour = kQuiet, .anchor = Anchor::kCentre}, group_width());
  }

  // All names have one size, in two lines where one has no room.
  void draw_name(std::size_t group) {
    const double x = kLeft + group_width() * (static_cast<double>(group) + 0.5);
    const double room = group_width() * 0.96;
    std::size_t longest = 0; // letters
    std::size_t longest_line = 0;
    for (const std::string& name : chart_.groups) {
      const auto [first, second] = lines_of(name);
      longest = std::max(longest, name.size());
      longest_line = std::max({longest_line, first.size(), second.size()});
    }
    const bool has_room = kLetter * static_cast<double>(longest) <= room;
    const double letters = static_cast<double>(has_room ? longest : longest_line);
    const double size = std::clamp(11 * room / (kLetter * letters), 6.0, 11.0);
    const TextStyle style{.size = size, .anchor = Anchor::kCentre};
    const auto [first, second] = lines_of(chart_.groups[group]);
    const bool is_whole = has_room || second.empty();
    canvas_.text(x, top_ + kPlot + 16, is_whole ? chart_.groups[group] : first, style, room);
    if (!is_whole) canvas_.text(x, top_ + kPlot + 30, second, style, room);
  }

  Canvas& canvas_;
  const BarChart& chart_;
  double width_;
  double top_;
  ValueScale scale_;
};

} // namespace

void draw_bar_chart(Canvas& canvas, const BarChart& chart, double top, double width) {
  Drawing(canvas, chart, top, width).draw();
}

double bar_chart_height(const BarChart& chart, double width) {
  return kTitle + kLegendLine * static_cast<double>(legend_lines(chart, width)) + kAbove + kPlot +
         kBelow;
}

} // namespace rondo::present
