// SPDX-License-Identifier: Apache-2.0
// The program of one stream of calls, before it is merged with those of other ranks: what a peer
// means is open, as one rank alone cannot tell "rank 1" from "the next one".
#pragma once

#include "rondo/trace/program.hpp"

#include <cstdint>
#include <vector>

namespace rondo::fold {

/// What a peer might mean, seen from one rank: merging ranks keeps the meanings that hold for all.
struct PeerHypotheses {
  enum : std::uint8_t { kConstant = 1, kRelative = 2, kModulo = 4, kXor = 8 };
  std::uint8_t holds = 0;
  std::int64_t constant = 0;
  std::int64_t relative = 0;
  std::int64_t modulo = 0;
  std::int64_t exclusive_or = 0;
  friend bool operator==(const PeerHypotheses&, const PeerHypotheses&) = default;
};

/// The program of one stream, its peers still open: each is kConstant 0 in `program`, and has an
/// entry in `peers`, in the order of calls and words.
struct StreamProgram {
  trace::Program program;
  std::vector<PeerHypotheses> peers;
};

} // namespace rondo::fold
