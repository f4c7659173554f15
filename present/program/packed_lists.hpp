// SPDX-License-Identifier: Apache-2.0
// Long lists of numbers in a document for a page, as the loop nests that they fold to: a value for
// each of 10^5 ranks is a line then, to write, to compress and to read.
#pragma once

#include <nlohmann/json.hpp>

namespace rondo::present {

/// Replaces each long list of numbers by {"packed": column, "count": n}, if that is far shorter,
/// the column as column_json() has it. With "of": [values] the column has indices into these; with
/// "width": w the list is one of lists of w numbers each, and the column has the first numbers of
/// all of them, then the second ones, and so on.
/// @complexity  O(size of the document)
void pack_lists(nlohmann::json& document);

} // namespace rondo::present
