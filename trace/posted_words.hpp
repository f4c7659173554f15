// SPDX-License-Identifier: Apache-2.0
// Words of a call by what they mean.
#pragma once

#include "trace/posted_calls.hpp"

#include <cstdint>
#include <vector>

namespace rondo::trace::internal {

inline std::int64_t word_or(const std::vector<std::int64_t>& words, int index,
                            std::int64_t otherwise) {
  return index < 0 ? otherwise : words[static_cast<std::size_t>(index)];
}

/// The status of a call that has one; its first word says if it says anything.
inline RequestOutcome status_of(const std::vector<std::int64_t>& words, int first) {
  if (first < 0) return {};
  const auto at = static_cast<std::size_t>(first);
  return words[at] == kNothing ? RequestOutcome{} : RequestOutcome{true, words[at], words[at + 1]};
}

} // namespace rondo::trace::internal
