// SPDX-License-Identifier: Apache-2.0
#include "efficiency/inside_times.hpp"

#include "rondo/trace/computation.hpp"

namespace rondo::efficiency::internal {
namespace {

constexpr double kSecondsPerNs = 1e-9;

} // namespace

InsideTimes::InsideTimes(const trace::Trace& trace) {
  const auto ranks = static_cast<std::size_t>(trace.run.ranks);
  for (const trace::RankClass& c : trace.classes) {
    const std::vector<std::int64_t> members = c.ranks.ranks();
    const auto knows_startup = [&](std::int64_t rank) {
      return trace.ranks[static_cast<std::size_t>(rank)].startup_ns > 0;
    };
    for (const trace::PlaceTimes& times : c.program->times) {
      if (times.call >= c.program->calls.size() || times.inside.count == 0) continue;
      const trace::Call& call = c.program->calls[times.call];
      const bool is_frame = trace::find_function(call.function)->role == trace::Role::kEnv;
      Place& place = places_[key({call.function, call.site})];
      place.seconds.resize(ranks);
      place.calls.resize(ranks);
      const double count =
          static_cast<double>(times.inside.count) / static_cast<double>(members.size());
      const std::vector<double> means_ns = trace::inside_means_of_ranks(times);
      for (std::size_t i = 0; i < members.size(); ++i) {
        if (is_frame && knows_startup(members[i])) continue;
        const double mean_ns = i < means_ns.size() ? means_ns[i] : times.inside.mean_ns();
        place.seconds[static_cast<std::size_t>(members[i])] += count * mean_ns * kSecondsPerNs;
        place.calls[static_cast<std::size_t>(members[i])] += count;
      }
    }
  }
}

} // namespace rondo::efficiency::internal
