// SPDX-License-Identifier: Apache-2.0
#include "cli/traffic_share.hpp"

#include "rondo/base/units.hpp"
#include "rondo/matrix/statistics.hpp"

#include <algorithm>
#include <fmt/core.h>

namespace rondo::cli {
namespace {

using matrix::Statistics;

std::string bytes_text(std::uint64_t bytes) { return human_bytes(static_cast<double>(bytes)); }

// The functions that carry most, as their names are read aloud.
std::string main_collectives(const Statistics& run) {
  constexpr std::size_t kMost = 3;
  std::vector<matrix::CollectiveCount> all = run.collectives;
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
  std::string text;
  for (std::size_t i = 0; i < std::min(all.size(), kMost); ++i) {
    if (i > 0 && all[i].bytes == 0) break;
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", all[i].function, bytes_text(all[i].bytes));
  }
  return all.size() > kMost ? text + ", ..." : text;
}

std::string share_text(std::uint64_t part, std::uint64_t all) {
  if (all == 0) return "";
  return fmt::format(" ({})", human_percent(static_cast<double>(part) / static_cast<double>(all)));
}

} // namespace

TrafficShare traffic_share(const trace::Trace& trace, const matrix::CommunicationMatrix& shown,
                           const matrix::TrafficOptions& options) {
  TrafficShare share;
  const Statistics run = matrix::statistics_of(trace).statistics;
  const std::uint64_t all = run.point_to_point_bytes + run.collective_bytes;
  share.json = {{"point_to_point_bytes", run.point_to_point_bytes},
                {"collective_bytes", run.collective_bytes},
                {"collective_calls", run.collective_calls}};
  if (options.collectives != matrix::CollectiveCounting::kNone) {
    share.here =
        fmt::format("{}, messages of collectives among them", bytes_text(shown.total_bytes()));
    return share;
  }
  if (shown.total_bytes() == all)
    share.here =
        fmt::format("all {} that the run handed to MPI: point-to-point messages", bytes_text(all));
  else
    share.here = fmt::format("{} of the {} that the run handed to MPI{}: point-to-point messages",
                             bytes_text(shown.total_bytes()), bytes_text(all),
                             share_text(shown.total_bytes(), all));
  if (run.collective_calls > 0)
    share.elsewhere =
        fmt::format("{} collective calls: {}; --collectives pairs adds them",
                    human_count(static_cast<double>(run.collective_calls)), main_collectives(run));
  return share;
}

} // namespace rondo::cli
