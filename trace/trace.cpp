// SPDX-License-Identifier: Apache-2.0
#include "rondo/trace/trace.hpp"

#include <algorithm>
#include <utility>

namespace rondo::trace {

const RankClass* Trace::class_of(std::int64_t rank, std::uint32_t thread) const {
  for (const RankClass& rank_class : classes) {
    if (rank_class.thread == thread && rank_class.ranks.contains(rank)) return &rank_class;
  }
  return nullptr;
}

void sort_classes(Trace& trace) {
  std::sort(trace.classes.begin(), trace.classes.end(), [](const RankClass& a, const RankClass& b) {
    return std::pair(a.ranks.front(), a.thread) < std::pair(b.ranks.front(), b.thread);
  });
}

} // namespace rondo::trace
