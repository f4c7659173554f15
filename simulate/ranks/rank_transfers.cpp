// SPDX-License-Identifier: Apache-2.0
// Sends, receives and probes of one rank.
#include "simulate/ranks/rank_program.hpp"

namespace rondo::simulate::internal {

using trace::is_special;

namespace {

SendMode mode_of(trace::SendKind kind) {
  switch (kind) {
  case trace::SendKind::kSynchronous:
    return SendMode::kSynchronous;
  case trace::SendKind::kBuffered:
    return SendMode::kBuffered;
  case trace::SendKind::kStandard:
  case trace::SendKind::kReady: // the receive is there, so it may go at once anyway
    return SendMode::kStandard;
  }
  return SendMode::kStandard;
}

} // namespace

std::optional<std::uint32_t> RankProgram::channel_of(std::int64_t comm, std::int64_t peer,
                                                     std::int64_t tag, bool is_send,
                                                     std::uint32_t line) {
  Target& last = targets_[std::size_t{call_->symbol} * 2 + (is_send ? 1 : 0)];
  if (line == 0 && last.peer == peer && last.tag == tag && last.comm == comm) return last.channel;
  const trace::Communicators::View& view = source_.comm(comm);
  const auto world = static_cast<std::int32_t>(view.world_rank(peer));
  if (world < 0) {
    unsupported("has a peer or communicator that the trace does not know");
    return std::nullopt;
  }
  const auto own = static_cast<std::int32_t>(rank_);
  const ChannelKey key{view.id, is_send ? own : world, is_send ? world : own, line, tag};
  const std::uint32_t channel = transport_.channel_of(key);
  if (line == 0) last = {comm, peer, tag, channel};
  return channel;
}

// Nothing for MPI_PROC_NULL and for receives that were cancelled.
Request* RankProgram::post_receive(const CallView& call, bool is_blocking, std::uint32_t line) {
  const std::int64_t comm = call.comm();
  const std::int64_t source = call.source();
  const std::int64_t tag = call.receive_tag();
  if (is_special(source) && source != trace::kAnySource) return nullptr;
  const bool is_wild = source == trace::kAnySource || tag == trace::kAnyTag;
  if (!source_.knows_envelopes()) {
    const UnknownReceive receive{nullptr, comm, source, tag, line, is_wild};
    if (is_wild || unknown_.hold_up(receive)) return post_unknown(receive, call, is_blocking);
  }
  if (!is_wild && !source_.may_cancel()) {
    const auto channel = channel_of(comm, source, tag, false, line);
    return channel ? transport_.receive(clock_, *this, *channel) : nullptr;
  }
  const auto envelope = source_.take_envelope(calls_ - 1);
  if (!envelope) {
    // Without MPI_Cancel somebody should have sent it: it waits in vain, and the replay says so.
    return source_.may_cancel() ? nullptr : transport_.open_request();
  }
  const trace::Communicators::View& view = source_.comm(comm);
  const ChannelKey key{view.id, static_cast<std::int32_t>(envelope->source),
                       static_cast<std::int32_t>(rank_), line, envelope->tag};
  return transport_.receive(clock_, *this, transport_.channel_of(key));
}

Request* RankProgram::post_send(const CallView& call, std::uint32_t line) {
  if (is_special(call.dest())) return nullptr;
  const auto channel = channel_of(call.comm(), call.dest(), call.send_tag(), true, line);
  if (!channel) return nullptr;
  const std::uint64_t size =
      bytes(call.send_count(), call.send_type()) *
      static_cast<std::uint64_t>(std::max<std::int64_t>(call.partitions(), 0));
  return transport_.send(clock_, *this, *channel, size, mode_of(call.means().send_kind));
}

// A request goes to whoever will ask for it: its slot, the call that waits, or those made.
void RankProgram::give(Slot* slot, Request* request) {
  if (slot != nullptr) {
    slot->active = request != nullptr ? request : transport_.timed(clock_);
  } else if (call_->function->makes_request) {
    open_.add(request != nullptr ? request : transport_.timed(clock_));
  } else if (request != nullptr) {
    wait_for(request);
  }
}

void RankProgram::transfer(const CallView& call, Slot* slot, std::uint32_t line) {
  const bool is_both = call.means().sends() && call.means().receives();
  const bool is_blocking = slot == nullptr && !call_->function->makes_request;
  if (!is_both) {
    Request* request =
        call.means().sends() ? post_send(call, line) : post_receive(call, is_blocking, line);
    return give(slot, request);
  }
  Request* receive = post_receive(call, is_blocking, line);
  Request* send = post_send(call, line);
  if (is_blocking) {
    if (receive != nullptr) wait_for(receive);
    if (send != nullptr) wait_for(send);
    return;
  }
  Request* both = transport_.open_request(); // MPI_Isendrecv
  stage_.background.push_back(std::make_unique<BackgroundActivity>(
      stage_.next_id++, *this, both, call_name(), transport_, ledger_));
  BackgroundActivity& activity = *stage_.background.back();
  activity.begin(receive != nullptr ? receive : transport_.timed(clock_),
                 send != nullptr ? send : transport_.timed(clock_));
  open_.add(both);
  activity.run();
}

void RankProgram::probe(const CallView& call) {
  if (!call.has_found()) return;
  const trace::StatusWords status = call.status();
  const std::int64_t source = status.says_something ? status.source : call.source();
  const std::int64_t tag = status.says_something ? status.tag : call.receive_tag();
  if (is_special(source) && source != trace::kAnySource) return; // MPI_PROC_NULL
  if (source == trace::kAnySource || tag == trace::kAnyTag)
    return unsupported("from anywhere does not say what it found");
  const auto channel = channel_of(call.comm(), source, tag, false, 0);
  if (!channel) return;
  wait_for(call.means().act == trace::Act::kMatchedProbe
               ? transport_.receive(clock_, *this, *channel)
               : transport_.probe(clock_, *this, *channel));
}

} // namespace rondo::simulate::internal
