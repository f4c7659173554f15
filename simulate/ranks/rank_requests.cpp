// SPDX-License-Identifier: Apache-2.0
// Requests of one rank: what makes, starts and completes them.
#include "simulate/ranks/rank_program.hpp"

#include <algorithm>

namespace rondo::simulate::internal {

using trace::is_special;

std::uint32_t RankProgram::line_of(const CallView& call) {
  if (call.means().act == trace::Act::kCollective) return ++objects_->lines[{call.comm(), 0, 0, 2}];
  if (!call.means().is_partitioned) return 0;
  if (call.means().sends())
    return ++objects_->lines[{call.comm(), call.dest(), call.send_tag(), 1}];
  return ++objects_->lines[{call.comm(), call.source(), call.receive_tag(), 0}];
}

void RankProgram::make_slot() {
  const std::uint32_t line = line_of(own_call());
  open_.add({call_->function, call_->words, line});
}

void RankProgram::start_all(const CallView& call) {
  if (call.means().request >= 0) return start(call.request());
  for (const std::int64_t request : array(call.requests())) start(request);
}

void RankProgram::start(std::int64_t reference) {
  Slot* slot = open_.slot(reference);
  if (slot == nullptr) return unsupported("starts a request that was not seen being made");
  const CallView made = slot->view();
  if (made.means().act == trace::Act::kCollective) return collective(made, slot);
  if (made.means().is_partitioned && made.means().sends()) { // goes when its partitions are there
    slot->partitions_left = std::max<std::int64_t>(made.partitions(), 0);
    return;
  }
  transfer(made, slot, slot->line);
}

void RankProgram::ready(const CallView& call) {
  Slot* slot = open_.slot(call.request());
  if (slot == nullptr) return unsupported("names a request that was not seen being made");
  std::int64_t count = 1;
  if (call_->function->word_of("partition_low") >= 0) {
    count = named_word("partition_high") - named_word("partition_low") + 1;
  } else if (call_->function->word_of("array_of_partitions") >= 0) {
    count = static_cast<std::int64_t>(array(named_word("array_of_partitions")).size());
  }
  slot->partitions_left -= count;
  if (slot->partitions_left <= 0) send_partitions(*slot);
}

void RankProgram::send_partitions(Slot& slot) {
  slot.partitions_left = 0;
  transfer(slot.view(), &slot, slot.line);
}

void RankProgram::complete(const CallView& call) {
  if (!call.has_found()) return;
  if (!unknown_.is_empty()) {
    for (const UnknownReceive& known : unknown_.take(completions(call))) bind(known);
  }
  if (call.means().completes == trace::Completes::kOne)
    return complete_one(call.request(), call.means().keeps_request);
  const auto requests = array(call.requests());
  const auto complete_at = [&](std::int64_t index) {
    if (!is_special(index) && static_cast<std::uint64_t>(index) < requests.size())
      complete_one(requests[static_cast<std::size_t>(index)], false);
  };
  if (call.means().completes == trace::Completes::kAny) return complete_at(call.index());
  if (call.means().completes == trace::Completes::kSome) {
    for (const std::int64_t index : array(call.indices())) complete_at(index);
    return;
  }
  for (const std::int64_t request : requests) complete_one(request, false);
}

void RankProgram::complete_one(std::int64_t reference, bool keeps) {
  if (reference == trace::kUnrecorded) ++stage_.unknown_requests;
  if (is_special(reference)) return;
  if (trace::is_foreign(reference)) return unsupported("completes a request of another thread");
  keeps_requests_ = keeps;
  if (trace::is_persistent(reference)) {
    Slot* slot = open_.slot(reference);
    if (slot == nullptr) return unsupported("completes a request that was not seen being made");
    if (slot->partitions_left > 0) send_partitions(*slot);
  }
  Request* const request = open_.find(reference);
  if (request == nullptr) return;
  wait_for(request);
  if (!keeps) open_.close(reference);
}

void RankProgram::free_request(std::int64_t reference) {
  Request* const freed = open_.find(reference);
  unknown_.forget(freed);
  if (freed != nullptr) transport_.release(freed);
  open_.free(reference);
}

// A receive that nobody has sent to yet is taken back. Where messages are known beforehand, so are
// those that never came.
void RankProgram::cancel(std::int64_t reference) {
  if (source_.knows_envelopes()) return;
  Request* const request = open_.find(reference);
  if (request != nullptr && !unknown_.has(request)) transport_.withdraw(*request, clock_);
}

} // namespace rondo::simulate::internal
