// SPDX-License-Identifier: Apache-2.0
// How this rank's time stamps stand to one clock for all ranks (trace/rank_clock.hpp). Ranks of one
// host read the same clock; where the launcher says that there are more hosts, the first rank of
// each asks `rondo record` for the time, by UDP: a question that is not answered is given up, while
// a message over MPI would wait for a rank that may not be recorded, or meet the program's own.
#pragma once

#include "rondo/trace/rank_clock.hpp"

#include <cstdint>
#include <optional>

namespace rondo::record {

class CommonClock {
public:
  /// After MPI_Init. @param origin_ticks  where the rank's stamps begin
  void begin(std::int64_t ranks, std::uint64_t origin_ticks, std::int64_t origin_unix_ns);
  /// Asks once more: the last answer counts. Not in a signal handler.
  /// @complexity   about a millisecond; 0.1 s if nobody answers, and then never again
  void ask();
  /// As known by now.
  trace::RankClock measured() const;

private:
  struct Answer {
    std::int64_t host_ns = 0; // by this host's clock
    std::int64_t to_common_ns = 0; // to be added to it
    std::uint64_t error_ns = 0;
  };
  static std::optional<Answer> ask_around();

  trace::RankClock own_;
  std::uint64_t origin_ticks_ = 0;
  std::optional<Answer> first_;
  std::optional<Answer> last_;
};

} // namespace rondo::record
