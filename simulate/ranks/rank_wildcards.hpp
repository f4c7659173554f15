// SPDX-License-Identifier: Apache-2.0
// Receives with wildcards of one rank while the program runs (unknown_receives.hpp): what posts
// them, and what says whom they heard from.
#pragma once

#include "simulate/ranks/rank_activity.hpp"
#include "simulate/ranks/unknown_receives.hpp"

#include <cstdint>
#include <vector>

namespace rondo::simulate::internal {

class RankWildcards {
public:
  /// @param rank  must outlive the object
  explicit RankWildcards(RankActivity& rank) : rank_(rank) {}

  bool is_empty() const { return receives_.is_empty(); }
  /// Whether receives are posted whose messages nobody knows yet.
  bool has_posted() const { return receives_.has_posted(); }
  /// Whether one of them could take this one's message.
  bool hold_up(const UnknownReceive& receive) const { return receives_.hold_up(receive); }
  /// @return  its request, which has no channel before it is known whom it hears from
  Request* post(UnknownReceive receive, const trace::CallView& call, bool is_blocking);
  /// A call completes requests: it says what those that are wild have got.
  void settle(const trace::CallView& call);
  void cancel(std::int64_t reference);
  void forget(const Request* request) { receives_.forget(request); }

  /// See RankProgram.
  void take_held(std::int64_t held_before, Envelope envelope);
  void give_up_held(std::uint64_t calls) { receives_.give_up_held(calls); }

private:
  void bind(const UnknownReceive& receive);
  std::vector<UnknownReceives::Completion> completions(const trace::CallView& call);

  RankActivity& rank_;
  UnknownReceives receives_;
};

} // namespace rondo::simulate::internal
