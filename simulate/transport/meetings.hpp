// SPDX-License-Identifier: Apache-2.0
// Collective operations that cost what a formula says, from the arrival of their last rank on.
#pragma once

#include "simulate/transport/transport.hpp"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace rondo::simulate::internal {

class Meetings {
public:
  /// A rank comes; its request is over when all have come.
  /// @param cost  (ranks, bytes) -> seconds
  template <class Cost>
  Request* come(std::uint32_t comm, std::int64_t tag, std::int64_t ranks, double clock,
                std::uint64_t bytes, std::int64_t rank, std::uint32_t activity,
                Transport& transport, Cost cost) {
    Meeting& meeting = open_[{comm, tag}];
    if (meeting.waiting.empty() || clock > meeting.latest) {
      meeting.latest = clock;
      meeting.last_rank = rank;
      meeting.last = activity;
    }
    meeting.bytes = bytes > meeting.bytes ? bytes : meeting.bytes;
    Request* request = transport.open_request();
    meeting.waiting.push_back(request);
    if (static_cast<std::int64_t>(meeting.waiting.size()) < ranks) return request;
    const Meeting whole = meeting;
    open_.erase({comm, tag});
    for (Request* each : whole.waiting) {
      each->finish = whole.latest + cost(ranks, whole.bytes);
      each->other_start = each->cause_time = whole.latest;
      each->other_rank = whole.last_rank;
      each->other_actor = whole.last;
      each->cause = whole.last;
      transport.resolve(*each);
    }
    return request;
  }

  bool is_empty() const { return open_.empty(); }

private:
  struct Meeting {
    std::vector<Request*> waiting;
    double latest = 0;
    std::int64_t last_rank = 0;
    std::uint32_t last = 0;
    std::uint64_t bytes = 0;
  };
  std::map<std::pair<std::uint32_t, std::int64_t>, Meeting> open_;
};

} // namespace rondo::simulate::internal
