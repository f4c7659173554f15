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
// Whether the thread slept is asked with each reading only while it does sleep now and then. If it
// has not for a while, it is enough to ask when it was without the processor: then either it was
// displaced, or it has begun to sleep.
void Recorder::watch_processors() {
  shares_processors_ = true;
  usual_.begin(clock_);
}

namespace {

constexpr std::uint32_t kWakeful = 256; // readings

void count_sleeps(CpuReading& reading) {
  if (reading.wakeful >= kWakeful) return;
  const std::uint64_t sleeps = sleeps_of_thread();
  reading.wakeful = sleeps == reading.sleeps ? reading.wakeful + 1 : 0;
  reading.sleeps = sleeps;
}

// Since the reading.
bool has_slept(CpuReading& reading) {
  const std::uint64_t before = reading.sleeps;
  reading.sleeps = sleeps_of_thread();
  if (reading.sleeps == before) return false;
  reading.wakeful = 0;
  return true;
}

} // namespace

// A system call is where the kernel displaces a thread whose time is up. So the clock is read
// before those at the end of a computation, and after those at its beginning.
void Recorder::begin_computing(Stream& stream) {
  CpuReading& reading = on_thread.reading;
  const std::uint64_t now = clock_.ticks();
  stream.rest_thread = &on_thread;
  stream.rest_site = on_thread.event[1];
  if (reading.ticks == 0 || usual_.needs_reading(stream.rest_site, now - reading.ticks)) {
    reading.ticks = now;
    reading.cpu_ns = thread_cpu_ns();
    count_sleeps(reading);
    usual_.note_reading(stream.rest_site);
  }
  stream.rest_ticks = clock_.ticks();
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
  CpuReading& reading = on_thread.reading;
  const std::uint64_t now = clock_.ticks();
  const std::uint64_t passed = now - stream.rest_ticks;
  if (!usual_.is_unusual(stream.rest_site, passed)) return;
  const std::uint64_t cpu = clock_.to_ticks(thread_cpu_ns() - reading.cpu_ns);
  usual_.note(stream.rest_site, std::min(cpu, passed));
  if (cpu + usual_.noticeable_ticks() < passed && !has_slept(reading))
    take_off(stream, passed - cpu, now);
  const std::uint64_t asked = clock_.ticks();
  take_off(stream, asked - now, asked);
}

} // namespace rondo::record
