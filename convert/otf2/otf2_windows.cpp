// SPDX-License-Identifier: Apache-2.0
// One-sided communication of an OTF2 location that is written.
#include "convert/calls/call_forms.hpp"
#include "convert/otf2/otf2_writing.hpp"
#include "trace/mpi_names.hpp"

#include <algorithm>

namespace rondo::convert::internal {

using trace::Act;
using trace::CallMeaning;
using trace::CallView;
using trace::is_special;

namespace {

OTF2_RmaAtomicType atomic_type(const CallMeaning& means) {
  if (means.compares) return OTF2_RMA_ATOMIC_TYPE_COMPARE_AND_SWAP;
  return means.gives_back ? OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ACCUMULATE
                          : OTF2_RMA_ATOMIC_TYPE_ACCUMULATE;
}

} // namespace

void Otf2Events::make_window(const CallView& call) {
  const auto comm = run_.comms.of(rank_, call.comm()).id;
  if (comm == trace::Communicators::kUnknown) return unsaid();
  Window& window = windows_[call.window()];
  window = {run_.objects.window(comm, windows_made_[comm]++)};
  if (!writes_) return;
  OTF2_EvtWriter_RmaCollectiveBegin(writer_, nullptr, begin_ns_);
  OTF2_EvtWriter_RmaWinCreate(writer_, nullptr, end_ns_, window.ref);
  end_on_all(window, OTF2_COLLECTIVE_OP_CREATE_HANDLE);
}

void Otf2Events::end_on_all(const Window& window, OTF2_CollectiveOp operation) {
  const auto level =
      static_cast<OTF2_RmaSyncLevel>(OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY);
  OTF2_EvtWriter_RmaCollectiveEnd(writer_, nullptr, end_ns_, operation, level, window.ref,
                                  OTF2_UNDEFINED_UINT32, 0, 0);
}

// What the call knows to be over at the target, or at all.
void Otf2Events::end_transfers(Window& window, std::int64_t target) {
  const auto is_over = [&](const Transfer& one) {
    return target == trace::kNothing || std::int64_t{one.target} == target;
  };
  for (const Transfer& one : window.transfers) {
    if (writes_ && is_over(one))
      OTF2_EvtWriter_RmaOpCompleteRemote(writer_, nullptr, end_ns_, window.ref, one.id);
  }
  std::erase_if(window.transfers, is_over);
}

void Otf2Events::sync_group(Window& window, std::int64_t slot) {
  if (slot != trace::kNothing) window.group = group_of(slot);
  if (!writes_ || window.group == OTF2_UNDEFINED_GROUP) return;
  OTF2_EvtWriter_RmaGroupSync(writer_, nullptr, end_ns_, OTF2_RMA_SYNC_LEVEL_PROCESS, window.ref,
                              window.group);
}

OTF2_GroupRef Otf2Events::group_of(std::int64_t slot) {
  for (const trace::GroupDefinition& group : run_.trace.groups) {
    if (group.slot != slot || !group.holders.contains(rank_)) continue;
    std::vector<std::uint64_t> members;
    for (const std::int64_t rank : trace::sequence_of(group.members)) {
      if (rank >= 0) members.push_back(static_cast<std::uint64_t>(rank));
    }
    return run_.objects.group(members);
  }
  return OTF2_UNDEFINED_GROUP;
}

void Otf2Events::window_call(const CallView& call) {
  const CallMeaning& means = call.means();
  const auto found = windows_.find(call.window());
  if (found == windows_.end()) return unsaid();
  Window& window = found->second;
  const std::int64_t target = trace::word_or(call.words(), means.target, trace::kNothing);
  switch (means.act) {
  case Act::kFence:
  case Act::kFreeWindow:
    end_transfers(window, trace::kNothing);
    if (writes_) {
      const bool is_end = means.act == Act::kFreeWindow;
      OTF2_EvtWriter_RmaCollectiveBegin(writer_, nullptr, begin_ns_);
      end_on_all(window, is_end ? OTF2_COLLECTIVE_OP_DESTROY_HANDLE : OTF2_COLLECTIVE_OP_BARRIER);
      if (is_end) OTF2_EvtWriter_RmaWinDestroy(writer_, nullptr, end_ns_, window.ref);
    }
    if (means.act == Act::kFreeWindow) windows_.erase(found);
    return;
  case Act::kExpose:
  case Act::kAccess:
    return sync_group(window, trace::word_or(call.words(), means.group, trace::kNothing));
  case Act::kEndAccess:
    end_transfers(window, trace::kNothing);
    return sync_group(window, trace::kNothing);
  case Act::kEndExposure:
    if (call.has_found()) sync_group(window, trace::kNothing);
    return;
  case Act::kLock:
    return lock(window, target);
  case Act::kFlush:
    return flush(window, target);
  case Act::kOneSided:
    return start_transfer(window, call, target);
  default:
    return;
  }
}

// MPI lets a rank go on before it has the lock.
void Otf2Events::lock(const Window& window, std::int64_t target) {
  if (!writes_ || target == trace::kProcNull) return;
  const std::int64_t type = argument("lock_type");
  const bool is_alone = type == trace::choice(OTF2_LOCK_EXCLUSIVE);
  OTF2_EvtWriter_RmaRequestLock(writer_, nullptr, begin_ns_, window.ref, target_word(target), 0,
                                is_alone ? OTF2_LOCK_EXCLUSIVE : OTF2_LOCK_SHARED);
}

void Otf2Events::flush(Window& window, std::int64_t target) {
  end_transfers(window, target);
  if (!writes_ || target == trace::kProcNull) return;
  if (call_->function->name.starts_with(mpi::Win_unlock))
    OTF2_EvtWriter_RmaReleaseLock(writer_, nullptr, end_ns_, window.ref, target_word(target), 0);
  else
    OTF2_EvtWriter_RmaSync(writer_, nullptr, end_ns_, window.ref, target_word(target),
                           OTF2_RMA_SYNC_TYPE_MEMORY);
}

std::uint32_t Otf2Events::target_word(std::int64_t target) {
  return is_special(target) ? OTF2_UNDEFINED_UINT32 : static_cast<std::uint32_t>(target);
}

void Otf2Events::start_transfer(Window& window, const CallView& call, std::int64_t target) {
  const CallMeaning& means = call.means();
  if (is_special(target)) return made({});
  const auto amount = [&](std::int8_t count, std::int8_t type) {
    return count < 0 ? bytes(1, trace::word_or(call.words(), type, trace::kNothing))
                     : bytes(trace::word_or(call.words(), count, 0),
                             trace::word_or(call.words(), type, trace::kNothing));
  };
  // A compare-and-swap carries the new value and the one to compare.
  const bool is_fetch_only =
      trace::word_or(call.words(), means.op, trace::kNothing) == no_operation();
  const std::uint64_t parts = means.gets || is_fetch_only ? 0 : means.compares ? 2 : 1;
  const std::uint64_t there = parts * amount(means.send_count, means.send_type);
  const std::uint64_t back = means.gives_back ? amount(means.receive_count, means.receive_type) : 0;
  const std::uint64_t id = ++ids_;
  const std::uint32_t to = target_word(target);
  window.transfers.push_back({id, to});
  made({id, OneSided{window.ref}});
  if (!writes_) return;
  const bool is_put = call_->function->name.find("put") != std::string_view::npos ||
                      call_->function->name.starts_with(mpi::Put);
  if (means.gets)
    OTF2_EvtWriter_RmaGet(writer_, nullptr, begin_ns_, window.ref, to, std::max(there, back), id);
  else if (is_put)
    OTF2_EvtWriter_RmaPut(writer_, nullptr, begin_ns_, window.ref, to, there, id);
  else
    OTF2_EvtWriter_RmaAtomic(writer_, nullptr, begin_ns_, window.ref, to, atomic_type(means), there,
                             back, id);
}

} // namespace rondo::convert::internal
