// SPDX-License-Identifier: Apache-2.0
// The calls that begin and end a recording.
#include "record/by_hand.hpp"
#include "record/call.hpp"
#include "record/mpi_errors.hpp"
#include "record/process/processors.hpp"
#include <real_calls.hpp>

#include <cstddef>
#include <cstdio>
#include <new>
#include <pthread.h>
#include <utility>

namespace rondo::record {
namespace {

struct Beginning { // of MPI_Init
  Recorder::Before used;
  std::uint64_t ticks = 0;
};

Beginning begin() {
  CheckpointThread::prepare();
  clock_.start();
  const std::uint64_t cpu_ns = process_cpu_ns();
  const std::uint64_t waited_ns = waited_for_processor_ns();
  const Moment here = clock_.moment();
  return {{here.host_ns, cpu_ns, waited_ns}, here.ticks};
}

thread_local int beginnings [[gnu::tls_model("initial-exec")]] = 0; // MPI_Init may call another

// Starts recording, with the call to MPI_Init as the first event.
[[gnu::noinline]] void start(std::uint16_t function, const void* site, int required,
                             const Beginning& beginning, int provided) {
  const std::uint64_t end_ticks = clock_.ticks();
  const std::uint64_t cpu_ns = thread_cpu_ns();
  clock_.calibrate();
  try {
    recorder =
        new (recorder_place) Recorder(Settings::from_environment(), provided, beginning.used);
    recorder->set_origin(beginning.ticks, end_ticks);
    recorder->go_live();
    const std::int64_t event[] = {function, recorder->sites.index_of(site),
                                  choice_thread_level(required), choice_thread_level(provided)};
    recorder->commit(recorder->stream(), event, function == kMpiInit ? 2 : 4, beginning.ticks,
                     end_ticks);
    const std::uint64_t ready_ticks = clock_.ticks();
    recorder->keep_safe();
    recorder->pass(recorder->stream(), ready_ticks, ready_ticks); // it is not the program's time
    recorder->end_of_start(end_ticks, cpu_ns);
    if (recorder->live) recorder->live->rest(0);
    static const int forked = ::pthread_atfork(nullptr, nullptr, [] {
      recorder = nullptr;
      on_thread.log.limit = nullptr;
    });
    static_cast<void>(forked);
  } catch (...) {
    recorder = nullptr;
    std::fputs("rondo: out of memory when recording began: nothing is recorded\n", stderr);
  }
}

// A program that ends without MPI_Finalize, by exit() or at the end of main.
[[gnu::destructor]] void on_exit() {
  if (recorder != nullptr) recorder->write_ending({trace::Ending::kExited, 0});
}

const void* site_of(const void* return_address) {
  const void* site = site_in_fortran(&return_address);
  return site != nullptr ? site : return_address;
}

} // namespace

int wrap_MPI_Init(const void* return_address, int* argc, char*** argv) {
  const void* site = site_of(return_address);
  ++beginnings;
  const Beginning beginning = begin();
  const int result = real::MPI_Init(argc, argv);
  if (result == MPI_SUCCESS && beginnings == 1) {
    int provided = MPI_THREAD_SINGLE;
    PMPI_Query_thread(&provided);
    start(kMpiInit, site, 0, beginning, provided);
  }
  --beginnings;
  return result;
}

int wrap_MPI_Init_thread(const void* return_address, int* argc, char*** argv, int required,
                         int* provided) {
  const void* site = site_of(return_address);
  ++beginnings;
  const Beginning beginning = begin();
  const int result = real::MPI_Init_thread(argc, argv, required, provided);
  if (result == MPI_SUCCESS && beginnings == 1)
    start(kMpiInitThread, site, required, beginning, *provided);
  --beginnings;
  return result;
}

// The recording is merged and written before MPI goes down: the merge needs MPI.
int wrap_MPI_Finalize(const void* return_address) {
  Call call(kMpiFinalize, return_address);
  if (call.is_recorded()) {
    call.enter();
    call.leave(MPI_SUCCESS);
    call.commit();
  }
  if (recorder != nullptr) {
    recorder->finish();
    Recorder* const finished = std::exchange(recorder, nullptr);
    // A thread that still waits in a call would come back to it, whatever MPI says of that.
    if (!finished->needs_lock) finished->~Recorder();
  }
  return real::MPI_Finalize();
}

int wrap_MPI_Abort(const void* return_address, MPI_Comm comm, int errorcode) {
  note_abort(errorcode);
  return real::MPI_Abort(comm, errorcode);
}

} // namespace rondo::record
