// SPDX-License-Identifier: Apache-2.0
// Who sends to whom on which communicator with which tag, however often and in whatever order: what
// can be read off the classes of ranks, where match_messages() would go through all calls.
//
//   for_each_tagged_send(trace, [&](const TaggedSend& send) { use(send.source, send.tag); });
#pragma once

#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <functional>

namespace rondo::matrix {

struct TaggedSend {
  std::int64_t source = 0; // ranks in MPI_COMM_WORLD
  std::int64_t destination = 0;
  std::int64_t comm = 0; // slot on the source
  std::int64_t tag = 0;
  friend bool operator==(const TaggedSend&, const TaggedSend&) = default;
};

/// Sends to nobody, to processes that are no ranks, and by calls that failed are left out.
/// @param visit     may get the same several times
/// @complexity  O(terms and varying words) for each class of ranks, and for its starts of
///              persistent requests; then O(choices of words) for each rank
void for_each_tagged_send(const trace::Trace& trace,
                          const std::function<void(const TaggedSend&)>& visit);

} // namespace rondo::matrix
