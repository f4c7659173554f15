// SPDX-License-Identifier: Apache-2.0
// The global definitions of an archive that is written: known when its events are.
#pragma once

#include "convert/otf2/otf2_writing.hpp"

#include <cstdint>
#include <otf2/otf2.h>
#include <vector>

namespace rondo::convert::internal {

struct WrittenLocation {
  OTF2_LocationRef ref = 0;
  std::int64_t rank = 0;
  std::uint32_t thread = 0;
  std::uint64_t events = 0;
};

void write_otf2_definitions(const Otf2Export& run, const Otf2Findings& found,
                            const std::vector<WrittenLocation>& locations,
                            OTF2_GlobalDefWriter* writer);

} // namespace rondo::convert::internal
