// SPDX-License-Identifier: Apache-2.0
// Requests of one rank, by age or slot, and what completes them.
#include "simulate/rank_program.hpp"

#include <algorithm>

namespace rondo::simulate::internal {

using trace::is_special;

void RankProgram::add_request(Request* request) {
  ++made_;
  open_.push_back(request);
}

std::uint32_t RankProgram::line_of(const CallPlan& plan, const Words& words) {
  const std::int64_t comm = word(words, plan.comm, trace::kWorldSlot);
  if (plan.act == Act::kCollective) return ++lines_[{comm, 0, 0, 2}];
  if (!plan.is_partitioned) return 0;
  const bool is_send = plan.dest >= 0;
  return ++lines_[{comm, word(words, is_send ? plan.dest : plan.source, 0),
                   word(words, plan.send_tag, 0), is_send ? 1 : 0}];
}

void RankProgram::make_slot() {
  const std::uint32_t line = line_of(plan_of(*call_->function), call_->words);
  slots_.add({call_->function, call_->words, line});
}

void RankProgram::start(std::int64_t reference) {
  Slot* slot = slots_.find(reference);
  if (slot == nullptr) return unsupported("starts a request that was not seen being made");
  const CallPlan& plan = plan_of(*slot->function);
  if (plan.act == Act::kCollective) return collective(plan, slot->words, slot);
  if (plan.is_partitioned && plan.dest >= 0) { // goes when all its partitions are there
    slot->partitions_left = std::max<std::int64_t>(word(slot->words, plan.partitions, 1), 0);
    return;
  }
  transfer(plan, slot->words, slot, slot->line);
}

void RankProgram::ready() {
  Slot* slot = slots_.find(named_word("request"));
  if (slot == nullptr) return unsupported("names a request that was not seen being made");
  std::int64_t count = 1;
  if (const int low = call_->function->word_of("partition_low"); low >= 0) {
    count = named_word("partition_high") - own_word(low, 0) + 1;
  } else if (call_->function->word_of("length") >= 0) {
    count = named_word("length");
  }
  slot->partitions_left -= count;
  if (slot->partitions_left <= 0) send_partitions(*slot);
}

void RankProgram::send_partitions(Slot& slot) {
  slot.partitions_left = 0;
  transfer(plan_of(*slot.function), slot.words, &slot, slot.line);
}

void RankProgram::complete(const CallPlan& plan) {
  if (plan.flag >= 0 && own_word(plan.flag, 0) != 1) return;
  if (!unbound_.empty()) bind_completed(plan);
  if (plan.request >= 0)
    return complete_one(own_word(plan.request, trace::kNull), plan.keeps_request);
  const auto requests = array(own_word(plan.requests, trace::kNothing));
  const auto complete_at = [&](std::int64_t index) {
    if (!is_special(index) && static_cast<std::uint64_t>(index) < requests.size())
      complete_one(requests[static_cast<std::size_t>(index)], false);
  };
  if (plan.index >= 0) return complete_at(own_word(plan.index, trace::kUndefined));
  if (plan.indices >= 0) {
    for (const std::int64_t index : array(own_word(plan.indices, trace::kNothing)))
      complete_at(index);
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
    Slot* slot = slots_.find(reference);
    if (slot == nullptr) return unsupported("completes a request that was not seen being made");
    if (slot->partitions_left > 0) send_partitions(*slot);
    if (slot->active == nullptr) return;
    wait_for(slot->active);
    if (!keeps) slot->active = nullptr;
    return;
  }
  const std::uint64_t age = trace::age_or_slot(reference);
  if (age >= made_ || made_ - age < first_open_) return;
  const std::uint64_t index = made_ - age - first_open_;
  Request*& request = open_[index];
  if (request == nullptr) return;
  wait_for(request);
  if (keeps) return;
  request = nullptr;
  while (!open_.empty() && open_.front() == nullptr) {
    open_.pop_front();
    ++first_open_;
  }
}

// What is active under this reference, or nullptr.
Request* RankProgram::request_at(std::int64_t reference) {
  if (is_special(reference) || trace::is_foreign(reference)) return nullptr;
  if (trace::is_persistent(reference)) {
    const Slot* slot = slots_.find(reference);
    return slot == nullptr ? nullptr : slot->active;
  }
  const std::uint64_t age = trace::age_or_slot(reference);
  const bool is_open = age < made_ && made_ - age >= first_open_;
  return is_open ? open_[made_ - age - first_open_] : nullptr;
}

void RankProgram::free_request(std::int64_t reference) {
  Request* const freed = request_at(reference);
  std::erase_if(unbound_, [&](const Unbound& each) { return each.request == freed; });
  if (const Slot* slot = slots_.find(reference)) {
    if (slot->active != nullptr) transport_.release(slot->active);
    slots_.free(reference);
  } else if (!is_special(reference) && !trace::is_foreign(reference) &&
             !trace::is_persistent(reference)) {
    const std::uint64_t age = trace::age_or_slot(reference);
    if (age >= made_ || made_ - age < first_open_) return;
    Request*& request = open_[made_ - age - first_open_];
    if (request != nullptr) transport_.release(request);
    request = nullptr;
  }
}

} // namespace rondo::simulate::internal
