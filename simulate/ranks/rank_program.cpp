// SPDX-License-Identifier: Apache-2.0
#include "simulate/ranks/rank_program.hpp"

#include "simulate/repetition.hpp"
#include "simulate/transport/schedule_builder.hpp"

#include <algorithm>
#include <utility>

namespace rondo::simulate::internal {

using trace::Act;

RankProgram::RankProgram(Stage& stage, CallSource& source, std::int64_t rank)
    : RankActivity(static_cast<std::uint32_t>(rank), rank, 0, stage, source,
                   std::make_shared<RankObjects>()) {}

RankProgram::RankProgram(Stage& stage, CallSource& source, std::int64_t rank, double start_s)
    : RankActivity(stage.next_id++, rank, start_s, stage, source, std::make_shared<RankObjects>()) {
  mine().start_s = start_s;
}

RankProgram::RankProgram(Stage& stage, CallSource& source, const RankProgram& first)
    : RankActivity(stage.next_id++, first.rank(), 0, stage, source, first.objects_) {
  is_first_ = false;
  ledger_.begin_thread(id_, rank_);
}

Activity::Work RankProgram::next_work() {
  if (then_) {
    std::exchange(then_, nullptr)();
    return Work::kBegun;
  }
  if (is_in_call_) end_call();
  const CallSource::Next next = source_.next();
  if (next == CallSource::Next::kLater) return Work::kLater;
  if (next == CallSource::Next::kIteration) {
    stage_.at_iterations.push_back(this);
    return Work::kLater;
  }
  if (next == CallSource::Next::kEnd) {
    end();
    return Work::kOver;
  }
  call_ = &source_.call();
  is_access_ = call_view().means().act == Act::kAccess;
  is_in_call_ = true;
  ++calls_;
  if (Observer* observer = stage_.options.observer) observer->comes_to(actor_, *call_);
  compute();
  call_start_ = clock_;
  if (stage_.options.inside_s) spend_inside();
  if (adds_to_graph() && sends_only()) point_ = transport_.graph()->call(point_, spot());
  if (call_->error == 0) begin_call();
  return Work::kBegun;
}

void RankProgram::stop() {
  if (!is_over()) end();
}

bool RankProgram::is_quiet() const {
  return open_.is_empty() && windows_.is_quiet() && wildcards_.is_empty() &&
         objects_->windows.empty();
}

void RankProgram::end() {
  RankPrediction& row = mine();
  if (RunGraph* const graph = transport_.graph()) graph->end(point_);
  row.end_s = clock_;
  if (!is_first_) ledger_.end_thread(id_, clock_);
  row.communicating_s = clock_ - row.start_s - row.computing_s - row.waiting_s;
  row.calls = calls_;
  stage_.calls += calls_;
  stage_.ended += is_first_ ? 1 : 0;
}

void RankProgram::end_call() {
  if (adds_to_graph() && !sends_only()) point_ = transport_.graph()->call(point_, spot());
  clock_ = recorded_ ? recorded_->to_s : clock_ + std::exchange(behind_s_, 0);
  ledger_.passed(id_, call_start_, clock_, call_name(), false);
  source_.ended(call_start_, clock_);
  if (Observer* observer = stage_.options.observer)
    observer->called(actor_, call_name(), call_start_, clock_);
  is_in_call_ = false;
}

// What the rank computes before its call.
void RankProgram::compute() {
  const double held_up_s = source_.held_up_s(clock_);
  clock_ += held_up_s;
  mine().waiting_s += held_up_s;
  double seconds = source_.computing_s();
  if (stage_.options.scale) seconds *= stage_.options.scale(spot());
  recorded_ = source_.recorded();
  if (recorded_) clock_ = recorded_->from_s - seconds;
  if (seconds <= 0) return;
  if (ScheduleBuilder* const schedule = transport_.schedule()) schedule->compute(id_, seconds);
  if (RunGraph* const graph = transport_.graph()) point_ = graph->compute(point_, spot(), seconds);
  ledger_.passed(id_, clock_, clock_ + seconds, call_name(), true);
  if (Observer* observer = stage_.options.observer)
    observer->computed(actor_, call_name(), clock_, clock_ + seconds);
  clock_ += seconds;
  mine().computing_s += seconds;
}

// A message on its way takes no longer for what its sender does behind it.
void RankProgram::spend_inside() {
  (sends_only() ? clock_ : behind_s_) += stage_.options.inside_s(rank_, call_name());
}

bool RankProgram::sends_only() const {
  const trace::CallMeaning& means = call_view().means();
  return means.sends() && !means.receives();
}

void RankProgram::completed(const Request& request, double before) {
  Observer* const observer = stage_.options.observer;
  if (observer != nullptr && request.kind == Request::Kind::kSend && request.other_rank < 0)
    observer->completed_send(actor_, request.posted, request.bytes);
  if (request.other_rank < 0 || request.other_actor == actor_) return;
  if (stage_.drift != nullptr)
    stage_.drift->met(rank_, request.other_rank, request.other_start - before);
  const bool is_receive = request.kind == Request::Kind::kReceive;
  if (is_receive && is_access_) windows_.note_post(request);
  double reached = is_receive ? clock_ - transport_.model().overhead_s : clock_;
  if (recorded_) reached = std::min(reached, recorded_->to_s);
  // Of files it is not certain that all wait: who was done before the last came did not.
  if (recorded_ && request.other_start > recorded_->to_s &&
      (request.may_be_let_go || call_->function->role == trace::Role::kIo))
    reached = before;
  const double waited =
      std::clamp(request.other_start - before, 0.0, std::max(reached - before, 0.0));
  note_wait(request.other_rank, waited);
  if (observer == nullptr) return;
  const Met::For what = is_receive                              ? Met::For::kMessage
                        : request.kind == Request::Kind::kProbe ? Met::For::kMessage
                        : request.kind == Request::Kind::kSend  ? Met::For::kReceiver
                                                                : Met::For::kOperation;
  observer->met({actor_, call_name(), what, before, before + waited, request.other_actor,
                 request.other_start,
                 what == Met::For::kReceiver ? request.bytes : std::uint64_t{0}});
}

void RankProgram::begin_call() {
  const trace::CallView call = call_view();
  if (call_->function->role == trace::Role::kIo) ++stage_.free_calls["files"];
  if (call.means().act == Act::kLock && !stage_.locks) ++stage_.free_calls["locks of windows"];
  if (call.means().is_started_later && call_->function->makes_request) return requests_.make_slot();
  dispatch(call);
}

void RankProgram::dispatch(const trace::CallView& call) {
  switch (call.means().act) {
  case Act::kTransfer:
    return transfers_.transfer(call, nullptr, 0);
  case Act::kProbe:
  case Act::kMatchedProbe:
    return transfers_.probe(call);
  case Act::kComplete:
    return requests_.complete(call);
  case Act::kStart:
    return requests_.start_all(call);
  case Act::kReady:
    return requests_.ready(call);
  case Act::kFreeRequest:
    return requests_.free_request(call.request());
  case Act::kCancel:
    return wildcards_.cancel(call.request());
  case Act::kCollective:
    return collectives_.collective(call, nullptr);
  case Act::kMakeComm:
  case Act::kDisconnect:
    return collectives_.make_comm(call);
  case Act::kMakeWindow:
  case Act::kFreeWindow:
  case Act::kFence:
  case Act::kExpose:
  case Act::kEndExposure:
  case Act::kAccess:
  case Act::kEndAccess:
  case Act::kLock:
  case Act::kFlush:
  case Act::kOneSided:
    return windows_.call(call);
  case Act::kProcess:
    return collectives_.start_processes(call);
  case Act::kTakeMatched: // the probe has received
  case Act::kOwnRequest:
  case Act::kFile:
  case Act::kFileAccess: // over at once, or when all are there, and so is its request
    if (!collectives_.file_call() && call_->function->makes_request)
      open_.add(transport_.timed(clock_));
    return;
  case Act::kLocal:
  case Act::kInit:
  case Act::kFinalize:
  case Act::kAbort:
  case Act::kPhaseBegin:
  case Act::kPhaseEnd:
  case Act::kAskPartition:
  case Act::kFreeComm:
  case Act::kAttach:
  case Act::kMakeObject:
  case Act::kAskObject:
  case Act::kNameObject:
  case Act::kFreeObject:
    return;
  }
}

} // namespace rondo::simulate::internal
