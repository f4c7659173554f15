// SPDX-License-Identifier: Apache-2.0
#include "rondo/matrix/tagged_sends.hpp"

#include "matrix/traffic/call_traffic.hpp"
#include "matrix/traffic/trace_rank.hpp"
#include "matrix/traffic/trace_tally.hpp"

namespace rondo::matrix {

void for_each_tagged_send(const trace::Trace& trace,
                          const std::function<void(const TaggedSend&)>& visit) {
  const internal::DistGraphs graphs(trace);
  TrafficLoss loss;
  for (const trace::RankClass& c : trace.classes) {
    const internal::Tally tally = internal::tally_of(*c.program, internal::is_send, true);
    if (tally.calls.empty()) continue;
    for (const std::int64_t rank : c.ranks.ranks()) {
      const internal::RankTraffic traffic(trace, *c.program, rank, graphs);
      for (const internal::TalliedCall& call : tally.calls) {
        if (const auto sent = traffic.messages_of(call, loss))
          visit({rank, sent->destination, traffic.comm_slot_of(call), traffic.tag_of(call)});
      }
    }
  }
}

} // namespace rondo::matrix
