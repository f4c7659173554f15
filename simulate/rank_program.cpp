// SPDX-License-Identifier: Apache-2.0
#include "simulate/rank_program.hpp"

#include "rondo/trace/call_text.hpp"

#include <algorithm>

namespace rondo::simulate::internal {

using trace::FieldKind;
using trace::is_special;

RankProgram::RankProgram(Stage& stage, const trace::RankClass& rank_class, std::int64_t rank)
    : Activity(static_cast<std::uint32_t>(rank), rank, 0, stage.transport, stage.ledger),
      stage_(stage), reader_(stage.trace, rank_class, rank),
      computation_(stage.trace, rank_class, rank) {
  targets_.resize(rank_class.program->calls.size() * 2);
  for (const trace::DatatypeDefinition& type : stage.trace.datatypes) {
    if (type.holders.contains(rank))
      type_bytes_[type.slot] =
          static_cast<std::uint64_t>(std::max<std::int64_t>(type.size_bytes, 0));
  }
}

bool RankProgram::next_work() {
  RankPrediction& mine = ledger_.ranks[static_cast<std::size_t>(rank_)];
  if (call_ != nullptr) ledger_.passed(id_, call_start_, clock_, call_name(), false);
  call_ = reader_.next();
  if (call_ == nullptr) {
    mine.end_s = clock_;
    mine.communicating_s = clock_ - mine.computing_s - mine.waiting_s;
    mine.calls = calls_;
    stage_.calls += calls_;
    return false;
  }
  ++calls_;
  const double seconds = computation_.before(call_->symbol) * stage_.options.compute_scale;
  if (seconds > 0) {
    ledger_.passed(id_, clock_, clock_ + seconds, call_name(), true);
    clock_ += seconds;
    mine.computing_s += seconds;
  }
  call_start_ = clock_;
  if (call_->error == 0) begin_call();
  return true;
}

void RankProgram::completed(const Request& request, double before) {
  if (request.other_rank < 0 || request.other_rank == rank_) return;
  const bool is_receive = request.kind == Request::Kind::kReceive;
  const double reached = is_receive ? clock_ - transport_.model().overhead_s : clock_;
  const double waited =
      std::clamp(request.other_start - before, 0.0, std::max(reached - before, 0.0));
  ledger_.ranks[static_cast<std::size_t>(rank_)].waiting_s += waited;
  ledger_.waited(rank_, request.other_rank, waited);
}

void RankProgram::begin_call() {
  const CallPlan& plan = plan_of(*call_->function);
  if (plan.is_started_later && call_->function->makes_request) return make_slot();
  dispatch(plan);
}

void RankProgram::dispatch(const CallPlan& plan) {
  const trace::CallInstance& call = *call_;
  switch (plan.act) {
  case Act::kNothing:
    break;
  case Act::kTransfer:
    return transfer(plan, call.words, nullptr, 0);
  case Act::kProbe:
  case Act::kMatchedProbe:
    return probe(plan);
  case Act::kRequestDone:
    return add_request(transport_.timed(clock_));
  case Act::kComplete:
    return complete(plan);
  case Act::kStart:
    if (plan.request >= 0) return start(own_word(plan.request, trace::kNull));
    for (const std::int64_t request : array(own_word(plan.requests, trace::kNothing)))
      start(request);
    break;
  case Act::kReady:
    return ready();
  case Act::kFree:
    return free_request(own_word(plan.request, trace::kNull));
  case Act::kCollective:
    return collective(plan, call.words, nullptr);
  case Act::kMakeComm:
    return make_comm(plan);
  case Act::kFile:
    break;
  case Act::kUnsupported:
    return unsupported("starts or meets processes outside the run");
  default:
    return window_call(plan);
  }
}

void RankProgram::unsupported(const std::string& why) {
  ++stage_.unsupported[std::string(call_->function->name) + " " + why];
  if (call_->function->makes_request && !plan_of(*call_->function).is_started_later)
    add_request(transport_.timed(clock_));
}

std::string RankProgram::call_text() const {
  if (call_ == nullptr) return "before its first call";
  trace::CallLineWriter writer(stage_.trace, reader_);
  return writer.line(*call_);
}

// Words -------------------------------------------------------------------------------------------

std::span<const std::int64_t> RankProgram::array(std::int64_t index) const {
  const auto& arrays = reader_.program().arrays;
  if (is_special(index) || static_cast<std::uint64_t>(index) >= arrays.size()) return {};
  return arrays[static_cast<std::size_t>(index)];
}

std::int64_t RankProgram::named_word(std::string_view field) const {
  return own_word(call_->function->word_of(field), trace::kNothing);
}

std::uint64_t RankProgram::type_bytes(std::int64_t type) {
  const auto found = type_bytes_.find(type);
  if (found != type_bytes_.end()) return found->second;
  ++stage_.unknown_sizes;
  return 0;
}

std::uint64_t RankProgram::bytes(std::int64_t count, std::int64_t type) {
  return count <= 0 ? 0 : static_cast<std::uint64_t>(count) * type_bytes(type);
}

} // namespace rondo::simulate::internal
