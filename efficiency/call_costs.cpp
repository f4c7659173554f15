// SPDX-License-Identifier: Apache-2.0
#include "efficiency/call_costs.hpp"

#include "rondo/trace/computation.hpp"

#include <algorithm>

namespace rondo::efficiency::internal {
namespace {

constexpr double kSecondsPerNs = 1e-9;

// What is not waited for on the network that takes no time stays as it was.
bool is_played(WaitKind kind) { return kind != WaitKind::kLateReceiver && kind != WaitKind::kLock; }

} // namespace

CallCosts::CallCosts(const trace::Trace& trace, const WaitStates& waits) {
  const auto ranks = static_cast<std::size_t>(trace.run.ranks);
  std::unordered_map<std::uint64_t, std::vector<double>> calls;
  for (const trace::RankClass& c : trace.classes) {
    const std::vector<std::int64_t> members = c.ranks.ranks();
    const auto knows_startup = [&](std::int64_t rank) {
      return trace.ranks[static_cast<std::size_t>(rank)].startup_ns > 0;
    };
    for (const trace::PlaceTimes& place : c.program->times) {
      if (place.call >= c.program->calls.size() || place.inside.count == 0) continue;
      const trace::Call& call = c.program->calls[place.call];
      const bool is_frame = trace::find_function(call.function)->role == trace::Role::kEnv;
      const std::uint64_t number = key({call.function, call.site});
      std::vector<double>& sums = costs_.try_emplace(number, ranks).first->second;
      std::vector<double>& counts = calls.try_emplace(number, ranks).first->second;
      const double count =
          static_cast<double>(place.inside.count) / static_cast<double>(members.size());
      const std::vector<double> means_ns = trace::inside_means_of_ranks(place);
      for (std::size_t i = 0; i < members.size(); ++i) {
        if (is_frame && knows_startup(members[i])) continue;
        const double mean_ns = i < means_ns.size() ? means_ns[i] : place.inside.mean_ns();
        sums[static_cast<std::size_t>(members[i])] += count * mean_ns * kSecondsPerNs;
        counts[static_cast<std::size_t>(members[i])] += count;
      }
    }
  }
  for (const WaitState& state : waits.states) {
    const auto found = costs_.find(key(state.place));
    if (found == costs_.end() || !is_played(state.kind)) continue;
    for (std::size_t rank = 0; rank < state.by_rank.size(); ++rank)
      found->second[rank] -= state.by_rank[rank];
  }
  for (auto& [number, sums] : costs_) {
    const std::vector<double>& counts = calls[number];
    for (std::size_t rank = 0; rank < ranks; ++rank)
      sums[rank] = counts[rank] > 0 ? std::max(sums[rank], 0.0) / counts[rank] : 0;
  }
}

} // namespace rondo::efficiency::internal
