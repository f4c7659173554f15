// SPDX-License-Identifier: Apache-2.0
#include "simulate/trace_calls.hpp"

#include "rondo/trace/call_text.hpp"

#include <algorithm>

namespace rondo::simulate::internal {

TraceCalls::TraceCalls(TraceContext& context, const trace::RankClass& rank_class, std::int64_t rank,
                       double compute_scale)
    : context_(context), rank_(rank), scale_(compute_scale),
      reader_(context.trace, rank_class, rank), computation_(context.trace, rank_class, rank) {
  for (const trace::DatatypeDefinition& type : context.trace.datatypes) {
    if (type.holders.contains(rank))
      type_bytes_[type.slot] =
          static_cast<std::uint64_t>(std::max<std::int64_t>(type.size_bytes, 0));
  }
}

CallSource::Next TraceCalls::next() {
  const trace::CallInstance* call = reader_.next();
  if (call == nullptr) return Next::kEnd;
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
  trace::CallLineWriter writer(context_.trace, reader_);
  return writer.line(*call_);
}

} // namespace rondo::simulate::internal
