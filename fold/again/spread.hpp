// SPDX-License-Identifier: Apache-2.0
// The class of one rank as that of many that do the same.
#pragma once

#include "rondo/fold/merge.hpp"

#include <cstdint>
#include <vector>

namespace rondo::fold {

/// @param one     of one stream, as class_of_stream() made it; its times are those of all `ranks`
/// @param ranks   ascending; the one of `one` is among them
/// @param places  whose communicators its calls name
/// @complexity    O(words * ranks)
PartClass spread(PartClass&& one, const std::vector<std::int64_t>& ranks,
                 const trace::Trace& places);

} // namespace rondo::fold
