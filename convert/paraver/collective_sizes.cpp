// SPDX-License-Identifier: Apache-2.0
#include "convert/paraver/collective_sizes.hpp"

#include <algorithm>

namespace rondo::convert::internal {
namespace {

using trace::is_special;
using trace::kNothing;

// The first of these words that the call has.
std::int64_t collective_word(const trace::CallInstance& call,
                             std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    if (const int index = call.function->word_of(name); index >= 0)
      return call.words[static_cast<std::size_t>(index)];
  }
  return kNothing;
}

} // namespace

CollectiveSizes::CollectiveSizes(const trace::Trace& trace, const trace::CallReader& reader)
    : reader_(reader) {
  for (const trace::DatatypeDefinition& type : trace.datatypes) {
    if (type.holders.contains(reader.rank()))
      type_sizes_[type.slot] = std::max<std::int64_t>(type.size_bytes, 0);
  }
}

std::int64_t CollectiveSizes::bytes(const trace::CallInstance& call, std::string_view count,
                                    std::initializer_list<std::string_view> types) const {
  const std::int64_t items = collective_word(call, {count});
  const auto size = type_sizes_.find(collective_word(call, types));
  if (is_special(items) || items < 0 || size == type_sizes_.end()) return kNothing;
  return items * size->second;
}

std::int64_t CollectiveSizes::sum_of_bytes(const trace::CallInstance& call, std::string_view counts,
                                           std::initializer_list<std::string_view> types) const {
  const std::int64_t index = collective_word(call, {counts});
  const auto size = type_sizes_.find(collective_word(call, types));
  const auto& arrays = reader_.program().arrays;
  const bool is_there = !is_special(index) && index >= 0 &&
                        static_cast<std::uint64_t>(index) < arrays.size() &&
                        size != type_sizes_.end();
  if (!is_there) return kNothing;
  std::int64_t sum = 0;
  for (const std::int64_t items : arrays[static_cast<std::size_t>(index)])
    sum += std::max<std::int64_t>(items, 0) * size->second;
  return sum;
}

CollectiveFacts CollectiveSizes::of(const trace::CallInstance& call, std::int64_t place) const {
  CollectiveFacts facts;
  const bool has_root = call.function->word_of("root") >= 0;
  facts.root = collective_word(call, {"root"});
  facts.is_root = facts.root == trace::kRootHere || (has_root && facts.root == place);
  if (call.function->word_of("count") >= 0) {
    const std::int64_t both = bytes(call, "count", {"datatype"});
    facts.sent = both;
    facts.received = both;
    if (!has_root || both == kNothing) return facts;
    const bool scatters = call.function->name.find("cast") != std::string_view::npos; // MPI_Bcast
    if (scatters == facts.is_root) facts.received = 0;
    if (scatters && !facts.is_root) facts.sent = 0;
    if (!scatters) facts.received = facts.is_root ? both : 0;
    return facts;
  }
  facts.sent = bytes(call, "sendcount", {"sendtype"});
  facts.received = bytes(call, "recvcount", {"recvtype", "datatype"});
  if (facts.sent == kNothing) facts.sent = sum_of_bytes(call, "sendcounts", {"sendtype"});
  if (facts.received == kNothing)
    facts.received = sum_of_bytes(call, "recvcounts", {"recvtype", "datatype"});
  return facts;
}

} // namespace rondo::convert::internal
