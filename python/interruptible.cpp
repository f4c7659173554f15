// SPDX-License-Identifier: Apache-2.0
#include "python/interruptible.hpp"

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <exception>
#include <memory>
#include <mutex>
#include <pybind11/pybind11.h>
#include <thread>
#include <unistd.h>

namespace rondo::python {
namespace {

using namespace std::chrono_literals;

struct Work {
  std::mutex mutex;
  std::condition_variable changed;
  bool is_done = false;
  bool is_abandoned = false;
  std::exception_ptr thrown;
  std::atomic<bool> stop = false;
};

std::atomic<int> abandoned = 0;

bool wait_a_little(Work& work) {
  const pybind11::gil_scoped_release others_run;
  std::unique_lock lock(work.mutex);
  return work.changed.wait_for(lock, 50ms, [&] { return work.is_done; });
}

// False if it was done just before.
bool abandon(Work& work) {
  const std::lock_guard lock(work.mutex);
  if (work.is_done) return false;
  work.is_abandoned = true;
  work.stop = true;
  ++abandoned;
  return true;
}

} // namespace

void run_interruptible(std::function<void(const std::atomic<bool>& stop)> work) {
  const auto shared = std::make_shared<Work>();
  std::thread thread([shared, work = std::move(work)]() mutable {
    try {
      work(shared->stop);
    } catch (...) {
      shared->thrown = std::current_exception();
    }
    work = nullptr; // what it owns goes before anybody hears that it is done
    const std::lock_guard lock(shared->mutex);
    shared->is_done = true;
    if (shared->is_abandoned) --abandoned;
    shared->changed.notify_all();
  });
  while (!wait_a_little(*shared)) {
    if (PyErr_CheckSignals() == 0) continue;
    if (!abandon(*shared)) break;
    thread.detach();
    throw pybind11::error_already_set();
  }
  thread.join();
  if (PyErr_Occurred() != nullptr) throw pybind11::error_already_set();
  if (shared->thrown) std::rethrow_exception(shared->thrown);
}

void end_abandoned_work() {
  for (int waited = 0; abandoned > 0 && waited < 100; ++waited) std::this_thread::sleep_for(50ms);
  if (abandoned == 0) return;
  std::fflush(nullptr);
  ::_exit(130); // as after Ctrl-C; statics must not go while a thread uses them
}

} // namespace rondo::python
