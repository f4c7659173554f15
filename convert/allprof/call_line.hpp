// SPDX-License-Identifier: Apache-2.0
// One line of a liballprof trace: "MPI_Send:BEGIN:BUFFER:COUNT:TYPE,SIZE,EXTENT:DEST:TAG:COMM:END".
#pragma once

#include "rondo/base/result.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace rondo::convert::internal {

/// What the fields of a call are, in their order: b buffer, n t what is sent, N T what is received
/// (count and type), D destination, S source, g G their tags, C communicator, r root, o operation,
/// q request, Q array of requests, # their number, s status, f flag. Empty: not known.
std::string_view allprof_layout(std::string_view function);

struct AllprofLine {
  std::string_view function;
  std::optional<std::uint64_t> begin_ns; // unknown for the first call
  std::optional<std::uint64_t> end_ns; // unknown for the last call
  std::vector<std::string_view> fields; // between the times
};

/// @error  kFormat without a place
Result<AllprofLine> parse_allprof_line(std::string_view line);

/// "1,8,24" -> 1 8 24; as many as there are, at most 3, the others -1.
std::array<std::int64_t, 3> allprof_triple(std::string_view field);

} // namespace rondo::convert::internal
