// SPDX-License-Identifier: Apache-2.0
// A whole trace as JSON, folded as it is: run facts, definitions, and the loop nest of every class
// of ranks. For other programs to read; convert/json/README.md describes the keys. Nothing is left
// out but the order of table entries that no one refers to.
#pragma once

#include "rondo/trace/trace.hpp"

#include <string>

namespace rondo::convert {

/// @complexity  O(size of the trace), not of the run
std::string to_json(const trace::Trace& trace);

} // namespace rondo::convert
