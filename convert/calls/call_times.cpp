// SPDX-License-Identifier: Apache-2.0
#include "convert/calls/call_times.hpp"

#include <algorithm>

namespace rondo::convert::internal {
namespace {

// When a rank came to MPI_Init, behind the first one; 0 if some rank's host does not say.
std::uint64_t origin_of(const trace::Trace& trace, const trace::TimeStamps& stamps) {
  std::int64_t first = stamps.origin_unix_ns;
  for (const trace::TimeStamps& one : trace.stamps) first = std::min(first, one.origin_unix_ns);
  return first <= 0 ? 0 : static_cast<std::uint64_t>(stamps.origin_unix_ns - first);
}

} // namespace

CallTimes::CallTimes(const trace::Trace& trace, const trace::RankClass& rank_class,
                     std::int64_t rank)
    : computation_(trace, rank_class, rank) {
  if (const trace::TimeStamps* stamps = trace.stamps_of(rank, rank_class.thread)) {
    stamps_.emplace(*stamps);
    origin_ns_ = origin_of(trace, *stamps);
  }
  for (const trace::PlaceTimes& place : rank_class.program->times)
    inside_[{place.call, place.before}] = place.inside.mean_ns();
}

CallInterval CallTimes::next(std::uint32_t symbol) {
  const double before_s = computation_.before(symbol);
  const auto stamp = stamps_ ? stamps_->next_on_common_clock() : std::nullopt;
  last_.computation_ns =
      stamp ? stamp->computation_ns : static_cast<std::uint64_t>(std::max(before_s, 0.0) * 1e9);
  if (stamp) {
    last_.begin_ns = std::max(origin_ns_ + stamp->start_ns, last_.end_ns);
    last_.end_ns = std::max(origin_ns_ + stamp->end_ns(), last_.begin_ns);
  } else {
    auto inside = inside_.find({symbol, before_});
    if (inside == inside_.end()) inside = inside_.find({symbol, trace::PlaceTimes::kOther});
    last_.begin_ns = last_.end_ns + last_.computation_ns;
    last_.end_ns =
        last_.begin_ns + (inside == inside_.end() ? 0 : static_cast<std::uint64_t>(inside->second));
  }
  before_ = symbol;
  return last_;
}

} // namespace rondo::convert::internal
