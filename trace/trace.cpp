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

const TimeStamps* Trace::stamps_of(std::int64_t rank, std::uint32_t thread) const {
  const auto found = std::lower_bound(stamps.begin(), stamps.end(), std::pair(rank, thread),
                                      [](const TimeStamps& of, const auto& wanted) {
                                        return std::pair(of.rank, of.thread) < wanted;
                                      });
  const bool is_there = found != stamps.end() && found->rank == rank && found->thread == thread;
  return is_there ? &*found : nullptr;
}

void sort_classes(Trace& trace) {
  std::sort(trace.classes.begin(), trace.classes.end(), [](const RankClass& a, const RankClass& b) {
    return std::pair(a.ranks.front(), a.thread) < std::pair(b.ranks.front(), b.thread);
  });
}

} // namespace rondo::trace
