// SPDX-License-Identifier: Apache-2.0
#include "convert/otf2/otf2_writing.hpp"

#include <algorithm>

namespace rondo::convert::internal {
namespace {

using trace::Function;
using trace::is_special;
using trace::Mode;
using trace::Role;

std::string_view without_large(std::string_view name) {
  if (name.ends_with("_c")) name.remove_suffix(2);
  return name;
}

// "MPI_Iallreduce" and "MPI_Allreduce_init" are operations like MPI_Allreduce.
std::optional<OTF2_CollectiveOp> collective_op(std::string_view name) {
  static const std::map<std::string, OTF2_CollectiveOp, std::less<>> kOps = {
      {"barrier", OTF2_COLLECTIVE_OP_BARRIER},
      {"bcast", OTF2_COLLECTIVE_OP_BCAST},
      {"gather", OTF2_COLLECTIVE_OP_GATHER},
      {"gatherv", OTF2_COLLECTIVE_OP_GATHERV},
      {"scatter", OTF2_COLLECTIVE_OP_SCATTER},
      {"scatterv", OTF2_COLLECTIVE_OP_SCATTERV},
      {"allgather", OTF2_COLLECTIVE_OP_ALLGATHER},
      {"allgatherv", OTF2_COLLECTIVE_OP_ALLGATHERV},
      {"alltoall", OTF2_COLLECTIVE_OP_ALLTOALL},
      {"alltoallv", OTF2_COLLECTIVE_OP_ALLTOALLV},
      {"alltoallw", OTF2_COLLECTIVE_OP_ALLTOALLW},
      {"allreduce", OTF2_COLLECTIVE_OP_ALLREDUCE},
      {"reduce", OTF2_COLLECTIVE_OP_REDUCE},
      {"reduce_scatter", OTF2_COLLECTIVE_OP_REDUCE_SCATTER},
      {"reduce_scatter_block", OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK},
      {"scan", OTF2_COLLECTIVE_OP_SCAN},
      {"exscan", OTF2_COLLECTIVE_OP_EXSCAN},
  };
  name = without_large(name);
  if (name.ends_with("_init")) name.remove_suffix(5);
  std::string lower(name.substr(std::min<std::size_t>(4, name.size())));
  for (char& c : lower) c = static_cast<char>(c | 0x20);
  if (lower.starts_with('i') && kOps.contains(lower.substr(1))) lower.erase(0, 1);
  for (char& c : lower) c = c == '\x7f' ? '_' : c; // '_' | 0x20
  const auto found = kOps.find(lower);
  return found == kOps.end() ? std::nullopt : std::optional(found->second);
}

} // namespace

OTF2_RegionRef Otf2Export::region(std::string_view function) {
  const auto next = static_cast<OTF2_RegionRef>(regions.size());
  return regions.try_emplace(std::string(function), next).first->second;
}

Otf2Events::Otf2Events(Otf2Export& run, const trace::RankClass& rank_class, std::int64_t rank,
                       OTF2_EvtWriter* writer)
    : run_(run), rank_(rank), writer_(writer), reader_(run.trace, rank_class, rank),
      times_(run.trace, rank_class, rank), thread_(rank_class.thread),
      envelopes_(run.receives, rank, rank_class.thread) {
  run.reconstructed += times_.are_reconstructed() ? 1 : 0;
  for (const trace::DatatypeDefinition& type : run.trace.datatypes) {
    if (type.holders.contains(rank))
      type_sizes_[type.slot] =
          static_cast<std::uint64_t>(std::max<std::int64_t>(type.size_bytes, 0));
  }
}

bool Otf2Events::is_in_window() const {
  return end_ns_ >= run_.options.from_ns && begin_ns_ <= run_.options.until_ns;
}

void Otf2Events::write() {
  while ((call_ = reader_.next()) != nullptr) {
    ++calls_;
    const CallInterval interval = times_.next(call_->symbol);
    begin_ns_ = interval.begin_ns;
    end_ns_ = interval.end_ns;
    writes_ = is_in_window();
    run_.outside += writes_ ? 0 : 1;
    const OTF2_RegionRef region = run_.region(without_large(call_->function->name));
    if (writes_) {
      OTF2_EvtWriter_Enter(writer_, nullptr, begin_ns_, region);
      run_.last_ns = std::max(run_.last_ns, end_ns_);
    }
    if (call_->error == 0) records();
    if (writes_) OTF2_EvtWriter_Leave(writer_, nullptr, end_ns_, region);
  }
}

// Words ------------------------------------------------------------------------------------------

std::int64_t Otf2Events::word(const Function& function, const Words& words,
                              std::initializer_list<std::string_view> names) const {
  return known_words_.of(function, words, names);
}

std::uint64_t Otf2Events::bytes(std::int64_t count, std::int64_t type) const {
  const auto size = type_sizes_.find(type);
  if (is_special(count) || count < 0 || size == type_sizes_.end()) return 0;
  return static_cast<std::uint64_t>(count) * size->second;
}

std::vector<std::int64_t> Otf2Events::array(std::int64_t index) const {
  const auto& arrays = reader_.program().arrays;
  if (is_special(index) || static_cast<std::uint64_t>(index) >= arrays.size()) return {};
  return arrays[static_cast<std::size_t>(index)];
}

// Records ----------------------------------------------------------------------------------------

void Otf2Events::records() {
  const Function& function = *call_->function;
  const std::string_view name = without_large(function.name);
  const bool moves = function.role == Role::kSend || function.role == Role::kRecv ||
                     function.role == Role::kSendrecv || function.role == Role::kCollective;
  if (moves && function.mode == Mode::kPersistent) {
    slots_.add({&function, call_->words, {}});
  } else if (moves) {
    Pending made = transfer(function, call_->words, !function.makes_request);
    if (function.makes_request) open_[++made_] = std::move(made);
  } else if (function.makes_request) {
    open_[++made_] = {};
  } else if (function.role == Role::kComplete) {
    complete();
  } else if (name == "MPI_Start") {
    start(word(function, call_->words, {"request"}));
  } else if (name == "MPI_Startall") {
    for (const std::int64_t one : array(word(function, call_->words, {"array_of_requests"})))
      start(one);
  } else if (name == "MPI_Request_free") {
    slots_.free(word(function, call_->words, {"request"}));
  } else if (function.role == Role::kRma || function.role == Role::kIo ||
             function.role == Role::kNeighbor) {
    run_.unsaid[std::string(name)] += 1;
  }
}

std::optional<Otf2Events::Receive> Otf2Events::receive_of(const Function& function,
                                                          const Words& words) {
  const std::int64_t source = word(function, words, {"source"});
  const std::int64_t tag = word(function, words, {"recvtag", "tag"});
  const auto& view = run_.comms.of(rank_, word(function, words, {"comm"}));
  if (is_special(source) && source != trace::kAnySource) return std::nullopt;
  Receive receive{static_cast<std::uint32_t>(source), view.id, static_cast<std::uint32_t>(tag),
                  bytes(word(function, words, {"recvcount", "count"}),
                        word(function, words, {"recvtype", "datatype"}))};
  std::int64_t sender = source == trace::kAnySource ? -1 : view.world_rank(source);
  std::int64_t received_tag = tag;
  const bool is_wild = source == trace::kAnySource || tag == trace::kAnyTag;
  if (is_wild || run_.receives.may_cancel(rank_)) {
    const auto envelope = envelopes_.take(calls_ - 1);
    if (!envelope) return std::nullopt;
    sender = envelope->source;
    received_tag = envelope->tag;
    receive.tag = static_cast<std::uint32_t>(received_tag);
    for (std::int64_t peer = 0; peer < view.peer_count; ++peer) {
      if (view.world_rank(peer) == sender) receive.source = static_cast<std::uint32_t>(peer);
    }
  }
  const auto size = run_.sizes.take({rank_, thread_, calls_ - 1, sender, received_tag});
  receive.bytes = size.value_or(receive.bytes);
  return receive;
}

Otf2Events::Pending Otf2Events::transfer(const Function& function, const Words& words,
                                         bool is_blocking) {
  Pending pending;
  pending.id = ++ids_;
  if (function.role == Role::kCollective) {
    pending.operation = operation_of(function, words);
    if (pending.operation && is_blocking && writes_) {
      const Operation& one = *pending.operation;
      OTF2_EvtWriter_MpiCollectiveBegin(writer_, nullptr, begin_ns_);
      OTF2_EvtWriter_MpiCollectiveEnd(writer_, nullptr, end_ns_, one.op, one.comm, one.root,
                                      one.sent, one.received);
    } else if (pending.operation && !is_blocking && writes_) {
      OTF2_EvtWriter_NonBlockingCollectiveRequest(writer_, nullptr, begin_ns_, pending.id);
    }
    return pending;
  }
  const std::int64_t dest = word(function, words, {"dest"});
  const auto to = static_cast<std::uint32_t>(dest);
  const OTF2_CommRef comm = run_.comms.of(rank_, word(function, words, {"comm"})).id;
  const auto tag = static_cast<std::uint32_t>(word(function, words, {"sendtag", "tag"}));
  const std::uint64_t size = bytes(word(function, words, {"sendcount", "count"}),
                                   word(function, words, {"sendtype", "datatype"}));
  if (writes_ && !is_special(dest) && is_blocking)
    OTF2_EvtWriter_MpiSend(writer_, nullptr, begin_ns_, to, comm, tag, size);
  if (writes_ && !is_special(dest) && !is_blocking)
    OTF2_EvtWriter_MpiIsend(writer_, nullptr, begin_ns_, to, comm, tag, size, pending.id);
  pending.is_send = !is_special(dest);
  if (known_words_.index_of(function, {"source"}) < 0) return pending;
  pending.receive = receive_of(function, words);
  if (!pending.receive) return pending;
  const Receive& from = *pending.receive;
  if (!writes_) return pending;
  if (is_blocking)
    OTF2_EvtWriter_MpiRecv(writer_, nullptr, end_ns_, from.source, from.comm, from.tag, from.bytes);
  else
    OTF2_EvtWriter_MpiIrecvRequest(writer_, nullptr, begin_ns_, pending.id);
  return pending;
}

// Collective operations --------------------------------------------------------------------------

std::uint64_t Otf2Events::list_bytes(const Function& function, const Words& words,
                                     std::string_view counts, std::string_view type) const {
  std::uint64_t all = 0;
  for (const std::int64_t count : array(word(function, words, {counts})))
    all += bytes(count, word(function, words, {type, "datatype"}));
  return all;
}

// As Score-P has it: what a rank exchanges with all, itself included; a root with itself, too.
void Otf2Events::fill_sizes(const Function& function, const Words& words, std::uint64_t ranks,
                            Operation& operation) const {
  const bool is_rooted = known_words_.index_of(function, {"root"}) >= 0;
  const auto here = run_.comms.of(rank_, word(function, words, {"comm"}));
  const bool is_root = is_rooted && here.world_rank(word(function, words, {"root"})) == rank_;
  const std::uint64_t one =
      bytes(word(function, words, {"count"}), word(function, words, {"datatype"}));
  const std::uint64_t sent =
      bytes(word(function, words, {"sendcount"}), word(function, words, {"sendtype"}));
  const std::uint64_t received =
      bytes(word(function, words, {"recvcount"}), word(function, words, {"recvtype", "datatype"}));
  const std::uint64_t all_sent = list_bytes(function, words, "sendcounts", "sendtype");
  const std::uint64_t all_received = list_bytes(function, words, "recvcounts", "recvtype");
  const std::uint64_t root_ranks = is_root ? ranks : 0;
  switch (operation.op) {
  case OTF2_COLLECTIVE_OP_BCAST:
    operation.sent = root_ranks * one;
    operation.received = one;
    return;
  case OTF2_COLLECTIVE_OP_REDUCE:
    operation.sent = one;
    operation.received = root_ranks * one;
    return;
  case OTF2_COLLECTIVE_OP_GATHER:
    operation.sent = std::max(sent, is_root ? received : 0); // in place at the root
    operation.received = root_ranks * received;
    return;
  case OTF2_COLLECTIVE_OP_SCATTER:
    operation.sent = root_ranks * sent;
    operation.received = std::max(received, is_root ? sent : 0);
    return;
  case OTF2_COLLECTIVE_OP_ALLGATHER:
  case OTF2_COLLECTIVE_OP_ALLTOALL:
    operation.sent = ranks * std::max(sent, received);
    operation.received = operation.sent;
    return;
  case OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK:
    operation.sent = ranks * received;
    operation.received = received;
    return;
  default:
    operation.sent = one + sent + all_sent;
    operation.received = one + received + all_received;
  }
}

std::optional<Otf2Events::Operation> Otf2Events::operation_of(const Function& function,
                                                              const Words& words) {
  const auto op = collective_op(function.name);
  const auto& view = run_.comms.of(rank_, word(function, words, {"comm"}));
  if (!op || view.id == trace::Communicators::kUnknown) {
    ++run_.unsaid[std::string(function.name)];
    return std::nullopt;
  }
  Operation operation{*op, view.id};
  const std::int64_t root = word(function, words, {"root"});
  if (!is_special(root)) operation.root = static_cast<std::uint32_t>(root);
  if (root == trace::kRootHere) operation.root = OTF2_COLLECTIVE_ROOT_SELF;
  if (root == trace::kProcNull) operation.root = OTF2_COLLECTIVE_ROOT_THIS_GROUP;
  fill_sizes(function, words, static_cast<std::uint64_t>(view.all), operation);
  return operation;
}

// Requests ---------------------------------------------------------------------------------------

void Otf2Events::start(std::int64_t reference) {
  Slot* const slot = slots_.find(reference);
  if (slot != nullptr) slot->active = transfer(*slot->function, slot->words, false);
}

Otf2Events::Pending* Otf2Events::pending(std::int64_t reference) {
  if (is_special(reference) || trace::is_foreign(reference)) return nullptr;
  if (Slot* const slot = slots_.find(reference)) return &slot->active;
  if (trace::is_persistent(reference)) return nullptr;
  const auto found = open_.find(made_ - trace::age_or_slot(reference));
  return found == open_.end() ? nullptr : &found->second;
}

void Otf2Events::test_one(std::int64_t reference) {
  const Pending* const request = pending(reference);
  if (writes_ && request != nullptr && request->id > 0)
    OTF2_EvtWriter_MpiRequestTest(writer_, nullptr, end_ns_, request->id);
}

void Otf2Events::complete_one(std::int64_t reference) {
  Pending* const request = pending(reference);
  if (request == nullptr) return;
  if (!writes_) {
    // A call outside of the window ends it unsaid.
  } else if (request->receive) {
    const Receive& from = *request->receive;
    OTF2_EvtWriter_MpiIrecv(writer_, nullptr, end_ns_, from.source, from.comm, from.tag, from.bytes,
                            request->id);
  } else if (request->operation) {
    const Operation& one = *request->operation;
    OTF2_EvtWriter_NonBlockingCollectiveComplete(writer_, nullptr, end_ns_, one.op, one.comm,
                                                 one.root, one.sent, one.received, request->id);
  } else if (request->is_send) {
    OTF2_EvtWriter_MpiIsendComplete(writer_, nullptr, end_ns_, request->id);
  }
  *request = {};
  if (!trace::is_persistent(reference)) open_.erase(made_ - trace::age_or_slot(reference));
}

void Otf2Events::complete() {
  const Function& function = *call_->function;
  const Words& words = call_->words;
  if (without_large(function.name) == "MPI_Request_get_status") return;
  const auto requests = array(word(function, words, {"array_of_requests"}));
  const bool is_done =
      known_words_.index_of(function, {"flag"}) < 0 || word(function, words, {"flag"}) == 1;
  const std::int64_t single = word(function, words, {"request"});
  if (!is_done) {
    if (known_words_.index_of(function, {"request"}) >= 0) test_one(single);
    for (const std::int64_t one : requests) test_one(one);
    return;
  }
  if (known_words_.index_of(function, {"request"}) >= 0) return complete_one(single);
  std::vector<std::int64_t> indices = array(word(function, words, {"array_of_indices"}));
  const bool has_index = known_words_.index_of(function, {"index"}) >= 0;
  if (has_index) indices = {word(function, words, {"index"})};
  if (!has_index && known_words_.index_of(function, {"array_of_indices"}) < 0) {
    for (const std::int64_t one : requests) complete_one(one);
    return;
  }
  for (const std::int64_t index : indices) {
    if (!is_special(index) && static_cast<std::uint64_t>(index) < requests.size())
      complete_one(requests[static_cast<std::size_t>(index)]);
  }
}

} // namespace rondo::convert::internal
