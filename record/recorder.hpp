// SPDX-License-Identifier: Apache-2.0
// The recorder of one process: everything between the wrappers and the archive. It is made when
// MPI_Init returns and gives its recording away when MPI_Finalize begins. Until then it writes what
// it has to disk every second, and once more when the process ends in another way. Whatever goes
// wrong, the program's MPI calls go through: recording stops, and that is said once.
//
// Thread rule: with MPI_THREAD_MULTIPLE the members are used under `lock` only; below that MPI
// itself demands that calls do not overlap. The checkpoint thread and signal handlers pause() the
// program's threads first. What is on disk (parts_) is changed under disk_lock_.
#pragma once

#include "record/call_log.hpp"
#include "record/handles/program_objects.hpp"
#include "record/handles/requests.hpp"
#include "record/live/live_link.hpp"
#include "record/parts.hpp"
#include "record/process/checkpoint_thread.hpp"
#include "record/process/clock.hpp"
#include "record/process/common_clock.hpp"
#include "record/sites.hpp"
#include "record/steering.hpp"
#include "record/stream.hpp"
#include "record/taken_off.hpp"
#include "record/usual_computation.hpp"
#include "rondo/fold/expected_call.hpp"
#include "rondo/fold/merge.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mpi.h>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace rondo::record {

// Programs are sealed when they take this part of the memory allowed: writing them takes the rest.
constexpr std::uint64_t kSealedShare = 4;
constexpr std::uint64_t kNever = ~std::uint64_t{0};

/// Settings from the environment (docs/cli.md lists them).
struct Settings {
  std::string output = "trace.rondo"; // RONDO_OUTPUT
  // RONDO_FORCE=1: replace an existing output; another number: if it was last written then, in ns
  // since 1970
  std::string force;
  bool times = true; // RONDO_TIMES=none|histogram|full
  bool all_times = false; // full
  std::size_t callstack = 1; // RONDO_CALLSTACK: frames of each call
  std::string only; // RONDO_ONLY, RONDO_SKIP: groups of functions (trace/function_groups.hpp)
  std::string skip;
  std::uint64_t memory_bytes = std::uint64_t{64} << 20; // RONDO_MEMORY, in MiB
  std::uint64_t checkpoint_ns = 1'000'000'000; // RONDO_CHECKPOINT, in seconds; 0: none
  double budget = 0; // RONDO_BUDGET, per cent of the run time; 0: none
  bool keeps = true; // RONDO_KEEP=0: nothing is written, a live run is all
  static Settings from_environment();
};

class alignas(128) Recorder {
public:
  /// What had been used when MPI_Init began.
  struct Before {
    std::uint64_t now_ns = 0;
    std::uint64_t cpu_ns = 0;
    std::uint64_t waited_ns = 0;
  };
  Recorder(Settings settings, int thread_level, const Before& before);

  /// Joins the live run, if this is one; before the first call.
  void go_live();
  /// Begins to write what is recorded to disk, now and then and when the process ends.
  void keep_safe();

  /// When MPI_Init began, from which time stamps count, and when it ended.
  void set_origin(std::uint64_t ticks, std::uint64_t end_ticks);
  /// What recording has cost so far was for no call.
  /// @param begun_ticks,begun_cpu_ns   when it began, and what the thread had had of a processor
  void end_of_start(std::uint64_t begun_ticks, std::uint64_t begun_cpu_ns);

  /// The stream of the calling thread.
  Stream& stream() { return needs_lock && !shares_stream_ ? stream_of_thread() : *only_stream_; }

  /// Ranks are more than processors, so that the time between calls is no measure of computation:
  /// CPU time is taken instead.
  bool shares_processors() const { return shares_processors_; }
  /// The stream's thread begins a call.
  void end_computing(Stream& stream);
  /// Takes a finished event.
  void commit(Stream& stream, const std::int64_t* event, std::size_t size,
              std::uint64_t start_ticks, std::uint64_t end_ticks);
  /// The same for one that is not recorded: its time is nobody's computation.
  void pass(Stream& stream, std::uint64_t start_ticks, std::uint64_t end_ticks);
  /// Tells the timekeeper of a call that is about to be made, where receives wait for that.
  void say_ahead(Stream& stream, const std::int64_t* event, std::size_t size);
  /// Tells the timekeeper that a call begins, and waits where it starts processes.
  void enter_live(const Stream& stream, std::uint16_t function, std::size_t size);
  void end_pause();
  void stop(const char* reason);
  /// The number of the calling thread's stream; the first's if it has none.
  std::uint32_t thread_number() const;
  /// The calling thread makes no more calls: what it recorded is folded for good.
  void end_thread();
  bool stopped() const { return stopped_; }
  /// Between the program's pauses: calls are not recorded. A live run has none.
  void pause_recording() {
    if (!live) steering.pause();
    choose_way();
  }

