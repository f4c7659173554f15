// SPDX-License-Identifier: Apache-2.0
// Words for tests of waiting: what was found of it, by kind and by cause, and calls that stand at
// recorded times.
#pragma once

#include "rondo/efficiency/wait_states.hpp"
#include "tests/support/predicted.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <vector>

namespace rondo::support {

using efficiency::Cause;
using efficiency::WaitKind;
using efficiency::WaitStates;

inline WaitStates found(const trace::Trace& trace) {
  auto waits = efficiency::wait_states(trace);
  EXPECT_TRUE(waits.has_value()) << (waits ? "" : waits.error().text());
  return waits ? *waits : WaitStates{};
}

inline double of_kind(const WaitStates& waits, WaitKind kind) {
  return waits.by_kind[static_cast<std::size_t>(kind)];
}

inline double of_causes(const WaitStates& waits) {
  return std::accumulate(waits.causes.begin(), waits.causes.end(), 0.0,
                         [](double sum, const Cause& cause) { return sum + cause.seconds; });
}

inline void set_stamps(trace::Trace& trace, std::int64_t rank, trace::TimeStampWriter& writer) {
  trace.stamps.push_back(writer.take());
  trace.stamps.back().rank = rank;
  trace.stamps.back().origin_unix_ns = 1;
}

struct CallTimes { // in ms
  std::uint64_t from, until;
};

inline void set_times(trace::Trace& trace, std::int64_t rank, const std::vector<CallTimes>& calls) {
  trace::TimeStampWriter writer;
  std::uint64_t before = 0;
  for (const CallTimes& call : calls) {
    writer.add(
        {call.from * kMsInNs, (call.from - before) * kMsInNs, (call.until - call.from) * kMsInNs});
    before = call.until;
  }
  set_stamps(trace, rank, writer);
}

inline void barrier(Caller& s) { s.call("MPI_Barrier", {{"comm", kWorld}}); }

} // namespace rondo::support
