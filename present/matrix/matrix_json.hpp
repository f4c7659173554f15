// SPDX-License-Identifier: Apache-2.0
// The pairs of a matrix and the use of files as JSON, for every document that holds them.
#pragma once

#include "rondo/matrix/communication_matrix.hpp"
#include "rondo/matrix/file_traffic.hpp"
#include "rondo/matrix/other_processes.hpp"

#include <nlohmann/json.hpp>
#include <string>

namespace rondo::present {

/// Appends a list of {"source", "destination", "messages", "bytes"}, one pair a line. Written
/// directly: a JSON library's tree of six million pairs takes half a minute and gigabytes.
void append_entries(std::string& json, const matrix::CommunicationMatrix& matrix);

/// As file_table_json() says.
nlohmann::ordered_json files_json(const matrix::FileTraffic& traffic);

/// As other_table_json() says.
nlohmann::ordered_json others_json(const matrix::OtherTraffic& traffic);

} // namespace rondo::present
