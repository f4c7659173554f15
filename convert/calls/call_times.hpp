// SPDX-License-Identifier: Apache-2.0
// When each call of a stream begins and ends, for writers of timelines: by its stamp, or, without
// stamps, one after another by the means of each place.
//
//   CallTimes times(trace, rank_class, rank);
//   while (const CallInstance* call = reader.next()) use(times.next(call->symbol));
#pragma once

#include "rondo/trace/computation.hpp"
#include "rondo/trace/time_stamps.hpp"
#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace rondo::convert::internal {

/// ns since the first rank of all entered MPI_Init, as far as the trace says when each did.
struct CallInterval {
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = 0;
  std::uint64_t computation_ns = 0; // before it
};

class CallTimes {
public:
  /// All must outlive the object.
  CallTimes(const trace::Trace& trace, const trace::RankClass& rank_class, std::int64_t rank);

  bool are_reconstructed() const { return !stamps_; }
  /// Those of the next call; they never overlap. @complexity O(places of the call)
  CallInterval next(std::uint32_t symbol);

private:
  std::uint64_t origin_ns_ = 0;
  trace::Computation computation_;
  std::optional<trace::TimeStampReader> stamps_;
  struct Inside {
    std::uint32_t before = 0;
    std::uint64_t mean_ns = 0;
  };
  std::uint64_t mean_inside(std::uint32_t symbol) const;
  std::vector<std::vector<Inside>> inside_; // by call, for each one before it
  std::uint32_t before_ = trace::PlaceTimes::kStart;
  CallInterval last_;
};

} // namespace rondo::convert::internal
