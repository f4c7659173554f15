// SPDX-License-Identifier: Apache-2.0
// Sends, receives and probes of one rank.
#include "simulate/ranks/rank_transfers.hpp"

#include <algorithm>

namespace rondo::simulate::internal {

using trace::CallView;
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

std::optional<std::uint32_t> RankTransfers::channel_of(std::int64_t comm, std::int64_t peer,
                                                       std::int64_t tag, bool is_send,
                                                       std::uint32_t line) {
  Target& last = targets_[std::size_t{rank_.call().symbol} * 2 + (is_send ? 1 : 0)];
  if (line == 0 && last.peer == peer && last.tag == tag && last.comm == comm) return last.channel;
  const trace::Communicators::View& view = rank_.source().comm(comm);
  const auto world = static_cast<std::int32_t>(view.world_rank(peer));
  if (world < 0) {
    const bool is_outsider = peer >= 0 && peer < view.peer_count;
    if (rank_.stage().passes_outsiders && is_outsider) return std::nullopt;
    rank_.unsupported("has a peer or communicator that the trace does not know");
    return std::nullopt;
  }
  const auto own = static_cast<std::int32_t>(rank_.rank());
  const ChannelKey key{view.id, is_send ? own : world, is_send ? world : own, line, tag};
  const std::uint32_t channel = rank_.transport().channel_of(key);
  if (line == 0) last = {comm, peer, tag, channel};
  return channel;
}

// Nothing for MPI_PROC_NULL, for receives that were cancelled, and for processes that are passed.
Request* RankTransfers::post_receive(const CallView& call, bool is_blocking, std::uint32_t line) {
  const std::int64_t comm = call.comm();
  const std::int64_t source = call.source();
  const std::int64_t tag = call.receive_tag();
  if (is_special(source) && source != trace::kAnySource) return nullptr;
  const bool is_wild = source == trace::kAnySource || tag == trace::kAnyTag;
  if (!rank_.source().knows_envelopes()) {
    const UnknownReceive receive{nullptr, comm, source, tag, line, is_wild};
    if (is_wild || wildcards_.hold_up(receive)) return wildcards_.post(receive, call, is_blocking);
  }
  if (!is_wild && !rank_.source().may_cancel()) {
    const auto channel = channel_of(comm, source, tag, false, line);
    return channel ? rank_.transport().receive(rank_.clock(), rank_, *channel) : nullptr;
  }
  const auto envelope = rank_.source().take_envelope(rank_.calls() - 1);
  if (!envelope) {
    // Without MPI_Cancel somebody should have sent it: it waits in vain, and the replay says so.
    const bool may_have_none = rank_.source().may_cancel() || rank_.stage().passes_outsiders;
    return may_have_none ? nullptr : rank_.transport().open_request();
  }
  const trace::Communicators::View& view = rank_.source().comm(comm);
  const ChannelKey key{view.id, static_cast<std::int32_t>(envelope->source),
                       static_cast<std::int32_t>(rank_.rank()), line, envelope->tag};
  return rank_.transport().receive(rank_.clock(), rank_, rank_.transport().channel_of(key));
}

Request* RankTransfers::post_send(const CallView& call, std::uint32_t line) {
  if (is_special(call.dest())) return nullptr;
  const auto channel = channel_of(call.comm(), call.dest(), call.send_tag(), true, line);
  if (!channel) return nullptr;
  const std::uint64_t size =
      rank_.bytes(call.send_count(), call.send_type()) *
      static_cast<std::uint64_t>(std::max<std::int64_t>(call.partitions(), 0));
  return rank_.transport().send(rank_.running_clock(), rank_, *channel, size,
                                mode_of(call.means().send_kind));
}

// A request goes to whoever will ask for it: its slot, the call that waits, or those made.
void RankTransfers::give(OpenRequests::Slot* slot, Request* request) {
  if (slot != nullptr) {
    slot->active = request != nullptr ? request : rank_.transport().timed(rank_.clock());
  } else if (rank_.call().function->makes_request) {
    rank_.open().add(request != nullptr ? request : rank_.transport().timed(rank_.clock()));
  } else if (request != nullptr) {
    rank_.wait_for(request);
  }
}

void RankTransfers::transfer(const CallView& call, OpenRequests::Slot* slot, std::uint32_t line) {
  const bool is_both = call.means().sends() && call.means().receives();
  const bool is_blocking = slot == nullptr && !rank_.call().function->makes_request;
  if (!is_both) {
    Request* request =
        call.means().sends() ? post_send(call, line) : post_receive(call, is_blocking, line);
    return give(slot, request);
  }
  Request* receive = post_receive(call, is_blocking, line);
  Request* send = post_send(call, line);
  if (is_blocking) {
    if (receive != nullptr) rank_.wait_for(receive);
    if (send != nullptr) rank_.wait_for(send);
    return;
  }
  Request* both = rank_.transport().open_request(); // MPI_Isendrecv
  BackgroundActivity& activity = rank_.new_background(both);
  activity.begin(receive != nullptr ? receive : rank_.transport().timed(rank_.clock()),
                 send != nullptr ? send : rank_.transport().timed(rank_.clock()));
  rank_.open().add(both);
  activity.run();
}

void RankTransfers::probe(const CallView& call) {
  if (!call.has_found()) return;
  const trace::StatusWords status = call.status();
  const std::int64_t source = status.says_something ? status.source : call.source();
  const std::int64_t tag = status.says_something ? status.tag : call.receive_tag();
  if (is_special(source) && source != trace::kAnySource) return; // MPI_PROC_NULL
  if (source == trace::kAnySource || tag == trace::kAnyTag)
    return rank_.unsupported("from anywhere does not say what it found");
  const auto channel = channel_of(call.comm(), source, tag, false, 0);
  if (!channel) return;
  rank_.wait_for(call.means().act == trace::Act::kMatchedProbe
                     ? rank_.transport().receive(rank_.clock(), rank_, *channel)
                     : rank_.transport().probe(rank_.clock(), rank_, *channel));
}

} // namespace rondo::simulate::internal
