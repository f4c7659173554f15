// SPDX-License-Identifier: Apache-2.0
#include "generate/replay/memory.hpp"

#include <sys/mman.h>
#include <utility>

namespace rondo::generate {

ReservedMemory::ReservedMemory(std::size_t bytes) {
  constexpr std::size_t kLeast = std::size_t{1} << 20;
  for (bytes_ = bytes < kLeast ? kLeast : bytes; bytes_ >= kLeast; bytes_ /= 2) {
    void* found = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
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
