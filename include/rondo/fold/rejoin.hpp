// SPDX-License-Identifier: Apache-2.0
// Puts a rank's recording together again that was written in chunks: a recorder whose memory is
// bounded seals what it has, writes it to disk and goes on with nothing in memory.
#pragma once

#include "rondo/base/result.hpp"
#include "rondo/fold/merge.hpp"

#include <vector>

namespace rondo::fold {

/// One part of all chunks of one rank, in the order in which they were sealed. Its calls are folded
/// anew across the chunks' borders; times are added up by place. Each chunk defines the objects
/// made since the one before, or all so far.
/// @error  kDamaged if the chunks are not of one rank, or their definitions contradict each other
/// @complexity O(calls), the cost of folding them; memory O(result)
Result<RecordingPart> rejoin(std::vector<RecordingPart>&& chunks);

} // namespace rondo::fold