  /// Whether calls go the short way: with a counter that is the clock, all calls are recorded with
  /// their times in histograms, by one thread at a time.
  bool is_plain() const { return is_plain_.load(std::memory_order_relaxed); }
  // For those.
  Stream& only_stream() { return *only_stream_; }
  bool enter_plainly() { // false: enter() has to wait
    busy_.store(true, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst); // the processor's fence is in pause()
    return doors_.load(std::memory_order_relaxed) == Doors::kOpen;
  }
  /// Behind enter(), before a call: what that waited for a checkpoint is no computation.
  void take_off_held(Stream& stream) {
    const std::uint64_t held = std::exchange(held_ticks_, 0);
    if (held == 0 || stream.last_end_ticks == kNoTicks) return;
    stream.last_end_ticks += held;
    stream.rest_ticks += held;
  }
  void leave_plainly() { busy_.store(false, std::memory_order_release); }
  /// Whether end_computing() has something to do.
  bool may_be_displaced(const Stream& stream, std::uint64_t now) const {
    return shares_processors_ && usual_.is_unusual(stream.rest_site, now - stream.rest_ticks);
  }
  bool needs_checkpoint(std::uint64_t now) const {
    return now >= next_checkpoint_ticks_.load(std::memory_order_relaxed);
  }
  void take_times(Stream& stream, std::uint64_t end_ticks, fold::CallTimes& times) {
    const std::uint64_t start_ticks = stream.open_ticks;
    // A call of another thread, against MPI's rules, may have begun in the same stream since.
    const std::uint64_t inside_ns = clock_.to_ns(std::max(end_ticks, start_ticks) - start_ticks);
    std::uint64_t computation_ns = 0;
    if (start_ticks > stream.last_end_ticks) [[likely]]
      computation_ns = clock_.to_ns(start_ticks - stream.last_end_ticks);
    times.inside_ns = inside_ns;
    times.computation_ns = computation_ns;
    stream.times.add(computation_ns, inside_ns);
  }
  /// What remains of a call then, unless that is to read CPU time: then false.
  bool end_call_plainly(Stream& stream, std::uint64_t end_ticks) {
    const std::uint64_t now = Clock::counter();
    if (now - end_ticks > kLongTicks) [[unlikely]]
      return false;
    if (shares_processors_) {
      const std::int64_t site = on_thread.event[1];
      if (usual_.needs_reading(site, now - on_thread.reading.ticks)) return false;
      stream.rest_thread = &on_thread;
      stream.rest_site = site;
      stream.rest_ticks = now;
    }
    stream.last_end_ticks = now;
    recorder_ticks_ += now - end_ticks;
    return true;
  }
  void end_call(Stream& stream, std::uint64_t end_ticks);

  // Calls of one thread that are folded later (record/call_log.hpp).
  //
  /// Leaves calls of this thread, the calling one, for later where that may be.
  void keep_log(OnThread& thread);
  /// It does so no longer.
  void leave_log(OnThread& thread);
  static bool has_log(const OnThread& thread) {
    return thread.log.end.load(std::memory_order_relaxed) != log_words;
  }
  /// Folds those that are complete. In the recorder, or while others are kept out of it.
  /// @param may_ask   MPI, about handles; else those from the first one on that it has to be asked
  ///                  for stay
  void fold_log(bool may_ask);
  /// The same at the beginning of a call, with which the log begins anew.
  void fold_log_anew();
  /// The calling thread's open call is in the log: then it becomes one as any other.
  void take_from_log();
  /// Before a call in the log, where ranks share processors: there was a long time before it.
  /// @return   when the call begins
  void end_rest(std::uint64_t last_end_ticks);
  /// Behind one that took long, or after a long time.
  void begin_rest(std::int64_t* next, std::uint64_t end_ticks);
  /// A call in the log has ended, but not as usual.
  void end_in_log(std::uint64_t end_ticks, int result);
  /// A call with these handles (bit_of) has succeeded.
  void note_handles(std::uint64_t bits) {
    if (!needs_lock) log_thread_->log.known_handles |= bits;
  }
  /// Whether requests have statuses worth keeping may have changed.
  void note_statuses() {
    if (!needs_lock) log_thread_->leaves_waits = !requests.may_have_statuses();
  }

