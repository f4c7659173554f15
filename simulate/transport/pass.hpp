// SPDX-License-Identifier: Apache-2.0
// One time that a trace is played, and its outcome as bytes, so that a child process can hand it
// over.
#pragma once

#include "rondo/simulate/simulate.hpp"
#include "simulate/transport/ledger.hpp"

#include <string>
#include <string_view>

namespace rondo::simulate::internal {

struct Pass {
  Prediction prediction;
  PathParts path; // if it is to be followed by another pass
};

/// @complexity O(size of the pass)
std::string bytes_of(const Result<Pass>& pass);
/// @param bytes  of bytes_of()
/// @error  that of the pass; kIo: bytes are missing
Result<Pass> pass_of(std::string_view bytes);

} // namespace rondo::simulate::internal
