// SPDX-License-Identifier: Apache-2.0
// A thread of ours that writes the recording to disk every second, also while the program computes
// or hangs in a call. It sleeps otherwise, takes no signals and never calls MPI.
//
// It looks at the recorder while no thread of the program is inside. So that entering the recorder
// costs a store and a load only, the fence that this needs is on the checkpoint thread's side:
// membarrier(2).
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <pthread.h>

namespace rondo::record {

class CheckpointThread {
public:
  /// Tells the kernel that fences will come. It does so at once in a process of one thread; later
  /// it waits some 10 ms for all processors, so this stands before MPI_Init makes threads.
  static bool prepare();

  /// Starts calling `work`, which says after how many nanoseconds it wants to be called again.
  /// False if the system lacks what is needed.
  bool start(std::function<std::uint64_t()> work);
  /// Waits for work in progress; there is none afterwards.
  void stop();
  bool runs() const { return runs_; }

  /// A fence in all threads of this process. False if the kernel has none.
  static bool fence_everywhere();

private:
  static void* run(void* self);

  std::function<std::uint64_t()> work_;
  pthread_t thread_{};
  bool runs_ = false;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stops_ = false;
};

} // namespace rondo::record
