// SPDX-License-Identifier: Apache-2.0
#include "rondo/trace/trace.hpp"

namespace rondo::trace {

const RankClass* Trace::class_of(std::int64_t rank, std::uint32_t thread) const {
  for (const RankClass& rank_class : classes) {
    if (rank_class.thread == thread && rank_class.ranks.contains(rank)) return &rank_class;
  }
  return nullptr;
}

} // namespace rondo::trace
