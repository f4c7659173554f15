// SPDX-License-Identifier: Apache-2.0
// Small blocks come from size classes with free lists, large ones are mapped by themselves, and
// some kept when they are given back: the tables of a recording that does not fold grow and go
// chunk by chunk, and fresh pages cost more than what is written to them. A block has its size in
// front, because the C++ runtime also frees without telling it.
#include "record/process/memory.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <new>
#include <sched.h>
#include <sys/mman.h>
#include <utility>

namespace rondo::record {
namespace {

constexpr std::size_t kHeader = 16; // keeps blocks aligned as malloc's are
constexpr std::size_t kLargest = std::size_t{1} << 16; // of a size class
constexpr std::size_t kFine = 1024; // classes in steps of 16 up to here, then four to an octave
constexpr std::size_t kClasses = kFine / 16 + 4 * 6 + 1;
constexpr std::size_t kSlab = std::size_t{1} << 18;
constexpr std::size_t kPage = 4096;
constexpr std::size_t kMostKept = 64; // large blocks, of so many bytes
constexpr std::size_t kMostKeptBytes = std::size_t{1} << 25;

struct Free {
  Free* next;
};
struct Kept {
  void* block;
  std::size_t size;
};

// All zero before any constructor runs: the library allocates from its very start.
Free* free_blocks[kClasses];
char* slab;
std::size_t slab_left;
Kept kept_blocks[kMostKept];
std::size_t kept_bytes;
std::size_t next_evicted;
std::atomic_flag locked = ATOMIC_FLAG_INIT;
std::atomic<std::size_t> in_use; // of large blocks
std::atomic<std::size_t> in_use_small; // of others: changed under the lock only
std::atomic<std::size_t> mapped;
std::atomic<std::size_t> peak;
std::size_t watched = ~std::size_t{0};
void (*on_alarm)();

// A signal may have interrupted whoever holds the lock: nobody waits for long.
bool lock() {
  for (int i = 0; i < 2000; ++i) {
    if (!locked.test_and_set(std::memory_order_acquire)) return true;
    if (i % 16 == 15) ::sched_yield();
  }
  return false;
}
void unlock() { locked.clear(std::memory_order_release); }

std::size_t class_of(std::size_t bytes) {
  if (bytes <= kFine) return (bytes + 15) / 16;
  const int octave = std::bit_width(bytes - 1); // 11 for 1025 to 2048
  const std::size_t step = std::size_t{1} << (octave - 3);
  const std::size_t quarter =
      (bytes - (std::size_t{1} << (octave - 1)) + step - 1) / step; // 1 to 4
  return kFine / 16 + static_cast<std::size_t>(octave - 11) * 4 + quarter;
}

std::size_t size_of(std::size_t size_class) {
  if (size_class <= kFine / 16) return size_class * 16;
  const std::size_t above = size_class - kFine / 16 - 1;
  return (kFine << (above / 4)) * (5 + above % 4) / 4;
}

void raise_alarm_if_due() {
  if (memory_in_use() > watched && on_alarm != nullptr) on_alarm();
}

// Blocks are kept while all that is mapped is at most twice what is watched: half of what a rank
// may take, as what is watched is a quarter.
bool is_plenty(std::size_t bytes) { return watched <= bytes / 2; }

// Nearly all of it will be used, as slabs are filled and tables grow: its pages at once take a
// fraction of the time that they take one by one when they are touched.
void* map(std::size_t bytes) {
  void* const block = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (block == MAP_FAILED) return nullptr;
  const std::size_t now = mapped.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  if (now > peak.load(std::memory_order_relaxed)) peak.store(now, std::memory_order_relaxed);
  raise_alarm_if_due();
  return block;
}

void unmap(void* block, std::size_t bytes) {
  ::munmap(block, bytes);
  mapped.fetch_sub(bytes, std::memory_order_relaxed);
}

// The smallest kept block that is large enough, and not far too large; none has size 0.
Kept take_kept(std::size_t bytes) {
  Kept* best = nullptr;
  if (kept_bytes < bytes || !lock()) return {nullptr, 0};
  for (Kept& kept : kept_blocks) {
    if (kept.size < bytes || kept.size > 2 * bytes) continue;
    if (best == nullptr || kept.size < best->size) best = &kept;
  }
  const Kept found = best == nullptr ? Kept{nullptr, 0} : std::exchange(*best, {nullptr, 0});
  kept_bytes -= found.size;
  unlock();
  return found;
}

// Keeps a block, maybe in the place of another.
void keep_or_unmap(void* block, std::size_t bytes) {
  if (kept_bytes + bytes > kMostKeptBytes || is_plenty(memory_mapped()) || !lock())
    return unmap(block, bytes);
  Kept* place = std::find_if(std::begin(kept_blocks), std::end(kept_blocks),
                             [](const Kept& kept) { return kept.block == nullptr; });
  if (place == std::end(kept_blocks)) place = &kept_blocks[next_evicted++ % kMostKept];
  const Kept evicted = std::exchange(*place, {block, bytes});
  kept_bytes += bytes - evicted.size;
  unlock();
  if (evicted.block != nullptr) unmap(evicted.block, evicted.size);
}

// What is kept never adds to what is mapped where that is much: it goes first.
void make_room(std::size_t bytes) {
  while (kept_bytes > 0 && is_plenty(memory_mapped() + bytes) && lock()) {
    const auto largest =
        std::max_element(std::begin(kept_blocks), std::end(kept_blocks),
                         [](const Kept& a, const Kept& b) { return a.size < b.size; });
    const Kept evicted = std::exchange(*largest, {nullptr, 0});
    kept_bytes -= evicted.size;
    unlock();
    if (evicted.block == nullptr) return; // another thread was faster
    unmap(evicted.block, evicted.size);
  }
}

Kept take_large(std::size_t bytes) {
  const std::size_t size =
      (std::max(bytes, kLargest + 1) + kPage - 1) / kPage * kPage; // tells it from a class
  const Kept kept = take_kept(size);
  if (kept.block == nullptr) {
    make_room(size);
    return {map(size), size};
  }
  raise_alarm_if_due();
  return kept;
}

// The lock is held: a read and a write are cheaper than one that is atomic.
void add_small(std::size_t bytes) {
  in_use_small.store(in_use_small.load(std::memory_order_relaxed) + bytes,
                     std::memory_order_relaxed);
}

// The lock is held.
void* take_from_slab(std::size_t bytes) {
  if (slab_left < bytes) {
    char* const fresh = static_cast<char*>(map(kSlab));
    if (fresh == nullptr) return nullptr;
    slab = fresh; // what was left of the old one is lost: less than a block
    slab_left = kSlab;
  }
  char* const block = slab;
  slab += bytes;
  slab_left -= bytes;
  return block;
}

[[maybe_unused]] void* take(std::size_t bytes) {
  const std::size_t wanted = bytes + kHeader;
  void* block = nullptr;
  std::size_t size = 0;
  if (wanted <= kLargest && lock()) {
    const std::size_t size_class = class_of(wanted);
    size = size_of(size_class);
    if (Free* const known = free_blocks[size_class]; known != nullptr) {
      free_blocks[size_class] = known->next;
      block = known;
    } else {
      block = take_from_slab(size);
    }
    if (block != nullptr) add_small(size);
    unlock();
  } else {
    const Kept large = take_large(wanted);
    block = large.block;
    size = large.size;
    if (block != nullptr) in_use.fetch_add(size, std::memory_order_relaxed);
  }
  if (block == nullptr) return nullptr;
  *static_cast<std::size_t*>(block) = size;
  return static_cast<char*>(block) + kHeader;
}

[[maybe_unused]] void give_back(void* pointer) {
  if (pointer == nullptr) return;
  void* const block = static_cast<char*>(pointer) - kHeader;
  const std::size_t size = *static_cast<std::size_t*>(block);
  if (size > kLargest) {
    in_use.fetch_sub(size, std::memory_order_relaxed);
    keep_or_unmap(block, size);
  } else if (lock()) {
    add_small(~size + 1);
    Free*& first = free_blocks[class_of(size)];
    first = new (block) Free{first};
    unlock();
  }
}

} // namespace

std::size_t memory_in_use() {
  return in_use.load(std::memory_order_relaxed) + in_use_small.load(std::memory_order_relaxed);
}
std::size_t memory_mapped() { return mapped.load(std::memory_order_relaxed); }
std::size_t memory_peak() { return peak.load(std::memory_order_relaxed); }

void watch_memory(std::size_t bytes, void (*alarm)()) {
  watched = bytes;
  on_alarm = alarm;
}

} // namespace rondo::record

