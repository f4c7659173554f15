// SPDX-License-Identifier: Apache-2.0
#include "present/draw/bar_chart.hpp"
#include "present/matrix/runs_rows.hpp"
#include "rondo/base/units.hpp"
#include "rondo/trace/short_name.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace rondo::present {
namespace {

constexpr double kPictureWidth = 900;

constexpr std::pair<std::string_view, RunsFigure> kFigures[] = {
    {"all", RunsFigure::kAll},
    {"ratio", RunsFigure::kRatio},
    {"collectives", RunsFigure::kCollectives},
    {"sizes", RunsFigure::kSizes},
};

std::string run_name(const MeasuredRun& run) {
  return run.name + " (" + std::to_string(run.statistics.ranks) +
         (run.statistics.ranks == 1 ? " rank)" : " ranks)");
}

// A bar of each run for each of `count` values.
void add_series(BarChart& chart, std::span<const MeasuredRun> runs, std::size_t count,
                const std::function<double(const matrix::Statistics&, std::size_t)>& value) {
  for (const MeasuredRun& run : runs) {
    chart.series.push_back({run_name(run), {}});
    for (std::size_t i = 0; i < count; ++i)
      chart.series.back().values.push_back(value(run.statistics, i));
  }
}

BarChart ratio_chart(std::span<const MeasuredRun> runs) {
  BarChart chart{"Collectives and point-to-point",
                 "% of operations of a rank; above: collectives",
                 {},
                 {{"point-to-point messages", {}}, {"collectives", {}}},
                 true};
  for (const MeasuredRun& run : runs) {
    chart.groups.push_back(run_name(run));
    chart.series[0].values.push_back(run.statistics.point_to_point_per_rank());
    chart.series[1].values.push_back(run.statistics.collectives_per_rank());
  }
  return chart;
}

// As many as names can be read of; the others are one group.
BarChart collectives_chart(std::span<const MeasuredRun> runs) {
  constexpr std::size_t kMostGroups = 12;
  const std::vector<std::string> all = collectives_of(runs);
  const std::size_t named = all.size() > kMostGroups ? kMostGroups - 1 : all.size();
  BarChart chart{"Collectives by type", "calls for each rank", {}, {}};
  for (std::size_t i = 0; i < named; ++i) chart.groups.emplace_back(trace::without_prefix(all[i]));
  if (named < all.size()) chart.groups.push_back(std::to_string(all.size() - named) + " others");
  if (all.empty()) chart.groups.push_back("none");
  add_series(chart, runs, chart.groups.size(), [&](const matrix::Statistics& s, std::size_t group) {
    double calls = 0;
    const std::size_t end = group < named ? group + 1 : all.size();
    for (std::size_t i = group; i < end; ++i) calls += calls_per_rank(s, all[i]);
    return calls;
  });
  return chart;
}

BarChart sizes_chart(std::span<const MeasuredRun> runs) {
  BarChart chart{"Message sizes", "messages of at most so many bytes", {}, {}};
  for (std::size_t i = 0; i < matrix::kSizeBuckets; ++i) {
    const bool is_last = i + 1 == matrix::kSizeBuckets;
    chart.groups.push_back(is_last ? "above" : binary_bytes(matrix::bucket_limit_bytes(i)));
  }
  add_series(chart, runs, matrix::kSizeBuckets, [](const matrix::Statistics& s, std::size_t i) {
    return static_cast<double>(messages_in(s, i));
  });
  return chart;
}

std::vector<BarChart> charts_of(std::span<const MeasuredRun> runs, RunsFigure figure) {
  std::vector<BarChart> charts;
  const bool is_all = figure == RunsFigure::kAll;
  if (is_all || figure == RunsFigure::kRatio) charts.push_back(ratio_chart(runs));
  if (is_all || figure == RunsFigure::kCollectives) charts.push_back(collectives_chart(runs));
  if (is_all || figure == RunsFigure::kSizes) charts.push_back(sizes_chart(runs));
  return charts;
}

} // namespace

Result<RunsFigure> parse_runs_figure(std::string_view name) {
  for (const auto& [known, figure] : kFigures) {
    if (known == name) return figure;
  }
  return fail(ErrorCode::kUsage,
              "'" + std::string(name) + "' is no figure; choose all, ratio, collectives or sizes");
}

Result<std::string> draw_runs(std::span<const MeasuredRun> runs, RunsFigure figure,
                              PictureFormat format, double pixels_per_point) {
  if (runs.empty()) return fail(ErrorCode::kUsage, "there are no runs to draw");
  const std::vector<BarChart> charts = charts_of(runs, figure);
  double height = 0;
  for (const BarChart& chart : charts) height += bar_chart_height(chart, kPictureWidth);
  Canvas canvas(format, kPictureWidth, height, pixels_per_point);
  std::string names;
  for (const MeasuredRun& run : runs) names += (names.empty() ? "" : ", ") + run_name(run);
  canvas.title("Point-to-point messages and collectives of " + names);
  double top = 0;
  for (const BarChart& chart : charts) {
    draw_bar_chart(canvas, chart, top, kPictureWidth);
    top += bar_chart_height(chart, kPictureWidth);
  }
  return canvas.finish();
}

} // namespace rondo::present
