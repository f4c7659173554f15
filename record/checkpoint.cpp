// SPDX-License-Identifier: Apache-2.0
// What a rank writes while the program runs: every second or so what it has, so that a killed
// process loses no more than that, and sealed chunks where memory gets scarce.
#include "record/by_hand.hpp"
#include "record/open_call.hpp"
#include "record/process/memory.hpp"
#include "record/process/no_cancel.hpp"
#include "record/process/processors.hpp"
#include "record/process/signals.hpp"
#include "record/process/surroundings.hpp"
#include "record/recorder.hpp"
#include "rondo/archive/part_codec.hpp"
#include "rondo/base/command_line.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <unistd.h>
#include <utility>

namespace rondo::record {
namespace {

// Checkpoints take no more than this share of the run time: large recordings are written less
// often.
constexpr std::uint64_t kCheckpointShare = 100;

constexpr std::size_t kDefinition = 240; // bytes of an object, about

std::string command_line() {
  std::vector<std::string> words(1);
  if (std::FILE* file = std::fopen("/proc/self/cmdline", "re")) {
    for (int c = 0; (c = std::fgetc(file)) != EOF;) {
      if (c != '\0')
        words.back() += static_cast<char>(c);
      else
        words.emplace_back(); // each word ends in a null byte
    }
    std::fclose(file);
  }
  if (words.back().empty()) words.pop_back(); // a program may have written over them
  return rondo::command_line(words);
}

std::string library_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  PMPI_Get_library_version(text, &length);
  std::string version(text);
  for (const char end : {'\n', ','}) version = version.substr(0, version.find(end));
  std::replace(version.begin(), version.end(), '\t', ' ');
  while (!version.empty() && version.back() == ' ') version.pop_back();
  return version;
}

} // namespace

