// SPDX-License-Identifier: Apache-2.0
#include "convert/paraver/prv_stream.hpp"

#include <algorithm>

namespace rondo::convert::internal {
namespace {

constexpr int kRunning = 1;

} // namespace

PrvStream::PrvStream(PrvRun& run, const trace::RankClass& rank_class, std::int64_t rank)
    : run_(run), rank_(rank), prefix_(run.places.prefix(rank, rank_class.thread)),
      reader_(run.trace, rank_class, rank), clock_(run.trace, rank_class, rank),
      messages_(run.messages, reader_, rank_class.thread), sizes_(run.trace, reader_),
      has_tail_(rank_class.thread == 0) {
  take_next();
}

// A call's records have three times: where computation before it begins, its begin and its end.
void PrvStream::take_next() {
  const std::uint64_t before_ns = clock_.end_ns();
  call_ = reader_.next();
  if (call_ == nullptr) {
    const auto& facts = run_.trace.ranks[static_cast<std::size_t>(rank_)];
    const std::uint64_t said_ns = std::min(clock_.computation_ns(), facts.computation_ns);
    const std::uint64_t room_ns = run_.duration_ns - std::min(run_.duration_ns, before_ns);
    tail_ns_ = has_tail_ ? std::min(facts.computation_ns - said_ns, room_ns) : 0;
    phase_ = tail_ns_ > 0 ? Phase::kTail : Phase::kDone;
    next_ns_ = before_ns;
    return;
  }
  interval_ = clock_.next(call_->symbol);
  is_wanted_ = interval_.end_ns >= run_.options.from_ns &&
               interval_.begin_ns <= run_.options.until_ns &&
               (!run_.options.ranks || run_.options.ranks->contains(rank_));
  run_.outside += is_wanted_ ? 0 : 1;
  const bool runs = is_wanted_ && interval_.computation_ns > 0;
  phase_ = runs ? Phase::kRun : Phase::kBegin;
  next_ns_ = interval_.begin_ns - (runs ? interval_.computation_ns : 0);
}

void PrvStream::write(PrvQueue& queue) {
  switch (phase_) {
  case Phase::kRun:
    state(queue.text(), next_ns_, interval_.begin_ns, kRunning);
    phase_ = Phase::kBegin;
    next_ns_ = interval_.begin_ns;
    return;
  case Phase::kBegin:
    begin(queue);
    phase_ = Phase::kEnd;
    next_ns_ = interval_.end_ns;
    return;
  case Phase::kEnd:
    if (is_wanted_) {
      event(queue.text(), interval_.end_ns, 0);
      queue.text() += '\n';
    }
    return take_next();
  case Phase::kTail:
    state(queue.text(), next_ns_, next_ns_ + tail_ns_, kRunning);
    phase_ = Phase::kDone;
    return;
  case Phase::kDone:
    return;
  }
}

void PrvStream::begin(PrvQueue& queue) {
  if (is_wanted_) {
    said_ = known_call();
    std::string& out = queue.text();
    if (interval_.begin_ns < interval_.end_ns)
      state(out, interval_.begin_ns, interval_.end_ns, said_.state);
    event(out, interval_.begin_ns, said_.value);
    if (call_->function->role == trace::Role::kCollective) say_collective(out);
    out += '\n';
  }
  exchange(queue);
}

// What the call sends, and what has come when it ends. Messages of calls that are not written are
// followed all the same, as others may be waiting for them.
void PrvStream::exchange(PrvQueue& queue) {
  for (const CallMessage& one : messages_.of(*call_, interval_.begin_ns)) {
    if (one.is_sent)
      queue.send(one.id, {prefix_, interval_.begin_ns, one.bytes, one.tag, is_wanted_});
    else
      queue.receive(one.id, {prefix_, one.posted, interval_.end_ns, is_wanted_});
  }
}

void PrvStream::state(std::string& out, std::uint64_t begin_ns, std::uint64_t end_ns,
                      int state) const {
  out += "1:";
  out += prefix_;
  append_number(out, static_cast<std::int64_t>(begin_ns));
  out += ':';
  append_number(out, static_cast<std::int64_t>(end_ns));
  out += ':';
  append_number(out, state);
  out += '\n';
}

void PrvStream::event(std::string& out, std::uint64_t time_ns, std::int64_t value) const {
  out += "2:";
  out += prefix_;
  append_number(out, static_cast<std::int64_t>(time_ns));
  out += ':';
  append_number(out, said_.type);
  out += ':';
  append_number(out, value);
}

void PrvStream::say_collective(std::string& out) const {
  const int comm_word = call_->function->comm_word();
  const std::int64_t slot =
      comm_word < 0 ? trace::kNothing : call_->words[static_cast<std::size_t>(comm_word)];
  const auto said = [&](std::int64_t offset, std::int64_t value) {
    if (value == trace::kNothing) return;
    out += ':';
    append_number(out, kFirstSizeEvent + offset);
    out += ':';
    append_number(out, value);
  };
  const CollectiveFacts facts = sizes_.of(*call_, reader_.positions().of(slot).rank);
  said(0, facts.sent);
  said(1, facts.received);
  const std::uint64_t comm = run_.places.comm_id(rank_, slot);
  if (comm > 0) said(3, static_cast<std::int64_t>(comm));
  if (facts.is_root) said(2, 1);
}

ExtraeCall PrvStream::known_call() {
  const auto [found, is_new] = calls_.try_emplace(call_->function->id);
  if (is_new) {
    found->second = extrae_call(*call_->function);
    run_.functions[found->second.type][found->second.value] = call_->function->name;
  }
  return found->second;
}

} // namespace rondo::convert::internal
