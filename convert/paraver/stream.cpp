// SPDX-License-Identifier: Apache-2.0
#include "convert/paraver/stream.hpp"

#include "trace/mpi_names.hpp"

#include <algorithm>
#include <iterator>

namespace rondo::convert::internal {
namespace {

// Clocks of hosts may differ, and times may be reconstructed, so that a message seems to be sent
// after it came. A receive without a message waits that long for one, or for that many calls.
constexpr std::uint64_t kClocksDiffer_ns = 10'000'000;
constexpr std::size_t kCallsBehind = 4096;

} // namespace

ParaverStream::ParaverStream(ParaverRun& run, std::int64_t rank, std::uint32_t thread)
    : run_(run), rank_(rank), thread_(thread), program_(run.options.program) {
  program_.set_position(trace::kWorldSlot, rank, run.ranks);
  program_.set_position(trace::kSelfSlot, 0, 1);
  if (run.options.all_times) stamps_.emplace();
}

void ParaverStream::join_comm(const CommPlace& place) {
  places_[place.comm] = {place};
  if (place.slot >= 0) program_.set_position(place.slot, place.rank, place.size);
}

void ParaverStream::join_comms_of(const ParaverStream& other) {
  for (const auto& [comm, place] : other.places_) join_comm(place.in);
}

// Time --------------------------------------------------------------------------------------------

// Counts what was running between the call before and a time.
void ParaverStream::settle(std::uint64_t until_ns) {
  const std::uint64_t begin = std::max(running_begin_ns_, free_ns_);
  const std::uint64_t end = std::min(running_end_ns_, until_ns);
  if (begin >= end) return;
  computation_ns_ += end - begin;
  settled_ns_ += end - begin;
  running_begin_ns_ = end;
}

void ParaverStream::running(std::uint64_t begin_ns, std::uint64_t end_ns) {
  begin_ns = std::max(begin_ns, running_end_ns_); // states of a thread do not overlap
  if (begin_ns >= end_ns) return;
  if (!open_) settle(begin_ns);
  facts_.computation_ns += end_ns - begin_ns;
  running_begin_ns_ = begin_ns;
  running_end_ns_ = end_ns;
  run_.has_running = true;
}

// Calls -------------------------------------------------------------------------------------------

void ParaverStream::begin_call(const CallForm& form, std::uint64_t time_ns) {
  if (open_) {
    ++run_.counts.endless_calls;
    end_call(time_ns);
  }
  now_ns_ = time_ns;
  if (run_.gaps_compute && time_ns > free_ns_) {
    running(free_ns_, time_ns);
    ++run_.counts.gaps;
  }
  settle(time_ns);
  open_.emplace(Held{}); // with an operand, as clang 14 knows no initialisers of members yet here
  open_->form = &form;
  open_->begin_ns = std::max(time_ns, free_ns_);
  open_->computation_ns = computation_ns_;
  computation_ns_ = 0;
}

void ParaverStream::end_call(std::uint64_t time_ns) {
  if (!open_) return; // of a function that is not read
  now_ns_ = time_ns;
  Held call = std::move(*open_);
  open_.reset();
  call.end_ns = std::max(time_ns, call.begin_ns);
  const bool is_guessed = run_.has_one_comm && run_.comms.world() != 0;
  if (call.comm == 0 && is_guessed && call.form->is_collective()) {
    call.comm = run_.comms.world();
    ++run_.counts.guessed_communicators;
  }
  free_ns_ = call.end_ns;
  if (call.form->root >= 0) count_operation(call);
  if (call.form->sends) take_early(call, early_sends_, &Held::out);
  if (call.form->receives) take_early(call, early_receives_, &Held::in);
  held_.push_back(std::move(call));
  release();
}

void ParaverStream::count_operation(Held& call) {
  ParaverComm* comm = run_.comms.find(call.comm);
  const auto place = places_.find(call.comm);
  if (comm == nullptr || place == places_.end()) return;
  call.ordinal = place->second.rooted++;
  const std::optional<std::int64_t> root =
      call.is_root ? std::optional(place->second.in.rank) : std::nullopt;
  comm->roots.begin(call.ordinal, call.form->function->id, root);
}

void ParaverStream::say_sizes(std::optional<std::int64_t> sent,
                              std::optional<std::int64_t> received) {
  if (!open_) return;
  if (sent && *sent >= 0) open_->send_bytes = *sent;
  if (received && *received >= 0) open_->receive_bytes = *received;
}

void ParaverStream::say_comm(std::uint64_t comm) {
  if (open_) open_->comm = comm;
}

void ParaverStream::say_root() {
  if (open_) open_->is_root = true;
}

// Messages ----------------------------------------------------------------------------------------

void ParaverStream::take_end(const MessageEnd& message, bool is_send) {
  const bool is_of_open = open_ && message.logical_ns >= open_->begin_ns;
  if (!is_of_open && give_to_held(message, is_send)) return release();
  const std::uint64_t since_ns = open_ ? open_->begin_ns : free_ns_;
  if (message.logical_ns < since_ns) {
    ++run_.counts.lost_halves;
    return;
  }
  Ends& ends = is_send ? early_sends_ : early_receives_;
  ends.emplace(message.logical_ns, message);
  if (ends.size() <= run_.most_held) return;
  ends.erase(std::prev(ends.end())); // the one that is furthest away
  ++run_.counts.lost_halves;
}

// To the call around that time, of those that have ended.
bool ParaverStream::give_to_held(const MessageEnd& message, bool is_send) {
  auto at = std::upper_bound(
      held_.begin(), held_.end(), message.logical_ns,
      [](std::uint64_t time_ns, const Held& call) { return time_ns < call.begin_ns; });
  while (at != held_.begin()) {
    Held& call = *--at;
    if (call.end_ns < message.logical_ns) return false;
    std::optional<MessageEnd>& end = is_send ? call.out : call.in;
    const bool has_room = (is_send ? call.form->sends : call.form->receives) && !end;
    if (has_room) {
      end = message;
      return true;
    }
  }
  return false;
}

// Of the messages that were read before the call's end. Older ones have met no call.
void ParaverStream::take_early(Held& call, Ends& ends, std::optional<MessageEnd> Held::*end) {
  const auto first = ends.lower_bound(call.begin_ns);
  run_.counts.lost_halves += static_cast<std::uint64_t>(std::distance(ends.begin(), first));
  ends.erase(ends.begin(), first);
  if (ends.empty() || ends.begin()->first > call.end_ns) return;
  call.*end = ends.begin()->second;
  ends.erase(ends.begin());
}

bool ParaverStream::is_ready(const Held& call) const {
  const CallForm& form = *call.form;
  if (form.sends && !call.out && now_ns_ <= call.end_ns) return false;
  if (form.receives && !call.in) {
    const bool may_come = !form.waits_for_message() || held_.size() <= kCallsBehind ||
                          now_ns_ <= call.end_ns + kClocksDiffer_ns;
    if (may_come) return false;
  }
  return form.root < 0 || call.comm == 0 || root_of(call).has_value();
}

void ParaverStream::release() {
  while (!held_.empty() && (held_.size() > run_.most_held || is_ready(held_.front()))) {
    record(held_.front());
    held_.pop_front();
  }
}

// The end -----------------------------------------------------------------------------------------

fold::RecordingPart ParaverStream::finish() {
  run_.counts.endless_calls += open_ ? 1 : 0;
  while (!held_.empty()) {
    record(held_.front());
    held_.pop_front();
  }
  run_.counts.lost_halves += early_sends_.size() + early_receives_.size();
  if (!open_) settle(~std::uint64_t{0});
  facts_.calls = program_.calls();
  facts_.span_ns = run_.duration_ns;
  if (!is_finalized_) facts_.ending.edit().kind = trace::Ending::kUnknown;
  fold::RecordingPart part;
  part.run.complete = is_finalized_;
  part.classes.push_back(fold::class_of_stream(rank_, thread_, program_.finish()));
  if (thread_ == 0) finish_rank(part);
  if (stamps_) {
    part.stamps.push_back(stamps_->take());
    part.stamps.back().rank = rank_;
    part.stamps.back().thread = thread_;
    part.stamps.back().origin_unix_ns = run_.start_unix_ns;
  }
  return part;
}

// What is said of a rank once, for its first thread.
void ParaverStream::finish_rank(fold::RecordingPart& part) {
  run_.counts.running_inside_ns += facts_.computation_ns - settled_ns_;
  const std::uint64_t known_ns = settled_ns_ + facts_.inside_ns;
  run_.counts.other_states_ns += run_.duration_ns - std::min(known_ns, run_.duration_ns);
  run_.counts.unfinished_ranks += is_finalized_ ? 0 : 1;
  part.ranks.emplace_back(rank_, facts_);
  part.tables.sites.emplace_back(); // unknown
  part.tables.datatypes.push_back(
      {byte_datatype(), std::string(mpi::BYTE), 1, 1, trace::RankSet::of({rank_})});
}

} // namespace rondo::convert::internal