  /// Merges all ranks' recordings and writes the archive on rank 0. Collective over MPI_COMM_WORLD.
  void finish();

  /// Writes what was recorded so far, because the process is about to end. May be called by a
  /// signal handler, in any thread that is not inside the recorder.
  void write_ending(trace::RankEnding ending);
  /// The last words were not the last.
  void live_on() { is_ended_ = false; }

  /// Has a checkpoint made at the next call: memory is getting scarce.
  void checkpoint_soon() { next_checkpoint_ticks_.store(0, std::memory_order_relaxed); }

  /// Around all that a wrapper does with the recorder.
  void enter() {
    if (needs_lock) return lock_.lock();
    busy_.store(true, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst); // the processor's fence is in pause()
    if (doors_.load(std::memory_order_relaxed) != Doors::kOpen) [[unlikely]]
      wait_for_resume();
  }
  void leave() {
    const bool is_locked = needs_lock; // while it is busy that does not change
    busy_.store(false, std::memory_order_release);
    if (is_locked) lock_.unlock();
  }

  // Threads that call MPI where it was not said that they would (MPI_THREAD_SINGLE to
  // MPI_THREAD_SERIALIZED). One after the other they record one program; those that MPI has at
  // once, which it does not allow, but libraries do (SCOTCH, of its helpers), one each.
  //
  /// A thread that the recorder has not seen begins a call: from now on all take the lock.
  /// @return   false if another one does not leave the recorder: the call is not recorded
  bool let_in(const OnThread& thread);
  /// Behind enter(): a thread begins a call.
  void note_thread(OnThread& thread);

  // What all calls look at stands together, up to the requests: a call of a program that computes
  // in between finds nothing of it in the cache.
  std::unique_ptr<LiveLink> live; // of a live run, also when its timekeeper is gone
  bool quiet = false; // the call that holds the lock is not recorded: what it makes stays unseen
  std::atomic<bool> needs_lock = false; // once it is, it stays so
  bool asks_nothing = false; // MPI may not be asked about handles

private:
  bool shares_processors_ = false;
  std::atomic<bool> is_plain_ = false;
  bool shares_stream_ = false; // all threads do, though the lock is needed
  std::atomic<bool> stopped_ = false;
  std::atomic<bool> busy_ = false; // a thread is in the recorder, without the lock
  enum class Doors : std::uint8_t { kOpen, kClosed, kLocked }; // to threads without the lock
  std::atomic<Doors> doors_ = Doors::kOpen;
  Stream* only_stream_ = nullptr; // unless the lock was needed from the start
  std::atomic<std::uint64_t> next_checkpoint_ticks_ = kNever;
  std::uint64_t recorder_ticks_ = 0;
  OnThread* log_thread_ = &no_thread;
  const std::int64_t* folded_ = log_words; // of the log

public:
  std::int64_t world_rank = 0;
  Requests requests;
  Sites sites;
  ProgramObjects objects;
  Steering steering;

private:
  void say_if_no_spawn(const std::int64_t* event);
  void add(Stream& stream, const std::int64_t* event, std::size_t size, trace::CallTime time);
  static void note_mark(Stream& stream, const std::int64_t* event);
  void commit_live(Stream& stream, const std::int64_t* event, std::size_t size);
  void record_times_known();
  void leave_live();
  void end_live();
  void end_live_thread(std::uint32_t thread);
  bool has_untimed() const;
  Stream& stream_of_thread();
  void note_broken_rule();
  Stream& add_stream();
  void note_position(std::int64_t slot, const Comm& comm);
  void start_program(Stream& stream);
  void choose_way();
  void choose_log();
  void fold_event(Stream& stream, std::span<const std::int64_t> event, std::uint64_t start_ticks,
                  std::uint64_t end_ticks);
  void begin_log();
  void show_open(const std::int64_t* entry);
  bool show_open_in_log();
  void watch_processors();
  void begin_computing(Stream& stream);
  void take_off(Stream& stream, std::uint64_t ticks, std::uint64_t now);
  bool needs_reading(std::int64_t site, std::uint64_t now) const;
  void read_cpu_time(std::int64_t site, std::uint64_t now);
  std::uint64_t displaced_in(std::int64_t site, std::uint64_t since, std::uint64_t passed);
  void note_own_in_log(std::uint64_t ticks);
  void take_off_before(const std::int64_t* entry, std::uint64_t start_ticks);
  void describe_run();
  void note_processors();
  std::uint64_t calls_so_far() const;
  std::uint64_t cost_ticks() const;
  static std::uint64_t own_part(std::uint64_t ticks);
  trace::RankEnding with_open_call(trace::RankEnding ending);
  fold::PartClass class_of(Stream& stream, bool uses_up) const;
  void sum_up_times(const std::vector<fold::PartClass>& open, bool is_last);
  fold::RecordingPart make_part(trace::RankEnding ending, bool is_last);
  std::uint64_t checkpoint();
  std::size_t memory_in_programs() const;
  std::uint64_t keep();
  struct OpenWord { // of a call that a thread is in, which means something in its program's tables
    Stream* stream = nullptr;
    std::size_t place = 0; // in the event
    std::vector<std::int64_t> array;
    std::string text;
    bool is_text = false;
  };
  std::vector<OpenWord> open_words() const;
  void write_chunk(std::string&& encoded);
  void seal();
  void complain_of_lost_words() const;
  std::uint64_t unwritten_calls() const { return facts_.calls - parts_.calls_on_disk(); }
  bool pause();
  void resume();
  void wait_for_resume();
  void keep_to_budget();
  fold::RecordingPart whole_part();

