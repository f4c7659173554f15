// SPDX-License-Identifier: Apache-2.0
// When calls begin and end in a Paraver trace that is written: as CallTimes has it, but a call
// with messages takes 1 ns at least, and there is 1 ns between calls. Paraver's records say by
// their time alone to which call they belong.
#pragma once

#include "convert/calls/call_times.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace rondo::convert::internal {

class PrvClock {
public:
  PrvClock(const trace::Trace& trace, const trace::RankClass& rank_class, std::int64_t rank)
      : times_(trace, rank_class, rank) {
    for (const trace::Call& call : rank_class.program->calls) {
      const trace::Function* function = trace::find_function(call.function);
      least_ns_.push_back(function != nullptr && has_messages(*function) ? 1 : 0);
    }
  }

  /// Those of the next call; its computation fits between it and the call before.
  CallInterval next(std::uint32_t symbol) {
    CallInterval interval = times_.next(symbol);
    computation_ns_ += interval.computation_ns;
    interval.begin_ns = std::max(interval.begin_ns, free_ns_);
    interval.end_ns = std::max(interval.end_ns, interval.begin_ns + least_ns_[symbol]);
    const std::uint64_t gap_ns = interval.begin_ns - end_ns_;
    interval.computation_ns = std::min(interval.computation_ns, gap_ns);
    end_ns_ = interval.end_ns;
    free_ns_ = end_ns_ + 1;
    return interval;
  }
  bool are_reconstructed() const { return times_.are_reconstructed(); }
  std::uint64_t end_ns() const { return end_ns_; } // of the last call
  std::uint64_t computation_ns() const { return computation_ns_; } // before all calls together

private:
  static bool has_messages(const trace::Function& function) {
    using trace::Role;
    return function.role == Role::kSend || function.role == Role::kRecv ||
           function.role == Role::kSendrecv || function.role == Role::kComplete ||
           function.role == Role::kRequest;
  }

  CallTimes times_;
  std::vector<std::uint64_t> least_ns_; // by symbol
  std::uint64_t end_ns_ = 0;
  std::uint64_t free_ns_ = 0;
  std::uint64_t computation_ns_ = 0;
};

} // namespace rondo::convert::internal
