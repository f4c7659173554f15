// SPDX-License-Identifier: Apache-2.0
#include "simulate/transport/activity.hpp"

#include "simulate/transport/schedule_builder.hpp"

#include <algorithm>

namespace rondo::simulate::internal {
namespace {

constexpr int kMostWork = 4096; // before others have their turn, so that no rank runs far ahead

} // namespace

void Activity::run() {
  is_idle_ = false;
  for (int done = 0; done < kMostWork; ++done) {
    if (pending_ > 0) return;
    finish_waits();
    if (next_step_ < steps_.size()) {
      begin_step(steps_[next_step_++]);
    } else if (const Work work = next_work(); work != Work::kBegun) {
      is_over_ = work == Work::kOver;
      is_idle_ = work == Work::kLater;
      return;
    }
  }
  if (pending_ == 0) transport_.make_ready(*this);
}

void Activity::wait_for(Request* request) {
  waits_.push_back(request);
  if (ScheduleBuilder* const schedule = transport_.schedule()) schedule->wait(id_, *request);
  if (request->is_done) return;
  request->waiter = this;
  ++pending_;
}

std::size_t Activity::let_go() {
  std::size_t count = 0;
  for (Request* request : waits_) {
    if (request->is_done) continue;
    request->is_given_up = true;
    transport_.finish(*request, clock_);
    ++count;
  }
  return count;
}

void Activity::play(const std::vector<Step>& steps, std::uint32_t comm, std::int64_t tag) {
  steps_ = steps;
  next_step_ = 0;
  steps_comm_ = comm;
  steps_tag_ = tag;
}

// Steps up to the first that is waited for.
void Activity::begin_step(const Step& first) {
  const auto own = static_cast<std::int32_t>(rank_);
  for (const Step* step = &first;; step = &steps_[next_step_++]) {
    if (step->from >= 0) {
      const ChannelKey key{steps_comm_, step->from, own, 0, steps_tag_};
      wait_for(transport_.receive(clock_, *this, transport_.channel_of(key)));
    }
    if (step->to >= 0) {
      const ChannelKey key{steps_comm_, own, step->to, 0, steps_tag_};
      wait_for(transport_.send(clock_, *this, transport_.channel_of(key), step->bytes,
                               transport_.step_mode()));
    }
    if (!step->goes_on || next_step_ == steps_.size()) return;
  }
}

void Activity::finish_waits() {
  if (waits_.empty()) return;
  if (ScheduleBuilder* const schedule = transport_.schedule()) schedule->finish(id_);
  if (waits_.size() > 1) { // messages come through the port in the order of their arrival
    std::stable_sort(waits_.begin(), waits_.end(),
                     [](const Request* a, const Request* b) { return a->finish < b->finish; });
  }
  for (Request* request : waits_) {
    complete(*request);
    if (!keeps_requests_) transport_.release(request);
  }
  waits_.clear();
  keeps_requests_ = false;
}

void Activity::complete(Request& request) {
  const double before = clock_;
  const bool is_receive = request.kind == Request::Kind::kReceive;
  const double end = is_receive ? transport_.arrival(rank_, request) : request.finish;
  if (end > clock_) {
    ledger_.delay(id_, {end, request.cause_time, request.cause, call_name()});
    clock_ = end;
  }
  if (RunGraph* const graph = transport_.graph()) point_ = graph->join(point_, request.other_point);
  if (is_receive) clock_ += transport_.model().overhead_s;
  completed(request, before);
  request.waiter = nullptr;
  if (keeps_requests_) request.kind = Request::Kind::kTimed; // it has cost what it costs
}

BackgroundActivity::BackgroundActivity(std::uint32_t id, const Activity& starter, Request* done,
                                       CallName name, Transport& transport, Ledger& ledger)
    : Activity(id, starter.rank(), starter.clock(), transport, ledger), done_(done), name_(name) {
  actor_ = starter.actor();
  point_ = starter.point();
  ledger.begin_activity(id, starter.id(), starter.clock(), name);
  if (ScheduleBuilder* const schedule = transport.schedule())
    schedule->begin(id, starter.id(), *done);
}

Activity::Work BackgroundActivity::next_work() {
  done_->finish = clock_;
  done_->cause = id_;
  done_->cause_time = clock_;
  done_->other_point = point_;
  transport_.resolve(*done_);
  return Work::kOver;
}

// The request says what the operation waited for last.
void BackgroundActivity::completed(const Request& request, double) {
  if (request.other_rank < 0 || request.other_start < done_->other_start) return;
  done_->other_start = request.other_start;
  done_->other_rank = request.other_rank;
  done_->other_actor = request.other_actor;
}

} // namespace rondo::simulate::internal
