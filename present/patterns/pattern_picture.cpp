// SPDX-License-Identifier: Apache-2.0
#include "present/patterns/pattern_picture.hpp"

#include "patterns/message_group.hpp"
#include "present/draw/canvas.hpp"
#include "rondo/base/units.hpp"
#include "rondo/trace/program_text.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <limits>
#include <map>
#include <set>
#include <tuple>

namespace rondo::present {
namespace {

using patterns::PatternMessage;

constexpr std::size_t kMostArrows = 5000;
constexpr std::size_t kMostLines = 32; // with a line of their own
constexpr std::size_t kMostByDistance = 8; // classes that differ in how far messages go
constexpr double kTop = 80;
constexpr double kRow = 26;
constexpr double kColumn = 96;
constexpr Colour kInk{0.2, 0.2, 0.2};
constexpr Colour kTrack{0.82, 0.82, 0.82};
constexpr Colour kArrow{0.16, 0.38, 0.68};

// Columns of messages, from 0.
std::vector<std::size_t> columns_of(const std::vector<PatternMessage>& messages) {
  auto columns = patterns::internal::depths_of(messages);
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

void arrow(Canvas& canvas, double x1, double y1, double x2, double y2) {
  constexpr double kHead = 7;
  constexpr double kSpread = 0.4; // radians on either side
  canvas.curve(x1, y1, x2, y2, 0, 1.2, kArrow);
  const double angle = std::atan2(y2 - y1, x2 - x1);
  for (const double side : {-kSpread, kSpread}) {
    canvas.curve(x2, y2, x2 - kHead * std::cos(angle + side), y2 - kHead * std::sin(angle + side),
                 0, 1.2, kArrow);
  }
}

// Ranks that are drawn as one line.
struct RankLine {
  std::vector<std::int64_t> ranks;
  std::string label;
};

// What a rank does: in which column it sends or receives, and how far.
using Deed = std::tuple<std::size_t, bool, std::int64_t>; // column, sends, distance

using Deeds = std::map<std::int64_t, std::vector<Deed>>; // by rank

Deeds deeds_of(const std::vector<PatternMessage>& messages,
               const std::vector<std::size_t>& columns) {
  std::int64_t all = 0;
  for (const PatternMessage& m : messages) all = std::max({all, m.from + 1, m.to + 1});
  Deeds deeds;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const std::int64_t apart = std::abs(messages[i].to - messages[i].from);
    const std::int64_t distance = std::min(apart, all - apart); // around a ring, too
    deeds[messages[i].from].emplace_back(columns[i], true, distance);
    deeds[messages[i].to].emplace_back(columns[i], false, distance);
  }
  for (auto& [rank, list] : deeds) std::sort(list.begin(), list.end());
  return deeds;
}

std::string label_of(const std::vector<std::int64_t>& ranks) {
  constexpr std::size_t kLongest = 24;
  if (ranks.size() == 1) return std::to_string(ranks.front());
  std::string members = trace::guard_text(trace::RankSet::of(ranks));
  if (members.starts_with("ranks ")) members = members.substr(6);
  if (members.size() > kLongest) members = members.substr(0, kLongest) + "...";
  return fmt::format("{} ranks: {}", ranks.size(), members);
}

std::size_t classes_of(const Deeds& deeds) {
  std::set<std::vector<Deed>> classes;
  for (const auto& [rank, list] : deeds) classes.insert(list);
  return classes.size();
}

// A line for each rank, or for each class of ranks that do the same where there are many. Those of
// a star do, however far from its centre their numbers are.
std::vector<RankLine> rows_of(const std::vector<PatternMessage>& messages,
                              const std::vector<std::size_t>& columns) {
  Deeds deeds = deeds_of(messages, columns);
  if (deeds.size() > kMostLines && classes_of(deeds) > kMostByDistance) {
    for (auto& [rank, list] : deeds) {
      for (Deed& deed : list) std::get<std::int64_t>(deed) = 0;
    }
  }
  std::vector<RankLine> rows;
  std::map<std::vector<Deed>, std::size_t> row_of;
  for (const auto& [rank, list] : deeds) {
    const auto [known, is_new] = row_of.emplace(list, rows.size());
    const bool is_alone = deeds.size() <= kMostLines;
    if (is_new || is_alone) rows.emplace_back();
    rows[is_alone ? rows.size() - 1 : known->second].ranks.push_back(rank);
  }
  for (RankLine& row : rows) row.label = label_of(row.ranks);
  return rows;
}

// Arrows between lines, each drawn once.
struct Arrow {
  std::size_t column = 0;
  std::size_t from = 0; // rows
  std::size_t to = 0;
  friend auto operator<=>(const Arrow&, const Arrow&) = default;
};

// What the messages of an arrow are, in words.
struct ArrowUse {
  std::size_t messages = 0;
  double least = std::numeric_limits<double>::infinity();
  double most = 0;

