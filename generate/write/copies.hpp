// SPDX-License-Identifier: Apache-2.0
// What comes again in a long series is not written again: an entry says where it stood.
#pragma once

#include "rondo/generate/benchmark.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rondo::generate::internal {

/// A progression, or `length` entries from `back` entries before on once more.
struct SeriesEntry {
  Progression progression;
  std::int64_t length = 0; // 0: a progression
  std::int64_t back = 0;
};

struct ShortSeries {
  std::vector<std::vector<SeriesEntry>> rows; // a copy may reach into rows before
  std::vector<std::size_t> starts; // of the rows, in entries written out
  std::size_t entries = 0; // written out
  bool has_copies = false;
};

/// Short series stay as they are, as people read them.
/// @complexity  O(entries), with a bounded number of earlier places tried for each copy
ShortSeries shortened(const Series& series);

} // namespace rondo::generate::internal
