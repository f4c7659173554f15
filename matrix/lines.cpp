// SPDX-License-Identifier: Apache-2.0
#include "matrix/lines.hpp"

#include "rondo/base/escape.hpp"

#include <algorithm>

namespace rondo::matrix::internal {

std::string quoted(std::string_view line) {
  constexpr std::size_t kMost = 40;
  return "'" + escape::terminal(line.substr(0, kMost)) + (line.size() > kMost ? "...'" : "'");
}

Result<std::int64_t> settle_ranks(const LineReader& reader, std::optional<std::int64_t> wanted,
                                  std::optional<std::int64_t> written, std::int64_t largest_rank,
                                  std::uint64_t largest_line) {
  const std::optional<std::int64_t> ranks = wanted ? wanted : written;
  if (!ranks) return largest_line == 0 ? 0 : largest_rank + 1;
  if (largest_line == 0 || largest_rank < *ranks) return *ranks;
  return reader.error_at(largest_line, "rank " + std::to_string(largest_rank) +
                                           " is not among the matrix's " + std::to_string(*ranks) +
                                           " ranks (0 to " + std::to_string(*ranks - 1) + ")");
}

} // namespace rondo::matrix::internal
