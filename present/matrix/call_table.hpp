// SPDX-License-Identifier: Apache-2.0
// rondo stats --functions and --sites: what each MPI function or call site costs each rank.
#pragma once

#include "rondo/matrix/call_table.hpp"
#include "rondo/sites/resolver.hpp"

#include <nlohmann/json.hpp>
#include <string>

namespace rondo::present {

/// @param by  what the rows of the table are
std::string call_table_text(const matrix::CallTable& table, matrix::CallsBy by,
                            sites::Resolver& resolver);

/// With every rank's values, in base units.
std::string call_table_json(const matrix::CallTable& table, matrix::CallsBy by,
                            sites::Resolver& resolver);

/// The rows of call_table_json(), without every rank's values.
nlohmann::json call_table_rows(const matrix::CallTable& table, matrix::CallsBy by,
                               sites::Resolver& resolver);

/// A line for each row: sums, least, mean and most, and which ranks these are. The site is left out
/// for functions.
std::string call_table_csv(const matrix::CallTable& table, matrix::CallsBy by,
                           sites::Resolver& resolver);

} // namespace rondo::present
