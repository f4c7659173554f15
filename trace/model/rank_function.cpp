// SPDX-License-Identifier: Apache-2.0
#include "rondo/trace/rank_function.hpp"

#include "rondo/trace/column.hpp"
#include "rondo/trace/functions.hpp"

namespace rondo::trace {

std::int64_t RankTable::value(std::size_t function, std::int64_t rank, std::int64_t own) const {
  const RankFunction& f = functions[function];
  const auto index = sets[f.domain].index_of(rank);
  if (!index) return 0;
  const EncodedValues& encoded = f.encoded.front();
  const std::int64_t value = encoded.values.at(*index);
  if (is_special(value)) return value;
  switch (encoded.encoding) {
  case RankEncoding::kAbsolute:
    return value;
  case RankEncoding::kRelative:
    return wrapping_sum(own, value);
  case RankEncoding::kXor:
    return own ^ value;
  case RankEncoding::kDifference:
    return encoded.values.sum_of_first(*index + 1);
  }
  return 0;
}

} // namespace rondo::trace
