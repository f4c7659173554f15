// SPDX-License-Identifier: Apache-2.0
// What each call of a run has to wait for: the call that sent its message, the other ranks of its
// collective operation. For who draws messages into a timeline, or plays a run anew.
//
//   const auto found = convert::dependences_of(trace);
//   if (!found) return propagate(found); // too large a run
//   for (const Receipt& one : found->ranks[3].receipts) use(one.sender, one.sent, 3, one.call);
//
// Invariant: receipts and parts stand in the order of the calls that ended with them.
#pragma once

#include "rondo/base/result.hpp"
#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <vector>

namespace rondo::convert {

struct Receipt {
  std::uint64_t call = 0; // of the rank, from 0, that ended when the message had come
  std::int64_t sender = 0; // world rank
  std::uint64_t sent = 0; // the sender's call that sent it
  friend bool operator==(const Receipt&, const Receipt&) = default;
};

/// Which other ranks of a collective operation have to come before it ends on a rank.
enum class WaitsFor : std::uint8_t { kAll, kRoot, kNobody, kEarlier };

/// The j-th part that a rank takes in operations of a communicator is in the j-th of them, counted
/// in the order of `began`.
struct OperationPart {
  std::uint64_t call = 0; // that ended with it
  std::uint64_t began = 0; // the call that the rank came to it with
  std::uint32_t comm = 0; // a number for each communicator
  WaitsFor waits_for = WaitsFor::kAll;
  std::int64_t root = -1; // world rank, for kRoot
  friend bool operator==(const OperationPart&, const OperationPart&) = default;
};

struct RankDependences {
  std::vector<Receipt> receipts;
  std::vector<OperationPart> parts;
};

struct Dependences {
  std::vector<RankDependences> ranks; // by world rank
};

struct DependenceLimits {
  std::int64_t ranks = 256;
  std::uint64_t calls = 1'000'000;
  std::uint64_t messages = 300'000; // and as many parts in collective operations
};

/// Messages without a sender in the trace are left out, and what is one-sided.
/// @error       kUnsupported: more than the limits, or ranks with several threads; the message says
///              which
/// @complexity  O(calls) time, O(messages) memory
Result<Dependences> dependences_of(const trace::Trace& trace, const DependenceLimits& limits = {});

} // namespace rondo::convert
