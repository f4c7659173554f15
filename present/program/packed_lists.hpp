// SPDX-License-Identifier: Apache-2.0
// A document as a page holds it: names and texts as JSON, long lists of numbers as columns of bytes
// behind it, as the loop nests that they fold to where they have a rule: a value for each of 10^5
// ranks is a line then, to write, to compress and to read.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace rondo::present {

/// The number of bytes of the JSON, the JSON, the columns. Each list of 16 numbers and more is
/// {"column": i} in the JSON; with "width": w it is one of lists of w numbers each, and the column
/// has the first numbers of all of them, then the second ones, and so on. docs/formats/page.md has
/// the columns' bytes; report/web/src/decode.ts reads them.
/// What is binary in the document is a column already, packed_list().
/// @complexity  O(size of the document)
std::string packed(nlohmann::json document);

/// A list of numbers as the bytes of a column: of 10^7 numbers a list in JSON takes far longer.
std::vector<std::uint8_t> packed_list(const std::vector<std::int64_t>& values);
/// A list of lists of `width` numbers each: packed() makes a column of it.
/// @param values  the first numbers of all of them, then the second ones, and so on
nlohmann::json packed_rows(std::size_t width, const std::vector<std::int64_t>& values);

} // namespace rondo::present
