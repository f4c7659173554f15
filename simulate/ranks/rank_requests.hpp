// SPDX-License-Identifier: Apache-2.0
// Requests of one rank: the calls that make persistent ones, and those that start, complete and
// free requests.
#pragma once

#include "simulate/ranks/rank_collectives.hpp"
#include "simulate/ranks/rank_transfers.hpp"
#include "simulate/ranks/rank_wildcards.hpp"

#include <cstdint>

namespace rondo::simulate::internal {

class RankRequests {
public:
  /// All must outlive the object.
  RankRequests(RankActivity& rank, RankWildcards& wildcards, RankTransfers& transfers,
               RankCollectives& collectives)
      : rank_(rank), wildcards_(wildcards), transfers_(transfers), collectives_(collectives) {}

  /// The call that is being played makes a persistent request.
  void make_slot();
  void start_all(const trace::CallView& call);
  /// Partitions of a send are there.
  void ready(const trace::CallView& call);
  void complete(const trace::CallView& call);
  void free_request(std::int64_t reference);

private:
  std::uint32_t line_of(const trace::CallView& call);
  void start(std::int64_t reference);
  void send_partitions(OpenRequests::Slot& slot);
  void complete_one(std::int64_t reference, bool keeps);

  RankActivity& rank_;
  RankWildcards& wildcards_;
  RankTransfers& transfers_;
  RankCollectives& collectives_;
};

} // namespace rondo::simulate::internal
