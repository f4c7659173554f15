// SPDX-License-Identifier: Apache-2.0
// MPI_Wtime of a live run is virtual, from C and from Fortran; it never goes backwards. In other
// runs it is MPI's.
#include "record/by_hand.hpp"
#include "record/call.hpp"
#include "record/process/processors.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <real_calls.hpp>

namespace rondo::record {
namespace {

constexpr double kSecondsPerNs = 1e-9;

using Ask = double (*)();

std::atomic<bool> is_live = false; // from the first answer on, until the process ends
double origin_s = 0; // what was answered before MPI_Init
double last_s = 0;
thread_local double last_of_thread_s = 0; // each has a clock of its own

Ask behind_clock(const char* name) { return reinterpret_cast<Ask>(real::find(name)); }

double virtual_s() {
  const std::uint64_t sleeps = recorder->needs_lock ? sleeps_of_thread() : 0;
  enter_recorder();
  recorder->enter();
  const std::uint64_t now_ns = recorder->live->ask_ns(recorder->thread_number(), sleeps);
  const double now_s = origin_s + static_cast<double>(now_ns) * kSecondsPerNs;
  double& last = recorder->needs_lock ? last_of_thread_s : last_s;
  last = now_s > last ? now_s : last;
  last_s = std::max(last_s, last);
  const double answer = last;
  is_live = true;
  recorder->leave();
  leave_recorder();
  return answer;
}

// After MPI_Finalize it goes on in real time from where virtual time ended.
double after_s() {
  static const std::uint64_t end_ns = monotonic_ns();
  static const double end_s = last_s;
  return end_s + static_cast<double>(monotonic_ns() - end_ns) * kSecondsPerNs;
}

double wtime(Ask next) {
  if (recorder != nullptr && recorder->live != nullptr) return virtual_s();
  if (is_live) return after_s();
  const double now_s = next();
  if (recorder == nullptr && now_s > origin_s) origin_s = now_s;
  return now_s;
}

double wtick(Ask next) {
  const bool is_virtual = is_live || (recorder != nullptr && recorder->live != nullptr);
  return is_virtual ? kSecondsPerNs : next();
}

} // namespace

void end_virtual_clock(std::uint64_t now_ns) {
  last_s = std::max(last_s, origin_s + static_cast<double>(now_ns) * kSecondsPerNs);
  is_live = true;
}

} // namespace rondo::record

// MPI_Wtime, and each name of it in Fortran: those of mpif.h and mpi, in all forms of compilers,
// and that of mpi_f08.
#define RONDO_CLOCK(name, function)                                                                \
  extern "C" double rondo_entry_##name() {                                                         \
    static const auto next = rondo::record::behind_clock(#name);                                   \
    return rondo::record::function(next);                                                          \
  }
RONDO_CLOCK(MPI_Wtime, wtime)
RONDO_CLOCK(mpi_wtime, wtime)
RONDO_CLOCK(mpi_wtime_, wtime)
RONDO_CLOCK(mpi_wtime__, wtime)
RONDO_CLOCK(MPI_WTIME, wtime)
RONDO_CLOCK(MPI_Wtime_f08, wtime)
RONDO_CLOCK(mpi_wtime_f08_, wtime)
RONDO_CLOCK(MPI_Wtick, wtick)
RONDO_CLOCK(mpi_wtick, wtick)
RONDO_CLOCK(mpi_wtick_, wtick)
RONDO_CLOCK(mpi_wtick__, wtick)
RONDO_CLOCK(MPI_WTICK, wtick)
RONDO_CLOCK(MPI_Wtick_f08, wtick)
RONDO_CLOCK(mpi_wtick_f08_, wtick)
