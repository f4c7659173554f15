// SPDX-License-Identifier: Apache-2.0
#include "generate/lower/times/course_rows.hpp"

#include "rondo/trace/time_course.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace rondo::generate::internal {
namespace {

using trace::TimeCourse;
using Row = Course::Row;

constexpr auto kBlock = static_cast<std::int64_t>(TimeCourse::kBlock);
constexpr std::size_t kMostApart =
    128; // a course has 24 peaks, a place of a benchmark may have several

std::size_t place_in(const Row& row, std::int64_t pass) {
  const std::int64_t kept = pass / kBlock / row.stride * kBlock + pass % kBlock;
  return static_cast<std::size_t>(kept) % row.seconds.size();
}

std::size_t numbers_in(const Row& row) { return row.seconds.size() + 2 * row.apart.size(); }

// What stands for passes that were one block: in the middle, as one of them may be a peak. Of two
// the shorter one.
std::vector<double> blocks_of(const std::vector<double>& seconds, std::int64_t stride) {
  const auto passes = static_cast<std::int64_t>(seconds.size());
  std::vector<double> blocks;
  std::vector<double> alike;
  for (std::int64_t begin = 0; begin < passes; begin += stride * kBlock) {
    for (std::int64_t i = begin; i < std::min(begin + kBlock, passes); ++i) {
      alike.clear();
      for (std::int64_t n = i; n < std::min(begin + stride * kBlock, passes); n += kBlock)
        alike.push_back(seconds[static_cast<std::size_t>(n)]);
      const auto middle = alike.begin() + static_cast<std::ptrdiff_t>((alike.size() - 1) / 2);
      std::nth_element(alike.begin(), middle, alike.end());
      blocks.push_back(*middle);
    }
  }
  return blocks;
}

std::optional<Row> whole_row(const std::vector<double>& seconds, std::int64_t stride) {
  Row row{blocks_of(seconds, stride), stride, static_cast<std::int64_t>(seconds.size()), {}};
  for (std::int64_t n = 0; n < row.passes; ++n) {
    const double own = seconds[static_cast<std::size_t>(n)];
    if (row.seconds[place_in(row, n)] == own) continue;
    if (row.apart.size() == kMostApart) return std::nullopt;
    row.apart.emplace_back(n, own);
  }
  return row;
}

// As the recorder shortens a course: what was far longer than the others stays where it was.
Row shortened_row(const std::vector<double>& seconds, std::size_t most) {
  TimeCourse course;
  double short_sum = 0; // of those that a course has no lengths of
  double shorts = 0;
  for (std::size_t n = 0; n < seconds.size(); ++n) {
    const auto ns = static_cast<std::uint64_t>(std::llround(seconds[n] * 1e9));
    course.add(n, ns);
    if (ns >= TimeCourse::kLeast_ns) continue;
    short_sum += seconds[n];
    ++shorts;
  }
  course.end(seconds.size());
  course.thin(most);
  Row row{{}, std::int64_t{1} << course.thinnings(), static_cast<std::int64_t>(seconds.size()), {}};
  for (const char code : course.codes()) {
    const double ns = TimeCourse::ns_of(static_cast<std::uint8_t>(code));
    row.seconds.push_back(code != 0 ? ns * 1e-9 : short_sum / std::max(shorts, 1.0));
  }
  for (const TimeCourse::Peak& peak : course.peaks())
    row.apart.emplace_back(static_cast<std::int64_t>(peak.n), TimeCourse::ns_of(peak.code) * 1e-9);
  return row;
}

} // namespace

// From the stride on at which a row may have been kept in an archive: a larger one takes fewer
// numbers as long as blocks are alike.
Row row_from(const std::vector<double>& seconds, std::size_t most) {
  std::int64_t stride = 1;
  while (seconds.size() > TimeCourse::kMost * static_cast<std::size_t>(stride)) stride *= 2;
  std::optional<Row> best;
  while (true) {
    std::optional<Row> row = whole_row(seconds, stride);
    if (!row || (best && numbers_in(*row) >= numbers_in(*best))) break;
    best = std::move(row);
    stride *= 2;
  }
  return best ? *best : shortened_row(seconds, most);
}

double time_of(const Row& row, std::int64_t pass) {
  const auto apart =
      std::ranges::lower_bound(row.apart, pass, {}, &std::pair<std::int64_t, double>::first);
  if (apart != row.apart.end() && apart->first == pass) return apart->second;
  return row.seconds.empty() ? 0 : row.seconds[place_in(row, pass)];
}

double mean_of(const Row& row) {
  double sum = 0;
  for (std::int64_t pass = 0; pass < row.passes; ++pass) sum += time_of(row, pass);
  return row.passes > 0 ? sum / static_cast<double>(row.passes) : 0;
}

void scale(Row& row, double factor) {
  for (double& time : row.seconds) time *= factor;
  for (auto& [pass, time] : row.apart) time *= factor;
}

} // namespace rondo::generate::internal
