// SPDX-License-Identifier: Apache-2.0
// Requests of an OTF2 location that is written: which are under way, and what ends them.
#include "convert/otf2/otf2_writing.hpp"

#include <algorithm>

namespace rondo::convert::internal {

using trace::CallMeaning;
using trace::CallView;
using trace::is_special;

// Requests are numbered in the order in which they are made, whatever they are of.
void Otf2Events::made(const Pending& pending) {
  if (call_->function->makes_request) open_.add(pending);
}

// A matched probe has received: the receive that takes its message only says where to.
void Otf2Events::keep_matched(const CallView& call) {
  const trace::StatusWords status = call.status();
  const std::int64_t message = call.words()[static_cast<std::size_t>(call.means().message)];
  if (is_special(message) || !status.says_something || is_special(status.source)) return;
  matched_[message] = {static_cast<std::uint32_t>(status.source),
                       run_.comms.of(rank_, call.comm()).id, static_cast<std::uint32_t>(status.tag),
                       static_cast<std::uint64_t>(std::max<std::int64_t>(status.bytes, 0))};
}

Otf2Events::Pending Otf2Events::take_matched(const CallView& call, bool is_blocking) {
  Pending pending;
  const auto found = matched_.find(call.words()[static_cast<std::size_t>(call.means().message)]);
  if (found == matched_.end()) return pending;
  pending.id = ++ids_;
  pending.what = found->second;
  say_receive(found->second, pending.id, is_blocking);
  matched_.erase(found);
  return pending;
}

void Otf2Events::say_receive(const Receive& from, std::uint64_t id, bool is_blocking) {
  if (!writes_) return;
  if (is_blocking)
    OTF2_EvtWriter_MpiRecv(writer_, nullptr, end_ns_, from.source, from.comm, from.tag, from.bytes);
  else
    OTF2_EvtWriter_MpiIrecvRequest(writer_, nullptr, begin_ns_, id);
}

void Otf2Events::start(std::int64_t reference) {
  Slot* const slot = slots_.find(reference);
  if (slot != nullptr) slot->active = exchange(slot->exchange, slot->function, false);
}

Otf2Events::Pending* Otf2Events::pending(std::int64_t reference) {
  if (is_special(reference) || trace::is_foreign(reference)) return nullptr;
  if (!trace::is_persistent(reference))
    return open_.find(open_.last() - trace::age_or_slot(reference));
  Slot* const slot = slots_.find(reference);
  return slot == nullptr ? nullptr : &slot->active;
}

// It goes on, but nobody will hear of its end.
void Otf2Events::forget(std::int64_t reference) {
  if (is_special(reference) || trace::is_foreign(reference)) return;
  if (trace::is_persistent(reference))
    slots_.free(reference);
  else
    open_.erase(open_.last() - trace::age_or_slot(reference));
}

void Otf2Events::test_one(std::int64_t reference) {
  const Pending* const request = pending(reference);
  if (!writes_ || request == nullptr || request->id == 0) return;
  if (const auto* transfer = std::get_if<OneSided>(&request->what))
    OTF2_EvtWriter_RmaOpTest(writer_, nullptr, end_ns_, transfer->window, request->id);
  else if (const auto* access = std::get_if<Access>(&request->what))
    OTF2_EvtWriter_IoOperationTest(writer_, nullptr, end_ns_, access->handle, request->id);
  else
    OTF2_EvtWriter_MpiRequestTest(writer_, nullptr, end_ns_, request->id);
}

void Otf2Events::say_end(const Pending& request) {
  if (const auto* from = std::get_if<Receive>(&request.what))
    OTF2_EvtWriter_MpiIrecv(writer_, nullptr, end_ns_, from->source, from->comm, from->tag,
                            from->bytes, request.id);
  else if (std::holds_alternative<Unreceived>(request.what))
    OTF2_EvtWriter_MpiRequestCancelled(writer_, nullptr, end_ns_, request.id);
  else if (const auto* one = std::get_if<Operation>(&request.what))
    OTF2_EvtWriter_NonBlockingCollectiveComplete(writer_, nullptr, end_ns_, one->op, one->comm,
                                                 one->root, one->sent, one->received, request.id);
  else if (const auto* transfer = std::get_if<OneSided>(&request.what))
    OTF2_EvtWriter_RmaOpCompleteNonBlocking(writer_, nullptr, end_ns_, transfer->window,
                                            request.id);
  else if (const auto* access = std::get_if<Access>(&request.what))
    OTF2_EvtWriter_IoOperationComplete(writer_, nullptr, end_ns_, access->handle, access->bytes,
                                       access->id);
  else if (std::holds_alternative<Send>(request.what))
    OTF2_EvtWriter_MpiIsendComplete(writer_, nullptr, end_ns_, request.id);
}

// A call outside of the window ends it unsaid.
void Otf2Events::complete_one(std::int64_t reference) {
  Pending* const request = pending(reference);
  if (request == nullptr) return;
  if (writes_) say_end(*request);
  if (trace::is_persistent(reference))
    *request = {};
  else
    open_.erase(open_.last() - trace::age_or_slot(reference));
}

void Otf2Events::complete(const CallView& call) {
  const CallMeaning& means = call.means();
  if (means.keeps_request) return;
  const std::vector<std::int64_t>& requests = array(call.requests());
  if (!call.has_found()) {
    if (means.request >= 0) test_one(call.request());
    for (const std::int64_t one : requests) test_one(one);
    return;
  }
  if (means.request >= 0) return complete_one(call.request());
  if (means.index < 0 && means.indices < 0) {
    for (const std::int64_t one : requests) complete_one(one);
    return;
  }
  std::vector<std::int64_t> indices = {call.index()};
  if (means.indices >= 0) indices = array(call.indices());
  for (const std::int64_t index : indices) {
    if (!is_special(index) && static_cast<std::uint64_t>(index) < requests.size())
      complete_one(requests[static_cast<std::size_t>(index)]);
  }
}

} // namespace rondo::convert::internal
