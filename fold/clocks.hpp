// SPDX-License-Identifier: Apache-2.0
// Puts the time stamps of all ranks on one clock, from what the ranks have measured.
#pragma once

#include "rondo/fold/merge.hpp"

namespace rondo::fold {

/// Fills in what each rank's stamps are corrected by, and forgets what was measured. Where no rank
/// of a host could ask for the common clock, that host's calendar stands for it.
/// @complexity O(ranks log hosts)
/// @source     [cristian1989] for the reading of a remote clock, [hunold2015] for the linear model
/// of
///             its drift from a reading at the start and one at the end
void resolve_clocks(RecordingPart& part);

} // namespace rondo::fold