// Asked at the start: at the end it may be too late to ask MPI anything.
void Recorder::describe_run() {
  const Moment now = closest_moment(monotonic_ns, [] {
    timespec unix{};
    clock_gettime(CLOCK_REALTIME, &unix);
    return unix.tv_sec * std::uint64_t{1'000'000'000} + static_cast<std::uint64_t>(unix.tv_nsec);
  });
  run_.start_unix_ns = static_cast<std::int64_t>(now.host_ns);
  const std::uint64_t since_init_ns = now.ticks - init_start_ns_;
  origin_unix_ns_ = run_.start_unix_ns - static_cast<std::int64_t>(since_init_ns);
  run_.command = command_line();
  run_.mpi = library_version();
  run_.recorder = "rondo " RONDO_VERSION;
  run_.ranks = objects.world_size();
  run_.thread_level =
      static_cast<std::int32_t>(trace::choice(0) - choice_thread_level(thread_level_));
  run_.complete = true;
  run_.choice = steering.choice();
  if (!objects.is_spawned()) run_.notes = stranger_launcher(objects.world_size());
  if (!run_.notes.empty() && launched_rank() == 0)
    std::fprintf(stderr, "rondo: %s\n", run_.notes.c_str());
  char host[256] = {};
  ::gethostname(host, sizeof host - 1);
  host_ = host;
  note_processors();
}

void Recorder::note_processors() {
  const Processors here = processors_here();
  if (here.allowed.empty()) return;
  if (settings_.times && here.are_shared()) watch_processors();
  definitions_.affinities.push_back({trace::RankSet::of(here.allowed), here.usable,
                                     shares_processors_, trace::RankSet::of({world_rank})});
}

namespace {

// What the open call was given. Arrays, texts and requests are numbers of tables that only its own
// program has.
std::vector<std::int64_t> words_of_open(const Stream& stream) {
  const trace::Function* function = trace::find_function(stream.open.function);
  std::vector<std::int64_t> words;
  if (function == nullptr || stream.open_words == nullptr) return words;
  for (const trace::Field& field : function->fields) {
    const std::size_t place = fold::kEventHead + words.size();
    if (field.is_outcome || place >= stream.open.size) break;
    const bool is_number = field.is_array || field.kind == trace::FieldKind::kText ||
                           field.kind == trace::FieldKind::kRequest;
    words.push_back(is_number ? trace::kNothing : stream.open_words[place]);
  }
  return words;
}

} // namespace

// Names the call that the rank is in: of the threads, the one that has been in its call the
// longest.
trace::RankEnding Recorder::with_open_call(trace::RankEnding ending) {
  if (ending.function != 0) return ending;
  const bool is_in_log = show_open_in_log();
  const std::uint64_t now = clock_.ticks();
  for (const auto& stream : streams_) {
    if (stream->open.function == 0) continue;
    const std::uint64_t since = std::atomic_ref(stream->open_ticks).load(std::memory_order_relaxed);
    const std::uint64_t since_ns = clock_.to_ns(now - std::min(now, since));
    if (ending.function != 0 && since_ns <= ending.in_call_ns) continue;
    ending.function = stream->open.function;
    ending.site = static_cast<std::uint32_t>(stream->open_words[1]);
    ending.words = words_of_open(*stream);
    ending.in_call_ns = since_ns;
  }
  if (is_in_log) only_stream_->open = {};
  return ending;
}

std::uint64_t Recorder::calls_so_far() const {
  std::uint64_t calls = calls_of_ended_;
  for (const auto& stream : streams_) calls += stream->sealed_calls + stream->open_calls();
  return calls;
}

// A copy, unless it is used up.
fold::PartClass Recorder::class_of(Stream& stream, bool uses_up) const {
  if (stream.ended) return uses_up ? std::move(*stream.ended) : *stream.ended;
  auto program =
      uses_up ? stream.program->finish() : fold::ProgramBuilder(*stream.program).finish();
  return fold::class_of_stream(world_rank, stream.thread, std::move(program));
}

// Of the open chunk's functions the histograms have the sums: there is one for each call and what
// came before it, and they are of this rank alone.
void Recorder::sum_up_times(const std::vector<fold::PartClass>& open, bool is_last) {
  trace::TimeSum all = times_of_ended_;
  for (const auto& stream : streams_) all += stream->times.all();
  facts_.computation_ns = all.computation_ns;
  facts_.inside_ns = all.inside_ns;
  trace::TimeSums sums = sealed_sums_;
  for (const fold::PartClass& c : open) {
    for (const trace::PlaceTimes& place : c.times) {
      const std::uint16_t function = c.program.calls[place.call].call.function;
      sums.add_function(function, {place.computation.sum_ns, place.inside.sum_ns});
    }
  }
  if (is_last) sealed_sums_.functions = sums.functions;
  for (const auto& stream : streams_) stream->times.add_phases_to(sums);
  const bool is_marked = sums.phases.size() > 1 || !sums.phases.front().name.empty();
  if (!is_marked || !settings_.times) sums.phases.clear();
  facts_.sums = std::move(sums);
}

// The open chunk of every stream. The streams are used up if it is the last, else copied.
fold::RecordingPart Recorder::make_part(trace::RankEnding ending, bool is_last) {
  facts_.calls = calls_so_far();
  facts_.span_ns = live ? live->now_ns(0) - live_start_ns_ : monotonic_ns() - init_start_ns_;
  facts_.recorder_ns = live ? 0 : clock_.to_ns(cost_ticks()); // virtual time has none of it
  facts_.recorder_bytes = memory_peak();
  facts_.recorder_apart_ns = live ? 0 : clock_.to_ns(apart_ticks_);
  facts_.clock = live ? trace::RankClock() : common_clock_.measured();
  facts_.cpu_ns = process_cpu_ns() - cpu_before_ns_;
  facts_.waited_ns = waited_for_processor_ns() - waited_before_ns_;
  // An error of a function that is not recorded is in none of the calls.
  const bool is_known = ending.kind == trace::Ending::kFinalized ||
                        (ending.kind == trace::Ending::kFatalError && ending.detail != 0);
  facts_.ending = is_known ? ending : with_open_call(ending);
  fold::RecordingPart part;
  part.run = run_;
  part.run.complete = run_.complete && ending.kind == trace::Ending::kFinalized;
  for (const auto& stream : streams_) {
    if (stream->open_calls() == 0) continue;
    if (is_last) stream->sealed_calls += stream->open_calls();
    part.classes.push_back(class_of(*stream, is_last));
    trace::TimeStamps stamps = is_last ? stream->stamps.take() : stream->stamps.snapshot();
    stamps.rank = world_rank;
    stamps.thread = stream->thread;
    stamps.origin_unix_ns = origin_unix_ns_;
    if (stamps.calls > 0) part.stamps.push_back(std::move(stamps));
  }
  sum_up_times(part.classes, is_last);
  part.ranks.emplace_back(world_rank, facts_);
  part.tables = is_last ? std::exchange(definitions_, {}) : definitions_;
  part.tables.sites = sites.sites();
  part.tables.modules = sites.modules();
  part.tables.hosts.push_back({host_, trace::RankSet::of({world_rank})});
  return part;
}

std::size_t Recorder::memory_in_programs() const {
  std::size_t bytes = kDefinition * (definitions_.comms.size() + definitions_.groups.size() +
                                     definitions_.datatypes.size());
  for (const auto& stream : streams_) bytes += stream->memory();
  return bytes;
}

// In a thread of the program, at the end of a call: memory is scarce, or there is no checkpoint
// thread. Gives how long it was.
std::uint64_t Recorder::checkpoint() {
  const NoCancel here;
  const std::uint64_t start = clock_.ticks();
  const std::uint64_t start_cpu_ns = thread_cpu_ns();
  const bool by_time = settings_.checkpoint_ns > 0 && !checkpoint_thread_.runs();
  next_checkpoint_ticks_ = by_time ? start + clock_.to_ticks(settings_.checkpoint_ns) : kNever;
  const bool is_full = memory_in_use() > settings_.memory_bytes / kSealedShare;
  if (!by_time && !is_full) return 0;
  const std::unique_lock disk(disk_lock_, std::try_to_lock);
  if (!disk) { // the checkpoint thread is writing, and may be waiting for us: at the next call,
               // then
    checkpoint_soon();
    return 0;
  }
  // What else takes memory (requests, live objects) cannot be sealed.
  const bool seals = is_full && memory_in_programs() > settings_.memory_bytes / (4 * kSealedShare);
  if (!by_time && !seals) return 0;
  keep_to_budget();
  if (seals) {
    seal();
  } else {
    parts_.write(archive::encode_part(make_part({trace::Ending::kUnknown, 0}, false)),
                 facts_.calls);
  }
  const std::uint64_t passed = clock_.ticks() - start;
  const std::uint64_t own = std::min(passed, clock_.to_ticks(thread_cpu_ns() - start_cpu_ns));
  recorder_ticks_ += own;
  apart_ticks_ += own;
  if (by_time) {
    next_checkpoint_ticks_ =
        std::max(next_checkpoint_ticks_.load(), clock_.ticks() + kCheckpointShare * passed);
  }
  return passed;
}

// In the checkpoint thread: a copy is made while the program's threads stay out, and written while
// they go on. The first comes early, as many runs that fail do so in their first second. A program
// that makes no calls is looked at ever less often.
std::uint64_t Recorder::keep() {
  constexpr std::uint64_t kMostSeldom_ns = 64'000'000'000;
  constexpr std::uint64_t kEarly = 5;
  if (std::exchange(keep_interval_ns_, std::max(keep_interval_ns_, settings_.checkpoint_ns)) == 0)
    return settings_.checkpoint_ns / kEarly; // it has only just begun
  const std::lock_guard disk(disk_lock_);
  if (stopped_) return keep_interval_ns_;
  common_clock_.ask();
  if (!pause()) return keep_interval_ns_;
  fold_log(false);
  if (calls_so_far() == last_words_calls_) { // nothing but the end has happened since
    resume();
    return keep_interval_ns_;
  }
  const std::uint64_t start = clock_.ticks();
  const std::uint64_t start_cpu_ns = thread_cpu_ns();
  keep_to_budget();
  const fold::RecordingPart part = make_part({trace::Ending::kUnknown, 0}, false);
  const std::uint64_t copying = clock_.to_ticks(thread_cpu_ns() - start_cpu_ns);
  recorder_ticks_ += copying;
  apart_ticks_ += copying;
  resume();
  parts_.write(archive::encode_part(part), part.ranks.front().second.calls);
  const std::uint64_t cost_ns = clock_.to_ns(clock_.ticks() - start);
  const std::uint64_t calls = part.ranks.front().second.calls;
  const bool is_idle = std::exchange(kept_calls_, calls) == calls;
  keep_interval_ns_ =
      is_idle ? std::min(2 * keep_interval_ns_, std::max(kMostSeldom_ns, settings_.checkpoint_ns))
              : std::max(settings_.checkpoint_ns, kCheckpointShare * cost_ns);
  return keep_interval_ns_;
}

// Keeps the program's threads out of the recorder; those inside leave first. False if one does not.
bool Recorder::pause() {
  constexpr timespec kMoment{0, 100'000};
  constexpr int kMoments = 5000;
  if (needs_lock) {
    for (int i = 0; i < kMoments; ++i) {
      if (lock_.try_lock()) return true;
      ::nanosleep(&kMoment, nullptr);
    }
    return false;
  }
  doors_ = Doors::kClosed;
  const bool fenced = CheckpointThread::fence_everywhere();
  if (!fenced) ::nanosleep(&kMoment, nullptr); // no store waits that long in a processor's buffer
  for (int i = 0; i < kMoments; ++i) {
    if (!busy_.load(std::memory_order_acquire)) return true;
    ::nanosleep(&kMoment, nullptr);
  }
  resume();
  return false;
}

void Recorder::resume() {
  if (needs_lock) {
    lock_.unlock();
  } else {
    doors_.store(Doors::kOpen, std::memory_order_release);
  }
}

void Recorder::wait_for_resume() {
  constexpr timespec kMoment{0, 20'000};
  const NoCancel here;
  const std::uint64_t start = clock_.ticks();
  busy_.store(false, std::memory_order_release);
  while (doors_.load(std::memory_order_acquire) == Doors::kClosed) ::nanosleep(&kMoment, nullptr);
  if (needs_lock) return lock_.lock();
  held_ticks_ += clock_.ticks() - start;
  on_thread.reading.sleeps = sleeps_of_thread(); // these were none of the program's
  busy_.store(true, std::memory_order_relaxed);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (doors_.load(std::memory_order_relaxed) != Doors::kOpen) wait_for_resume();
}

// Times are given up first, and nothing else can be: calls are never dropped.
void Recorder::keep_to_budget() {
  if (settings_.budget <= 0 || !settings_.times) return;
  const std::uint64_t span_ns = monotonic_ns() - init_start_ns_;
  const auto cost_ns = static_cast<double>(clock_.to_ns(cost_ticks()));
  // Where ranks share processors, recording delays the others, too.
  const std::uint64_t own_ns =
      shares_processors_ ? std::min(span_ns, process_cpu_ns() - cpu_before_ns_) : span_ns;
  const double share = cost_ns / static_cast<double>(std::max(own_ns, std::uint64_t{1}));
  if (share <= settings_.budget) return;
  settings_.times = settings_.all_times = false;
  for (const auto& stream : streams_) {
    if (stream->program) stream->program->keep_times(false);
  }
  char text[160];
  std::snprintf(
      text, sizeof text,
      "times were kept for the first %.1f s only: recording took %.2f %% of the run time, "
      "more than its budget of %.2f %%",
      static_cast<double>(span_ns) * 1e-9, share * 100, settings_.budget * 100);
  run_.notes = text;
}

// Also in a signal handler, where stdio may be in use.
void Recorder::complain_of_lost_words() const {
  char text[512];
  const int size = std::snprintf(
      text, sizeof text, "rondo: rank %lld: %llu of its %llu calls are lost: %s\n",
      static_cast<long long>(world_rank), static_cast<unsigned long long>(unwritten_calls()),
      static_cast<unsigned long long>(facts_.calls), parts_.trouble().c_str());
  const auto length = std::min(static_cast<std::size_t>(std::max(size, 0)), sizeof text - 1);
  if (::write(STDERR_FILENO, text, length) < 0) return; // nobody listens
}

void Recorder::write_ending(trace::RankEnding ending) {
  using std::chrono_literals::operator""ms;
  if (!settings_.keeps || is_ended_) return;
  const NoCancel here;
  const std::unique_lock disk(disk_lock_, 500ms);
  // A crash inside of the recorder, which has asked MPI something: nobody else is in it then, and
  // if what is there cannot be written, the process ends as it would have.
  const bool is_inside = on_thread.in_recorder;
  if (!disk || (!is_inside && !pause())) return; // better the last checkpoint than half a word
  if (is_inside && ending.function == 0) ending.function = on_thread.call.function;
  is_ended_ = ending.kind == trace::Ending::kAborted || ending.kind == trace::Ending::kFatalError;
  try {
    if (!is_inside) fold_log(false);
    if (!is_inside && on_thread.call.frame != nullptr && on_thread.call.error != MPI_SUCCESS) {
      ending.function = on_thread.call.function;
      record_left_call();
      ending.site = static_cast<std::uint32_t>(on_thread.event[1]);
    }
    last_words_calls_ = calls_so_far();
    if (has_untimed()) leave_live();
    const std::string words =
        last_words_.empty() ? archive::encode_part(make_part(ending, false)) : last_words_;
    if (!parts_.write(words, facts_.calls)) complain_of_lost_words();
  } catch (...) { // out of memory: there is the checkpoint
  }
  if (!is_inside) resume();
}

} // namespace rondo::record
