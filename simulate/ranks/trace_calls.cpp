// SPDX-License-Identifier: Apache-2.0
#include "simulate/ranks/trace_calls.hpp"

#include "rondo/trace/call_text.hpp"
#include "simulate/ranks/further_threads.hpp"

#include <algorithm>
#include <limits>

namespace rondo::simulate {

std::vector<FurtherThread> further_threads(const trace::Trace& trace) {
  std::vector<FurtherThread> result;
  for (const trace::RankClass& c : trace.classes) {
    if (c.thread == 0) continue;
    for (const std::int64_t rank : c.ranks.ranks()) result.push_back({rank, c.thread});
  }
  std::sort(result.begin(), result.end());
  return result;
}

namespace internal {

Status TraceContext::use_recorded_times() {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  std::vector<std::uint64_t> kept(trace.ranks.size()); // calls, of all threads
  for (const trace::TimeStamps& stamps : trace.stamps) {
    kept[static_cast<std::size_t>(stamps.rank)] += stamps.calls;
    first = std::min(first, stamps.origin_unix_ns);
  }
  for (std::size_t rank = 0; rank < trace.ranks.size(); ++rank) {
    if (trace.class_of(static_cast<std::int64_t>(rank)) == nullptr) continue;
    if (kept[rank] == 0 || kept[rank] < trace.ranks[rank].calls)
      return fail(ErrorCode::kUnsupported,
                  "the times of every call were not kept; record with --times full",
                  {{}, static_cast<std::int64_t>(rank), {}, {}});
  }
  first_unix_ns = first;
  return {};
}

TraceCalls::TraceCalls(TraceContext& context, const trace::RankClass& rank_class, std::int64_t rank,
                       double compute_scale)
    : context_(context), rank_(rank), envelopes_(*context.receives, rank, rank_class.thread),
      scale_(compute_scale), reader_(context.trace, rank_class, rank),
      computation_(context.trace, rank_class, rank, context.times,
                   context.first_unix_ns ? trace::Computation::By::kCourses
                                         : trace::Computation::By::kStamps) {
  for (const trace::DatatypeDefinition& type : context.trace.datatypes) {
    if (type.holders.contains(rank))
      type_bytes_[type.slot] =
          static_cast<std::uint64_t>(std::max<std::int64_t>(type.size_bytes, 0));
  }
  if (!context.first_unix_ns) return;
  const trace::TimeStamps& stamps = *context.trace.stamps_of(rank, rank_class.thread);
  stamps_.emplace(stamps);
  origin_s_ = static_cast<double>(stamps.origin_unix_ns - *context.first_unix_ns) * kSecondsPerNs;
}

bool TraceCalls::stop_at_iterations(std::uint64_t most) {
  constexpr std::uint64_t kShortest = 12; // loop that is worth a look
  if (computation_.has_stamps()) return false;
  reader_.stop_at_iterations(kShortest, most, true);
  return true;
}

std::vector<std::uint64_t> TraceCalls::taken() const {
  std::vector<std::uint64_t> values = reader_.taken();
  if (const trace::CourseReader* courses = computation_.courses())
    values.insert(values.end(), courses->taken().begin(), courses->taken().end());
  return values;
}

std::uint64_t TraceCalls::repeats(std::uint64_t from, std::uint64_t calls,
                                  std::span<const std::uint64_t> values, std::uint64_t most) {
  if (const trace::CourseReader* courses = computation_.courses()) {
    const auto passes = values.last(courses->taken().size());
    most = courses->repeats(passes, most);
    values = values.first(values.size() - passes.size());
  }
  return envelopes_.repeats(from, calls, reader_.repeats(values, most));
}

void TraceCalls::skip_iterations(std::uint64_t iterations, std::span<const std::uint64_t> values,
                                 std::uint64_t times) {
  if (trace::CourseReader* courses = computation_.courses()) {
    const auto passes = values.last(courses->taken().size());
    courses->skip(passes);
    values = values.first(values.size() - passes.size());
  }
  reader_.skip_iterations(iterations, values, times);
}

// Where calls are played at recorded times, these are read once for both.
double TraceCalls::computing_s() {
  if (stamps_) {
    stamp_ = stamps_->next_on_common_clock();
    if (stamp_) return static_cast<double>(stamp_->computation_ns) * kSecondsPerNs * scale_;
    stamps_.reset(); // damaged: means from here on
  }
  return computation_.before(call_->symbol) * scale_;
}

std::optional<CallSource::Interval> TraceCalls::recorded() {
  if (!stamp_) return std::nullopt;
  return Interval{origin_s_ + static_cast<double>(stamp_->start_ns) * kSecondsPerNs,
                  origin_s_ + static_cast<double>(stamp_->end_ns()) * kSecondsPerNs};
}

CallSource::Next TraceCalls::next() {
  const trace::CallInstance* call = reader_.next();
  if (call == nullptr) return reader_.is_at_iteration() ? Next::kIteration : Next::kEnd;
  call_ = call;
  return Next::kCall;
}

std::span<const std::int64_t> TraceCalls::array(std::int64_t index) const {
  const auto& arrays = reader_.program().arrays;
  if (trace::is_special(index) || static_cast<std::uint64_t>(index) >= arrays.size()) return {};
  return arrays[static_cast<std::size_t>(index)];
}

bool TraceCalls::is_inter(std::int64_t comm) const {
  const trace::Positions::Position& position = reader_.positions().of(comm);
  return position.comm != nullptr && !position.comm->remote.empty();
}

std::optional<std::uint64_t> TraceCalls::type_bytes(std::int64_t type) const {
  const auto found = type_bytes_.find(type);
  if (found == type_bytes_.end()) return std::nullopt;
  return found->second;
}

std::vector<std::int32_t> TraceCalls::group(std::int64_t slot) const {
  std::vector<std::int32_t> ranks;
  for (const trace::GroupDefinition& group : context_.trace.groups) {
    if (group.slot != slot || !group.holders.contains(rank_)) continue;
    for (const std::int64_t member : trace::sequence_of(group.members))
      ranks.push_back(static_cast<std::int32_t>(member));
    break;
  }
  return ranks;
}

std::string TraceCalls::text() const {
  if (call_ == nullptr) return "before its first call";
  const trace::CommunicatorNames comms(context_.trace);
  trace::CallLineWriter writer(context_.trace, reader_);
  writer.name_communicators(comms);
  return writer.line(*call_);
}

} // namespace internal
} // namespace rondo::simulate
