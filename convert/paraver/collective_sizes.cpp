// SPDX-License-Identifier: Apache-2.0
#include "convert/paraver/collective_sizes.hpp"

#include <algorithm>

namespace rondo::convert::internal {
using trace::is_special;
using trace::kNothing;

CollectiveSizes::CollectiveSizes(const trace::Trace& trace, const trace::CallReader& reader)
    : reader_(reader) {
  for (const trace::DatatypeDefinition& type : trace.datatypes) {
    if (type.holders.contains(reader.rank()))
      type_sizes_[type.slot] = std::max<std::int64_t>(type.size_bytes, 0);
  }
}

// Sums of what differs by rank; nothing is said of datatypes that do.
std::int64_t CollectiveSizes::bytes(const trace::CallView& call, const Side& side) const {
  const auto size = type_sizes_.find(trace::word_or(call.words(), side.type, kNothing));
  const std::int64_t count = trace::word_or(call.words(), side.count, kNothing);
  if (side.has_types || size == type_sizes_.end() || is_special(count) || count < 0)
    return kNothing;
  if (!side.has_counts) return count * size->second;
  const auto& arrays = reader_.program().arrays;
  if (static_cast<std::uint64_t>(count) >= arrays.size()) return kNothing;
  std::int64_t sum = 0;
  for (const std::int64_t items : arrays[static_cast<std::size_t>(count)])
    sum += std::max<std::int64_t>(items, 0) * size->second;
  return sum;
}

CollectiveFacts CollectiveSizes::of(const trace::CallInstance& call, std::int64_t place) const {
  const trace::CallMeaning& means = trace::meaning_of(*call.function);
  const trace::CallView view(means, call.words);
  const bool has_root = means.root >= 0;
  CollectiveFacts facts;
  facts.root = view.root();
  facts.is_root = facts.root == trace::kRootHere || (has_root && facts.root == place);
  facts.sent =
      bytes(view, {means.send_count, means.send_type, means.has_send_counts, means.has_send_types});
  if (means.receive_count >= 0) {
    facts.received = bytes(view, {means.receive_count, means.receive_type, means.has_receive_counts,
                                  means.has_receive_types});
    return facts;
  }
  const std::int64_t both = facts.sent; // one count for both
  facts.received = both;
  if (!has_root || both == kNothing) return facts;
  const bool scatters = means.collective == trace::Collective::kBcast;
  if (scatters == facts.is_root) facts.received = 0;
  if (scatters && !facts.is_root) facts.sent = 0;
  if (!scatters) facts.received = facts.is_root ? both : 0;
  return facts;
}

} // namespace rondo::convert::internal
