// SPDX-License-Identifier: Apache-2.0
// Folding on line decides once and for all what repeats. When a stream has ended, its nest is small
// and may be looked at slowly: peeled iterations go back into their loops, loops that do not pay
// are written out, sequences are folded anew as well as they can be.
#pragma once

#include "rondo/trace/nest.hpp"

#include <cstddef>

namespace rondo::fold {

/// What polishing a nest took.
struct PolishWork {
  std::size_t drafts = 0; // whose trip counts were counted out
  std::size_t sequences = 0; // that were folded anew
  std::size_t columns = 0; // of trip counts that were made
};

/// A nest with the same expansion and at most as many terms, or a few more (eight each time) where
/// loops then go round as often each time. Equal nests have equal results.
/// @param work   added to, unless it is nullptr
/// @complexity   O(n^2) times the squares that end at a term, for sequences of n <= 300 terms;
/// longer ones stay. Trip counts that change are counted out in at most 2^18 steps, or else the
/// nest stays as it is
/// @source       [xu2010mascots, sec. 3] for the smallest nest by dynamic programming over
/// intervals; going by terms instead of events, loops that are there already, and keeping trip
/// counts is ours
trace::Nest polish(trace::Nest nest, PolishWork* work = nullptr);

} // namespace rondo::fold
