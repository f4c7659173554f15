// SPDX-License-Identifier: Apache-2.0
// The pairs of a matrix as JSON, for every document that holds them.
#pragma once

#include "rondo/matrix/communication_matrix.hpp"

#include <nlohmann/json.hpp>

namespace rondo::matrix::internal {

/// [{"source", "destination", "messages", "bytes"}, ...]
nlohmann::ordered_json entries_json(const CommunicationMatrix& matrix);

} // namespace rondo::matrix::internal
