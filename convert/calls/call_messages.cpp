// SPDX-License-Identifier: Apache-2.0
#include "convert/calls/call_messages.hpp"

#include "trace/mpi_names.hpp"

#include <algorithm>

namespace rondo::convert::internal {
namespace {

using trace::Completes;
using trace::Function;
using trace::is_special;
using trace::Mode;
using trace::Role;

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) { // splitmix64
  hash += value + 0x9e3779b97f4a7c15U;
  hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9U;
  hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebU;
  return hash ^ (hash >> 31);
}

} // namespace

CallMessages::CallMessages(MessageRun& run, const trace::CallReader& reader, std::uint32_t thread)
    : run_(run), reader_(reader), rank_(reader.rank()), thread_(thread),
      envelopes_(run.receives, rank_, thread), sends_(run.threads, rank_, thread, true),
      receives_(run.threads, rank_, thread, false) {
  for (const trace::DatatypeDefinition& type : run.trace.datatypes) {
    if (type.holders.contains(rank_))
      type_sizes_[type.slot] =
          static_cast<std::uint64_t>(std::max<std::int64_t>(type.size_bytes, 0));
  }
}

const std::vector<CallMessage>& CallMessages::of(const trace::CallInstance& call,
                                                 std::uint64_t mark) {
  now_.clear();
  posted_.clear();
  mark_ = mark;
  collectives_.clear();
  ++calls_;
  const Function& function = *call.function;
  if (call.error != 0) return now_;
  const bool moves = (function.role == Role::kSend || function.role == Role::kRecv ||
                      function.role == Role::kSendrecv) &&
                     function.mode != Mode::kPartitioned;
  std::vector<CallMessage> coming;
  if (moves && function.mode == Mode::kPersistent) {
    slots_.add({&function, call.words, {}});
    return now_;
  }
  const trace::CallView view(trace::meaning_of(function), call.words);
  if (moves) transfer(view, coming);
  if (view.means().act == trace::Act::kMatchedProbe) keep_matched(view);
  if (view.means().act == trace::Act::kTakeMatched) take_matched(view, coming);
  std::vector<CallCollective> parts;
  if (function.role == Role::kCollective) take_part(view, function, parts);
  if (function.makes_request) {
    posted_ = coming;
    open_[++made_] = {std::move(coming), std::move(parts)};
    return now_;
  }
  std::swap(collectives_, parts);
  const std::int64_t received = coming.size() == 1 ? view.status().bytes : -1;
  if (!is_special(received) && received >= 0)
    coming.front().bytes = static_cast<std::uint64_t>(received);
  now_.insert(now_.end(), coming.begin(), coming.end());
  if (view.means().act == trace::Act::kComplete) complete(view);
  if (function.role == Role::kRequest) start_or_free(view);
  return now_;
}

void CallMessages::start_or_free(const trace::CallView& call) {
  const trace::Act act = call.means().act;
  if (act == trace::Act::kFreeRequest) slots_.free(call.request());
  if (act != trace::Act::kStart) return;
  if (call.means().request >= 0) start(call.request());
  for (const std::int64_t one : array(call.requests())) start(one);
}

std::uint64_t CallMessages::bytes(std::int64_t count, std::int64_t type) const {
  const auto size = type_sizes_.find(type);
  if (is_special(count) || count < 0 || size == type_sizes_.end()) return 0;
  return static_cast<std::uint64_t>(count) * size->second;
}

std::vector<std::int64_t> CallMessages::array(std::int64_t index) const {
  const auto& arrays = reader_.program().arrays;
  if (is_special(index) || static_cast<std::uint64_t>(index) >= arrays.size()) return {};
  return arrays[static_cast<std::size_t>(index)];
}

std::uint64_t CallMessages::number(bool is_sent, std::int64_t source, std::int64_t dest,
                                   std::uint32_t comm, std::int64_t tag) {
  std::uint64_t hash = 0;
  if (run_.threads.are_known()) {
    ThreadMessageReader& mine = is_sent ? sends_ : receives_;
    if (const auto found = mine.take(calls_ - 1, {comm, source, dest, tag}))
      return mixed(0, *found);
    hash = mixed(is_sent ? 1 : 2, thread_); // it has no other end
  }
  hash = mixed(hash, static_cast<std::uint64_t>(source));
  hash = mixed(hash, static_cast<std::uint64_t>(dest));
  hash = mixed(hash, comm);
  hash = mixed(hash, static_cast<std::uint64_t>(tag));
  return mixed(hash, ++channels_[{is_sent, source, dest, comm, tag}]);
}

