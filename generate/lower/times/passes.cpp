// SPDX-License-Identifier: Apache-2.0
#include "generate/lower/times/passes.hpp"

#include "generate/lower/times/course_rows.hpp"
#include "rondo/trace/computation.hpp"
#include "rondo/trace/nest.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace rondo::generate::internal {
namespace {

using trace::PlaceTimes;
using trace::TimeCourse;

constexpr std::size_t kMostPasses = std::size_t{1} << 22; // of a rank; more are like the first ones
constexpr std::size_t kMostCalls = std::size_t{1} << 26; // that are walked by for these
constexpr std::size_t kTogether = 256; // passes of ranks that go through a place as often
constexpr std::size_t kApart = TimeCourse::kMost; // else

} // namespace

Passes::Passes(const trace::Trace& trace, std::size_t index, Times times) {
  if (times != Times::kCourse && times != Times::kFull) return;
  for (const trace::RankClass& of : trace.classes) {
    if (of.merged != index) continue;
    const std::vector<std::int64_t> all = of.ranks.ranks();
    const bool is_full = times == Times::kFull;
    const std::vector<std::int64_t> known = is_full ? all : trace::ranks_with_courses(*of.program);
    for (const std::int64_t rank : known) walk(trace, of, rank, is_full);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (const auto like = trace::rank_to_follow(known, all[i], i)) like_[all[i]] = *like;
    }
  }
}

void Passes::walk(const trace::Trace& trace, const trace::RankClass& of, std::int64_t rank,
                  bool is_full) {
  const trace::TimeStamps* stamps = is_full ? trace.stamps_of(rank, of.thread) : nullptr;
  if (is_full && stamps == nullptr) return;
  std::optional<trace::TimeStampReader> reader;
  if (stamps != nullptr) reader.emplace(*stamps);
  std::optional<trace::Computation> courses;
  if (!is_full) courses.emplace(trace, of, rank, trace::Computation::By::kCourses);
  const auto merged = [&](std::uint32_t call) { return of.calls.empty() ? call : of.calls[call]; };
  trace::NestReader symbols(of.program->nest);
  std::uint32_t before = PlaceTimes::kStart;
  std::size_t kept = 0;
  std::size_t walked = 0;
  while (const auto symbol = symbols.next()) {
    if (++walked > kMostCalls && !is_full) return;
    std::optional<double> seconds;
    if (reader) {
      const auto time = reader->next();
      if (!time) return; // given up along the way: the rest is like the first
      seconds = static_cast<double>(time->computation_ns) * 1e-9;
    } else {
      const double own = courses->before(*symbol);
      if (courses->follows_course(*symbol)) seconds = own;
    }
    if (seconds) {
      if (++kept > kMostPasses && !is_full) return;
      const std::uint32_t from = before == PlaceTimes::kStart ? before : merged(before);
      passes_[merged(*symbol)][rank].push_back({from, *seconds});
    }
    before = *symbol;
  }
}

Passes::OfRanks Passes::of(std::uint32_t symbol,
                           const std::function<bool(std::uint32_t)>& from) const {
  OfRanks result;
  const auto found = passes_.find(symbol);
  if (found == passes_.end()) return result;
  for (const auto& [rank, passes] : found->second) {
    std::vector<double> seconds;
    for (const Pass& pass : passes) {
      if (from(pass.before)) seconds.push_back(pass.seconds);
    }
    if (!seconds.empty()) result.emplace(rank, std::move(seconds));
  }
  return result;
}

std::int64_t Passes::like(std::int64_t rank) const {
  const auto found = like_.find(rank);
  return found == like_.end() ? rank : found->second;
}

Course course_of(const Passes& passes, const Passes::OfRanks& known,
                 const std::vector<double>& means, bool is_exact) {
  Course course;
  const bool is_together = std::ranges::all_of(known, [&](const auto& of_rank) {
    return of_rank.second.size() == known.begin()->second.size();
  });
  std::map<std::int64_t, std::int64_t> row_of;
  for (const auto& [rank, seconds] : known) {
    row_of[rank] = static_cast<std::int64_t>(course.rows.size());
    const auto count = static_cast<std::int64_t>(seconds.size());
    course.rows.push_back(is_exact ? Course::Row{seconds, 1, count}
                                   : row_from(seconds, is_together ? kTogether : kApart));
    const double mean = mean_of(course.rows.back());
    const double own = means[static_cast<std::size_t>(rank)];
    if (!is_exact && mean > 0) scale(course.rows.back(), own / mean);
  }
  // A rank without passes of its own has a mean: of a second, multiplied with it.
  const auto of_means = static_cast<std::int64_t>(course.rows.size());
  for (std::size_t rank = 0; rank < means.size(); ++rank) {
    const std::int64_t like = passes.like(static_cast<std::int64_t>(rank));
    const auto row = row_of.find(like);
    const double of_row = row == row_of.end() ? 0 : means[static_cast<std::size_t>(like)];
    const bool comes = means[rank] > 0;
    course.row_of_rank.push_back(of_row > 0 ? row->second : comes ? of_means : 0);
    course.factor_of_rank.push_back(of_row > 0 ? means[rank] / of_row : means[rank]);
  }
  if (std::ranges::count(course.row_of_rank, of_means) > 0) course.rows.push_back({{1.0}, 1, 1});
  course.is_exact = is_exact;
  return course;
}

} // namespace rondo::generate::internal
