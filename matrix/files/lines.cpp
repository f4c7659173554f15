// SPDX-License-Identifier: Apache-2.0
#include "matrix/files/lines.hpp"

#include "rondo/base/budget.hpp"
#include "rondo/base/escape.hpp"

#include <algorithm>

namespace rondo::matrix::internal {

std::string quoted(std::string_view line) {
  constexpr std::size_t kMost = 40;
  return "'" + escape::terminal(line.substr(0, kMost)) + (line.size() > kMost ? "...'" : "'");
}

namespace {

// What a rank takes in analyses of a matrix, silent ones too.
constexpr std::uint64_t kBytesOfRank = 512;

Result<std::int64_t> worth_it(const LineReader& reader, std::int64_t ranks) {
  Budget budget = Budget::of_file(reader.bytes());
  if (budget.take_items(static_cast<std::uint64_t>(ranks), kBytesOfRank)) return ranks;
  Error error = budget.error(reader.file());
  error.message = "has " + std::to_string(ranks) + " ranks, and " + error.message;
  return tl::unexpected<Error>(std::move(error));
}

} // namespace

Result<std::int64_t> settle_ranks(const LineReader& reader, std::optional<std::int64_t> wanted,
                                  std::optional<std::int64_t> written, std::int64_t largest_rank,
                                  std::uint64_t largest_line) {
  const std::optional<std::int64_t> ranks = wanted ? wanted : written;
  if (!ranks) return worth_it(reader, largest_line == 0 ? 0 : largest_rank + 1);
  if (largest_line == 0 || largest_rank < *ranks) return worth_it(reader, *ranks);
  return reader.error_at(largest_line, "rank " + std::to_string(largest_rank) +
                                           " is not among the matrix's " + std::to_string(*ranks) +
                                           " ranks (0 to " + std::to_string(*ranks - 1) + ")");
}

} // namespace rondo::matrix::internal
