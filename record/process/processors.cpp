// SPDX-License-Identifier: Apache-2.0
#include "record/process/processors.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

namespace rondo::record {
namespace {

constexpr int kGenerations = 5; // from a rank up to its launcher, over shells and their like

// The beginning of a small file, as the kernel makes them.
template <std::size_t N> bool read_text(const char* path, char (&text)[N]) {
  const int file = ::open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const ssize_t n = ::read(file, text, N - 1);
  ::close(file);
  text[std::max<ssize_t>(n, 0)] = '\0';
  return n > 0;
}

std::vector<std::int64_t> affinity_of(pid_t process) {
  constexpr std::size_t kMost = 8192;
  std::vector<std::int64_t> processors;
  cpu_set_t* set = CPU_ALLOC(kMost);
  const std::size_t size = CPU_ALLOC_SIZE(kMost);
  if (set != nullptr && ::sched_getaffinity(process, size, set) == 0) {
    for (std::size_t i = 0; i < kMost; ++i)
      if (CPU_ISSET_S(i, size, set)) processors.push_back(static_cast<std::int64_t>(i));
  }
  CPU_FREE(set);
  return processors;
}

pid_t parent_of(pid_t process) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/stat", static_cast<int>(process));
  char text[512];
  if (!read_text(path, text)) return 0;
  const char* behind_name = std::strrchr(text, ')'); // which may hold anything
  int parent = 0;
  if (behind_name == nullptr || std::sscanf(behind_name + 1, " %*c %d", &parent) != 1) return 0;
  return parent;
}

// Launchers bind their ranks, but not themselves: the most that an ancestor has is for all.
std::int64_t launchers_processors(std::size_t own) {
  std::size_t most = own;
  pid_t process = ::getppid();
  for (int i = 0; i < kGenerations && process > 1; ++i, process = parent_of(process))
    most = std::max(most, affinity_of(process).size());
  return static_cast<std::int64_t>(most);
}

// Processors that a control group's quota of time is worth, rounded up; many if there is none.
std::int64_t quota() {
  char text[128];
  long long allowed = -1;
  long long period = 100'000;
  if (read_text("/sys/fs/cgroup/cpu.max", text)) {
    if (std::sscanf(text, "%lld %lld", &allowed, &period) < 1) allowed = -1; // "max"
  } else if (read_text("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", text)) {
    allowed = std::strtoll(text, nullptr, 10);
    if (read_text("/sys/fs/cgroup/cpu/cpu.cfs_period_us", text))
      period = std::strtoll(text, nullptr, 10);
  }
  return allowed > 0 && period > 0 ? (allowed + period - 1) / period : INT64_MAX;
}

std::uint64_t ns_of(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u +
         static_cast<std::uint64_t>(now.tv_nsec);
}

} // namespace

Processors processors_here() {
  Processors result;
  result.allowed = affinity_of(0);
  result.usable = std::min(launchers_processors(result.allowed.size()), quota());
  for (const char* name :
       {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "SLURM_STEP_TASKS_PER_NODE"}) {
    const char* text = std::getenv(name);
    if (text != nullptr && result.local_ranks == 0)
      result.local_ranks = std::strtoll(text, nullptr, 10);
  }
  return result;
}

std::uint64_t thread_cpu_ns() { return ns_of(CLOCK_THREAD_CPUTIME_ID); }
std::uint64_t process_cpu_ns() { return ns_of(CLOCK_PROCESS_CPUTIME_ID); }

namespace {

std::uint64_t waited_ns(const char* schedstat) {
  char text[128];
  if (!read_text(schedstat, text)) return 0;
  const char* second = std::strchr(text, ' '); // "running waiting slices"
  return second == nullptr ? 0 : std::strtoull(second, nullptr, 10);
}

} // namespace

std::uint64_t waited_for_processor_ns() { return waited_ns("/proc/self/schedstat"); }

std::uint64_t thread_waited_ns() { return waited_ns("/proc/thread-self/schedstat"); }

std::uint64_t sleeps_of_thread() {
  rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);
  return static_cast<std::uint64_t>(usage.ru_nvcsw);
}

std::uint64_t displacements_of_thread() {
  rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);
  return static_cast<std::uint64_t>(usage.ru_nivcsw);
}

} // namespace rondo::record
