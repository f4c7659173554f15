// SPDX-License-Identifier: Apache-2.0
#include "rondo/patterns/pattern_picture.hpp"

#include "patterns/message_group.hpp"
#include "rondo/matrix/canvas.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <map>
#include <utility>

namespace rondo::patterns {
namespace {

constexpr std::size_t kMostArrows = 5000;
constexpr double kTop = 64;
constexpr double kLeft = 64;
constexpr double kRow = 26;
constexpr double kColumn = 96;
constexpr matrix::Colour kInk{0.2, 0.2, 0.2};
constexpr matrix::Colour kTrack{0.82, 0.82, 0.82};
constexpr matrix::Colour kArrow{0.16, 0.38, 0.68};

// Columns of messages, from 0.
std::vector<std::size_t> columns_of(const std::vector<PatternMessage>& messages) {
  auto columns = internal::depths_of(messages);
  const bool in_order = std::count(columns.begin(), columns.end(), std::size_t{0}) == 0;
  std::map<std::int64_t, std::vector<std::uint64_t>> sent;
  for (const PatternMessage& m : messages) sent[m.from].push_back(m.sent);
  for (auto& [rank, times] : sent) {
    std::sort(times.begin(), times.end());
    times.erase(std::unique(times.begin(), times.end()), times.end());
  }
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const auto& times = sent[messages[i].from];
    const auto nth = std::lower_bound(times.begin(), times.end(), messages[i].sent);
    columns[i] = in_order ? columns[i] - 1 : static_cast<std::size_t>(nth - times.begin());
  }
  return columns;
}

void arrow(matrix::Canvas& canvas, double x1, double y1, double x2, double y2) {
  constexpr double kHead = 7;
  constexpr double kSpread = 0.4; // radians on either side
  canvas.curve(x1, y1, x2, y2, 0, 1.2, kArrow);
  const double angle = std::atan2(y2 - y1, x2 - x1);
  for (const double side : {-kSpread, kSpread}) {
    canvas.curve(x2, y2, x2 - kHead * std::cos(angle + side), y2 - kHead * std::sin(angle + side),
                 0, 1.2, kArrow);
  }
}

} // namespace

Result<std::string> draw_pattern(const std::vector<PatternMessage>& messages,
                                 matrix::PictureFormat format,
                                 const PatternPictureOptions& options) {
  if (messages.empty())
    return fail(ErrorCode::kUsage, "the pattern has no messages, so there is nothing to draw");
  std::map<std::int64_t, double> y_of;
  for (const PatternMessage& m : messages) y_of[m.from] = y_of[m.to] = 0;
  double y = kTop + kRow / 2;
  for (auto& [rank, at] : y_of) at = std::exchange(y, y + kRow);
  const auto columns = columns_of(messages);
  const double last = static_cast<double>(*std::max_element(columns.begin(), columns.end()));
  const double width = std::max(420.0, kLeft + (last + 1) * kColumn + 24);
  const double height = y + kRow;
  matrix::Canvas canvas(format, width, height, options.pixels_per_point);
  canvas.rectangle(0, 0, width, height, {1, 1, 1});
  canvas.text(16, 26, options.title, {14, true}, width - 32);
  canvas.text(16, 45, options.subtitle, {}, width - 32);
  for (const auto& [rank, at] : y_of) {
    canvas.line(kLeft, at, kLeft + (last + 1) * kColumn, at, kTrack);
    canvas.text(kLeft - 8, at + 4, std::to_string(rank), {11, false, kInk, matrix::Anchor::kRight});
  }
  const std::size_t drawn = std::min(messages.size(), kMostArrows);
  for (std::size_t i = 0; i < drawn; ++i) {
    const double x = kLeft + static_cast<double>(columns[i]) * kColumn;
    const double from = y_of[messages[i].from];
    const double to = y_of[messages[i].to];
    canvas.disc(x + 10, from, 2.2, kArrow, kArrow);
    if (messages[i].from != messages[i].to) arrow(canvas, x + 10, from, x + kColumn - 10, to);
  }
  if (drawn < messages.size())
    canvas.text(16, height - 8, fmt::format("{} more are not drawn", messages.size() - drawn), {});
  return canvas.finish();
}

} // namespace rondo::patterns
