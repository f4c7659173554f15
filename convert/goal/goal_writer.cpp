// SPDX-License-Identifier: Apache-2.0
#include "convert/goal/goal_rank.hpp"
#include "convert/text/growing_file.hpp"
#include "rondo/convert/goal.hpp"

#include <fmt/core.h>
#include <iterator>

namespace rondo::convert {
namespace internal {
namespace {

// What no operation says, and what tags there are: known before anything is written.
Status look_through_goal(GoalExport& run) {
  for (const trace::RankClass& c : run.trace.classes) {
    if (c.thread == 0) continue;
    (run.approximates ? run.left_out : run.refused)["calls: are in a second thread"] +=
        c.ranks.size();
  }
  std::string unused;
  for (std::int64_t rank = 0; rank < run.trace.run.ranks; ++rank) {
    const trace::RankClass* const c = run.trace.class_of(rank);
    if (c == nullptr) {
      ++run.left_out["ranks: the trace has nothing of some"];
      continue;
    }
    GoalRankCalls calls(run, *c, rank);
    while (calls.next(unused)) unused.clear();
  }
  run.spread_tags();
  if (run.refused.empty()) return {};
  std::string list;
  for (const auto& [why, times] : run.refused) list += fmt::format("\n  {} ({} times)", why, times);
  return fail(ErrorCode::kUnsupported,
              "these calls are nothing that a GOAL schedule can say:" + list +
                  (run.approximates ? "" : "\nwith --approximate they are left out"));
}

void write_goal_head(const GoalExport& run, std::string& out) {
  out += "// written by rondo " RONDO_VERSION "; computation in ns, labels are those of a rank\n";
  if (!run.lowered.empty()) out += "// collective operations are the messages of\n";
  for (const auto& [what, times] : run.lowered)
    fmt::format_to(std::back_inserter(out), "//   {} ({} calls)\n", what, times);
  fmt::format_to(std::back_inserter(out), "num_ranks {}\n", run.trace.run.ranks);
}

Status write_goal_rank(GoalExport& run, std::int64_t rank, GrowingFile& file) {
  fmt::format_to(std::back_inserter(file.text()), "\nrank {} {{\n", rank);
  if (const trace::RankClass* const c = run.trace.class_of(rank)) {
    GoalRankCalls calls(run, *c, rank);
    while (calls.next(file.text())) {
      if (auto written = file.spill(); !written) return written;
    }
  }
  file.text() += "}\n";
  return {};
}

std::vector<std::string> remarks_of_goal(const GoalExport& run) {
  std::vector<std::string> remarks = run.receives.remarks();
  for (const auto& [what, times] : run.lowered)
    remarks.push_back(
        fmt::format("collective operations are messages: {} ({} calls)", what, times));
  for (const auto& [what, times] : run.left_out)
    remarks.push_back(fmt::format("left out: {} ({} times)", what, times));
  if (run.unknown_sizes > 0)
    remarks.push_back(fmt::format("sizes that the trace does not know are 0 bytes ({} times)",
                                  run.unknown_sizes));
  if (run.tags.is_of_several_communicators())
    remarks.push_back("messages are on several communicators, which schedules do not have: their "
                      "tags are moved, so that none is of two");
  return remarks;
}

} // namespace
} // namespace internal

Result<std::vector<std::string>> write_goal(const trace::Trace& trace, const std::string& path,
                                            bool approximates, Overwrite overwrite) {
  using namespace internal;
  GoalExport run(trace, approximates);
  if (auto seen = look_through_goal(run); !seen) return propagate(seen);
  const std::vector<std::string> remarks = remarks_of_goal(run);
  auto file = GrowingFile::create(path, overwrite);
  if (!file) return propagate(file);
  write_goal_head(run, file->text());
  for (std::int64_t rank = 0; rank < trace.run.ranks; ++rank) {
    if (auto written = write_goal_rank(run, rank, *file); !written) return propagate(written);
  }
  if (auto done = file->finish(); !done) return propagate(done);
  return remarks;
}

} // namespace rondo::convert