// Sends go at once, receives come when they are complete.
void CallMessages::transfer(const trace::CallView& call, std::vector<CallMessage>& coming) {
  const auto& view = run_.comms.of(rank_, call.comm());
  if (!is_special(call.dest())) {
    const std::int64_t peer = view.world_rank(call.dest());
    now_.push_back({true, peer, call.send_tag(), bytes(call.send_count(), call.send_type()),
                    number(true, rank_, peer, view.id, call.send_tag()), view.id, mark_});
  }
  const std::int64_t source = call.source();
  if (is_special(source) && source != trace::kAnySource) return;
  std::int64_t tag = call.receive_tag();
  std::int64_t peer = is_special(source) ? -1 : view.world_rank(source);
  const bool is_wild = source == trace::kAnySource || tag == trace::kAnyTag;
  if (is_wild || run_.receives.may_cancel(rank_)) {
    const auto envelope = envelopes_.take(calls_ - 1);
    if (!envelope) return;
    peer = envelope->source;
    tag = envelope->tag;
  }
  coming.push_back({false, peer, tag, bytes(call.receive_count(), call.receive_type()),
                    number(false, peer, rank_, view.id, tag), view.id, mark_});
}

// A matched probe has received: the receive that takes its message only says where to.
void CallMessages::keep_matched(const trace::CallView& call) {
  const trace::StatusWords status = call.status();
  const std::int64_t message = call.words()[static_cast<std::size_t>(call.means().message)];
  if (!call.has_found() || is_special(message) || !status.says_something ||
      is_special(status.source))
    return;
  const auto& view = run_.comms.of(rank_, call.comm());
  const std::int64_t peer = view.world_rank(status.source);
  matched_[message] = {false,
                       peer,
                       status.tag,
                       static_cast<std::uint64_t>(std::max<std::int64_t>(status.bytes, 0)),
                       number(false, peer, rank_, view.id, status.tag),
                       view.id,
                       mark_};
}

void CallMessages::take_matched(const trace::CallView& call, std::vector<CallMessage>& coming) {
  const auto found = matched_.find(call.words()[static_cast<std::size_t>(call.means().message)]);
  if (found == matched_.end()) return;
  coming.push_back(found->second);
  coming.back().posted = mark_;
  matched_.erase(found);
}

void CallMessages::take_part(const trace::CallView& call, const Function& function,
                             std::vector<CallCollective>& parts) {
  if (function.mode == Mode::kPersistent) return;
  const auto& view = run_.comms.of(rank_, call.comm());
  const std::int64_t root = call.root();
  parts.push_back({&function, view.id, is_special(root) ? -1 : view.world_rank(root), calls_ - 1});
}

void CallMessages::start(std::int64_t reference) {
  Slot* const slot = slots_.find(reference);
  if (slot == nullptr || slot->function->role == Role::kCollective) return;
  slot->coming.clear();
  transfer({trace::meaning_of(*slot->function), slot->words}, slot->coming);
  posted_.insert(posted_.end(), slot->coming.begin(), slot->coming.end());
}

void CallMessages::complete_one(std::int64_t reference, std::int64_t received) {
  if (is_special(reference) || trace::is_foreign(reference)) return;
  std::vector<CallMessage> coming;
  if (Slot* const slot = slots_.find(reference)) {
    std::swap(coming, slot->coming);
  } else if (!trace::is_persistent(reference)) {
    const auto found = open_.find(made_ - trace::age_or_slot(reference));
    if (found == open_.end()) return;
    coming = std::move(found->second.coming);
    const auto& ended = found->second.collectives;
    collectives_.insert(collectives_.end(), ended.begin(), ended.end());
    open_.erase(found);
  }
  if (coming.size() == 1 && !is_special(received) && received >= 0)
    coming.front().bytes = static_cast<std::uint64_t>(received);
  now_.insert(now_.end(), coming.begin(), coming.end());
}

void CallMessages::complete(const trace::CallView& call) {
  const trace::CallMeaning& means = call.means();
  if (means.keeps_request || !call.has_found()) return;
  const std::int64_t received = call.status().bytes;
  if (means.completes == Completes::kOne) return complete_one(call.request(), received);
  const auto requests = array(call.requests());
  std::unordered_map<std::int64_t, std::int64_t> sizes; // by index; four words a status, behind one
  const auto statuses = array(trace::word_or(call.words(), means.statuses, trace::kNothing));
  for (std::size_t i = 1; i + 3 < statuses.size(); i += 4) sizes[statuses[i]] = statuses[i + 3];
  const auto complete_at = [&](std::int64_t index, std::int64_t status, std::int64_t otherwise) {
    if (is_special(index) || static_cast<std::uint64_t>(index) >= requests.size()) return;
    const auto size = sizes.find(status);
    complete_one(requests[static_cast<std::size_t>(index)],
                 size == sizes.end() ? otherwise : size->second);
  };
  if (means.completes == Completes::kAny) return complete_at(call.index(), -1, received);
  if (means.completes == Completes::kSome) {
    const auto indices = array(call.indices());
    for (std::size_t i = 0; i < indices.size(); ++i)
      complete_at(indices[i], static_cast<std::int64_t>(i), trace::kNothing);
    return;
  }
  for (std::size_t i = 0; i < requests.size(); ++i)
    complete_at(static_cast<std::int64_t>(i), static_cast<std::int64_t>(i), trace::kNothing);
}

} // namespace rondo::convert::internal
