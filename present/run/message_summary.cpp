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

class MessageLines {
public:
  explicit MessageLines(const MatchSummary& summary) : summary_(summary) {}

  void say_matched(const trace::Trace& trace) {
    const bool all = summary_.unmatched_sends == 0 && summary_.unmatched_receives == 0;
    add(fmt::format("{} matched, {}{}", counted(summary_.messages, "message", "messages"),
                    human_bytes(static_cast<double>(summary_.bytes)),
                    all && trace.run.complete ? "; none lacks an end" : ""));
    if (!trace.run.complete) {
      const std::uint64_t open = open_calls(trace);
      add(open == 0
              ? std::string("the run was cut short: messages under way are not among these")
              : fmt::format("the run was cut short: {} in a call that did not end, which is not "
                            "among these",
                            counted(open, "rank was", "ranks were")));
    }
    if (summary_.inferred > 0)
      add(fmt::format("{} of them by wildcard receives whose status was not recorded: the source "
                      "is inferred",
                      human_count(static_cast<double>(summary_.inferred))));
  }

  void say_unmatched() {
    add_if(summary_.unmatched_sends, "send", "sends", " without a receive");
    add_if(summary_.unmatched_receives, "receive", "receives", " without a send");
    add_if(summary_.cancelled, "request", "requests", " cancelled");
    add(fmt::format(
        "{} that all ranks of the communicator came to",
        counted(summary_.collectives, "collective operation", "collective operations")));
    add_if(summary_.unmatched_collectives, "collective operation", "collective operations",
           " that some ranks did not come to");
    add_if(summary_.disagreeing_collectives, "collective operation", "collective operations",
           " for which ranks called different functions");
  }

  void say_unknown() {
    add_if(summary_.unknown_peers, "call", "calls",
           " with processes or communicators that the trace does not define: left out");
    add_if(summary_.unknown_requests, "start", "starts",
           " of requests that another thread made: left out");
    if (summary_.has_threads) add("between threads of a rank the order of messages is not known");
  }

  void say_examples() {
    for (const Unmatched& call : summary_.unmatched) add("  " + unmatched_text(call));
    const std::uint64_t unmatched = summary_.unmatched_sends + summary_.unmatched_receives +
                                    summary_.unmatched_collectives +
                                    summary_.disagreeing_collectives;
    if (unmatched > summary_.unmatched.size())
      add(fmt::format("  and {} more",
                      human_count(static_cast<double>(unmatched - summary_.unmatched.size()))));
  }

  std::vector<std::pair<std::string, std::string>> take() { return std::move(lines_); }

private:
  void add(std::string text) {
    lines_.emplace_back(lines_.empty() ? "messages" : "", std::move(text));
  }
  void add_if(std::uint64_t count, const char* one, const char* many, const char* what) {
    if (count > 0) add(counted(count, one, many) + what);
  }

  const MatchSummary& summary_;
  std::vector<std::pair<std::string, std::string>> lines_; // key and text
};

} // namespace

std::uint64_t open_calls(const trace::Trace& trace) {
  return static_cast<std::uint64_t>(
      std::count_if(trace.ranks.begin(), trace.ranks.end(), [](const trace::RankFacts& rank) {
        return rank.ending->kind != trace::Ending::kFinalized && rank.ending->function != 0;
      }));
}

std::vector<std::pair<std::string, std::string>> message_lines(const MatchSummary& summary,
                                                               const trace::Trace& trace) {
  MessageLines lines(summary);
  lines.say_matched(trace);
  lines.say_unmatched();
  lines.say_unknown();
  lines.say_examples();
  return lines.take();
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
