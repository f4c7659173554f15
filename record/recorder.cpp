// SPDX-License-Identifier: Apache-2.0
#include "record/recorder.hpp"

#include "record/by_hand.hpp"
#include "record/process/memory.hpp"
#include "record/process/no_cancel.hpp"
#include "record/process/processors.hpp"
#include "record/process/signals.hpp"

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <unistd.h>
#include <utility>

namespace rondo::record {

RONDO_HOT constinit Process process;
RONDO_HOT alignas(Recorder) std::byte recorder_place[sizeof(Recorder)];

namespace {

std::string text_of(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

int rank_in_world() {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

// Bytes of folded programs, about.
constexpr std::size_t kEndedTerm = 32;
constexpr std::size_t kEndedCall = 256;

} // namespace

Settings Settings::from_environment() {
  Settings settings;
  if (const std::string output = text_of("RONDO_OUTPUT"); !output.empty()) settings.output = output;
  if (char* here = settings.output.front() == '/' ? nullptr : ::getcwd(nullptr, 0);
      here != nullptr) {
    settings.output =
        std::string(here) + "/" + settings.output; // the program may change its directory
    std::free(here);
  }
  settings.force = text_of("RONDO_FORCE");
  settings.times = text_of("RONDO_TIMES") != "none";
  settings.all_times = text_of("RONDO_TIMES") == "full";
  settings.only = text_of("RONDO_ONLY");
  settings.skip = text_of("RONDO_SKIP");
  const std::uint64_t mib = std::strtoull(text_of("RONDO_MEMORY").c_str(), nullptr, 10);
  if (mib > 0) settings.memory_bytes = mib << 20;
  if (const std::string interval = text_of("RONDO_CHECKPOINT"); !interval.empty())
    settings.checkpoint_ns =
        static_cast<std::uint64_t>(std::strtod(interval.c_str(), nullptr) * 1e9);
  settings.callstack = std::strtoul(text_of("RONDO_CALLSTACK").c_str(), nullptr, 10);
  settings.budget = std::strtod(text_of("RONDO_BUDGET").c_str(), nullptr) / 100;
  settings.keeps = text_of("RONDO_KEEP") != "0";
  return settings;
}

Recorder::Recorder(Settings settings, int thread_level, const Before& before)
    : needs_lock(thread_level == MPI_THREAD_MULTIPLE), sites(settings.callstack),
      objects(definitions_,
              [this](std::int64_t slot, const Comm& comm) { note_position(slot, comm); }),
      steering(settings.only, settings.skip, rank_in_world() == 0), settings_(std::move(settings)),
      thread_level_(thread_level), init_start_ns_(before.now_ns), cpu_before_ns_(before.cpu_ns),
      waited_before_ns_(before.waited_ns), parts_(settings_.output, rank_in_world()) {
  world_rank = objects.world_rank();
  add_stream();
  describe_run();
}

void Recorder::set_origin(std::uint64_t ticks, std::uint64_t end_ticks) {
  origin_ticks_ = ticks;
  facts_.startup_ns = clock_.to_ns(end_ticks - ticks);
  if (settings_.times && settings_.keeps)
    common_clock_.begin(objects.world_size(), ticks, origin_unix_ns_);
}

void Recorder::choose_way() {
  is_plain_ = clock_.uses_counter() && !live && !needs_lock && !stopped_ && settings_.times &&
              !settings_.all_times && sites.are_shallow() && steering.records_all();
  if (is_plain_) quiet = false;
  choose_log();
}

void Recorder::keep_safe() {
  if (settings_.keeps) watch_signals();
  if (settings_.keeps && settings_.checkpoint_ns > 0 &&
      !checkpoint_thread_.start([this] { return keep(); }))
    next_checkpoint_ticks_ = clock_.ticks() + clock_.to_ticks(settings_.checkpoint_ns);
  watch_memory(settings_.memory_bytes / kSealedShare, [] {
    if (recorder != nullptr) recorder->checkpoint_soon();
  });
}

// Events
// ------------------------------------------------------------------------------------------------

// The place of the calling thread among the streams; only where each has its own.
thread_local Stream* own_stream [[gnu::tls_model("initial-exec")]] = nullptr;

std::uint32_t Recorder::thread_number() const {
  return needs_lock && own_stream != nullptr ? own_stream->thread : 0;
}

Stream& Recorder::stream_of_thread() {
  if (own_stream != nullptr) return *own_stream;
  const bool has_first = only_stream_ != nullptr && only_stream_->open_call == &on_thread.call;
  return *(own_stream = has_first ? only_stream_ : &add_stream());
}

// Who is in the recorder leaves first, and finds the lock when it comes back. What the log's thread
// is about to note there meanwhile is folded at its next call.
bool Recorder::let_in(const OnThread& thread) {
  if (needs_lock || live || log_thread_ == &thread) return true;
  const NoCancel here;
  const std::lock_guard disk(disk_lock_); // who holds it may be pausing
  if (needs_lock) return true;
  if (!pause()) return false;
  fold_log(false);
  only_stream_->open_call = &log_thread_->call;
  only_stream_->open_event = log_thread_->event;
  shares_stream_ = !log_thread_->is_in_log && only_stream_->open.function == 0;
  if (!shares_stream_) note_broken_rule();
  is_plain_ = false; // before anybody may have the lock, which the short way does not give back
  needs_lock = true;
  choose_way();
  doors_.store(Doors::kLocked, std::memory_order_release);
  return true;
}

void Recorder::note_thread(OnThread& thread) {
  if (!shares_stream_) return;
  if (only_stream_->open.function != 0 && only_stream_->open_call != &thread.call) {
    shares_stream_ = false; // it stays with the one that is in a call
    return note_broken_rule();
  }
  only_stream_->open_call = &thread.call;
  only_stream_->open_event = thread.event;
}

void Recorder::note_broken_rule() {
  constexpr const char* kRule = "several threads called MPI at once without MPI_THREAD_MULTIPLE, "
                                "which MPI does not allow: each is recorded by itself";
  if (!run_.notes.empty()) run_.notes += "; ";
  run_.notes += kRule;
  run_.thread_level = 3; // MPI_THREAD_MULTIPLE, which the program has taken
}

Stream& Recorder::add_stream() {
  streams_.push_back(std::make_unique<Stream>());
  Stream& stream = *streams_.back();
  stream.thread = threads_++;
  start_program(stream);
  if (!needs_lock) only_stream_ = &stream;
  if (!needs_lock) return stream;
  own_stream = &stream;
  stream.open_call = &on_thread.call;
  stream.open_event = on_thread.event;
  return stream;
}

// Many threads may come and go: each leaves its folded program, and not the tables to fold more.
// The first stream is not ended, as what is in the log is folded into it.
void Recorder::end_thread() {
  if (own_stream == nullptr || own_stream == only_stream_ || stopped_) return;
  if (live && !is_lost_) end_live_thread(own_stream->thread);
  Stream& stream = *std::exchange(own_stream, nullptr);
  stream.ended_calls = stream.program->calls();
  if (stream.ended_calls > 0)
    stream.ended = fold::class_of_stream(world_rank, stream.thread, stream.program->finish());
  stream.program.reset();
  stream.open_call = nullptr;
  stream.open_event = nullptr;
  stream.scratch = {};
  recorder_ticks_ += std::exchange(stream.before_ticks, 0);
}

std::size_t Stream::memory() const {
  std::size_t bytes = sizeof *this + stamps.memory();
  if (program) bytes += program->memory();
  if (!ended) return bytes;
  const trace::MergedProgram& folded = ended->program;
  bytes += folded.terms() * kEndedTerm + folded.calls.size() * kEndedCall +
           ended->times.size() * sizeof(trace::PlaceTimes);
  for (const auto& array : folded.arrays) bytes += array.size() * sizeof array[0] + sizeof array;
  return bytes;
}

void Recorder::note_position(std::int64_t slot, const Comm& comm) {
  for (const auto& stream : streams_) {
    if (stream->program) stream->program->set_position(slot, comm.rank, comm.peers);
  }
}

void Recorder::start_program(Stream& stream) {
  stream.program =
      std::make_unique<fold::ProgramBuilder>(fold::ProgramOptions{.times = settings_.times});
  if (live) live->forget_arrays(stream.thread);
  for (const auto& [slot, comm] : objects.positions())
    stream.program->set_position(slot, comm.rank, comm.peers);
}

void Recorder::add(Stream& stream, const std::int64_t* event, std::size_t size,
                   trace::CallTime time) {
  stream.program->record(event, size, time.computation_ns, time.inside_ns);
  if (settings_.all_times) stream.stamps.add(time);
  stream.times.add(time.computation_ns, time.inside_ns);
  if (is_mark(event[0])) [[unlikely]]
    note_mark(stream, event);
}

void Recorder::note_mark(Stream& stream, const std::int64_t* event) {
  const std::string& name = stream.program->text_of(event[fold::kEventHead]);
  if (static_cast<std::uint16_t>(event[0]) == kPhaseBegin) {
    stream.times.begin_phase(name);
  } else {
    stream.times.end_phase(name);
  }
}

// The time before the first call of a thread is nobody's computation.
void Recorder::commit(Stream& stream, const std::int64_t* event, std::size_t size,
                      std::uint64_t start_ticks, std::uint64_t end_ticks) {
  if (live && !is_lost_) [[unlikely]]
    return commit_live(stream, event, size);
  if (needs_lock && stopped_) [[unlikely]]
    return; // a thread that comes back from a call when the recording has been written
  const std::uint64_t before = stream.last_end_ticks;
  const std::uint64_t computation_ns =
      start_ticks > before ? clock_.to_ns(start_ticks - before) : 0;
  add(stream, event, size,
      {settings_.all_times ? clock_.to_ns(start_ticks - origin_ticks_) : 0, computation_ns,
       clock_.to_ns(end_ticks - start_ticks)});
  if (end_ticks >= next_checkpoint_ticks_.load(std::memory_order_relaxed))
    end_ticks += checkpoint();
  end_call(stream, end_ticks);
}

void Recorder::pass(Stream& stream, std::uint64_t start_ticks, std::uint64_t end_ticks) {
  if (shares_processors_) [[unlikely]]
    begin_computing(stream);
  recorder_ticks_ += own_part(clock_.ticks() - end_ticks);
  if (stream.last_end_ticks != kNoTicks) stream.last_end_ticks += clock_.ticks() - start_ticks;
}

void Recorder::end_pause() {
  steering.resume();
  choose_way();
  objects.forget_quiet();
  for (const auto& stream : streams_)
    stream->last_end_ticks = kNoTicks; // the pause was no computation
}

void Recorder::stop(const char* reason) {
  if (stopped_) return;
  stopped_ = true;
  run_.complete = false;
  run_.notes = reason;
  choose_way();
  if (live) live->lose(reason);
}

} // namespace rondo::record
