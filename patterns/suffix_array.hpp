// SPDX-License-Identifier: Apache-2.0
// The suffixes of a text in lexicographic order, and how much neighbours have in common: what
// repeats are read off. Three flat arrays, so that time does not depend on how irregular the text
// is.
#pragma once

#include "rondo/patterns/collapsed_stream.hpp"

#include <cstdint>
#include <vector>

namespace rondo::patterns::internal {

struct SuffixArray {
  std::vector<std::uint32_t> starts; // of the suffixes, in their order; a prefix comes first
  std::vector<std::uint32_t> common; // by place: symbols in common with the suffix before; 0 at 0
};

/// @param text   fewer than 2^31 symbols, of any size
/// @complexity   O(n + sort of the distinct symbols)
/// @source       [nong2009] for the order, [kasai2001] for what is in common
SuffixArray suffix_array(const Word& text);

} // namespace rondo::patterns::internal
