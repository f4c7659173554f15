// SPDX-License-Identifier: Apache-2.0
// The pairs of a matrix as JSON, for every document that holds them.
#pragma once

#include "rondo/matrix/communication_matrix.hpp"

#include <string>

namespace rondo::matrix::internal {

/// Appends a list of {"source", "destination", "messages", "bytes"}, one pair a line. Written
/// directly: a JSON library's tree of six million pairs takes half a minute and gigabytes.
void append_entries(std::string& json, const CommunicationMatrix& matrix);

} // namespace rondo::matrix::internal
