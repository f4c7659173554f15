// SPDX-License-Identifier: Apache-2.0
// Receives with wildcards while the program runs: whom a nonblocking one hears from is said by the
// call that completes it. Until then it has no channel, and receives that were posted after it and
// could take the same messages have to wait for theirs.
#pragma once

#include "simulate/ranks/call_source.hpp"
#include "simulate/transport/transport.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace rondo::simulate::internal {

struct UnknownReceive {
  Request* request = nullptr;
  std::int64_t comm = 0, source = 0, tag = 0; // as posted
  std::uint32_t line = 0;
  bool is_wild = false;
  std::optional<Envelope> envelope{}; // that it got, in ranks of the communicator
  std::uint64_t held_since = 0; // the number of its call, if MPI has not got it then
};

/// Those of one rank, in the order in which they were posted.
class UnknownReceives {
public:
  struct Completion {
    Request* request = nullptr;
    std::optional<Envelope> envelope;
  };

  void add(const UnknownReceive& receive) { receives_.push_back(receive); }
  bool is_empty() const { return receives_.empty(); }
  bool has(const Request* request) const;
  /// Whether one is with MPI.
  bool has_posted() const;
  /// Whether one of them could take this one's message.
  bool hold_up(const UnknownReceive& receive) const;
  /// MPI has got those of the first calls.
  void give_up_held(std::uint64_t calls) { given_up_ = std::max(given_up_, calls); }

  /// The one that is held behind so many.
  std::optional<UnknownReceive> take_held(std::int64_t held_before);
  /// Those that are completed, with their envelopes, and those that nothing holds up any more.
  std::vector<UnknownReceive> take(std::span<const Completion> done);
  /// It was freed.
  void forget(const Request* request);

private:
  bool is_held(const UnknownReceive& each) const { return each.held_since > given_up_; }

  std::vector<UnknownReceive> receives_;
  std::uint64_t given_up_ = 0; // receives that were held, of so many calls
};

} // namespace rondo::simulate::internal