  void add(const PatternMessage& m) {
    ++messages;
    least = std::min(least, m.least_bytes < 0 ? m.bytes : m.least_bytes);
    most = std::max(most, m.most_bytes < 0 ? m.bytes : m.most_bytes);
  }
};

class PatternDrawing {
public:
  PatternDrawing(const std::vector<PatternMessage>& messages, PictureFormat format,
                 const PatternPictureOptions& options)
      : messages_(messages), options_(options), columns_(columns_of(messages)),
        rows_(rows_of(messages, columns_)), left_(left_of(rows_)),
        last_(static_cast<double>(*std::max_element(columns_.begin(), columns_.end()))),
        width_(std::max(420.0, left_ + (last_ + 1) * kColumn + 24)),
        height_(kTop + kRow * static_cast<double>(rows_.size()) + kRow),
        canvas_(format, width_, height_, options.pixels_per_point) {}

  Result<std::string> run() {
    canvas_.rectangle(0, 0, width_, height_, {1, 1, 1});
    canvas_.title(options_.title + ": " + options_.subtitle);
    canvas_.text(16, 26, options_.title, {14, true}, width_ - 32);
    canvas_.text(16, 45, options_.subtitle, {}, width_ - 32);
    canvas_.text(16, 61, options_.about, {}, width_ - 32);
    draw_rows();
    draw_arrows();
    return canvas_.finish();
  }

private:
  static double left_of(const std::vector<RankLine>& rows) {
    std::size_t longest = 0;
    for (const RankLine& row : rows) longest = std::max(longest, row.label.size());
    return std::max(64.0, 24 + 6.6 * static_cast<double>(longest));
  }

  static double y_of(std::size_t row) { return kTop + kRow * (static_cast<double>(row) + 0.5); }

  void draw_rows() {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      canvas_.line(left_, y_of(i), left_ + (last_ + 1) * kColumn, y_of(i), kTrack);
      canvas_.text(left_ - 8, y_of(i) + 4, rows_[i].label, {11, false, kInk, Anchor::kRight});
    }
  }

  void draw_arrows() {
    std::map<std::int64_t, std::size_t> row_of;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      for (const std::int64_t rank : rows_[i].ranks) row_of[rank] = i;
    }
    std::map<Arrow, ArrowUse> uses;
    for (std::size_t i = 0; i < messages_.size(); ++i)
      uses[{columns_[i], row_of[messages_[i].from], row_of[messages_[i].to]}].add(messages_[i]);
    std::size_t drawn = 0;
    for (const auto& [one, use] : uses) {
      if (++drawn <= kMostArrows) draw_arrow(one, use);
    }
    if (drawn > kMostArrows)
      canvas_.text(16, height_ - 8, fmt::format("{} more are not drawn", drawn - kMostArrows), {});
  }

  void draw_arrow(const Arrow& one, const ArrowUse& use) {
    const double x = left_ + static_cast<double>(one.column) * kColumn;
    const double from = y_of(one.from);
    const double to = y_of(one.to);
    canvas_.disc(x + 10, from, 2.2, kArrow, kArrow);
    const bool is_to_itself = one.from == one.to && rows_[one.from].ranks.size() == 1;
    if (!is_to_itself) arrow(canvas_, x + 10, from, x + kColumn - 10, to);
    const std::string least = human_bytes(use.least);
    const std::string most = human_bytes(use.most);
    canvas_.tooltip(x + 2, from - 8, 16, 16,
                    fmt::format("{} to {}: {} message{} of {}", rows_[one.from].label,
                                rows_[one.to].label, use.messages, use.messages == 1 ? "" : "s",
                                least == most ? least : least + " to " + most));
  }

  const std::vector<PatternMessage>& messages_;
  const PatternPictureOptions& options_;
  std::vector<std::size_t> columns_;
  std::vector<RankLine> rows_;
  double left_;
  double last_; // column
  double width_;
  double height_;
  Canvas canvas_;
};

} // namespace

Result<std::string> draw_pattern(const std::vector<PatternMessage>& messages, PictureFormat format,
                                 const PatternPictureOptions& options) {
  if (messages.empty())
    return fail(ErrorCode::kUsage, "the pattern has no messages, so there is nothing to draw");
  return PatternDrawing(messages, format, options).run();
}

} // namespace rondo::present
