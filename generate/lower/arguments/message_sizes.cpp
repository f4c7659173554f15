// SPDX-License-Identifier: Apache-2.0
#include "generate/lower/arguments/message_sizes.hpp"

#include <algorithm>

namespace rondo::generate::internal {
namespace {

// Longer ones are of datatypes of addresses, which have memory of their own.
constexpr std::int64_t kLongestExtent = std::int64_t{1} << 32;

// A block for each rank of the communicator.
bool has_blocks(std::string_view function) {
  // MPI_Gather and MPI_Iallgather, MPI_Scatter and MPI_Reduce_scatter, MPI_Alltoall and
  // MPI_Ialltoall
  const auto has = [&](std::string_view part) { return function.find(part) != function.npos; };
  return has("ather") || has("catter") || has("lltoall");
}

} // namespace

std::int64_t MessageSizes::largest_extent(const std::vector<std::int64_t>& slots) {
  if (extents_.empty()) {
    for (const trace::DatatypeDefinition& type : trace_.datatypes) {
      std::int64_t& extent = extents_[type.slot];
      const bool is_from_heap_to_stack = type.extent_bytes >= kLongestExtent;
      extent = std::max({extent, is_from_heap_to_stack ? 0 : type.extent_bytes, type.size_bytes});
    }
  }
  std::int64_t most = 1;
  for (const std::int64_t slot : slots) {
    const auto found = extents_.find(slot);
    most = std::max(most, found == extents_.end() ? 16 : found->second);
  }
  return most;
}

std::int64_t MessageSizes::bytes_of(const CallContext& context) {
  std::int64_t count = 0;
  std::int64_t displacement = 0;
  std::vector<std::int64_t> types;
  for (const CArgument& argument : c_arguments(context.function->id)) {
    if (argument.word < 0 || argument.direction == Direction::kOut) continue;
    const auto& values = context.words[static_cast<std::size_t>(argument.word)];
    std::vector<std::int64_t> all;
    if (!argument.is_array) {
      if (argument.kind == ArgumentKind::kDatatype) {
        for (const Sequence& s : values) all.insert(all.end(), {s.at(0), largest({s})});
      } else {
        all = {largest(values)};
      }
    } else {
      for (const auto& row :
           lists_.rows_of(context, argument.word, *context.field_of(argument.word)).rows)
        all.insert(all.end(), row.begin(), row.end());
    }
    if (all.empty()) continue;
    const std::int64_t most = *std::ranges::max_element(all);
    if (argument.kind == ArgumentKind::kCount || argument.kind == ArgumentKind::kBigcount)
      count = std::max(count, most);
    if (argument.is_array &&
        (argument.kind == ArgumentKind::kDispl || argument.kind == ArgumentKind::kAint))
      displacement = std::max(displacement, most);
    if (argument.kind == ArgumentKind::kDatatype) types.insert(types.end(), all.begin(), all.end());
  }
  const std::int64_t blocks =
      has_blocks(context.function->name) ? std::max<std::int64_t>(context.domain.size, 1) : 1;
  return largest_extent(types) * (count * blocks + displacement);
}

} // namespace rondo::generate::internal