  std::uint64_t held_ticks_ = 0; // that enter() waited for a checkpoint since the last call's end
  UsualComputation usual_; // only where processors are shared
  TakenOffs taken_offs_;
  Settings settings_;
  int thread_level_;
  trace::Trace definitions_; // since the last chunk; only its tables of objects are used
  trace::RankFacts facts_;
  trace::RunFacts run_;
  std::string host_;
  std::uint64_t init_start_ns_;
  std::uint64_t origin_ticks_ = 0;
  std::int64_t origin_unix_ns_ = 0;
  CommonClock common_clock_;
  std::uint64_t apart_ticks_ = 0; // of recorder_ticks_, what was for no call
  std::uint64_t cpu_before_ns_ = 0; // at the start of MPI_Init
  std::uint64_t waited_before_ns_ = 0;
  // By thread, those that have ended and are on disk left out.
  std::vector<std::unique_ptr<Stream>> streams_;
  std::uint32_t threads_ = 0; // that there have been
  std::uint64_t calls_of_ended_ = 0; // by threads that are left out
  trace::TimeSum times_of_ended_; // of these
  trace::TimeSums sealed_sums_; // by function: of chunks on disk; by phase: of threads left out
  struct Untimed { // a call of a live run whose virtual times have not come
    Stream* stream = nullptr;
    std::uint64_t computing_ns = 0;
    std::vector<std::int64_t> event;
  };
  std::map<std::uint32_t, std::deque<Untimed>> untimed_; // by thread
  struct Ahead { // the call that the timekeeper knows already
    std::uint64_t number = 0; // of the stream's calls
    std::uint64_t computing_ns = 0;
  };
  std::map<const Stream*, Ahead> ahead_;
  std::uint64_t live_start_ns_ = 0; // in virtual time: not 0 of processes that were started
  bool is_lost_ = false; // the timekeeper, and that has been dealt with
  Parts parts_;
  std::string last_words_; // the encoded part, once the streams are finished or cannot be sealed
  std::timed_mutex disk_lock_;
  CheckpointThread checkpoint_thread_;
  std::uint64_t kept_calls_ = 0; // at the last checkpoint
  std::uint64_t last_words_calls_ = kNever; // when they were said
  std::uint64_t keep_interval_ns_ = 0;
  std::mutex lock_;
  bool is_ended_ = false; // last words that later ones cannot know better have been said
};

/// Where the process's recorder is made, in the library's own memory.
[[gnu::visibility("hidden")]] extern std::byte recorder_place[];

} // namespace rondo::record
