// SPDX-License-Identifier: Apache-2.0
#include "simulate/rank_program.hpp"

#include <algorithm>
#include <utility>

namespace rondo::simulate::internal {

RankProgram::RankProgram(Stage& stage, CallSource& source, std::int64_t rank)
    : Activity(static_cast<std::uint32_t>(rank), rank, 0, stage.transport, stage.ledger),
      stage_(stage), source_(source) {
  targets_.resize(source.symbols() * 2);
}

Activity::Work RankProgram::next_work() {
  if (then_) {
    std::exchange(then_, nullptr)();
    return Work::kBegun;
  }
  RankPrediction& mine = ledger_.ranks[static_cast<std::size_t>(rank_)];
  if (is_in_call_) end_call();
  const CallSource::Next next = source_.next();
  if (next == CallSource::Next::kLater) return Work::kLater;
  if (next == CallSource::Next::kEnd) {
    end();
    return Work::kOver;
  }
  call_ = &source_.call();
  is_in_call_ = true;
  ++calls_;
  compute(mine);
  call_start_ = clock_;
  if (call_->error == 0) begin_call();
  return Work::kBegun;
}

void RankProgram::stop() {
  if (!is_over()) end();
}

void RankProgram::end() {
  RankPrediction& mine = ledger_.ranks[static_cast<std::size_t>(rank_)];
  mine.end_s = clock_;
  mine.communicating_s = clock_ - mine.computing_s - mine.waiting_s;
  mine.calls = calls_;
  stage_.calls += calls_;
}

void RankProgram::end_call() {
  if (recorded_) clock_ = recorded_->to_s;
  ledger_.passed(id_, call_start_, clock_, call_name(), false);
  source_.ended(call_start_, clock_);
  if (Observer* observer = stage_.options.observer)
    observer->called(rank_, call_name(), call_start_, clock_);
  is_in_call_ = false;
}

// What the rank computes before its call.
void RankProgram::compute(RankPrediction& mine) {
  double seconds = source_.computing_s();
  if (stage_.options.scale) seconds *= stage_.options.scale(rank_, call_name());
  recorded_ = source_.recorded();
  if (recorded_) clock_ = recorded_->from_s - seconds;
  if (seconds <= 0) return;
  ledger_.passed(id_, clock_, clock_ + seconds, call_name(), true);
  if (Observer* observer = stage_.options.observer)
    observer->computed(rank_, call_name(), clock_, clock_ + seconds);
  clock_ += seconds;
  mine.computing_s += seconds;
}

void RankProgram::completed(const Request& request, double before) {
  Observer* const observer = stage_.options.observer;
  if (observer != nullptr && request.kind == Request::Kind::kSend && request.other_rank < 0)
    observer->completed_send(rank_, request.posted, request.bytes);
  if (request.other_rank < 0 || request.other_rank == rank_) return;
  const bool is_receive = request.kind == Request::Kind::kReceive;
  double reached = is_receive ? clock_ - transport_.model().overhead_s : clock_;
  if (recorded_) reached = std::min(reached, recorded_->to_s);
  const double waited =
      std::clamp(request.other_start - before, 0.0, std::max(reached - before, 0.0));
  if (observer != nullptr) {
    const Met::For what = is_receive                              ? Met::For::kMessage
                          : request.kind == Request::Kind::kProbe ? Met::For::kMessage
                          : request.kind == Request::Kind::kSend  ? Met::For::kReceiver
                                                                  : Met::For::kOperation;
    observer->met({rank_, call_name(), what, before, before + waited, request.other_rank,
                   request.other_start});
  }
  ledger_.ranks[static_cast<std::size_t>(rank_)].waiting_s += waited;
  ledger_.waited(rank_, request.other_rank, waited);
}

void RankProgram::begin_call() {
  const CallPlan& plan = plan_of(*call_->function);
  if (call_->function->role == trace::Role::kIo) ++stage_.free_calls["files"];
  if (plan.act == Act::kLock) ++stage_.free_calls["locks of windows"];
  if (plan.is_started_later && call_->function->makes_request) return make_slot();
  dispatch(plan);
}

void RankProgram::dispatch(const CallPlan& plan) {
  const trace::CallInstance& call = *call_;
  switch (plan.act) {
  case Act::kNothing:
  case Act::kLock:
  case Act::kFile:
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
  case Act::kCancel:
    return cancel(own_word(plan.request, trace::kNull));
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

// Words -------------------------------------------------------------------------------------------

std::int64_t RankProgram::named_word(std::string_view field) const {
  return own_word(call_->function->word_of(field), trace::kNothing);
}

std::uint64_t RankProgram::type_bytes(std::int64_t type) {
  const auto known = source_.type_bytes(type);
  if (!known) ++stage_.unknown_sizes;
  return known.value_or(0);
}

std::uint64_t RankProgram::bytes(std::int64_t count, std::int64_t type) {
  return count <= 0 ? 0 : static_cast<std::uint64_t>(count) * type_bytes(type);
}

} // namespace rondo::simulate::internal
