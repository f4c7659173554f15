// SPDX-License-Identifier: Apache-2.0
#include "record/call_log.hpp"

#include "record/by_hand.hpp"
#include "record/mpi_errors.hpp"
#include "record/process/mpi_library.hpp"
#include "record/process/signals.hpp"
#include "record/recorder.hpp"

#include <algorithm>
#include <utility>

namespace rondo::record {

RONDO_USUAL alignas(64) std::int64_t log_words[kLogWords];
constinit OnThread no_thread;

namespace {

FoldEntry fold_of(const std::int64_t* entry) { return reinterpret_cast<FoldEntry>(entry[kFold]); }

void take_sample(std::uint64_t start_ticks, std::uint64_t end_ticks) {
  const std::uint64_t before = start_ticks - on_thread.begun_ticks;
  const std::uint64_t after = Clock::counter() - end_ticks;
  on_thread.sampled_ticks +=
      kSampled * (std::min(before, kLongTicks) + std::min(after, kLongTicks));
  on_thread.until_sample = kSampled;
}

} // namespace

void Recorder::keep_log(OnThread& thread) {
  if (needs_lock) return;
  log_thread_ = &thread;
  thread.log.end = log_words;
  thread.until_sample = kSampled;
  thread.leaves_waits = true;
  if (!thread.is_watched) watch_thread();
  choose_log();
}

void Recorder::leave_log(OnThread& thread) {
  if (log_thread_ != &thread || &thread == &no_thread) return;
  fold_log_anew();
  thread.log.limit = nullptr;
  log_thread_ = &no_thread;
}

// What is not folded stays there until anybody folds it.
void Recorder::choose_log() {
  // Without a thread that makes checkpoints each call would have to look whether it is time for
  // one.
  const bool has_time = checkpoint_thread_.runs() || settings_.checkpoint_ns == 0;
  const bool uses_log = is_plain_ && has_time && log_thread_ != &no_thread;
  OnThread& thread = *log_thread_;
  thread.log.limit = uses_log ? log_words + kLogWords - kMostEntry - kEntryHead : nullptr;
  thread.rest_bits = uses_log && shares_processors_ ? usual_.noticeable_bits() : kNoBits;
  thread.inside_bits = thread.rest_bits;
  lead_to_log(uses_log);
}

void Recorder::fold_log(bool may_ask) {
  const std::int64_t* const end = log_thread_->log.end.load(std::memory_order_acquire);
  if (folded_ == end) return;
  Stream& stream = *only_stream_;
  asks_nothing = !may_ask;
  Folding folding{*this, stream};
  folding.may_ask = may_ask;
  folding.is_looked_at = shares_processors_;
  for (const std::int64_t* entry = folded_; entry != end; folded_ = entry) {
    const std::int64_t* const next = fold_of(entry)(folding, entry);
    if (folding.is_looked_at) [[unlikely]] {
      if (!folding.is_over()) break;
      take_off_before(entry, ticks_at(entry, kStart));
    }
    fold_event(stream, {folding.event, folding.size}, ticks_at(entry, kStart),
               ticks_at(entry, kEnd));
    entry = next;
  }
  asks_nothing = false;
}

inline void Recorder::fold_event(Stream& stream, std::span<const std::int64_t> event,
                                 std::uint64_t start_ticks, std::uint64_t end_ticks) {
  stream.open_ticks = start_ticks;
  fold::ProgramBuilder& program = *stream.program;
  fold::CallTimes* times = nullptr;
  if (program.expects(event.data(), event.size())) {
    times = program.record_next_in_body();
    if (times == nullptr) times = program.record_round_body();
  }
  if (times != nullptr) {
    take_times(stream, end_ticks, *times);
  } else {
    fold::CallTimes others;
    take_times(stream, end_ticks, others);
    program.record_otherwise(event.data(), event.size(), others.computation_ns, others.inside_ns);
  }
  stream.last_end_ticks = end_ticks;
}

// Between two calls of the program's: what it takes is none of its computation.
void Recorder::fold_log_anew() {
  const std::uint64_t begun = clock_.ticks();
  fold_log(true);
  if (log_thread_->is_in_log)
    return; // MPI's rules on threads are broken: that one is still in its call
  Stream& stream = *only_stream_;
  const std::int64_t* const end = open_entry(*log_thread_);
  take_off_before(end, begun);
  if (end != log_words) {
    stream.rest_thread = log_thread_;
    stream.rest_site = entry_before(end)[kSite];
    stream.rest_ticks = ticks_at(end, kStart);
  }
  begin_log();
  stream.before_ticks += std::exchange(log_thread_->sampled_ticks, 0);
  const std::uint64_t spent = clock_.ticks() - begun;
  if (stream.last_end_ticks != kNoTicks) stream.last_end_ticks += spent;
  stream.rest_ticks += spent;
  recorder_ticks_ += own_part(spent);
}

void Recorder::begin_log() {
  folded_ = log_words;
  log_words[kStart] = 0; // so the first time before a call is looked at, whatever call was before
  if (shares_processors_) taken_offs_.clear();
  log_thread_->log.end.store(log_words, std::memory_order_release);
}

// The open call that only the log knows of, as others see it: its event stands in on_thread.
void Recorder::show_open(const std::int64_t* entry) {
  Stream& stream = *only_stream_;
  Folding folding{*this, stream, Folding::State::kOpen};
  asks_nothing = true;
  fold_of(entry)(folding, entry);
  asks_nothing = false;
  stream.open = {static_cast<std::uint16_t>(on_thread.event[0]),
                 static_cast<std::uint16_t>(folding.size)};
  stream.open_words = on_thread.event;
  stream.open_ticks = ticks_at(entry, kStart);
}

// Another thread's may come and go meanwhile.
bool Recorder::show_open_in_log() {
  const std::int64_t* const entry = log_thread_->log.end.load(std::memory_order_acquire);
  if (!log_thread_->is_in_log) return false;
  std::atomic_thread_fence(std::memory_order_acquire);
  if (log_thread_->log.end.load(std::memory_order_relaxed) != entry || folded_ != entry)
    return false;
  show_open(entry);
  return true;
}

// The calling thread's open call becomes one as any other.
void Recorder::take_from_log() {
  fold_log(false);
  show_open(open_entry(on_thread));
  take_off_before(open_entry(on_thread), ticks_at(open_entry(on_thread), kStart));
  on_thread.is_in_log = false;
  if (folded_ == open_entry(on_thread)) begin_log();
}

void note_log_handles(std::uint64_t bits) {
  const bool is_recorded = recorder != nullptr && on_thread.call.frame == nullptr;
  if (is_recorded) recorder->note_handles(bits);
}

int look_behind_call(std::int64_t* next, std::uint64_t end_ticks, int result) {
  if (on_thread.until_sample == 0) take_sample(ticks_at(entry_before(next), kStart), end_ticks);
  on_thread.inside_bits = on_thread.rest_bits;
  if (on_thread.rest_bits != kNoBits) recorder->begin_rest(next, end_ticks);
  return result;
}

[[gnu::cold]] int end_otherwise(std::uint64_t end_ticks, int result) {
  Recorder& known = *recorder;
  enter_recorder();
  known.enter();
  known.end_in_log(end_ticks, result);
  known.leave();
  leave_recorder();
  on_thread.call.frame = nullptr;
  return result;
}

void Recorder::end_in_log(std::uint64_t end_ticks, int result) {
  on_thread.until_sample = kSampled;
  Stream& stream = *only_stream_;
  if (!on_thread.is_in_log) { // it was recorded as the rank's last call
    live_on();
    pass(stream, stream.open_ticks, end_ticks);
    return;
  }
  fold_log(true);
  const std::int64_t* const entry = open_entry(on_thread);
  Folding folding{*this, stream, Folding::State::kFailed};
  fold_of(entry)(folding, entry);
  on_thread.event[0] |= error_number(error_class_of(result)) << 16;
  take_off_before(entry, ticks_at(entry, kStart));
  on_thread.is_in_log = false;
  begin_log();
  commit(stream, on_thread.event, folding.size, ticks_at(entry, kStart), end_ticks);
}

} // namespace rondo::record
