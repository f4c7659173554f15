// SPDX-License-Identifier: Apache-2.0
// Names a request in the recorder's table of them, also after it has gone from there.
#pragma once

#include <cstdint>

namespace rondo::record {

struct RequestId {
  std::uint32_t node = 0xffffffff;
  std::uint32_t generation = 0; // of the node: how often it has been used
};

} // namespace rondo::record
