// SPDX-License-Identifier: Apache-2.0
// A rank's part in a collective operation from the words of its call.
//
//   const CollectiveWords where = collective_words_of(function);
//   const CollectivePart part = part_of(where, call.words, member, amounts);
//   use(steps_of(part));
#pragma once

#include "rondo/trace/collective_steps.hpp"
#include "rondo/trace/communicators.hpp"

#include <cstdint>
#include <functional>
#include <span>

namespace rondo::trace {

/// Indices of a call's words, -1 where its function has no such argument.
struct CollectiveWords {
  CollectiveKind operation = CollectiveKind::kBarrier;
  int root = -1, send_buffer = -1;
  int send_count = -1, send_type = -1, receive_count = -1, receive_type = -1;
  bool has_type_arrays = false;
  bool has_block_lists = false; // a count for each rank or neighbour that it sends to
};

/// Those of a barrier for functions that are no collective operation.
/// @complexity O(arguments)
CollectiveWords collective_words_of(const Function& function);

/// A rank in a communicator.
struct Member {
  const Communicators::View& view;
  std::int64_t rank = 0; // in the communicator
  bool is_inter = false;
};

/// How the words of one rank's calls are read.
struct WordReader {
  std::function<std::span<const std::int64_t>(std::int64_t index)> array;
  /// Of so many of a datatype; 0 for counts that are none.
  std::function<std::uint64_t(std::int64_t count, std::int64_t type)> bytes;
};

/// Neighbours are left out.
/// @param words  of the call, or none for a barrier
/// @complexity   O(amounts that the call lists)
CollectivePart part_of(const CollectiveWords& where, std::span<const std::int64_t> words,
                       const Member& member, const WordReader& reader);

} // namespace rondo::trace
