// SPDX-License-Identifier: Apache-2.0
// How large messages were that receives had more room for, for writers of formats that say what was
// received. MPI's status says it where one was kept; the send that matches says it always.
//
//   ReceivedSizes sizes(trace);
//   bytes = sizes.take({rank, thread, call, source, tag}).value_or(room);
#pragma once

#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>

namespace rondo::convert::internal {

class ReceivedSizes {
public:
  struct Receive {
    std::int64_t rank = 0; // in MPI_COMM_WORLD, as the source
    std::uint32_t thread = 0;
    std::uint64_t call = 0; // that posted it, in its stream, from 0
    std::int64_t source = 0;
    std::int64_t tag = 0; // of the message
    friend auto operator<=>(const Receive&, const Receive&) = default;
  };

  /// @complexity  O(calls that differ) where all that is sent with a tag is as large as what its
  ///              receives name, else that of match_messages(); memory for messages whose size is
  ///              not the constant that their receive names
  explicit ReceivedSizes(const trace::Trace& trace);

  /// Takes what the next such receive of that call got; nothing: as much as there was room for, or
  /// no message at all. Streams may be asked for side by side.
  std::optional<std::uint64_t> take(const Receive& receive);

private:
  using Stream = std::pair<std::int64_t, std::uint32_t>; // rank and thread
  std::map<Stream, std::map<Receive, std::deque<std::uint64_t>>> sizes_;
};

} // namespace rondo::convert::internal
