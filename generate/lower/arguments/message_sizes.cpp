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

MessageSizes::MessageSizes(const trace::Trace& trace, ListArguments& lists) : lists_(lists) {
  for (const trace::DatatypeDefinition& type : trace.datatypes) {
    const std::int64_t apart = type.extent_bytes >= kLongestExtent ? 0 : type.extent_bytes;
    std::int64_t& extent = extents_[type.slot];
    extent = std::max({extent, apart, type.size_bytes});
    longest_ = std::max(longest_, apart);
  }
}

std::int64_t MessageSizes::largest_extent(const std::set<std::int64_t>& slots) const {
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
  std::set<std::int64_t> types;
  for (const CArgument& argument : c_arguments(context.function->id)) {
    if (argument.word < 0 || argument.direction == Direction::kOut) continue;
    const auto& values = context.words[static_cast<std::size_t>(argument.word)];
    std::vector<std::int64_t> all;
    if (argument.is_array) {
      for (const auto& row :
           lists_.rows_of(context, argument.word, *context.field_of(argument.word)).rows)
        all.insert(all.end(), row.begin(), row.end());
    } else if (argument.kind == ArgumentKind::kDatatype) {
      for (const Sequence& s : values) {
        for (std::size_t i = 0; i < s.size(); ++i) types.insert(s.at(i));
      }
    } else {
      all = {largest(values)};
    }
    if (all.empty()) continue;
    const std::int64_t most = *std::ranges::max_element(all);
    if (argument.kind == ArgumentKind::kCount || argument.kind == ArgumentKind::kBigcount)
      count = std::max(count, most);
    if (argument.is_array &&
        (argument.kind == ArgumentKind::kDispl || argument.kind == ArgumentKind::kAint))
      displacement = std::max(displacement, most);
    if (argument.kind == ArgumentKind::kDatatype) types.insert(all.begin(), all.end());
  }
  const std::int64_t blocks =
      has_blocks(context.function->name) ? std::max<std::int64_t>(context.domain.size, 1) : 1;
  // A column of a matrix may have the extent of one number (MPI_Type_create_resized).
  const bool has_own = std::ranges::any_of(types, [](std::int64_t slot) { return slot >= 0; });
  return largest_extent(types) * (count * blocks + displacement) + (has_own ? longest_ : 0);
}

} // namespace rondo::generate::internal
