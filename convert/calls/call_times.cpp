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
  inside_.resize(rank_class.program->calls.size());
  for (const trace::PlaceTimes& place : rank_class.program->times) {
    if (place.call < inside_.size())
      inside_[place.call].push_back(
          {place.before, static_cast<std::uint64_t>(place.inside.mean_ns())});
  }
}

std::uint64_t CallTimes::mean_inside(std::uint32_t symbol) const {
  std::uint64_t other_ns = 0;
  for (const Inside& one : inside_[symbol]) {
    if (one.before == before_) return one.mean_ns;
    if (one.before == trace::PlaceTimes::kOther) other_ns = one.mean_ns;
  }
  return other_ns;
}

CallInterval CallTimes::next(std::uint32_t symbol) {
  if (const auto stamp = stamps_ ? stamps_->next_on_common_clock() : std::nullopt) {
    last_.computation_ns = stamp->computation_ns;
    last_.begin_ns = std::max(origin_ns_ + stamp->start_ns, last_.end_ns);
    last_.end_ns = std::max(origin_ns_ + stamp->end_ns(), last_.begin_ns);
  } else {
    const double computation_s = computation_.mean(symbol, before_);
    last_.computation_ns = static_cast<std::uint64_t>(std::max(computation_s, 0.0) * 1e9);
    last_.begin_ns = last_.end_ns + last_.computation_ns;
    last_.end_ns = last_.begin_ns + mean_inside(symbol);
  }
  before_ = symbol;
  return last_;
}

} // namespace rondo::convert::internal
