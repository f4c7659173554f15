// SPDX-License-Identifier: Apache-2.0
#include "present/run/message_summary.hpp"

#include "present/words.hpp"
#include "rondo/base/units.hpp"

#include <algorithm>
#include <fmt/core.h>

namespace rondo::present {
namespace {

using trace::MatchSummary;
using trace::Unmatched;
using trace::UnmatchedKind;

const char* name_of(UnmatchedKind kind) {
  switch (kind) {
  case UnmatchedKind::kSend:
    return "send";
  case UnmatchedKind::kReceive:
    return "receive";
  case UnmatchedKind::kCollective:
    return "collective";
  }
  return "";
}

std::string unmatched_text(const Unmatched& call) {
  const std::string thread =
      call.end.thread == 0 ? "" : fmt::format(", thread {}", call.end.thread);
  return fmt::format("rank {}{}, call {}: {}", call.end.rank, thread, call.end.call + 1, call.text);
}

} // namespace

std::uint64_t open_calls(const trace::Trace& trace) {
  return static_cast<std::uint64_t>(
      std::count_if(trace.ranks.begin(), trace.ranks.end(), [](const trace::RankFacts& rank) {
        return rank.ending->kind != trace::Ending::kFinalized && rank.ending->function != 0;
      }));
}

std::vector<std::pair<std::string, std::string>> message_lines(const MatchSummary& summary,
                                                               const trace::Trace& trace) {
  std::vector<std::pair<std::string, std::string>> lines;
  const auto add = [&](std::string text) {
    lines.emplace_back(lines.empty() ? "messages" : "", std::move(text));
  };
  const bool all = summary.unmatched_sends == 0 && summary.unmatched_receives == 0;
  add(fmt::format("{} matched, {}{}", counted(summary.messages, "message", "messages"),
                  human_bytes(static_cast<double>(summary.bytes)),
                  all && trace.run.complete ? "; none lacks an end" : ""));
  if (!trace.run.complete) {
    const std::uint64_t open = open_calls(trace);
    add(open == 0
            ? std::string("the run was cut short: messages under way are not among these")
            : fmt::format("the run was cut short: {} in a call that did not end, which is not "
                          "among these",
                          counted(open, "rank was", "ranks were")));
  }
  if (summary.inferred > 0)
    add(fmt::format("{} of them by wildcard receives whose status was not recorded: the source is "
                    "inferred",
                    human_count(static_cast<double>(summary.inferred))));
  if (summary.unmatched_sends > 0)
    add(counted(summary.unmatched_sends, "send", "sends") + " without a receive");
  if (summary.unmatched_receives > 0)
    add(counted(summary.unmatched_receives, "receive", "receives") + " without a send");
  if (summary.cancelled > 0) add(counted(summary.cancelled, "request", "requests") + " cancelled");
  add(fmt::format("{} that all ranks of the communicator came to",
                  counted(summary.collectives, "collective operation", "collective operations")));
  if (summary.unmatched_collectives > 0)
    add(counted(summary.unmatched_collectives, "collective operation", "collective operations") +
        " that some ranks did not come to");
  if (summary.disagreeing_collectives > 0)
    add(counted(summary.disagreeing_collectives, "collective operation", "collective operations") +
        " for which ranks called different functions");
  if (summary.unknown_peers > 0)
    add(counted(summary.unknown_peers, "call", "calls") +
        " with processes or communicators that the trace does not define: left out");
  if (summary.unknown_requests > 0)
    add(counted(summary.unknown_requests, "start", "starts") +
        " of requests that another thread made: left out");
  if (summary.has_threads) add("between threads of a rank the order of messages is not known");
  for (const Unmatched& call : summary.unmatched) add("  " + unmatched_text(call));
  const std::uint64_t unmatched = summary.unmatched_sends + summary.unmatched_receives +
                                  summary.unmatched_collectives + summary.disagreeing_collectives;
  if (unmatched > summary.unmatched.size())
    add(fmt::format("  and {} more",
                    human_count(static_cast<double>(unmatched - summary.unmatched.size()))));
  return lines;
}

nlohmann::json message_json(const MatchSummary& summary, const trace::Trace& trace) {
  nlohmann::json list = nlohmann::json::array();
  for (const Unmatched& call : summary.unmatched) {
    list.push_back({{"kind", name_of(call.kind)},
                    {"rank", call.end.rank},
                    {"thread", call.end.thread},
                    {"call_number", call.end.call + 1},
                    {"call", call.text}});
  }
  return {{"matched", summary.messages},
          {"matched_bytes", summary.bytes},
          {"inferred", summary.inferred},
          {"unmatched_sends", summary.unmatched_sends},
          {"unmatched_receives", summary.unmatched_receives},
          {"cancelled", summary.cancelled},
          {"collectives", summary.collectives},
          {"unmatched_collectives", summary.unmatched_collectives},
          {"disagreeing_collectives", summary.disagreeing_collectives},
          {"unknown_peers", summary.unknown_peers},
          {"unknown_requests", summary.unknown_requests},
          {"has_threads", summary.has_threads},
          {"calls_that_did_not_end", open_calls(trace)},
          {"first_unmatched", std::move(list)}};
}

} // namespace rondo::present
