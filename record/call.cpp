// SPDX-License-Identifier: Apache-2.0
#include "record/call.hpp"

#include "record/by_hand.hpp"
#include "record/mpi_errors.hpp"
#include "record/process/processors.hpp"

#include <atomic>

namespace rondo::record {

// The short way
// ---------------------------------------------------------------------------------------------
//
// What all calls go through, where there is nothing out of the ordinary (Recorder::is_plain). These
// functions call nothing on their way, so that no register is saved for what is seldom needed: that
// is the last thing they do, in another function.

[[gnu::hot]] Call::Begun Call::begin(std::uint16_t function, const void* return_address,
                                     const void* frame) {
  Recorder* const known = recorder;
  if (known == nullptr || !known->is_plain() || on_thread.call.frame != nullptr ||
      !on_thread.is_watched || Recorder::has_log(on_thread)) [[unlikely]]
    return begin_otherwise(function, return_address, frame, false);
  const void* site = site_in_fortran(frame);
  if (site == nullptr) site = return_address;
  const std::uint32_t* const index = known->sites.find(site);
  if (index == nullptr) [[unlikely]]
    return begin_otherwise(function, return_address, frame, false);
  on_thread.in_recorder = true;
  if (!known->enter_plainly()) [[unlikely]]
    return begin_otherwise(function, return_address, frame, false);
  Stream& stream = known->only_stream();
  if (--stream.until_sample == 0) [[unlikely]]
    begin_sample(stream, Clock::counter());
  on_thread.call.frame = frame;
  on_thread.call.error = MPI_SUCCESS;
  on_thread.call.function = function;
  on_thread.event[0] = function;
  on_thread.event[1] = *index;
  return {known, &stream};
}

[[gnu::hot]] void Call::enter(Recorder& recorder, Stream& stream, Stream::Open open) {
  if (!recorder.is_plain()) [[unlikely]]
    return enter_otherwise(recorder, stream, open);
  stream.open = open;
  stream.open_words = on_thread.event;
  const std::uint64_t now = Clock::counter();
  if (recorder.may_be_displaced(stream, now)) [[unlikely]]
    return enter_otherwise(recorder, stream, open);
  recorder.leave_plainly();
  on_thread.in_recorder = false;
  if (on_thread.waiting_signal != 0) [[unlikely]]
    return deliver_and_start(stream);
  start(stream, now);
}

inline void Call::begin_sample(Stream& stream, std::uint64_t now) {
  stream.begun_ticks = now;
  stream.until_sample = kSampled;
}

inline void Call::start(Stream& stream, std::uint64_t now) {
  // A checkpoint of another thread may look at these two meanwhile.
  std::atomic_ref(stream.open_ticks).store(now, std::memory_order_relaxed);
  if (stream.until_sample != kSampled) [[likely]]
    return;
  std::atomic_ref(stream.before_ticks)
      .store(stream.before_ticks + kSampled * std::min(now - stream.begun_ticks, kLongTicks),
             std::memory_order_relaxed);
  stream.begun_ticks = 0;
}

[[gnu::hot]] std::uint64_t Call::leave(Recorder& recorder, Stream& stream, int result) {
  if (!recorder.is_plain()) [[unlikely]]
    return leave_otherwise(recorder, stream, result, 0);
  const std::uint64_t end = Clock::counter();
  on_thread.in_recorder = true;
  if (!recorder.enter_plainly() || result != MPI_SUCCESS || !stream.scratch.unknown.empty())
      [[unlikely]]
    return leave_otherwise(recorder, stream, result, end);
  return end;
}

[[gnu::hot]] void Call::commit(Recorder& recorder, Stream& stream, std::uint32_t size,
                               std::uint64_t end, const void* frame) {
  if (!recorder.is_plain() || on_thread.call.frame != frame || recorder.needs_checkpoint(end))
      [[unlikely]]
    return commit_otherwise(recorder, stream, size, end, frame);
  fold::ProgramBuilder& program = *stream.program; // looked up once
  if (!program.expects(on_thread.event, size)) [[unlikely]]
    return commit_unexpected(recorder, stream, size, end);
  fold::CallTimes* const times = program.record_next_in_body();
  if (times == nullptr) return commit_round(recorder, stream, size, end);
  recorder.take_times(stream, end, *times);
  close(recorder, stream, end);
}

// Apart from those within a loop's body, for which few registers are enough.
[[gnu::hot, gnu::noinline]] void Call::commit_round(Recorder& recorder, Stream& stream,
                                                    std::uint32_t size, std::uint64_t end) {
  fold::CallTimes* const times = stream.program->record_round_body();
  if (times == nullptr) return commit_unexpected(recorder, stream, size, end);
  recorder.take_times(stream, end, *times);
  close(recorder, stream, end);
}

[[gnu::noinline]] void Call::commit_unexpected(Recorder& recorder, Stream& stream,
                                               std::uint32_t size, std::uint64_t end) {
  fold::CallTimes times;
  recorder.take_times(stream, end, times);
  stream.program->record_otherwise(on_thread.event, size, times.computation_ns, times.inside_ns);
  close(recorder, stream, end);
}

inline void Call::close(Recorder& recorder, Stream& stream, std::uint64_t end) {
  stream.open = {};
  if (!recorder.end_call_plainly(stream, end)) [[unlikely]]
    return end_otherwise(recorder, stream, end);
  recorder.leave_plainly();
  on_thread.in_recorder = false;
  if (on_thread.waiting_signal != 0) [[unlikely]]
    return deliver_and_close();
  on_thread.call.frame = nullptr;
}

// The long way
// ----------------------------------------------------------------------------------------------

namespace {

inline void lock(Recorder& recorder) {
  enter_recorder();
  recorder.enter();
}
inline void unlock(Recorder& recorder) {
  recorder.leave();
  leave_recorder();
}
bool is_let_in(Recorder& recorder) {
  enter_recorder();
  const bool is = recorder.let_in(on_thread);
  leave_recorder();
  return is;
}

} // namespace

[[gnu::noinline]] void Call::deliver_and_start(Stream& stream) {
  deliver_waiting_signal();
  start(stream, clock_.ticks());
}

[[gnu::noinline]] void Call::deliver_and_close() {
  deliver_waiting_signal();
  on_thread.call.frame = nullptr;
}

[[gnu::noinline]] void Call::end_otherwise(Recorder& recorder, Stream& stream, std::uint64_t end) {
  recorder.end_call(stream, end);
  unlock(recorder);
  on_thread.call.frame = nullptr;
}

[[gnu::noinline]] Call::Begun Call::begin_otherwise(std::uint16_t function,
                                                    const void* return_address, const void* frame,
                                                    bool resumes) {
  if (recorder == nullptr || recorder->stopped()) return {};
  if (on_thread.call.frame != nullptr) [[unlikely]] {
    if (is_inside_open_call(frame)) return {};
    close_left_call();
  }
  Recorder& known = *recorder;
  if (!on_thread.is_watched && !is_let_in(known)) [[unlikely]]
    return {};
  on_thread.call.frame = frame;
  // Before it may have to sleep for the lock.
  const std::uint64_t sleeps = known.live && known.needs_lock ? sleeps_of_thread() : 0;
  lock(known);
  known.note_thread(on_thread);
  if (Recorder::has_log(on_thread)) known.fold_log_anew();
  Stream& stream = known.stream();
  known.take_off_held(stream);
  if (known.live) [[unlikely]]
    known.live->collect(stream.thread, sleeps);
  ++stream.calls_begun;
  if (--stream.until_sample == 0) [[unlikely]]
    begin_sample(stream, clock_.ticks());
  if (resumes) [[unlikely]]
    known.end_pause();
  const bool quiet = !known.steering.records(function);
  known.quiet = quiet;
  on_thread.call.function = function;
  on_thread.call.error = MPI_SUCCESS;
  on_thread.call.is_quiet = quiet;
  if (!on_thread.is_watched) [[unlikely]]
    watch_thread();
  on_thread.event[0] = function;
  const void* site = site_in_fortran(frame);
  if (site == nullptr) site = return_address;
  on_thread.event[1] = quiet ? 0 : known.sites.index_of(site);
  return {&known, &stream};
}

[[gnu::noinline]] void Call::enter_otherwise(Recorder& recorder, Stream& stream,
                                             Stream::Open open) {
  if (recorder.live) [[unlikely]]
    recorder.enter_live(stream, open.function, open.size);
  stream.open = open;
  stream.open_words = on_thread.event;
  if (recorder.shares_processors()) [[unlikely]]
    recorder.end_computing(stream);
  unlock(recorder);
  start(stream, clock_.ticks());
}

/// @param end   when MPI was done; 0: now
[[gnu::noinline]] std::uint64_t Call::leave_otherwise(Recorder& recorder, Stream& stream,
                                                      int result, std::uint64_t end) {
  if (end == 0) end = clock_.ticks();
  lock(recorder);
  recorder.quiet = is_quiet();
  if (result != MPI_SUCCESS) [[unlikely]]
    note_error(result);
  if (!stream.scratch.unknown.empty()) [[unlikely]]
    note_unknown(recorder, stream, result == MPI_SUCCESS);
  return end;
}

[[gnu::noinline]] void Call::commit_otherwise(Recorder& recorder, Stream& stream,
                                              std::uint32_t size, std::uint64_t end,
                                              const void* frame) {
  stream.open.function = 0;
  const bool is_open = on_thread.call.frame == frame;
  if (!is_open) [[unlikely]] // it was recorded as the rank's last call
    recorder.live_on();
  if (is_quiet() || !is_open) [[unlikely]] {
    recorder.pass(stream, stream.open_ticks, end);
    on_thread.call.is_quiet = false;
  } else {
    recorder.commit(stream, on_thread.event, size, stream.open_ticks, end);
  }
  unlock(recorder);
  on_thread.call.frame = nullptr;
}

[[gnu::hot]] std::int64_t Call::array_word(Recorder& recorder, Stream& stream,
                                           const std::int64_t* words, std::size_t size,
                                           std::size_t place) {
  std::int64_t known = 0;
  if (size > 0 && recorder.is_plain() &&
      stream.program->is_expected_array(words, size, place, known)) [[likely]]
    return known;
  return array_word_otherwise(recorder, stream, words, size, place);
}

[[gnu::noinline]] std::int64_t Call::array_word_otherwise(Recorder& recorder, Stream& stream,
                                                          const std::int64_t* words,
                                                          std::size_t size, std::size_t place) {
  if (is_quiet()) return 0;
  const std::int64_t index = stream.program->array(words, size, place);
  if (recorder.live) [[unlikely]]
    recorder.live->say_array(stream.thread, index, {words, words + size});
  return index;
}

void Call::note_error(int result) {
  on_thread.event[0] |= error_number(error_class_of(result)) << 16;
}

// Handles

[[gnu::cold]] std::int64_t Call::note_later(Stream& stream, std::size_t place, std::int64_t word,
                                            trace::FieldKind kind, std::uint64_t handle) {
  if (word == HandleWords::kUnknown) stream.scratch.unknown.push_back({place, kind, handle});
  return trace::kNothing;
}

[[gnu::noinline]] std::int64_t Call::look_up(Recorder& recorder, Stream& stream, std::size_t place,
                                             trace::FieldKind kind, std::uint64_t handle) {
  const std::int64_t word = recorder.objects.word_of(kind, handle);
  return is_unseen(word) ? note_later(stream, place, word, kind, handle) : word;
}

[[gnu::noinline]] std::int64_t Call::look_up(Recorder& recorder, Stream& stream, std::size_t place,
                                             MPI_Datatype datatype) {
  const std::int64_t word = recorder.asks_nothing ? recorder.objects.known_datatype_word(datatype)
                                                  : recorder.objects.datatype_word(datatype);
  return is_unseen(word)
             ? note_later(stream, place, word, trace::FieldKind::kDatatype, key_of(datatype))
             : word;
}

// What the call failed with stays unknown, and says nothing.
void Call::note_unknown(Recorder& recorder, Stream& stream, bool succeeded) {
  for (const Scratch::Unknown& each : stream.scratch.unknown) {
    if (!succeeded) break;
    const std::int64_t word =
        recorder.objects.note(each.kind, each.handle, {stream.thread, recorder.quiet});
    if (each.word != Scratch::kInArray) on_thread.event[each.word] = word;
  }
  stream.scratch.unknown.clear();
}

// Of a call in the log. One that is still open, or has failed, says nothing of them.
[[gnu::noinline]] void Call::settle(Folding& folding) {
  const bool is_done = folding.state == Folding::State::kDone;
  if (is_done && folding.may_ask) return note_unknown(folding.recorder, folding.stream, true);
  if (is_done) folding.state = Folding::State::kStuck;
  folding.is_looked_at = folding.is_looked_at || is_done;
  folding.stream.scratch.unknown.clear();
}

void Call::message(MPI_Message message) {
  if (message == MPI_MESSAGE_NO_PROC) return word(trace::kNoProcess);
  plain(trace::FieldKind::kMessage, key_of(message), message == MPI_MESSAGE_NULL);
}

void Call::made_message(MPI_Message message) {
  if (message == MPI_MESSAGE_NO_PROC) return word(trace::kNoProcess);
  made_plain(trace::FieldKind::kMessage, key_of(message), message == MPI_MESSAGE_NULL);
}

// Requests
// ----------------------------------------------------------------------------------------------

void Call::started(MPI_Request request) {
  Requests& requests = recorder_->requests;
  if (Request* known = requests.get(requests.find(key_of(request), *stream_)))
    known->traits |= Request::kActive;
}

void Call::cancelled(MPI_Request request) {
  Requests& requests = recorder_->requests;
  if (Request* known = requests.get(requests.find(key_of(request), *stream_)))
    requests.note_cancelled(*known);
  recorder_->note_statuses();
}

void Call::freed(std::uint64_t request) {
  if (recorder_->live) [[unlikely]]
    recorder_->live->late().forget(request);
  Requests& requests = recorder_->requests;
  requests.remove(requests.find(request, *stream_), is_quiet());
  recorder_->note_statuses();
}

std::int64_t Call::request_word(MPI_Request request) {
  if (request == MPI_REQUEST_NULL) return trace::kNull;
  Requests& requests = recorder_->requests;
  const Request* known = requests.get(requests.find(key_of(request), *stream_));
  return known == nullptr ? trace::kNull : word_of(*known);
}

void Call::request_array(const MPI_Request* values, std::int64_t n) {
  Requests& requests = recorder_->requests;
  requests.begin_array();
  array(values, n, [&](MPI_Request request) {
    RequestId id;
    const Request* known = request == MPI_REQUEST_NULL
                               ? nullptr
                               : requests.find_in_array(key_of(request), *stream_, id);
    return known == nullptr ? trace::kNull : word_of(*known);
  });
}

// Statuses
// ----------------------------------------------------------------------------------------------

std::int64_t Call::bytes_of(const MPI_Status& status) {
  MPI_Count bytes = 0;
  PMPI_Get_elements_x(&status, MPI_BYTE, &bytes);
  return bytes == MPI_UNDEFINED ? -1 : bytes;
}

void Call::append_status(const Recorder& recorder, std::vector<std::int64_t>& entries,
                         std::int64_t index, bool is_send, const MPI_Status& status) {
  entries.push_back(index);
  if (is_send) {
    entries.insert(entries.end(), {trace::kUndefined, trace::kUndefined, 0});
    return;
  }
  const std::int64_t source = rank_word(status.MPI_SOURCE);
  entries.push_back(trace::is_special(source) ? source : source - recorder.world_rank);
  entries.push_back(status.MPI_TAG == MPI_ANY_TAG ? trace::kAnyTag : status.MPI_TAG);
  entries.push_back(bytes_of(status));
}

// Arrays
// ------------------------------------------------------------------------------------------------

std::int64_t Call::sum(const int* values, std::int64_t n) {
  std::int64_t sum = 0;
  if (values == nullptr) n = 0;
  for (std::int64_t i = 0; i < n; ++i) sum += values[i];
  return sum;
}

// A hash (FNV-1a): of texts only whether they are the same matters.
std::int64_t Call::tag_of(const char* text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (; text != nullptr && *text != '\0'; ++text)
    hash = (hash ^ static_cast<unsigned char>(*text)) * 0x100000001b3u;
  return static_cast<std::int64_t>(hash >> 1);
}

void Call::weights(const int* values, std::int64_t n) {
  if (values == MPI_UNWEIGHTED) return word(trace::kUnweighted);
  if (values == MPI_WEIGHTS_EMPTY) return word(trace::kWeightsEmpty);
  integers(values, n);
}

void Call::ranks(const int* values, std::int64_t n) {
  array(values, n, [this](int rank) {
    const std::int64_t word = rank_word(rank);
    return trace::is_special(word) ? word : word - recorder_->world_rank;
  });
}

void Call::datatypes(const MPI_Datatype* values, std::int64_t n) {
  array(values, n, [this](MPI_Datatype datatype) {
    const std::int64_t word = recorder_->objects.datatype_word(datatype);
    if (!is_unseen(word)) return word;
    if (word == HandleWords::kUnknown)
      scratch().unknown.push_back(
          {Scratch::kInArray, trace::FieldKind::kDatatype, key_of(datatype)});
    return trace::kNothing;
  });
}

std::int64_t Call::made_or_predefined_word(MPI_Datatype datatype) {
  return recorder_->objects.is_predefined(datatype)
             ? recorder_->objects.datatype_word(datatype)
             : recorder_->objects.made_datatype(datatype, caller());
}

void Call::made_datatypes(const MPI_Datatype* values, std::int64_t n) {
  array(values, n, [this](MPI_Datatype datatype) { return made_or_predefined_word(datatype); });
}

} // namespace rondo::record
