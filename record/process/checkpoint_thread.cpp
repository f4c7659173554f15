// SPDX-License-Identifier: Apache-2.0
#include "record/process/checkpoint_thread.hpp"

#include <chrono>
#include <csignal>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace rondo::record {
namespace {

constexpr std::size_t kStack = std::size_t{1} << 20;

bool membarrier(int command) { return ::syscall(SYS_membarrier, command, 0, 0) == 0; }

} // namespace

bool CheckpointThread::fence_everywhere() { return membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED); }

bool CheckpointThread::prepare() { return membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED); }

bool CheckpointThread::start(std::function<std::uint64_t()> work) {
  if (!prepare()) return false;
  work_ = std::move(work);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStack);
  sigset_t all;
  sigset_t before;
  sigfillset(&all); // the program's signals are for its own threads
  pthread_sigmask(SIG_SETMASK, &all, &before);
  runs_ = pthread_create(&thread_, &attributes, run, this) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  return runs_;
}

void CheckpointThread::stop() {
  if (!runs_) return;
  {
    const std::lock_guard guard(mutex_);
    stops_ = true;
  }
  wake_.notify_one();
  pthread_join(thread_, nullptr);
  runs_ = false;
}

void* CheckpointThread::run(void* self) {
  auto& thread = *static_cast<CheckpointThread*>(self);
  std::uint64_t pause_ns = 0;
  std::unique_lock guard(thread.mutex_);
  for (;;) {
    const auto pause = std::chrono::nanoseconds(pause_ns);
    if (thread.wake_.wait_for(guard, pause, [&] { return thread.stops_; })) return nullptr;
    pause_ns = thread.work_();
  }
}

} // namespace rondo::record
