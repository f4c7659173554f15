// SPDX-License-Identifier: Apache-2.0
#include "cli/memory_limit.hpp"

#include "rondo/base/budget.hpp"
#include "rondo/base/files.hpp"
#include "rondo/base/units.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <malloc.h>
#include <new>
#include <unistd.h>

namespace {

constinit std::atomic<std::int64_t> most = INT64_MAX;
constinit std::atomic<std::int64_t> taken = 0;
// Threads tell each other of whole steps only, so that small objects cost no shared write.
constexpr std::int64_t kStep = 1 << 20;
constinit thread_local std::int64_t untold = 0;

void count(std::int64_t bytes) {
  untold += bytes;
  if (untold < kStep && untold > -kStep) return;
  taken.fetch_add(untold, std::memory_order_relaxed);
  untold = 0;
}

bool has_room(std::size_t size) {
  if (size < static_cast<std::size_t>(kStep) && untold + static_cast<std::int64_t>(size) < kStep)
    return true;
  const std::int64_t left =
      most.load(std::memory_order_relaxed) - taken.load(std::memory_order_relaxed);
  return left > 0 && size < static_cast<std::size_t>(left);
}

void give_back(void* bytes) noexcept {
  if (bytes == nullptr) return;
  count(-static_cast<std::int64_t>(::malloc_usable_size(bytes)));
  std::free(bytes);
}

} // namespace

// All that the program and its C++ libraries allocate comes here.
void* operator new(std::size_t size) {
  void* bytes = has_room(size) ? std::malloc(std::max<std::size_t>(size, 1)) : nullptr;
  if (bytes == nullptr) throw std::bad_alloc();
  count(static_cast<std::int64_t>(::malloc_usable_size(bytes)));
  return bytes;
}
void* operator new(std::size_t size, const std::nothrow_t& /*no_throw*/) noexcept {
  try {
    return operator new(size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void operator delete(void* bytes) noexcept { give_back(bytes); }
void operator delete(void* bytes, const std::nothrow_t& /*no_throw*/) noexcept { give_back(bytes); }
void operator delete(void* bytes, std::size_t /*size*/) noexcept { give_back(bytes); }

namespace rondo::cli {
namespace {

constexpr int kKept = 1 << 28; // bytes that are not given back to the system at once
constexpr double kShare = 0.8; // of the memory; others want some, too

std::uint64_t memory_here() {
  std::uint64_t bytes = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                        static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const auto group = read_file("/sys/fs/cgroup/memory.max"); // of a container or batch job
  std::uint64_t of_group = 0;
  if (group &&
      std::from_chars(group->data(), group->data() + group->size(), of_group).ec == std::errc{})
    bytes = std::min(bytes, of_group);
  return bytes;
}

std::uint64_t usual_bytes() {
  return static_cast<std::uint64_t>(kShare * static_cast<double>(memory_here()));
}

} // namespace

void limit_memory() {
  // Large tables are made and dropped one after the other; to give each back to the system and have
  // its pages cleared anew for the next was an eighth of the time of `rondo efficiency`.
  ::mallopt(M_MMAP_THRESHOLD, kKept);
  ::mallopt(M_TRIM_THRESHOLD, kKept);
  most = static_cast<std::int64_t>(std::min<std::uint64_t>(limited(usual_bytes()), INT64_MAX));
}

std::string out_of_memory_text() {
  return "takes more memory than there is (" + human_bytes(static_cast<double>(memory_here())) +
         ", of which a command takes 80 % at most unless --limit says otherwise, or what ulimit "
         "and the batch system leave); take a smaller file or a part of it, or a larger machine";
}

} // namespace rondo::cli
