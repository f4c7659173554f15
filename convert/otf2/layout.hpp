// SPDX-License-Identifier: Apache-2.0
// Who is who in an OTF2 archive: which locations are the threads of which rank, and which ranks are
// in which communicator.
#pragma once

#include "convert/otf2/definitions.hpp"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace rondo::convert::internal {

struct Otf2Rank {
  std::vector<OTF2_LocationRef> threads; // the one that MPI knows is first
  OTF2_LocationGroupRef process = OTF2_UNDEFINED_LOCATION_GROUP;
};

struct Otf2Comm {
  std::int64_t slot = trace::kNothing; // by which calls refer to it
  std::int64_t size = 0; // of the local group; 0 unknown
};

/// A rank's place in a communicator that has a slot of its own.
struct Otf2Place {
  std::int64_t slot = 0;
  std::int64_t rank = 0;
  std::int64_t size = 0;
};

struct Otf2Layout {
  std::vector<Otf2Rank> ranks;
  std::unordered_map<OTF2_CommRef, Otf2Comm> comms;
  std::vector<trace::CommDefinition> comm_definitions;
  std::vector<std::vector<Otf2Place>> places; // by rank
  std::uint64_t locations_left_out = 0; // with events: of no rank
  std::vector<trace::Host> hosts;
};

/// @error  kUnsupported without a place: no MPI in the trace, or more than the budget
Result<Otf2Layout> otf2_layout(const Otf2Definitions& definitions, Budget& budget);

} // namespace rondo::convert::internal
