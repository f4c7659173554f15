// SPDX-License-Identifier: Apache-2.0
// How large the programs of a trace are when packed, before they are.
#pragma once

#include "rondo/base/result.hpp"
#include "rondo/trace/trace.hpp"

namespace rondo::archive {

/// Whether a program section can hold them: FlatBuffers address 2 GB.
/// @error  kUnsupported
/// @complexity O(classes) for programs that are small, else that of packing them
Status check_programs_fit(const trace::Trace& trace);

} // namespace rondo::archive
