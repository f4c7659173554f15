// SPDX-License-Identifier: Apache-2.0
// Computation of ranks that share processors.
#include "record/processors.hpp"
#include "record/recorder.hpp"

namespace rondo::record {

// Where ranks are more than processors, a rank is displaced while it computes, and the clock goes
// on. What it computed is then its thread's CPU time; but a thread that slept, for a timer, a disk
// or another thread, would have done so on a processor of its own too, and its sleep counts.
//
// Asking the kernel at each call would cost more than recording it. What passes between two calls
// is looked at only if it is longer than any computation that could be worth displacing, and then
// measured from a reading that was made before it, not long ago: so much CPU time at most is taken
// for computation that was spent in MPI.
namespace {
constexpr std::uint64_t kNoticeable_ns = 20'000;
constexpr std::uint64_t kFresh_ns = 50'000;
struct CpuReading {
  std::uint64_t ticks = 0;
  std::uint64_t cpu_ns = 0;
  std::uint64_t sleeps = 0;
};
thread_local CpuReading reading [[gnu::tls_model("initial-exec")]];
} // namespace

// A system call is where the kernel displaces a thread whose time is up. So the clock is read
// before those at the end of a computation, and after those at its beginning.
void Recorder::begin_computing(Stream& stream) {
  const std::uint64_t now = clock_.ticks();
  stream.rest_thread = &reading;
  if (reading.ticks == 0 || clock_.to_ns(now - reading.ticks) > kFresh_ns)
    reading = {now, thread_cpu_ns(), sleeps_of_thread()};
  stream.rest_ticks = clock_.ticks();
}

void Recorder::end_computing(Stream& stream) {
  if (stream.rest_thread != &reading) return; // another thread made the last call
  const std::uint64_t now = clock_.ticks();
  const std::uint64_t passed_ns = clock_.to_ns(now - stream.rest_ticks);
  if (passed_ns < kNoticeable_ns) return;
  const std::uint64_t cpu_ns = thread_cpu_ns() - reading.cpu_ns;
  if (cpu_ns + kNoticeable_ns < passed_ns && sleeps_of_thread() == reading.sleeps)
    stream.displaced_ns += passed_ns - cpu_ns;
  stream.displaced_ns += clock_.to_ns(clock_.ticks() - now);
}

} // namespace rondo::record
