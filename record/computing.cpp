// SPDX-License-Identifier: Apache-2.0
// Computation of ranks that share processors.
#include "record/process/processors.hpp"
#include "record/recorder.hpp"

#include <algorithm>

namespace rondo::record {

// Where ranks are more than processors, a rank is displaced while it computes, and the clock goes
// on. What it computed is then its thread's CPU time; but a thread that slept, for a timer, a disk
// or another thread, would have done so on a processor of its own too, and its sleep counts.
//
// Asking the kernel at each call would cost more than recording it. What passes between two calls
// is looked at only if it differs noticeably from what passed behind the same call site the last
// time, and if that was not long: behind a long one there is time to ask. So no more than that is
// taken for computation where a rank computed less and was displaced for the rest.
//
// It is measured from a reading that was made before it, not long ago: so much CPU time at most is
// taken for computation that was spent in MPI. Where computation has been as usual time and again,
// an older reading will do: should the rank be displaced there after all, then for longer than
// that.
//
// Whether the thread slept is asked with each reading while it does sleep now and then. If it has
// not for a while, that is asked less often, but not never: one sleep inside MPI, long ago, would
// make the next time without a processor one of sleep. Where it slept the last time, that is asked
// first, and answers all: CPU time is not read, before or behind it.
//
// A thread that slept waits for a processor once it is woken, and that was none of its sleep. The
// kernel says how long it waited in all, which takes ten times as long to ask. So that is asked
// where it slept for long, and before a computation where the last answer is old; what it may have
// waited between that answer and the computation is taken for sleep.
void Recorder::watch_processors() {
  shares_processors_ = true;
  usual_.begin(clock_);
}

namespace {

constexpr std::uint64_t kOld_ns = 20'000'000; // an answer
constexpr std::uint64_t kLongSleep_ns = 5'000'000; // shorter ones are not worth asking

void ask_waiting(CpuReading& reading) {
  reading.waited_ns = thread_waited_ns();
  reading.waited_ticks = clock_.ticks();
}

void count_sleeps(CpuReading& reading) {
  const std::uint64_t sleeps = sleeps_of_thread();
  reading.counted_ticks = reading.ticks;
  reading.wakeful = sleeps == reading.sleeps ? reading.wakeful + 1 : 0;
  reading.sleeps = sleeps;
}

// Since the reading.
bool has_slept(CpuReading& reading) {
  const std::uint64_t before = reading.sleeps;
  reading.sleeps = sleeps_of_thread();
  reading.counted_ticks = clock_.ticks();
  if (reading.sleeps == before) return false;
  reading.wakeful = 0;
  return true;
}

// At least so long of a time that began at `since` and is over, in which it slept.
std::uint64_t waited_in(CpuReading& reading, std::uint64_t since, std::uint64_t passed) {
  const std::uint64_t before_ns = reading.waited_ns;
  const std::uint64_t before_ticks = reading.waited_ticks;
  ask_waiting(reading);
  if (before_ticks == 0) return 0;
  const std::uint64_t waited = clock_.to_ticks(reading.waited_ns - before_ns);
  const std::uint64_t earlier = since > before_ticks ? since - before_ticks : 0;
  return waited > earlier ? std::min(waited - earlier, passed) : 0;
}

} // namespace

// A system call is where the kernel displaces a thread whose time is up. So the clock is read
// before those at the end of a computation, and after those at its beginning.
void Recorder::begin_computing(Stream& stream) {
  const std::uint64_t now = clock_.ticks();
  stream.rest_thread = &on_thread;
  stream.rest_site = on_thread.event[1];
  if (needs_reading(stream.rest_site, now)) read_cpu_time(stream.rest_site, now);
  stream.rest_ticks = clock_.ticks();
}

bool Recorder::needs_reading(std::int64_t site, std::uint64_t now) const {
  const std::uint64_t last = on_thread.reading.ticks;
  return last == 0 || usual_.needs_reading(site, now - last);
}

void Recorder::read_cpu_time(std::int64_t site, std::uint64_t now) {
  CpuReading& reading = on_thread.reading;
  reading.ticks = now;
  if (!usual_.slept(site)) reading.cpu_ns = thread_cpu_ns();
  if (usual_.counts_sleeps(reading.wakeful, now - reading.counted_ticks)) count_sleeps(reading);
  if (clock_.to_ns(now - reading.waited_ticks) > kOld_ns) ask_waiting(reading);
  usual_.note_reading(site);
}

// How long the thread was without a processor, of an unusual time that is over.
std::uint64_t Recorder::displaced_in(std::int64_t site, std::uint64_t since, std::uint64_t passed) {
  CpuReading& reading = on_thread.reading;
  const auto in_sleep = [&] {
    return clock_.to_ns(passed) < kLongSleep_ns ? 0 : waited_in(reading, since, passed);
  };
  if (usual_.slept(site) && has_slept(reading)) {
    usual_.note(site, passed, true);
    return in_sleep();
  }
  // Where it was to sleep, and did not, an older reading has to do.
  const std::uint64_t cpu = clock_.to_ticks(thread_cpu_ns() - reading.cpu_ns);
  const bool is_less = cpu + usual_.noticeable_ticks() < passed;
  const bool slept = is_less && has_slept(reading);
  usual_.note(site, slept ? passed : std::min(cpu, passed), slept);
  if (!is_less) return 0;
  return slept ? std::min(in_sleep(), passed - cpu) : passed - cpu;
}

// As if the call before had ended so much later.
void Recorder::take_off(Stream& stream, std::uint64_t ticks, std::uint64_t now) {
  if (stream.last_end_ticks >= now) return;
  const std::uint64_t displaced = std::min(ticks, now - stream.last_end_ticks);
  stream.last_end_ticks += displaced;
  facts_.displaced_ns += clock_.to_ns(displaced);
}

void Recorder::end_computing(Stream& stream) {
  if (stream.rest_thread != &on_thread) return; // another thread made the last call
  const std::uint64_t now = clock_.ticks();
  const std::uint64_t passed = now - stream.rest_ticks;
  if (!usual_.is_unusual(stream.rest_site, passed)) return;
  take_off(stream, displaced_in(stream.rest_site, stream.rest_ticks, passed), now);
  const std::uint64_t asked = clock_.ticks();
  take_off(stream, asked - now, asked);
}

// The log
// ------------------------------------------------------------------------------------------------
//
// Calls in the log go by the same rules, but when they are made the stream stands where the log was
// folded last. So what is found out is noted beside the log. Call sites are their addresses here;
// that of the call before stands in its entry.

void Recorder::end_rest(std::uint64_t last_end_ticks) {
  OnThread& thread = *log_thread_;
  std::int64_t* const entry = open_entry(thread);
  const std::uint64_t now = ticks_at(entry, kStart);
  std::uint64_t since = last_end_ticks;
  std::int64_t site = 0;
  if (entry == log_words) { // the call before is in no log
    if (only_stream_->rest_thread != &thread) return;
    since = only_stream_->rest_ticks;
    site = only_stream_->rest_site;
  } else {
    site = entry_before(entry)[kSite];
  }
  std::uint64_t ready = now;
  if (const std::uint64_t passed = now - since; usual_.is_unusual(site, passed)) {
    const std::uint64_t displaced = displaced_in(site, since, passed);
    ready = clock_.ticks();
    note_own_in_log(ready - now);
    taken_offs_.note({entry, displaced, ready - now});
  }
  if (usual_.may_need_reading(ready - thread.reading.ticks)) thread.inside_bits = 0;
  entry[kStart] = static_cast<std::int64_t>(ready);
}

void Recorder::begin_rest(std::int64_t* next, std::uint64_t end_ticks) {
  OnThread& thread = *log_thread_;
  const std::int64_t site = entry_before(next)[kSite];
  const std::uint64_t now = clock_.ticks();
  if (needs_reading(site, now)) {
    read_cpu_time(site, now);
    const std::uint64_t ready = clock_.ticks();
    next[kStart] = static_cast<std::int64_t>(ready);
    note_own_in_log(ready - now);
    taken_offs_.note({next, 0, ready - end_ticks});
  } else if (usual_.may_need_reading(now - thread.reading.ticks)) {
    thread.inside_bits = 0; // behind one of the next calls
  }
}

// What is known for sure is none of what is estimated from samples.
void Recorder::note_own_in_log(std::uint64_t ticks) {
  OnThread& thread = *log_thread_;
  thread.sampled_ticks += std::min(ticks, kLongTicks);
  if (thread.until_sample == 0) thread.begun_ticks += ticks;
}

void Recorder::take_off_before(const std::int64_t* entry, std::uint64_t start_ticks) {
  if (!shares_processors_) return;
  const TakenOff off = taken_offs_.take(entry);
  if (off.entry == nullptr) return;
  Stream& stream = *only_stream_;
  if (off.displaced_ticks != 0) take_off(stream, off.displaced_ticks, start_ticks);
  if (stream.last_end_ticks < start_ticks)
    stream.last_end_ticks += std::min(off.own_ticks, start_ticks - stream.last_end_ticks);
}

void end_rest(std::uint64_t last_end_ticks) { recorder->end_rest(last_end_ticks); }

} // namespace rondo::record
