// SPDX-License-Identifier: Apache-2.0
#include "convert/simgrid_ti/rank_actions.hpp"

#include "trace/mpi_names.hpp"

#include <algorithm>

namespace rondo::convert::internal {
namespace {

using trace::Act;
using trace::CallView;
using trace::Function;
using trace::is_special;
using trace::Mode;
using trace::Role;

// A send that ends when the buffer is free, whoever receives; or no send at all.
bool ends_with_its_buffer(const trace::CallMeaning& means) {
  return means.send_kind == trace::SendKind::kStandard ||
         means.send_kind == trace::SendKind::kReady;
}

} // namespace

RankActions::RankActions(Export& run, const trace::RankClass& rank_class, std::int64_t rank)
    : run_(run), rank_(rank), envelopes_(run.receives, rank, rank_class.thread),
      reader_(run.trace, rank_class, rank), computation_(run.trace, rank_class, rank, run.times),
      lines_(rank), amounts_(run, rank) {}

bool RankActions::next(std::string& out) {
  call_ = reader_.next();
  if (call_ == nullptr) return false;
  ++calls_;
  lines_.write_to(out);
  lines_.compute(computation_.before(call_->symbol) * run_.flops_per_second);
  if (call_->error == 0) call();
  return true;
}

void RankActions::call() {
  const Function& function = *call_->function;
  const CallView call(trace::meaning_of(function), call_->words);
  switch (call.means().act) {
  case Act::kTransfer:
    if (call.means().is_partitioned) return refuse("is partitioned");
    if (!ends_with_its_buffer(call.means()) && !lowers("is no standard send", "as a standard send"))
      return;
    if (function.mode == Mode::kPersistent)
      return requests_.add_slot({call_->function, call_->words, {}});
    return transfer(function, call_->words, nullptr);
  case Act::kTakeMatched:
    return refuse("receives what a probe has found");
  case Act::kComplete:
  case Act::kAskPartition:
    return complete();
  case Act::kCollective:
    return function.role == Role::kNeighbor ? refuse("is a neighbour collective") : collective();
  case Act::kProbe:
  case Act::kMatchedProbe:
    return probe(call);
  case Act::kStart:
    if (call.means().request >= 0) return start(call.request());
    for (const std::int64_t request : array(call.requests())) start(request);
    return;
  case Act::kFreeRequest:
    return free_request(call.request());
  case Act::kReady:
  case Act::kOwnRequest:
    return refuse("is about requests that no action has");
  case Act::kMakeComm:
  case Act::kFreeComm:
  case Act::kDisconnect:
    return communicator();
  case Act::kInit:
    return lines_.line("init");
  case Act::kFinalize:
    return lines_.line("finalize");
  case Act::kMakeWindow:
  case Act::kFreeWindow:
  case Act::kAttach:
  case Act::kFence:
  case Act::kExpose:
  case Act::kEndExposure:
  case Act::kAccess:
  case Act::kEndAccess:
  case Act::kLock:
  case Act::kFlush:
  case Act::kOneSided:
    return refuse("is one-sided");
  case Act::kFile:
  case Act::kFileAccess:
    lowers("is about files", "left out");
    if (function.makes_request) requests_.add({});
    return;
  case Act::kProcess:
    return refuse("starts or meets processes outside the run");
  case Act::kNameObject:
    if (function.role == Role::kComm) communicator();
    if (function.role == Role::kWin) refuse("is one-sided");
    return;
  case Act::kLocal:
    if (function.role == Role::kRma) refuse("is one-sided");
    return;
  case Act::kCancel: // what came is known
  case Act::kAbort: // groups, datatypes, operations, markers: nothing that a network sees
  case Act::kPhaseBegin:
  case Act::kPhaseEnd:
  case Act::kMakeObject:
  case Act::kAskObject:
  case Act::kFreeObject:
    return;
  }
}

void RankActions::probe(const CallView& call) {
  if (trace::word_or(call.words(), call.means().flag, 1) == 0) return;
  if (call.means().act == Act::kMatchedProbe) return refuse("is a probe that takes the message");
  lowers("is a probe", "left out");
}

void RankActions::communicator() {
  static const Function* const kDup = trace::find_function(mpi::Comm_dup);
  static const Function* const kSplit = trace::find_function(mpi::Comm_split);
  if (call_->function == kDup) return lines_.line("comm_dup");
  if (call_->function == kSplit) return lines_.line("comm_split");
  if (call_->function->makes_request) {
    lowers("makes a communicator without blocking", "left out");
    return requests_.add({});
  }
  ++run_.left_out["calls that make or name communicators"];
}

std::span<const std::int64_t> RankActions::array(std::int64_t index) const {
  const auto& arrays = reader_.program().arrays;
  if (is_special(index) || static_cast<std::uint64_t>(index) >= arrays.size()) return {};
  return arrays[static_cast<std::size_t>(index)];
}

std::int64_t RankActions::tag_on(std::int64_t comm, std::int64_t tag) {
  if (is_special(tag)) tag = 0; // imported sendRecv, whose messages SimGrid gives this tag
  return run_.tags.of(run_.comms.of(rank_, comm).id, tag);
}

// Nothing for MPI_PROC_NULL and for receives that were cancelled.
std::optional<RequestKey> RankActions::receive_key(const CallView& call) {
  const std::int64_t source = call.source();
  const std::int64_t tag = call.receive_tag();
  const std::int64_t comm = call.comm();
  if (is_special(source) && source != trace::kAnySource) return std::nullopt;
  const bool is_wild = source == trace::kAnySource || tag == trace::kAnyTag;
  if (is_wild || run_.receives.may_cancel(rank_)) {
    const auto envelope = envelopes_.take(calls_ - 1);
    if (envelope) return RequestKey{envelope->source, rank_, tag_on(comm, envelope->tag)};
    if (!run_.receives.may_cancel(rank_)) refuse("got no message in the trace");
    return std::nullopt;
  }
  const std::int64_t world = run_.comms.of(rank_, comm).world_rank(source);
  if (world < 0) {
    refuse("has a peer or communicator that the trace does not know");
    return std::nullopt;
  }
  return RequestKey{world, rank_, tag_on(comm, tag)};
}

std::optional<RequestKey> RankActions::send_key(const CallView& call) {
  if (is_special(call.dest())) return std::nullopt;
  const std::int64_t world = run_.comms.of(rank_, call.comm()).world_rank(call.dest());
  if (world < 0) {
    refuse("has a peer or communicator that the trace does not know");
    return std::nullopt;
  }
  return RequestKey{rank_, world, tag_on(call.comm(), call.send_tag())};
}

void RankActions::post(std::string_view action, std::int64_t peer, const RequestKey& key,
                       Amount amount) {
  if (amount.count > kMostInt) return refuse("has a count that SimGrid cannot read");
  lines_.put(action, {peer, key.tag, amount.count, amount.type});
}

// MPI_Sendrecv becomes irecv, isend and two waits: SimGrid's sendRecv has no tags.
void RankActions::transfer(const Function& function, const Words& words, RequestSlot* slot) {
  const CallView call(trace::meaning_of(function), words);
  const bool receives = call.means().receives();
  const bool sends = call.means().sends();
  const bool is_blocking = slot == nullptr && !function.makes_request;
  const auto received = receives ? receive_key(call) : std::nullopt;
  const auto sent = sends ? send_key(call) : std::nullopt;
  const bool is_plain = is_blocking && receives != sends;
  if (received) {
    post(is_plain ? "recv" : "irecv", received->source, *received,
         amount(call.receive_count(), call.receive_type()));
  }
  if (sent) {
    post(is_plain ? "send" : "isend", sent->dest, *sent,
         amount(call.send_count(), call.send_type()));
  }
  if (is_plain) return;
  RequestKeys keys;
  if (received) keys.push_back(*received);
  if (sent) keys.push_back(*sent);
  open_keys_ += keys.size();
  if (is_blocking) {
    for (const RequestKey& key : keys) wait(key);
  } else if (slot != nullptr) {
    slot->active = std::move(keys);
  } else {
    requests_.add(std::move(keys));
  }
}

} // namespace rondo::convert::internal
