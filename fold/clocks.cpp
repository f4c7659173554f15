// SPDX-License-Identifier: Apache-2.0
#include "fold/clocks.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace rondo::fold {
namespace {

using trace::RankClock;
using trace::wrapping_sum;

// Parts are files: their numbers may be any, and wrap around.
std::int64_t less(std::int64_t whole, std::int64_t part) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(whole) -
                                   static_cast<std::uint64_t>(part));
}

// The common clock as a host's ranks see it.
struct HostClock {
  std::int64_t at_ns = 0; // by the host's clock
  std::int64_t to_common_ns = 0; // to be added then
  std::int64_t gain_ppt = 0;
  std::uint64_t error_ns = 0; // 0: the host was not compared with any other
};

HostClock clock_by(const RankClock& rank) {
  if (rank.error_ns > 0)
    return {rank.origin_host_ns, rank.to_common_ns, rank.to_common_gain_ppt, rank.error_ns};
  return {rank.origin_host_ns, less(rank.origin_unix_ns, rank.origin_host_ns), 0, 0};
}

bool is_better(const HostClock& a, const HostClock& b) {
  if ((a.error_ns > 0) != (b.error_ns > 0)) return a.error_ns > 0;
  return a.error_ns < b.error_ns;
}

} // namespace

void resolve_clocks(RecordingPart& part) {
  std::map<std::uint64_t, HostClock> hosts;
  for (const auto& [rank, facts] : part.ranks) {
    if (facts.clock->host == 0) continue;
    const HostClock clock = clock_by(*facts.clock);
    const auto [known, is_new] = hosts.try_emplace(facts.clock->host, clock);
    if (!is_new && is_better(clock, known->second)) known->second = clock;
  }
  if (hosts.empty()) return;
  std::map<std::int64_t, std::pair<std::int64_t, std::int64_t>> of_rank; // origin, gain
  for (auto& [rank, facts] : part.ranks) {
    const RankClock measured = *facts.clock;
    if (measured.host == 0) continue;
    const HostClock& host = hosts.at(measured.host);
    const std::int64_t behind =
        trace::parts_of(less(measured.origin_host_ns, host.at_ns), host.gain_ppt);
    const std::int64_t origin =
        wrapping_sum(wrapping_sum(measured.origin_host_ns, host.to_common_ns), behind);
    facts.clock = RankClock{less(origin, measured.origin_unix_ns),
                            std::clamp(wrapping_sum(measured.gain_ppt, host.gain_ppt),
                                       -trace::kMostGain_ppt + 1, trace::kMostGain_ppt - 1),
                            host.error_ns};
    of_rank[rank] = {origin, facts.clock->gain_ppt};
  }
  for (trace::TimeStamps& stamps : part.stamps) {
    const auto known = of_rank.find(stamps.rank);
    if (known == of_rank.end()) continue;
    std::tie(stamps.origin_unix_ns, stamps.gain_ppt) = known->second;
  }
  // Of a run on one host without stamps nobody asks for more than durations.
  const bool are_compared = std::any_of(hosts.begin(), hosts.end(),
                                        [](const auto& host) { return host.second.error_ns > 0; });
  if (!part.stamps.empty() || are_compared) return;
  for (auto& [rank, facts] : part.ranks) facts.clock = {};
}

} // namespace rondo::fold
