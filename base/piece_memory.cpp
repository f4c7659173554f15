// SPDX-License-Identifier: Apache-2.0
#include "rondo/base/piece_memory.hpp"

#include <algorithm>
#include <cstdint>
#include <new>
#include <sys/mman.h>

namespace rondo {
namespace {

constexpr std::size_t kLargePage = std::size_t{2} << 20;

std::size_t rounded_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

} // namespace

void FreePages::operator()(std::byte* first) const {
  if (is_mapped) {
    ::munmap(first, bytes);
  } else {
    ::operator delete(first);
  }
}

// Large pages begin at multiples of their size, so a page more is asked for, and what stands over
// on both sides goes back.
Pages take_pages(std::size_t bytes) {
  const std::size_t whole = rounded_up(std::max<std::size_t>(bytes, 1), kLargePage);
  void* const found = ::mmap(nullptr, whole + kLargePage, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (found == MAP_FAILED) // if there is no memory at all, new says so
    return Pages(static_cast<std::byte*>(::operator new(whole)), {whole, false});
  auto* const begin = static_cast<std::byte*>(found);
  const std::size_t at = reinterpret_cast<std::uintptr_t>(begin) % kLargePage;
  const std::size_t before = at == 0 ? 0 : kLargePage - at;
  std::byte* const first = begin + before;
  if (before > 0) ::munmap(begin, before);
  if (before < kLargePage) ::munmap(first + whole, kLargePage - before);
  if (bytes >= kLargePage) ::madvise(first, whole, MADV_HUGEPAGE); // if refused they are small
  return Pages(first, {whole});
}

void* PieceMemory::take(std::size_t bytes) {
  std::vector<void*>& unused = unused_[bytes];
  if (!unused.empty()) {
    void* const piece = unused.back();
    unused.pop_back();
    return piece;
  }
  const std::size_t needed = rounded_up(bytes, alignof(std::max_align_t));
  if (blocks_.empty() || used_ + needed > blocks_.back().get_deleter().bytes) {
    blocks_.push_back(take_pages(blocks_.empty() ? needed : std::max(needed, kLargePage)));
    used_ = 0;
  }
  std::byte* const piece = blocks_.back().get() + used_;
  used_ += needed;
  return piece;
}

} // namespace rondo
