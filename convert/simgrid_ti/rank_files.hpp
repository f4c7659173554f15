// SPDX-License-Identifier: Apache-2.0
// Which file holds which rank.
#pragma once

#include "rondo/base/result.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rondo::convert::internal {

/// The rank that a file's name means: the last number in it, if it ends in .txt. "12.txt",
/// "3_rank-12.txt".
std::optional<std::int64_t> rank_of_name(std::string_view path);

/// The same of a file that may be packed: "12.txt.gz", "12.txt.zst".
std::optional<std::int64_t> rank_of_packed_name(std::string_view path);

/// Puts (rank, file) pairs in order.
/// @param place   for errors
/// @error  kNotFound: none at all, or a rank below the largest without file; kFormat: two files of
/// one rank
Result<std::vector<std::string>>
files_by_rank(std::vector<std::pair<std::int64_t, std::string>> named, const std::string& place);

/// The rank files in a folder, packed or not.
Result<std::vector<std::string>> files_in_folder(const std::string& folder);

/// The rank files that a text lists, one a line; rank 0 first. Names are relative to the list's
/// folder, or else to the current one, from where smpirun wrote them.
/// @error  kFormat for a text that lists no files; kNotFound with the line of a file that is not
/// there
Result<std::vector<std::string>> files_in_list(const std::string& list);

} // namespace rondo::convert::internal
