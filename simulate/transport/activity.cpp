// SPDX-License-Identifier: Apache-2.0
#include "simulate/transport/activity.hpp"

#include "simulate/transport/schedule_builder.hpp"

#include <algorithm>

namespace rondo::simulate::internal {
namespace {

// Operations along trees have fewer steps, on any number of ranks.
constexpr std::size_t kMostKnown = 128;
constexpr std::ptrdiff_t kFew = 16;

bool is_before(const Request* a, const Request* b) { return a->finish < b->finish; }

// A few need no memory, as std::stable_sort() takes.
void sort_by_finish(std::vector<Request*>& requests) {
  const auto first = requests.begin();
  if (requests.end() - first > kFew) return std::stable_sort(first, requests.end(), is_before);
  for (auto each = first; each != requests.end(); ++each)
    std::rotate(std::upper_bound(first, each, *each, is_before), each, each + 1);
}

} // namespace

void Activity::run() {
  is_idle_ = false;
  for (; work_left_ > 0; --work_left_) {
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
  if (pending_ == 0) wake();
}

// Who woke it, and what both have touched last, are in the caches still: it goes on before others.
// When it has done enough all of them have their turn first.
void Activity::wake() {
  if (work_left_ > 0 && !transport_.minds_order()) return transport_.make_next(*this);
  work_left_ = kMostWork;
  transport_.make_ready(*this);
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

void Activity::play(std::vector<Step>&& steps, std::uint32_t comm, std::int64_t tag) {
  steps_ = std::move(steps);
  next_step_ = 0;
  steps_comm_ = comm;
  steps_tag_ = tag;
}

// Most often the same as in the operation before: with many ranks the table of all channels is in
// no cache.
std::uint32_t Activity::step_channel(std::int32_t peer, bool is_send) {
  const auto own = static_cast<std::int32_t>(rank_);
  const ChannelKey key{steps_comm_, is_send ? own : peer, is_send ? peer : own, 0, steps_tag_};
  const std::size_t at = (next_step_ - 1) * 2 + (is_send ? 1 : 0);
  if (steps_tag_ != kCollectiveTag || at >= kMostKnown) return transport_.channel_of(key);
  if (at >= known_.size()) known_.resize(at + 1);
  KnownChannel& known = known_[at];
  if (known.peer != peer || known.comm != steps_comm_)
    known = {steps_comm_, peer, transport_.channel_of(key)};
  return known.channel;
}

// Steps up to the first that is waited for.
void Activity::begin_step(const Step& first) {
  for (const Step* step = &first;; step = &steps_[next_step_++]) {
    if (step->from >= 0)
      wait_for(transport_.receive(clock_, *this, step_channel(step->from, false)));
    if (step->to >= 0)
      wait_for(transport_.send(clock_, *this, step_channel(step->to, true), step->bytes,
                               transport_.step_mode()));
    if (!step->goes_on || next_step_ == steps_.size()) return;
  }
}

void Activity::begin_round(RoundSide& own, bool sends) {
  own.posted = clock_;
  if (!sends) return;
  own.point = point_;
  own.start = clock_;
  own.first_byte = transport_.pass(clock_, own.bytes);
}

// As begin_step() and finish_waits().
void Activity::end_round(const RoundSide& own, const RoundSide* from, bool sends) {
  Request receive;
  if (from != nullptr) {
    receive.kind = Request::Kind::kReceive;
    receive.posted = own.posted;
    receive.finish = from->first_byte;
    receive.bytes = from->bytes;
    receive.other_start = receive.cause_time = from->start;
    receive.other_rank = from->activity->rank_;
    receive.other_actor = from->activity->actor_;
    receive.cause = from->activity->id_;
    receive.other_point = from->point;
  }
  const bool receives_first = from != nullptr && receive.finish <= clock_;
  if (receives_first) complete(receive);
  if (sends) {
    Request send;
    send.kind = Request::Kind::kSend;
    send.bytes = own.bytes;
    send.posted = own.start;
    send.finish = own.start + transport_.model().overhead_s;
    complete(send);
  }
  if (from != nullptr && !receives_first) complete(receive);
}

void Activity::finish_waits() {
  if (waits_.empty()) return;
  if (ScheduleBuilder* const schedule = transport_.schedule()) schedule->finish(id_);
  sort_by_finish(waits_); // messages come through the port in the order of their arrival
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
    if (ledger_.keeps_delays())
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
  last_ = {clock_, rank_, actor_};
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

// The request says who of the others came last, even if that was before its own rank.
void BackgroundActivity::completed(const Request& request, double) {
  if (request.other_rank < 0) return;
  const Coming other{request.other_start, request.other_rank, request.other_actor};
  if (other.at_s > last_.at_s) last_ = other;
  if (other.actor == actor_ || other.at_s < done_->other_start) return;
  done_->other_start = other.at_s;
  done_->other_rank = other.rank;
  done_->other_actor = other.actor;
}

} // namespace rondo::simulate::internal
