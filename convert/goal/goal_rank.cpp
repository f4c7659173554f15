// SPDX-License-Identifier: Apache-2.0
#include "convert/goal/goal_rank.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>

namespace rondo::convert::internal {
namespace {

using trace::Act;
using trace::CallView;
using trace::Function;
using trace::is_special;
using trace::Role;

constexpr std::int64_t kMostGoalTag = 0xfffffffe; // the next one means any tag

} // namespace

void GoalExport::spread_tags() {
  if (!tags.spread(kMostGoalTag))
    ++refused["tags and communicators: together they do not fit into 32 bits"];
}

GoalRankCalls::GoalRankCalls(GoalExport& run, const trace::RankClass& rank_class, std::int64_t rank)
    : run_(run), rank_(rank), envelopes_(run.receives, rank, rank_class.thread),
      reader_(run.trace, rank_class, rank), computation_(run.trace, rank_class, rank, run.times) {
  for (const trace::DatatypeDefinition& type : run.trace.datatypes) {
    if (type.holders.contains(rank))
      type_sizes_[type.slot] = std::max<std::int64_t>(type.size_bytes, 0);
  }
}

bool GoalRankCalls::next(std::string& out) {
  call_ = reader_.next();
  text_.write_to(out);
  if (call_ == nullptr) {
    text_.finish();
    return false;
  }
  ++calls_;
  computed_ns_ += std::max(computation_.before(call_->symbol), 0.0) * 1e9;
  const double whole_ns = std::floor(computed_ns_ + 0.5);
  computed_ns_ -= whole_ns; // the rest is said later, or sums would drift
  if (whole_ns > 0) text_.compute(static_cast<std::uint64_t>(whole_ns));
  if (call_->error == 0) call();
  return true;
}

void GoalRankCalls::refuse(std::string_view why) {
  const std::string what = fmt::format("{}: {}", call_->function->name, why);
  ++(run_.approximates ? run_.left_out : run_.refused)[what];
}

void GoalRankCalls::call() {
  const Function& function = *call_->function;
  const CallView call(trace::meaning_of(function), call_->words);
  const bool makes_slot = function.makes_request && call.means().is_started_later;
  Labels made; // requests are counted, too, where nothing is written of them
  switch (call.means().act) {
  case Act::kTransfer:
    if (call.means().is_partitioned) refuse("is partitioned");
    if (makes_slot) return slots_.add({&function, call_->words, {}});
    transfer(call, made);
    break;
  case Act::kTakeMatched:
    refuse("receives what a probe has found");
    break;
  case Act::kCollective:
    if (function.role == Role::kNeighbor) refuse("is a neighbour collective");
    if (makes_slot) return slots_.add({&function, call_->words, {}});
    if (function.role != Role::kNeighbor) collective(function, call, function.makes_request, made);
    break;
  case Act::kComplete:
    return complete(call);
  case Act::kStart:
    if (call.means().request >= 0) return start(call.request());
    for (const std::int64_t one : array(call.requests())) start(one);
    return;
  case Act::kFreeRequest:
    slots_.free(call.request());
    return;
  case Act::kAskPartition:
  case Act::kReady:
  case Act::kCancel:
    return;
  case Act::kOwnRequest:
    break;
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
    refuse("is one-sided");
    break;
  case Act::kFile:
  case Act::kFileAccess:
    refuse("is about files");
    break;
  case Act::kProcess:
    return refuse("starts or meets processes outside the run");
  case Act::kLocal:
  case Act::kNameObject:
    if (function.role == Role::kRma || function.role == Role::kWin) refuse("is one-sided");
    break;
  case Act::kInit: // what makes communicators, groups and datatypes costs nothing in a schedule
  case Act::kFinalize:
  case Act::kAbort:
  case Act::kPhaseBegin:
  case Act::kPhaseEnd:
  case Act::kProbe:
  case Act::kMatchedProbe:
  case Act::kMakeComm:
  case Act::kFreeComm:
  case Act::kDisconnect:
  case Act::kMakeObject:
  case Act::kAskObject:
  case Act::kFreeObject:
    break;
  }
  if (function.makes_request)
    open_[++made_] = std::move(made);
  else
    text_.wait(made);
}

// Words -------------------------------------------------------------------------------------------

std::span<const std::int64_t> GoalRankCalls::array(std::int64_t index) const {
  const auto& arrays = reader_.program().arrays;
  if (is_special(index) || static_cast<std::uint64_t>(index) >= arrays.size()) return {};
  return arrays[static_cast<std::size_t>(index)];
}

std::uint64_t GoalRankCalls::bytes(std::int64_t count, std::int64_t type) {
  const auto size = type_sizes_.find(type);
  const bool is_unknown = count == trace::kNothing || (count > 0 && size == type_sizes_.end());
  run_.unknown_sizes += is_unknown ? 1 : 0;
  if (is_unknown || is_special(count) || count <= 0) return 0;
  return static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(size->second);
}

std::int64_t GoalRankCalls::tag_on(std::int64_t comm, std::int64_t tag) {
  if (is_special(tag)) tag = 0; // imported calls that do not say
  return run_.tags.of(run_.comms.of(rank_, comm).id, tag);
}

// Messages ----------------------------------------------------------------------------------------

// Nothing for MPI_PROC_NULL and for receives that were cancelled.
std::optional<GoalText::Message> GoalRankCalls::receive_of(const CallView& call) {
  const std::int64_t source = call.source();
  const std::int64_t tag = call.receive_tag();
  const std::int64_t comm = call.comm();
  if (is_special(source) && source != trace::kAnySource) return std::nullopt;
  const std::uint64_t size = bytes(call.receive_count(), call.receive_type());
  const bool is_wild = source == trace::kAnySource || tag == trace::kAnyTag;
  if (is_wild || run_.receives.may_cancel(rank_)) {
    const auto envelope = envelopes_.take(calls_ - 1);
    if (envelope) return GoalText::Message{envelope->source, tag_on(comm, envelope->tag), size};
    if (!run_.receives.may_cancel(rank_)) refuse("got no message in the trace");
    return std::nullopt;
  }
  const std::int64_t world = run_.comms.of(rank_, comm).world_rank(source);
  if (world >= 0) return GoalText::Message{world, tag_on(comm, tag), size};
  refuse("has a peer or communicator that the trace does not know");
  return std::nullopt;
}

std::optional<GoalText::Message> GoalRankCalls::send_of(const CallView& call) {
  if (is_special(call.dest())) return std::nullopt;
  const std::int64_t world = run_.comms.of(rank_, call.comm()).world_rank(call.dest());
  const std::uint64_t size = bytes(call.send_count(), call.send_type());
  if (world >= 0) return GoalText::Message{world, tag_on(call.comm(), call.send_tag()), size};
  refuse("has a peer or communicator that the trace does not know");
  return std::nullopt;
}

void GoalRankCalls::transfer(const CallView& call, Labels& made) {
  if (call.means().receives()) {
    if (const auto received = receive_of(call)) made.push_back(text_.receive(*received));
  }
  if (call.means().sends()) {
    if (const auto sent = send_of(call)) made.push_back(text_.send(*sent));
  }
}

// Collective operations ---------------------------------------------------------------------------

// What comes from each where that is not what goes there.
void GoalRankCalls::set_received(const CallView& call, trace::CollectivePart& part) {
  const bool is_gather = part.operation == trace::CollectiveKind::kGatherv;
  if (!is_gather && part.operation != trace::CollectiveKind::kAlltoallv) return;
  const auto counts = array(call.receive_count());
  const std::int64_t type = call.receive_type();
  const bool has_types = call.means().has_receive_types;
  const auto types = has_types ? array(type) : std::span<const std::int64_t>{};
  for (std::size_t i = 0; i < counts.size(); ++i)
    part.received_blocks.push_back(bytes(counts[i], i < types.size() ? types[i] : type));
}

void GoalRankCalls::collective(const Function& function, const CallView& call, bool goes_on,
                               Labels& made) {
  if (!trace::collective_kind_of(function))
    return refuse("is a collective operation whose messages are not known");
  const std::int64_t comm = call.comm();
  const trace::Communicators::View& view = run_.comms.of(rank_, comm);
  if (view.id == trace::Communicators::kUnknown)
    return refuse("is on a communicator that the trace does not know");
  const trace::Positions::Position& position = reader_.positions().of(comm);
  const bool is_inter = position.comm != nullptr && !position.comm->remote.empty();
  const trace::WordReader reader{
      [this](std::int64_t index) { return array(index); },
      [this](std::int64_t count, std::int64_t type) { return bytes(count, type); }};
  trace::CollectivePart part = part_of(trace::collective_words_of(function), call.words(),
                                       {view, position.rank, is_inter}, reader);
  set_received(call, part);
  ++run_.lowered[fmt::format("{}: {}", trace::collective_name_of(function), algorithm_of(part))];
  const std::int64_t tag = run_.tags.of_steps(view.id);
  if (!goes_on) return play(part, tag);
  text_.begin_branch();
  play(part, tag);
  made = text_.end_branch();
}

void GoalRankCalls::play(const trace::CollectivePart& part, std::int64_t tag) {
  const std::vector<trace::CollectiveStep> steps = steps_of(part);
  Labels together;
  for (const trace::CollectiveStep& step : steps) {
    if (step.from >= 0) together.push_back(text_.receive({step.from, tag, step.received}));
    if (step.to >= 0) together.push_back(text_.send({step.to, tag, step.bytes}));
    if (step.goes_on && &step != &steps.back()) continue;
    text_.wait(together);
    together.clear();
  }
}

// Requests ----------------------------------------------------------------------------------------

void GoalRankCalls::start(std::int64_t reference) {
  Slot* const slot = slots_.find(reference);
  if (slot == nullptr) return refuse("starts a request that was not seen being made");
  slot->active.clear();
  const CallView made(trace::meaning_of(*slot->function), slot->words);
  if (made.means().is_partitioned || slot->function->role == Role::kNeighbor)
    return; // refused when it was made
  if (made.means().act == Act::kCollective)
    collective(*slot->function, made, true, slot->active);
  else
    transfer(made, slot->active);
}

GoalRankCalls::Labels* GoalRankCalls::labels_of(std::int64_t reference) {
  if (is_special(reference)) return nullptr;
  if (trace::is_foreign(reference)) {
    refuse("completes a request of another thread");
    return nullptr;
  }
  if (Slot* const slot = slots_.find(reference)) return &slot->active;
  if (trace::is_persistent(reference)) return nullptr;
  const auto found = open_.find(made_ - trace::age_or_slot(reference));
  return found == open_.end() ? nullptr : &found->second;
}

void GoalRankCalls::add_labels(std::int64_t reference, Labels& labels) {
  Labels* const found = labels_of(reference);
  if (found == nullptr) return;
  labels.insert(labels.end(), found->begin(), found->end());
  found->clear();
  if (!trace::is_persistent(reference)) open_.erase(made_ - trace::age_or_slot(reference));
}

void GoalRankCalls::complete(const CallView& call) {
  if (call.means().keeps_request || !call.has_found()) return; // or nobody knows
  const auto requests = array(call.requests());
  Labels labels;
  const auto add_at = [&](std::int64_t index) {
    if (!is_special(index) && static_cast<std::uint64_t>(index) < requests.size())
      add_labels(requests[static_cast<std::size_t>(index)], labels);
  };
  switch (call.means().completes) {
  case trace::Completes::kNone:
    break;
  case trace::Completes::kOne:
    add_labels(call.request(), labels);
    break;
  case trace::Completes::kAny:
    add_at(call.index());
    break;
  case trace::Completes::kSome:
    for (const std::int64_t index : array(call.indices())) add_at(index);
    break;
  case trace::Completes::kAll:
    for (const std::int64_t one : requests) add_labels(one, labels);
    break;
  }
  text_.wait(labels);
}

} // namespace rondo::convert::internal
