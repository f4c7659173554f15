// SPDX-License-Identifier: Apache-2.0
// The events of one location, from libotf2's callbacks to its stream.
#pragma once

#include "convert/otf2/stream.hpp"

#include <memory>

namespace rondo::convert::internal {

using Otf2EventCallbacks =
    std::unique_ptr<OTF2_EvtReaderCallbacks, decltype(&OTF2_EvtReaderCallbacks_Delete)>;

/// What the callbacks are given as their data.
struct Otf2EventSink {
  Otf2Run* run = nullptr;
  Otf2Stream* stream = nullptr;
  std::uint64_t used = 0; // events that became something
};

Otf2EventCallbacks otf2_event_callbacks();

} // namespace rondo::convert::internal