#ifndef RONDO_SANITIZED
namespace {

// In front of what is aligned to more than a block is, where the block begins.
void* take_aligned(std::size_t size, std::size_t alignment) {
  void* const block = rondo::record::take(size + alignment);
  if (block == nullptr) return nullptr;
  const auto address = (reinterpret_cast<std::uintptr_t>(block) + alignment) & ~(alignment - 1);
  void** const aligned = reinterpret_cast<void**>(address);
  aligned[-1] = block;
  return aligned;
}

void give_back_aligned(void* aligned) {
  if (aligned != nullptr) rondo::record::give_back(static_cast<void**>(aligned)[-1]);
}

} // namespace

void* operator new(std::size_t size) {
  void* const block = rondo::record::take(size);
  if (block == nullptr) std::__throw_bad_alloc(); // as the language demands of it
  return block;
}
void* operator new[](std::size_t size) { return operator new(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return rondo::record::take(size);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return rondo::record::take(size);
}
void operator delete(void* block) noexcept { rondo::record::give_back(block); }
void operator delete[](void* block) noexcept { rondo::record::give_back(block); }
void operator delete(void* block, std::size_t) noexcept { rondo::record::give_back(block); }
void operator delete[](void* block, std::size_t) noexcept { rondo::record::give_back(block); }
void operator delete(void* block, const std::nothrow_t&) noexcept {
  rondo::record::give_back(block);
}
void operator delete[](void* block, const std::nothrow_t&) noexcept {
  rondo::record::give_back(block);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  void* const block = take_aligned(size, static_cast<std::size_t>(alignment));
  if (block == nullptr) std::__throw_bad_alloc();
  return block;
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return operator new(size, alignment);
}
void operator delete(void* block, std::align_val_t) noexcept { give_back_aligned(block); }
void operator delete[](void* block, std::align_val_t) noexcept { give_back_aligned(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept {
  give_back_aligned(block);
}
void operator delete[](void* block, std::size_t, std::align_val_t) noexcept {
  give_back_aligned(block);
}
#endif
