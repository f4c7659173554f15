// SPDX-License-Identifier: Apache-2.0
#include "generate/replay/memory.hpp"

#include <sys/mman.h>
#include <utility>

namespace rondo::generate {

// Of private memory the system gives one page of zeros to all who read first, which is always in
// the cache: messages would be copied faster than any program's. Shared memory has none such.
ReservedMemory::ReservedMemory(std::size_t bytes, Read pages) {
  constexpr std::size_t kLeast = std::size_t{1} << 20;
  const int kind = pages == Read::kOwn ? MAP_SHARED : MAP_PRIVATE;
  for (bytes_ = bytes < kLeast ? kLeast : bytes; bytes_ >= kLeast; bytes_ /= 2) {
    void* found = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                         kind | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (found != MAP_FAILED) {
      start_ = static_cast<char*>(found);
      return;
    }
  }
  bytes_ = 0;
}

ReservedMemory::~ReservedMemory() {
  if (start_ != nullptr) ::munmap(start_, bytes_);
}

ReservedMemory::ReservedMemory(ReservedMemory&& other) noexcept
    : start_(std::exchange(other.start_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

} // namespace rondo::generate
