// SPDX-License-Identifier: Apache-2.0
// What the process has of its host's processors, and what it uses of them.
#pragma once

#include <cstdint>
#include <vector>

namespace rondo::record {

struct Processors {
  std::vector<std::int64_t> allowed; // this process may run on these
  std::int64_t usable =
      0; // by all that the launcher started here: its own, less what a quota takes
  std::int64_t local_ranks = 0; // on this host, as the launcher says; 0 if it does not
  /// Some ranks have to wait while others run.
  bool are_shared() const { return usable > 0 && local_ranks > usable; }
};

/// @return  what the system says now; nothing is allowed and usable if it does not
Processors processors_here();

std::uint64_t thread_cpu_ns();
std::uint64_t process_cpu_ns();
/// How long the first thread was ready to run without a processor; 0 if the kernel does not say.
/// May be called in a signal handler.
std::uint64_t waited_for_processor_ns();
/// The same of the calling thread.
std::uint64_t thread_waited_ns();
/// How often the calling thread gave its processor up because it had to wait for something. It does
/// not when it is displaced, nor with sched_yield.
std::uint64_t sleeps_of_thread();
/// How often it did when it was displaced, or with sched_yield.
std::uint64_t displacements_of_thread();

} // namespace rondo::record
