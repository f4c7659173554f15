// SPDX-License-Identifier: Apache-2.0
// Sends, receives and probes of one rank: the messages that its calls say, handed to the transport.
#pragma once

#include "simulate/ranks/rank_activity.hpp"
#include "simulate/ranks/rank_wildcards.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace rondo::simulate::internal {

class RankTransfers {
public:
  /// Both must outlive the object.
  RankTransfers(RankActivity& rank, RankWildcards& wildcards)
      : rank_(rank), wildcards_(wildcards), targets_(rank.source().symbols() * 2) {}

  /// @param slot  of the persistent request that is started, or nullptr
  /// @param line  of partitioned communication; 0 for others
  void transfer(const trace::CallView& call, OpenRequests::Slot* slot, std::uint32_t line);
  void probe(const trace::CallView& call);

private:
  struct Target { // what a call's channel was last time
    std::int64_t comm = 0, peer = -1, tag = -1;
    std::uint32_t channel = 0;
  };

  Request* post_receive(const trace::CallView& call, bool is_blocking, std::uint32_t line);
  Request* post_send(const trace::CallView& call, std::uint32_t line);
  void give(OpenRequests::Slot* slot, Request* request);
  std::optional<std::uint32_t> channel_of(std::int64_t comm, std::int64_t peer, std::int64_t tag,
                                          bool is_send, std::uint32_t line);

  RankActivity& rank_;
  RankWildcards& wildcards_;
  std::vector<Target> targets_; // by symbol and side
};

} // namespace rondo::simulate::internal
