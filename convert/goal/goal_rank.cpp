// SPDX-License-Identifier: Apache-2.0
#include "convert/goal/goal_rank.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace rondo::convert::internal {
namespace {

using trace::Function;
using trace::is_special;
using trace::Mode;
using trace::Role;

constexpr std::int64_t kMostGoalTag = 0xfffffffe; // the next one means any tag

std::int64_t goal_word(const Function& function, const std::vector<std::int64_t>& words,
                       std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    const int index = function.word_of(name);
    if (index >= 0) return words[static_cast<std::size_t>(index)];
  }
  return trace::kNothing;
}

std::string_view name_without_large(const Function& function) {
  std::string_view name = function.name;
  if (name.ends_with("_c")) name.remove_suffix(2);
  return name;
}

} // namespace

void GoalExport::spread_tags() {
  std::int64_t offset = 0;
  for (auto& [comm, added] : tag_offsets) {
    added = offset;
    offset += highest_tag + (has_steps ? 2 : 1);
  }
  if (offset - 1 > kMostGoalTag)
    ++refused["tags and communicators: together they do not fit into 32 bits"];
}

GoalRankCalls::GoalRankCalls(GoalExport& run, const trace::RankClass& rank_class, std::int64_t rank)
    : run_(run), rank_(rank), reader_(run.trace, rank_class, rank),
      computation_(run.trace, rank_class, rank) {
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
  const bool is_persistent = function.mode == Mode::kPersistent;
  Labels made;
  switch (function.role) {
  case Role::kSend:
  case Role::kRecv:
  case Role::kSendrecv:
    if (function.mode == Mode::kPartitioned) return refuse("is partitioned");
    if (function.role == Role::kRecv && function.word_of("source") < 0)
      return refuse("receives what a probe has found");
    if (is_persistent) return slots_.add({&function, call_->words, {}});
    transfer(function, call_->words, made);
    break;
  case Role::kCollective:
    if (is_persistent) return slots_.add({&function, call_->words, {}});
    collective(function, call_->words, function.makes_request, made);
    break;
  case Role::kComplete:
    return complete();
  case Role::kRequest:
    if (name_without_large(function) == "MPI_Start") return start(word("request"));
    if (name_without_large(function) == "MPI_Startall") {
      for (const std::int64_t one : array(word("array_of_requests"))) start(one);
    } else if (name_without_large(function) == "MPI_Request_free") {
      slots_.free(word("request"));
    }
    return;
  case Role::kNeighbor:
    refuse("is a neighbour collective");
    break;
  case Role::kRma:
  case Role::kWin:
    refuse("is one-sided");
    break;
  case Role::kIo:
    refuse("is about files");
    break;
  case Role::kProcess:
    return refuse("starts or meets processes outside the run");
  default: // what makes communicators, groups and datatypes costs nothing in a schedule
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

std::int64_t GoalRankCalls::word(std::string_view field) const {
  return goal_word(*call_->function, call_->words, {field});
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
  run_.highest_tag = std::max(run_.highest_tag, tag);
  return tag + run_.tag_offsets[run_.comms.of(rank_, comm).id];
}

// Messages ----------------------------------------------------------------------------------------

// Nothing for MPI_PROC_NULL and for receives that were cancelled.
std::optional<GoalText::Message> GoalRankCalls::receive_of(const Function& function,
                                                           const Words& words) {
  const std::int64_t source = goal_word(function, words, {"source"});
  const std::int64_t tag = goal_word(function, words, {"recvtag", "tag"});
  const std::int64_t comm = goal_word(function, words, {"comm"});
  if (is_special(source) && source != trace::kAnySource) return std::nullopt;
  const std::uint64_t size = bytes(goal_word(function, words, {"recvcount", "count"}),
                                   goal_word(function, words, {"recvtype", "datatype"}));
  const bool is_wild = source == trace::kAnySource || tag == trace::kAnyTag;
  if (is_wild || run_.receives.may_cancel(rank_)) {
    const auto envelope = run_.receives.take(rank_, calls_ - 1);
    if (envelope) return GoalText::Message{envelope->source, tag_on(comm, envelope->tag), size};
    if (!run_.receives.may_cancel(rank_)) refuse("got no message in the trace");
    return std::nullopt;
  }
  const std::int64_t world = run_.comms.of(rank_, comm).world_rank(source);
  if (world >= 0) return GoalText::Message{world, tag_on(comm, tag), size};
  refuse("has a peer or communicator that the trace does not know");
  return std::nullopt;
}

std::optional<GoalText::Message> GoalRankCalls::send_of(const Function& function,
                                                        const Words& words) {
  const std::int64_t dest = goal_word(function, words, {"dest"});
  const std::int64_t comm = goal_word(function, words, {"comm"});
  if (is_special(dest)) return std::nullopt;
  const std::int64_t world = run_.comms.of(rank_, comm).world_rank(dest);
  const std::uint64_t size = bytes(goal_word(function, words, {"sendcount", "count"}),
                                   goal_word(function, words, {"sendtype", "datatype"}));
  if (world >= 0)
    return GoalText::Message{world, tag_on(comm, goal_word(function, words, {"sendtag", "tag"})),
                             size};
  refuse("has a peer or communicator that the trace does not know");
  return std::nullopt;
}

void GoalRankCalls::transfer(const Function& function, const Words& words, Labels& made) {
  if (function.word_of("source") >= 0) {
    if (const auto received = receive_of(function, words)) made.push_back(text_.receive(*received));
  }
  if (function.word_of("dest") >= 0) {
    if (const auto sent = send_of(function, words)) made.push_back(text_.send(*sent));
  }
}

// Collective operations ---------------------------------------------------------------------------

// What comes from each where that is not what goes there.
void GoalRankCalls::set_received(const Function& function, const Words& words,
                                 trace::CollectivePart& part) {
  const bool is_gather = part.operation == trace::CollectiveKind::kGatherv;
  if (!is_gather && part.operation != trace::CollectiveKind::kAlltoallv) return;
  const auto counts = array(goal_word(function, words, {"recvcounts"}));
  const std::int64_t type = goal_word(function, words, {"recvtype"});
  const auto types = array(goal_word(function, words, {"recvtypes"}));
  for (std::size_t i = 0; i < counts.size(); ++i)
    part.received_blocks.push_back(bytes(counts[i], i < types.size() ? types[i] : type));
}

void GoalRankCalls::collective(const Function& function, const Words& words, bool goes_on,
                               Labels& made) {
  if (!trace::collective_kind_of(function))
    return refuse("is a collective operation whose messages are not known");
  const std::int64_t comm = words[static_cast<std::size_t>(function.comm_word())];
  const trace::Communicators::View& view = run_.comms.of(rank_, comm);
  if (view.id == trace::Communicators::kUnknown)
    return refuse("is on a communicator that the trace does not know");
  const trace::Positions::Position& position = reader_.positions().of(comm);
  const bool is_inter = position.comm != nullptr && !position.comm->remote.empty();
  const trace::WordReader reader{
      [this](std::int64_t index) { return array(index); },
      [this](std::int64_t count, std::int64_t type) { return bytes(count, type); }};
  trace::CollectivePart part =
      part_of(trace::collective_words_of(function), words, {view, position.rank, is_inter}, reader);
  set_received(function, words, part);
  ++run_.lowered[fmt::format("{}: {}", trace::collective_name_of(function), algorithm_of(part))];
  run_.has_steps = true;
  const std::int64_t tag = run_.tag_offsets[view.id] + run_.highest_tag + 1;
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
  if (slot->function->role == Role::kCollective)
    collective(*slot->function, slot->words, true, slot->active);
  else
    transfer(*slot->function, slot->words, slot->active);
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

void GoalRankCalls::complete() {
  const Function& function = *call_->function;
  if (name_without_large(function) == "MPI_Request_get_status") return;
  const bool is_test = function.word_of("flag") >= 0;
  if (is_test && word("flag") != 1) return; // nothing, or nobody knows
  const auto requests = array(word("array_of_requests"));
  Labels labels;
  const auto add_at = [&](std::int64_t index) {
    if (!is_special(index) && static_cast<std::uint64_t>(index) < requests.size())
      add_labels(requests[static_cast<std::size_t>(index)], labels);
  };
  if (function.word_of("request") >= 0) {
    add_labels(word("request"), labels);
  } else if (function.word_of("index") >= 0) {
    add_at(word("index"));
  } else if (function.word_of("array_of_indices") >= 0) {
    for (const std::int64_t index : array(word("array_of_indices"))) add_at(index);
  } else {
    for (const std::int64_t one : requests) add_labels(one, labels);
  }
  text_.wait(labels);
}

} // namespace rondo::convert::internal
