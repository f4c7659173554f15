// SPDX-License-Identifier: Apache-2.0
#include "convert/otf2/otf2_writing.hpp"

#include <algorithm>

namespace rondo::convert::internal {
namespace {

using trace::Act;
using trace::CallMeaning;
using trace::CallView;
using trace::Collective;
using trace::Function;
using trace::is_special;

std::string_view without_large(std::string_view name) {
  if (name.ends_with("_c")) name.remove_suffix(2);
  return name;
}

std::optional<OTF2_CollectiveOp> collective_op(Collective operation) {
  switch (operation) {
  case Collective::kBarrier:
    return OTF2_COLLECTIVE_OP_BARRIER;
  case Collective::kBcast:
    return OTF2_COLLECTIVE_OP_BCAST;
  case Collective::kGather:
    return OTF2_COLLECTIVE_OP_GATHER;
  case Collective::kGatherv:
    return OTF2_COLLECTIVE_OP_GATHERV;
  case Collective::kScatter:
    return OTF2_COLLECTIVE_OP_SCATTER;
  case Collective::kScatterv:
    return OTF2_COLLECTIVE_OP_SCATTERV;
  case Collective::kAllgather:
    return OTF2_COLLECTIVE_OP_ALLGATHER;
  case Collective::kAllgatherv:
    return OTF2_COLLECTIVE_OP_ALLGATHERV;
  case Collective::kAlltoall:
    return OTF2_COLLECTIVE_OP_ALLTOALL;
  case Collective::kAlltoallv:
    return OTF2_COLLECTIVE_OP_ALLTOALLV;
  case Collective::kAlltoallw:
    return OTF2_COLLECTIVE_OP_ALLTOALLW;
  case Collective::kReduce:
    return OTF2_COLLECTIVE_OP_REDUCE;
  case Collective::kAllreduce:
    return OTF2_COLLECTIVE_OP_ALLREDUCE;
  case Collective::kReduceScatter:
    return OTF2_COLLECTIVE_OP_REDUCE_SCATTER;
  case Collective::kReduceScatterBlock:
    return OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK;
  case Collective::kScan:
    return OTF2_COLLECTIVE_OP_SCAN;
  case Collective::kExscan:
    return OTF2_COLLECTIVE_OP_EXSCAN;
  case Collective::kNone:
  case Collective::kNeighborAllgather:
  case Collective::kNeighborAllgatherv:
  case Collective::kNeighborAlltoall:
  case Collective::kNeighborAlltoallv:
  case Collective::kNeighborAlltoallw:
    return std::nullopt;
  }
  return std::nullopt;
}

} // namespace

// Regions are numbered before anything is written, so that locations do not depend on each other.
Otf2Export::Otf2Export(const trace::Trace& written, const Otf2OutOptions& window)
    : trace(written), options(window), comms(written), receives(written), sizes(written) {
  std::map<std::string_view, OTF2_RegionRef> known;
  for (const trace::RankClass& c : written.classes) {
    for (const trace::Call& call : c.program->calls) {
      const Function& function = *trace::find_function(call.function);
      const Act act = trace::meaning_of(function).act;
      has_objects = has_objects || act == Act::kMakeWindow || act == Act::kFile;
      if (region_of.size() <= function.id) region_of.resize(function.id + 1, OTF2_UNDEFINED_REGION);
      const std::string_view name = without_large(function.name);
      const auto next = static_cast<OTF2_RegionRef>(regions.size());
      const auto [found, is_new] = known.try_emplace(name, next);
      if (is_new) regions.emplace_back(name);
      region_of[function.id] = found->second;
    }
  }
}

void Otf2Findings::add(const Otf2Findings& later) {
  made.insert(later.made.begin(), later.made.end());
  last_ns = std::max(last_ns, later.last_ns);
  events += later.events;
  reconstructed += later.reconstructed;
  outside += later.outside;
  for (const auto& [name, times] : later.unsaid) unsaid[name] += times;
}

Otf2Events::Otf2Events(Otf2Export& run, const trace::RankClass& rank_class, std::int64_t rank,
                       OTF2_EvtWriter* writer)
    : run_(run), rank_(rank), writer_(writer), reader_(run.trace, rank_class, rank),
      times_(run.trace, rank_class, rank), thread_(rank_class.thread),
      may_cancel_(run.receives.may_cancel(rank)), envelopes_(run.receives, rank, rank_class.thread),
      known_(rank_class.program->calls.size()) {
  found_.reconstructed = times_.are_reconstructed() ? 1 : 0;
  for (const trace::DatatypeDefinition& type : run.trace.datatypes) {
    if (type.holders.contains(rank))
      type_sizes_[type.slot] =
          static_cast<std::uint64_t>(std::max<std::int64_t>(type.size_bytes, 0));
  }
}

bool Otf2Events::is_in_window() const {
  return end_ns_ >= run_.options.from_ns && begin_ns_ <= run_.options.until_ns;
}

Otf2Findings Otf2Events::write() {
  while ((call_ = reader_.next()) != nullptr) {
    ++calls_;
    const CallInterval interval = times_.next(call_->symbol);
    begin_ns_ = interval.begin_ns;
    end_ns_ = interval.end_ns;
    writes_ = is_in_window();
    found_.outside += writes_ ? 0 : 1;
    const OTF2_RegionRef region = run_.region_of[call_->function->id];
    if (writes_) {
      OTF2_EvtWriter_Enter(writer_, nullptr, begin_ns_, region);
      found_.last_ns = std::max(found_.last_ns, end_ns_);
    }
    if (call_->error == 0) records();
    if (writes_) OTF2_EvtWriter_Leave(writer_, nullptr, end_ns_, region);
  }
  OTF2_EvtWriter_GetNumberOfEvents(writer_, &found_.events);
  return std::move(found_);
}

// Words ------------------------------------------------------------------------------------------

std::int64_t Otf2Events::argument(std::string_view name) const {
  return trace::word_or(call_->words, call_->function->word_of(name), trace::kNothing);
}

std::uint64_t Otf2Events::bytes(std::int64_t count, std::int64_t type) const {
  const auto size = type_sizes_.find(type);
  if (is_special(count) || count < 0 || size == type_sizes_.end()) return 0;
  return static_cast<std::uint64_t>(count) * size->second;
}

const std::vector<std::int64_t>& Otf2Events::array(std::int64_t index) const {
  static const std::vector<std::int64_t> kNone;
  const auto& arrays = reader_.program().arrays;
  if (is_special(index) || static_cast<std::uint64_t>(index) >= arrays.size()) return kNone;
  return arrays[static_cast<std::size_t>(index)];
}

// Records ----------------------------------------------------------------------------------------

void Otf2Events::records() {
  const Function& function = *call_->function;
  const CallMeaning& means = trace::meaning_of(function);
  const CallView call(means, call_->words);
  switch (means.act) {
  case Act::kTransfer:
  case Act::kCollective:
    if (means.is_started_later)
      slots_.add({read_exchange(call), without_large(function.name), {}});
    else
      made(exchange(exchange_of(call), function.name, !function.makes_request));
    return;
  case Act::kMatchedProbe:
    if (call.has_found()) keep_matched(call);
    return;
  case Act::kTakeMatched:
    made(take_matched(call, !function.makes_request));
    return;
  case Act::kComplete:
    complete(call);
    return;
  case Act::kStart:
    if (means.request >= 0) start(call.request());
    for (const std::int64_t one : array(call.requests())) start(one);
    return;
  case Act::kFreeRequest:
    forget(call.request());
    return;
  case Act::kMakeComm:
    say_comm(means);
    return made({});
  case Act::kMakeWindow:
    return make_window(call);
  case Act::kFreeWindow:
  case Act::kFence:
  case Act::kExpose:
  case Act::kEndExposure:
  case Act::kAccess:
  case Act::kEndAccess:
  case Act::kLock:
  case Act::kFlush:
  case Act::kOneSided:
    return window_call(call);
  case Act::kFile:
    return file_call(call);
  case Act::kFileAccess:
    return access_file(call);
  default:
    made({});
  }
}

void Otf2Events::unsaid(std::string_view function) {
  if (writes_) ++found_.unsaid[std::string(without_large(function))];
}

void Otf2Events::unsaid() {
  unsaid(call_->function->name);
  made({});
}

void Otf2Events::say_comm(const CallMeaning& means) {
  const Words& words = call_->words;
  const auto comm_in = [&](std::int8_t word) {
    return word < 0 ? trace::Communicators::kUnknown
                    : run_.comms.of(rank_, words[static_cast<std::size_t>(word)]).id;
  };
  const OTF2_CommRef comm = comm_in(means.new_comm);
  if (comm == trace::Communicators::kUnknown) return;
  if (writes_) OTF2_EvtWriter_CommCreate(writer_, nullptr, end_ns_, comm);
  const auto [made, is_new] = found_.made.try_emplace(comm);
  if (!is_new) return;
  made->second.parent = comm_in(means.comm);
  if (means.topology != trace::MadeTopology::kCart) return;
  made->second.dims = array(argument("dims"));
  made->second.periods = array(argument("periods"));
}

// Transfers --------------------------------------------------------------------------------------

const Otf2Events::Exchange& Otf2Events::exchange_of(const CallView& call) {
  Known& known = known_[call_->symbol];
  if (known.words.empty() || known.words != call_->words)
    known = {call_->words, read_exchange(call)};
  return known.exchange;
}

Otf2Events::Exchange Otf2Events::read_exchange(const CallView& call) const {
  const CallMeaning& means = call.means();
  Exchange said;
  said.is_collective = means.act == Act::kCollective;
  if (said.is_collective) {
    said.operation = operation_of(call);
    return said;
  }
  const trace::Communicators::View& view = run_.comms.of(rank_, call.comm());
  // A partitioned message has as many counts as parts.
  const auto parts = static_cast<std::uint64_t>(std::max<std::int64_t>(call.partitions(), 0));
  said.view = &view;
  said.comm = view.id;
  said.sends = means.sends() && !is_special(call.dest());
  said.dest = static_cast<std::uint32_t>(call.dest());
  said.tag = static_cast<std::uint32_t>(call.send_tag());
  said.bytes = bytes(call.send_count(), call.send_type()) * parts;
  const std::int64_t source = call.source();
  const bool is_from_any = source == trace::kAnySource;
  said.receives = means.receives() && (!is_special(source) || is_from_any);
  said.receives_unknown = means.receives() && source == trace::kNothing;
  said.receive = {static_cast<std::uint32_t>(source), view.id,
                  static_cast<std::uint32_t>(call.receive_tag()),
                  bytes(call.receive_count(), call.receive_type()) * parts};
  said.sender = is_from_any ? -1 : view.world_rank(source);
  said.received_tag = call.receive_tag();
  said.is_wild = is_from_any || said.received_tag == trace::kAnyTag;
  return said;
}

// Nothing of a receive that got no message.
std::optional<Otf2Events::Receive> Otf2Events::received(const Exchange& said) {
  Receive receive = said.receive;
  std::int64_t sender = said.sender;
  std::int64_t tag = said.received_tag;
  if (said.is_wild || may_cancel_) {
    const auto envelope = envelopes_.take(calls_ - 1);
    if (!envelope) return std::nullopt;
    sender = envelope->source;
    tag = envelope->tag;
    receive.tag = static_cast<std::uint32_t>(tag);
    for (std::int64_t peer = 0; peer < said.view->peer_count; ++peer) {
      if (said.view->world_rank(peer) == sender) receive.source = static_cast<std::uint32_t>(peer);
    }
  }
  const auto size = run_.sizes.take({rank_, thread_, calls_ - 1, sender, tag});
  receive.bytes = size.value_or(receive.bytes);
  return receive;
}

Otf2Events::Pending Otf2Events::exchange(const Exchange& said, std::string_view function,
                                         bool is_blocking) {
  Pending pending;
  pending.id = ++ids_;
  if (said.is_collective) {
    if (!said.operation) {
      unsaid(function);
      return pending;
    }
    const Operation& one = *said.operation;
    pending.what = one;
    if (writes_ && is_blocking) {
      OTF2_EvtWriter_MpiCollectiveBegin(writer_, nullptr, begin_ns_);
      OTF2_EvtWriter_MpiCollectiveEnd(writer_, nullptr, end_ns_, one.op, one.comm, one.root,
                                      one.sent, one.received);
    } else if (writes_) {
      OTF2_EvtWriter_NonBlockingCollectiveRequest(writer_, nullptr, begin_ns_, pending.id);
    }
    return pending;
  }
  if (said.sends) pending.what = Send{};
  if (said.sends && writes_ && is_blocking)
    OTF2_EvtWriter_MpiSend(writer_, nullptr, begin_ns_, said.dest, said.comm, said.tag, said.bytes);
  else if (said.sends && writes_)
    OTF2_EvtWriter_MpiIsend(writer_, nullptr, begin_ns_, said.dest, said.comm, said.tag, said.bytes,
                            pending.id);
  if (!said.receives && !said.receives_unknown) return pending;
  const auto from = said.receives ? received(said) : std::nullopt;
  if (from) {
    pending.what = *from;
    say_receive(*from, pending.id, is_blocking);
  } else if (!is_blocking && !said.sends) {
    pending.what = Unreceived{};
    say_receive({}, pending.id, is_blocking);
  }
  return pending;
}

// Collective operations --------------------------------------------------------------------------

std::uint64_t Otf2Events::list_bytes(std::int64_t counts, std::int64_t type) const {
  std::uint64_t all = 0;
  for (const std::int64_t count : array(counts)) all += bytes(count, type);
  return all;
}

// As Score-P has it: what a rank exchanges with all, itself included; a root with itself, too.
void Otf2Events::fill_sizes(const CallView& call, const trace::Communicators::View& view,
                            Operation& operation) const {
  const CallMeaning& means = call.means();
  const auto ranks = static_cast<std::uint64_t>(view.all);
  const bool is_root = means.root >= 0 && view.world_rank(call.root()) == rank_;
  const auto plain_bytes = [&](bool is_plain, std::int64_t count, std::int64_t type) {
    return is_plain ? bytes(count, type) : 0;
  };
  const auto all_bytes = [&](bool has_counts, bool has_types, std::int64_t counts,
                             std::int64_t type) {
    return has_counts && !has_types ? list_bytes(counts, type) : 0;
  };
  const bool is_shared = means.receive_count < 0; // one count for both directions
  const std::uint64_t there =
      plain_bytes(!means.has_send_counts, call.send_count(), call.send_type());
  const std::uint64_t one = is_shared ? there : 0;
  const std::uint64_t sent = is_shared ? 0 : there;
  const std::uint64_t received =
      plain_bytes(!means.has_receive_counts, call.receive_count(), call.receive_type());
  const std::uint64_t all_sent =
      all_bytes(means.has_send_counts, means.has_send_types, call.send_count(), call.send_type());
  const std::uint64_t all_received = all_bytes(means.has_receive_counts, means.has_receive_types,
                                               call.receive_count(), call.receive_type());
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

std::optional<Otf2Events::Operation> Otf2Events::operation_of(const CallView& call) const {
  const auto op = collective_op(call.means().collective);
  const auto& view = run_.comms.of(rank_, call.comm());
  if (!op || view.id == trace::Communicators::kUnknown) return std::nullopt;
  Operation operation{*op, view.id};
  const std::int64_t root = trace::word_or(call.words(), call.means().root, trace::kNothing);
  if (!is_special(root)) operation.root = static_cast<std::uint32_t>(root);
  if (root == trace::kRootHere) operation.root = OTF2_COLLECTIVE_ROOT_SELF;
  if (root == trace::kProcNull) operation.root = OTF2_COLLECTIVE_ROOT_THIS_GROUP;
  fill_sizes(call, view, operation);
  return operation;
}

} // namespace rondo::convert::internal
