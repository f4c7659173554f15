// SPDX-License-Identifier: Apache-2.0
// A performance skeleton: a short benchmark with the same behaviour per second, which predicts the
// time of the whole from its own.
#pragma once

#include "rondo/generate/benchmark.hpp"

namespace rondo::generate {

/// Shortens the loops that all ranks go through together to about `share` of their iterations, from
/// the outermost inwards; at least five stay, so that the first pass and some steady ones are
/// there. What stands outside of loops, or in loops of few iterations, is kept.
/// @param share  in (0, 1)
/// @return       loops that were shortened; none if there was nothing to shorten
/// @complexity O(size of the benchmark)
/// @source [logicalization, sec. 2]
int shorten(Benchmark& benchmark, double share);

/// The rank whose computation the passes that a skeleton makes stand for worst: what evens out over
/// all passes between ranks that are slow in a few passes of their own does not in a tenth of them.
struct Unevenness {
  std::int64_t rank = 0;
  double off = 0; // of the mean rank's computation; below 0: too little
};
/// @param benchmark  a skeleton
/// @complexity       O(ranks * passes of courses)
Unevenness unevenness_of(const Benchmark& benchmark);

} // namespace rondo::generate
