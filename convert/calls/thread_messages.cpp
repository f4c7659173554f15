// SPDX-License-Identifier: Apache-2.0
#include "convert/calls/thread_messages.hpp"

#include "rondo/trace/matching.hpp"

#include <algorithm>

namespace rondo::convert::internal {

ThreadMessages::ThreadMessages(const trace::Trace& trace) {
  are_known_ = std::any_of(trace.classes.begin(), trace.classes.end(),
                           [](const trace::RankClass& c) { return c.thread > 0; });
  if (!are_known_) return;
  std::uint64_t number = 0;
  trace::MatchVisitor visitor;
  visitor.message = [&](const trace::Message& message) {
    const MessageChannel channel{message.comm, message.send.rank, message.receive.rank,
                                 message.tag};
    ++number;
    for (const bool sends : {true, false}) {
      const trace::MessageEnd& end = sends ? message.send : message.receive;
      ends_[{end.rank, end.thread, sends}].push_back({end.call, channel, number});
    }
  };
  trace::match_messages(trace, visitor);
  for (auto& [stream, ends] : ends_) {
    std::stable_sort(ends.begin(), ends.end(),
                     [](const End& a, const End& b) { return a.call < b.call; });
  }
}

ThreadMessageReader::ThreadMessageReader(const ThreadMessages& all, std::int64_t rank,
                                         std::uint32_t thread, bool sends) {
  const auto found = all.ends_.find({rank, thread, sends});
  if (found != all.ends_.end()) left_ = found->second;
}

std::optional<std::uint64_t> ThreadMessageReader::take(std::uint64_t call,
                                                       const MessageChannel& channel) {
  if (!here_.empty() && here_.front().call != call) here_.clear();
  while (!left_.empty() && left_.front().call <= call) {
    if (left_.front().call == call) here_.push_back(left_.front());
    left_ = left_.subspan(1);
  }
  const auto found = std::find_if(here_.begin(), here_.end(), [&](const ThreadMessages::End& end) {
    return end.channel == channel;
  });
  if (found == here_.end()) return std::nullopt;
  const std::uint64_t number = found->number;
  here_.erase(found);
  return number;
}

} // namespace rondo::convert::internal
