// SPDX-License-Identifier: Apache-2.0
// The measurements of several runs side by side: other numbers of ranks, other problem sizes, other
// programs.
//
//   std::vector<MeasuredRun> runs = {{"cg.A.4", small}, {"cg.A.16", large}};
//   std::cout << runs_text(runs);
//   auto svg = draw_runs(runs, RunsFigure::kSizes, PictureFormat::kSvg);
#pragma once

#include "present/matrix/matrix_picture.hpp"
#include "present/matrix/statistics_text.hpp"
#include "rondo/base/result.hpp"
#include "rondo/matrix/statistics.hpp"

#include <span>
#include <string>
#include <string_view>

namespace rondo::present {

struct MeasuredRun {
  std::string name; // a short one, for columns and legends
  matrix::Statistics statistics;
};

/// Three tables: collectives and point-to-point (runs in rows), collectives by type and message
/// sizes (runs in columns). At most 100 columns wide where names are short.
std::string runs_text(std::span<const MeasuredRun> runs);

/// {"schema": 1, "runs": [{"name": ..., and what statistics_json() has}, ...]}
std::string runs_json(std::span<const MeasuredRun> runs, Pairs pairs = Pairs::kOmit);

enum class RunsFigure { kAll, kRatio, kCollectives, kSizes };

/// @return  the figure called "all", "ratio", "collectives" or "sizes"
/// @error   kUsage, naming the four
Result<RunsFigure> parse_runs_figure(std::string_view name);

/// Bars: of each run the shares of collectives and point-to-point; calls for each rank by type of
/// collective; messages by size. All of them are put below each other.
/// @return      the bytes of the file
/// @error       kUsage if there are no runs; kIo with cairo's reason
/// @complexity  O(runs * types of collectives)
/// @source      [riesen2006, fig. 12 to 14]
Result<std::string> draw_runs(std::span<const MeasuredRun> runs, RunsFigure figure,
                              PictureFormat format, double pixels_per_point = 2);

} // namespace rondo::present
