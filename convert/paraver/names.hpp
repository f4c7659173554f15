// SPDX-License-Identifier: Apache-2.0
// The files beside a Paraver trace: .pcf names the values of its events, .row its hosts.
#pragma once

#include "convert/paraver/extrae_values.hpp"
#include "rondo/base/result.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::convert::internal {

/// Names of MPI functions by value, "" where there is none.
using FunctionNames = std::vector<std::string>;

/// "a.prv.gz", "pcf" -> "a.pcf"
std::string beside_paraver(const std::string& path, std::string_view extension);

/// Those of the .pcf at `path`, for each type of events; Extrae's numbers where the file is not
/// there or does not name the type.
/// @error  kIo; kFormat with file and line
Result<std::array<FunctionNames, kMpiEvents>> read_function_names(const std::string& path);

/// The names of the nodes from the .row at `path`; none if it is not there.
/// @error  kIo; kFormat with file and line
Result<std::vector<std::string>> read_node_names(const std::string& path);

} // namespace rondo::convert::internal
