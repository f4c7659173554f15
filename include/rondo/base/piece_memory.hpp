// SPDX-License-Identifier: Apache-2.0
// Memory for lists of many megabytes, in pages of 2 MB where the system has them: to get a page of
// 4 kB at its first touch takes the kernel longer than filling it.
//
//   PieceMemory memory;
//   double* const piece = static_cast<double*>(memory.take(1024 * sizeof(double)));
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <vector>

namespace rondo {

struct FreePages {
  std::size_t bytes = 0;
  bool is_mapped = true; // else it is from new
  void operator()(std::byte* first) const;
};
using Pages = std::unique_ptr<std::byte[], FreePages>;

/// Memory that is not set; large pages from 2 MB on.
/// @error std::bad_alloc, as from new
Pages take_pages(std::size_t bytes);

/// Pieces of a few sizes, which go back all at once or are taken again. One thread at a time.
class PieceMemory {
public:
  /// As aligned as memory from new.
  void* take(std::size_t bytes);
  /// @param bytes  as they were taken
  void give_back(void* piece, std::size_t bytes) { unused_[bytes].push_back(piece); }

private:
  std::vector<Pages> blocks_; // small pages in the first one, as most lists are short
  std::size_t used_ = 0; // of the last block
  std::map<std::size_t, std::vector<void*>> unused_; // by size
};

} // namespace rondo
