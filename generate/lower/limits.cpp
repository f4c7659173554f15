// SPDX-License-Identifier: Apache-2.0
#include "generate/lower/limits.hpp"

#include "rondo/generate/replay.hpp"
#include "rondo/trace/call_meaning.hpp"

#include <algorithm>
#include <map>

namespace rondo::generate::internal {
namespace {

// Why calls of this function can be played again, but not written down; empty if they can.
std::string_view reason_of(const trace::Function& function) {
  const trace::CallMeaning& means = trace::meaning_of(function);
  if (means.is_partitioned || means.act == trace::Act::kReady ||
      means.act == trace::Act::kAskPartition)
    return "is partitioned communication";
  if (means.act == trace::Act::kOwnRequest)
    return "is for requests that the program itself completes";
  return means.is_removed ? "is not in MPI any more" : "";
}

} // namespace

Status check_limits(const trace::Trace& trace, const Queries& queries) {
  std::map<std::string, std::uint64_t> found;
  if (!trace.run.choice.empty()) {
    return fail(ErrorCode::kUnsupported,
                "not all calls were recorded (" + trace.run.choice + "); a benchmark needs them");
  }
  for (const ReplayObstacle& obstacle : replay_obstacles(trace))
    if (!obstacle.in_replay_only) found[obstacle.what] = obstacle.calls;
  for (const auto& program : trace.programs) {
    for (const trace::MergedCall& merged : program->calls) {
      const trace::Function& function = *trace::find_function(merged.call.function);
      if (const auto reason = reason_of(function); !reason.empty())
        found[std::string(function.name) + ", which " + std::string(reason)] = 0;
    }
  }
  if (queries.are_used) found["datatypes of MPI_Type_get_contents that other calls use"] = 0;
  if (found.empty()) return {};
  std::string text = "has what can't be generated:";
  for (const auto& [what, calls] : found) {
    text += "\n  " + what;
    if (calls > 0) text += " (" + std::to_string(calls) + (calls == 1 ? " call)" : " calls)");
  }
  return fail(ErrorCode::kUnsupported, text);
}

} // namespace rondo::generate::internal
