// SPDX-License-Identifier: Apache-2.0
// What the calls of one thread have taken so far, exact, and of it what each phase has that the
// program marks (rondo_phase.h). A mark ends what it belongs to: it is of the phase before, with
// the computation before it.
#pragma once

#include "rondo/trace/time_sums.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace rondo::record {

class StreamTimes {
public:
  void add(std::uint64_t computation_ns, std::uint64_t inside_ns) {
    all_.computation_ns += computation_ns;
    all_.inside_ns += inside_ns;
  }
  void begin_phase(std::string_view name);
  /// The last that was begun under this name; those that were begun in it stay open.
  void end_phase(std::string_view name);

  const trace::TimeSum& all() const { return all_; }
  /// Adds each phase's times, those of the open one up to now.
  void add_phases_to(trace::TimeSums& sums) const;

private:
  void close_stretch();
  std::string_view innermost() const {
    return open_.empty() ? std::string_view() : std::string_view(open_.back());
  }
  trace::TimeSum since_mark() const {
    return {all_.computation_ns - at_mark_.computation_ns, all_.inside_ns - at_mark_.inside_ns};
  }

  trace::TimeSum all_;
  trace::TimeSum at_mark_; // all_, at the last mark
  trace::TimeSums sums_; // of phases, up to the last mark
  std::vector<std::string> open_; // phases, the outermost first
};

} // namespace rondo::record
