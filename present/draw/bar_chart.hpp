// SPDX-License-Identifier: Apache-2.0
// Groups of bars beside each other, or one bar for each group with its parts on top of each other.
#pragma once

#include "present/draw/canvas.hpp"

#include <string>
#include <vector>

namespace rondo::present {

struct BarSeries {
  std::string name;
  std::vector<double> values; // one for each group, >= 0
};

struct BarChart {
  std::string title;
  std::string axis; // what the values are
  std::vector<std::string> groups;
  std::vector<BarSeries> series;
  bool is_stacked_to_100 = false; // the shares of the group's sum
};

/// Draws the chart with its legend.
/// @param top  where it begins on the sheet, which it fills from side to side
void draw_bar_chart(Canvas& canvas, const BarChart& chart, double top, double width);

/// How high draw_bar_chart() makes it.
double bar_chart_height(const BarChart& chart, double width);

} // namespace rondo::present
