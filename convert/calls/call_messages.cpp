// SPDX-License-Identifier: Apache-2.0
#include "convert/calls/call_messages.hpp"

#include <algorithm>

namespace rondo::convert::internal {
namespace {

using trace::Function;
using trace::is_special;
using trace::Mode;
using trace::Role;

std::int64_t message_word(const Function& function, const std::vector<std::int64_t>& words,
                          std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    const int index = function.word_of(name);
    if (index >= 0) return words[static_cast<std::size_t>(index)];
  }
  return trace::kNothing;
}

// The bytes that a status says; kNothing if it says no more than the arguments.
std::int64_t status_bytes(const Function& function, const std::vector<std::int64_t>& words) {
  const int status = function.word_of("status");
  return status < 0 ? trace::kNothing : words[static_cast<std::size_t>(status) + 2];
}

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) { // splitmix64
  hash += value + 0x9e3779b97f4a7c15U;
  hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9U;
  hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebU;
  return hash ^ (hash >> 31);
}

} // namespace

CallMessages::CallMessages(MessageRun& run, const trace::CallReader& reader)
    : run_(run), reader_(reader), rank_(reader.rank()) {
  for (const trace::DatatypeDefinition& type : run.trace.datatypes) {
    if (type.holders.contains(rank_))
      type_sizes_[type.slot] =
          static_cast<std::uint64_t>(std::max<std::int64_t>(type.size_bytes, 0));
  }
}

const std::vector<CallMessage>& CallMessages::of(const trace::CallInstance& call) {
  now_.clear();
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
  if (moves) transfer(function, call.words, coming);
  if (function.makes_request) {
    open_[++made_] = std::move(coming);
    return now_;
  }
  const std::int64_t received = coming.size() == 1 ? status_bytes(function, call.words) : -1;
  if (!is_special(received) && received >= 0)
    coming.front().bytes = static_cast<std::uint64_t>(received);
  now_.insert(now_.end(), coming.begin(), coming.end());
  if (function.role == Role::kComplete) complete(call);
  if (function.role != Role::kRequest) return now_;
  const std::int64_t request = message_word(function, call.words, {"request"});
  if (function.name == "MPI_Start") start(request);
  if (function.name == "MPI_Startall") {
    for (const std::int64_t one : array(message_word(function, call.words, {"array_of_requests"})))
      start(one);
  }
  if (function.name == "MPI_Request_free") slots_.free(request);
  return now_;
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

std::uint64_t CallMessages::number(std::int64_t source, std::int64_t dest, std::uint32_t comm,
                                   std::int64_t tag) {
  std::uint64_t hash = mixed(0, static_cast<std::uint64_t>(source));
  hash = mixed(hash, static_cast<std::uint64_t>(dest));
  hash = mixed(hash, comm);
  hash = mixed(hash, static_cast<std::uint64_t>(tag));
  return mixed(hash, ++channels_[{source, dest, comm, tag}]);
}

// Sends go at once, receives come when they are complete.
void CallMessages::transfer(const Function& function, const Words& words,
                            std::vector<CallMessage>& coming) {
  const auto& view = run_.comms.of(rank_, message_word(function, words, {"comm"}));
  const std::int64_t dest = message_word(function, words, {"dest"});
  if (!is_special(dest)) {
    const std::int64_t tag = message_word(function, words, {"sendtag", "tag"});
    const std::int64_t peer = view.world_rank(dest);
    now_.push_back({true, peer, tag,
                    bytes(message_word(function, words, {"sendcount", "count"}),
                          message_word(function, words, {"sendtype", "datatype"})),
                    number(rank_, peer, view.id, tag)});
  }
  const std::int64_t source = message_word(function, words, {"source"});
  if (is_special(source) && source != trace::kAnySource) return;
  std::int64_t tag = message_word(function, words, {"recvtag", "tag"});
  std::int64_t peer = is_special(source) ? -1 : view.world_rank(source);
  const bool is_wild = source == trace::kAnySource || tag == trace::kAnyTag;
  if (is_wild || run_.receives.may_cancel(rank_)) {
    const auto envelope = run_.receives.take(rank_, calls_ - 1);
    if (!envelope) return;
    peer = envelope->source;
    tag = envelope->tag;
  }
  coming.push_back({false, peer, tag,
                    bytes(message_word(function, words, {"recvcount", "count"}),
                          message_word(function, words, {"recvtype", "datatype"})),
                    number(peer, rank_, view.id, tag)});
}

void CallMessages::start(std::int64_t reference) {
  Slot* const slot = slots_.find(reference);
  if (slot == nullptr || slot->function->role == Role::kCollective) return;
  slot->coming.clear();
  transfer(*slot->function, slot->words, slot->coming);
}

void CallMessages::complete_one(std::int64_t reference, std::int64_t received) {
  if (is_special(reference) || trace::is_foreign(reference)) return;
  std::vector<CallMessage> coming;
  if (Slot* const slot = slots_.find(reference)) {
    std::swap(coming, slot->coming);
  } else if (!trace::is_persistent(reference)) {
    const auto found = open_.find(made_ - trace::age_or_slot(reference));
    if (found == open_.end()) return;
    coming = std::move(found->second);
    open_.erase(found);
  }
  if (coming.size() == 1 && !is_special(received) && received >= 0)
    coming.front().bytes = static_cast<std::uint64_t>(received);
  now_.insert(now_.end(), coming.begin(), coming.end());
}

void CallMessages::complete(const trace::CallInstance& call) {
  const Function& function = *call.function;
  if (function.name == "MPI_Request_get_status") return;
  if (function.word_of("flag") >= 0 && message_word(function, call.words, {"flag"}) != 1) return;
  const std::int64_t received = status_bytes(function, call.words);
  if (function.word_of("request") >= 0)
    return complete_one(message_word(function, call.words, {"request"}), received);
  const auto requests = array(message_word(function, call.words, {"array_of_requests"}));
  std::unordered_map<std::int64_t, std::int64_t> sizes; // by index; four words a status, behind one
  const auto statuses = array(message_word(function, call.words, {"array_of_statuses"}));
  for (std::size_t i = 1; i + 3 < statuses.size(); i += 4) sizes[statuses[i]] = statuses[i + 3];
  const auto complete_at = [&](std::int64_t index, std::int64_t status, std::int64_t otherwise) {
    if (is_special(index) || static_cast<std::uint64_t>(index) >= requests.size()) return;
    const auto size = sizes.find(status);
    complete_one(requests[static_cast<std::size_t>(index)],
                 size == sizes.end() ? otherwise : size->second);
  };
  if (function.word_of("index") >= 0)
    return complete_at(message_word(function, call.words, {"index"}), -1, received);
  if (function.word_of("array_of_indices") >= 0) {
    const auto indices = array(message_word(function, call.words, {"array_of_indices"}));
    for (std::size_t i = 0; i < indices.size(); ++i)
      complete_at(indices[i], static_cast<std::int64_t>(i), trace::kNothing);
    return;
  }
  for (std::size_t i = 0; i < requests.size(); ++i)
    complete_at(static_cast<std::int64_t>(i), static_cast<std::int64_t>(i), trace::kNothing);
}

} // namespace rondo::convert::internal
