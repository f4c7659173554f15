// SPDX-License-Identifier: Apache-2.0
// Requests of one rank: what makes, starts and completes them.
#include "simulate/ranks/rank_requests.hpp"

#include <algorithm>

namespace rondo::simulate::internal {

using trace::CallView;
using trace::is_special;

std::uint32_t RankRequests::line_of(const CallView& call) {
  if (call.means().act == trace::Act::kCollective)
    return ++rank_.objects().lines[{call.comm(), 0, 0, 2}];
  if (!call.means().is_partitioned) return 0;
  if (call.means().sends())
    return ++rank_.objects().lines[{call.comm(), call.dest(), call.send_tag(), 1}];
  return ++rank_.objects().lines[{call.comm(), call.source(), call.receive_tag(), 0}];
}

void RankRequests::make_slot() {
  const std::uint32_t line = line_of(rank_.call_view());
  rank_.open().add({rank_.call().function, rank_.call().words, line});
}

void RankRequests::start_all(const CallView& call) {
  if (call.means().request >= 0) return start(call.request());
  for (const std::int64_t request : rank_.array(call.requests())) start(request);
}

void RankRequests::start(std::int64_t reference) {
  OpenRequests::Slot* slot = rank_.open().slot(reference);
  if (slot == nullptr) return rank_.unsupported("starts a request that was not seen being made");
  const CallView made = slot->view();
  if (made.means().act == trace::Act::kCollective) return collectives_.collective(made, slot);
  if (made.means().is_partitioned && made.means().sends()) { // goes when its partitions are there
    slot->partitions_left = std::max<std::int64_t>(made.partitions(), 0);
    return;
  }
  transfers_.transfer(made, slot, slot->line);
}

void RankRequests::ready(const CallView& call) {
  OpenRequests::Slot* slot = rank_.open().slot(call.request());
  if (slot == nullptr) return rank_.unsupported("names a request that was not seen being made");
  std::int64_t count = 1;
  if (rank_.call().function->word_of("partition_low") >= 0) {
    count = rank_.named_word("partition_high") - rank_.named_word("partition_low") + 1;
  } else if (rank_.call().function->word_of("array_of_partitions") >= 0) {
    count = static_cast<std::int64_t>(rank_.array(rank_.named_word("array_of_partitions")).size());
  }
  slot->partitions_left -= count;
  if (slot->partitions_left <= 0) send_partitions(*slot);
}

void RankRequests::send_partitions(OpenRequests::Slot& slot) {
  slot.partitions_left = 0;
  transfers_.transfer(slot.view(), &slot, slot.line);
}

void RankRequests::complete(const CallView& call) {
  if (!call.has_found()) return;
  wildcards_.settle(call);
  if (call.means().completes == trace::Completes::kOne)
    return complete_one(call.request(), call.means().keeps_request);
  const auto requests = rank_.array(call.requests());
  const auto complete_at = [&](std::int64_t index) {
    if (!is_special(index) && static_cast<std::uint64_t>(index) < requests.size())
      complete_one(requests[static_cast<std::size_t>(index)], false);
  };
  if (call.means().completes == trace::Completes::kAny) return complete_at(call.index());
  if (call.means().completes == trace::Completes::kSome) {
    for (const std::int64_t index : rank_.array(call.indices())) complete_at(index);
    return;
  }
  for (const std::int64_t request : requests) complete_one(request, false);
}

void RankRequests::complete_one(std::int64_t reference, bool keeps) {
  if (reference == trace::kUnrecorded) ++rank_.stage().unknown_requests;
  if (is_special(reference)) return;
  if (trace::is_foreign(reference))
    return rank_.unsupported("completes a request of another thread");
  rank_.keep_requests(keeps);
  if (trace::is_persistent(reference)) {
    OpenRequests::Slot* slot = rank_.open().slot(reference);
    if (slot == nullptr)
      return rank_.unsupported("completes a request that was not seen being made");
    if (slot->partitions_left > 0) send_partitions(*slot);
  }
  Request* const request = rank_.open().find(reference);
  if (request == nullptr) return;
  rank_.wait_for(request);
  if (!keeps) rank_.open().close(reference);
}

void RankRequests::free_request(std::int64_t reference) {
  Request* const freed = rank_.open().find(reference);
  wildcards_.forget(freed);
  if (freed != nullptr) rank_.transport().release(freed);
  rank_.open().free(reference);
}

} // namespace rondo::simulate::internal
