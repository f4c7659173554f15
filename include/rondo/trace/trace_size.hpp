// SPDX-License-Identifier: Apache-2.0
// How large a trace is: what it plays, and what there is to read. Both are counts of the whole
// trace, over all classes of ranks: calls as the ranks make them, terms as the merged programs hold
// them.
#pragma once

#include "rondo/trace/trace.hpp"

#include <cstddef>
#include <cstdint>

namespace rondo::trace {

/// Calls that all ranks make.
/// @complexity  O(terms of the classes)
inline std::uint64_t calls_in(const Trace& trace) {
  std::uint64_t calls = 0;
  for (const RankClass& of : trace.classes) {
    for (const std::uint64_t n : of.program->nest.occurrences(of.program->calls.size()))
      calls += n * static_cast<std::uint64_t>(of.ranks.size());
  }
  return calls;
}

/// Terms of the merged programs.
inline std::size_t terms_in(const Trace& trace) {
  std::size_t terms = 0;
  for (const auto& program : trace.programs) terms += program->terms();
  return terms;
}

} // namespace rondo::trace
