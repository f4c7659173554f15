// SPDX-License-Identifier: Apache-2.0
// The class of one rank as that of many that do the same.
#pragma once

#include "rondo/fold/merge.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace rondo::fold {

/// @param one     of one stream, as class_of_stream() made it; its times are those of all `ranks`
/// @param ranks   ascending; the one of `one` is among them
/// @param places  whose communicators its calls name
/// @param own     the n-th own number (Recasting) of the i-th rank, where words have any
/// @complexity    O(words * ranks)
PartClass spread(PartClass&& one, const std::vector<std::int64_t>& ranks,
                 const trace::Trace& places,
                 const std::function<std::int64_t(std::size_t i, std::int64_t n)>& own = {});

/// Whether a word is one of a rank's own numbers, and which.
bool is_own_number(std::int64_t word);
std::int64_t place_of_own_number(std::int64_t word);

/// Whether own numbers vary from call to call: then no word can be a function of the rank.
/// @complexity    O(values of columns)
bool has_varying_own_numbers(const StreamProgram& program);

} // namespace rondo::fold
