// SPDX-License-Identifier: Apache-2.0
#include "efficiency/ideal_play.hpp"

#include <algorithm>
#include <bit>

namespace rondo::efficiency::internal {
namespace {

using simulate::NetworkModel;

constexpr int kMostPlays = 4; // for times that do not fit

} // namespace

bool has_calls(const trace::Trace& trace) {
  return std::any_of(trace.classes.begin(), trace.classes.end(),
                     [](const trace::RankClass& c) { return !c.program->calls.empty(); });
}

Result<IdealPlay>
play_ideally(const trace::Trace& trace, simulate::SimulateOptions options,
             std::optional<std::uint64_t> eager_bytes,
             const std::function<PartClock&(simulate::SimulateOptions& options)>& begin) {
  if (!has_calls(trace)) return fail(ErrorCode::kUnsupported, "there are no calls of MPI");
  options.collectives_are_eager = true;
  const bool is_given = eager_bytes.has_value();
  // Nothing tells that sends took long if no time inside MPI is known.
  std::uint64_t eager = is_given                          ? *eager_bytes
                        : factors_of(trace).has_no_inside ? NetworkModel::kNever
                                                          : kLeastEager;
  for (int plays = 1;; ++plays) {
    std::uint64_t stuck_bytes = 0;
    options.stuck_send_bytes = &stuck_bytes;
    PartClock& clock = begin(options);
    auto played = simulate::simulate(trace, ideal_network(eager), options);
    if (stuck_bytes > eager && !is_given) {
      eager = std::bit_ceil(stuck_bytes);
      continue;
    }
    if (!played) return propagate(played);
    const double run_s = played->seconds * static_cast<double>(trace.run.ranks);
    const std::uint64_t fitting =
        is_given ? eager : clock.late_receivers().fitting_size(trace, eager, run_s);
    if (fitting <= eager || plays >= kMostPlays) return IdealPlay{std::move(*played), eager};
    eager = fitting;
  }
}

} // namespace rondo::efficiency::internal
