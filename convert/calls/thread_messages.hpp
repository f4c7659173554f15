// SPDX-License-Identifier: Apache-2.0
// Numbers of messages of runs in which ranks have several threads: on a channel that two of them
// use neither knows which of its messages is theirs, so that sends and receives are matched
// beforehand.
#pragma once

#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

namespace rondo::convert::internal {

struct MessageChannel {
  std::uint32_t comm = 0; // Communicators::View::id
  std::int64_t source = 0; // world rank
  std::int64_t dest = 0;
  std::int64_t tag = 0;
  friend bool operator==(const MessageChannel&, const MessageChannel&) = default;
};

class ThreadMessages {
public:
  /// @complexity that of match_messages(), and 56 bytes for each end of a message; nothing if every
  /// rank has one thread
  explicit ThreadMessages(const trace::Trace& trace);

  /// Whether there are threads: then it knows all messages, else none.
  bool are_known() const { return are_known_; }

private:
  friend class ThreadMessageReader;
  struct End {
    std::uint64_t call = 0; // that posted it
    MessageChannel channel;
    std::uint64_t number = 0; // the same at both ends
  };
  using Stream = std::tuple<std::int64_t, std::uint32_t, bool>; // rank, thread, whether it sends
  bool are_known_ = false;
  std::map<Stream, std::vector<End>> ends_; // in the order of calls
};

/// Goes along the sends or the receives of one stream.
class ThreadMessageReader {
public:
  /// @param all  must outlive the object
  ThreadMessageReader(const ThreadMessages& all, std::int64_t rank, std::uint32_t thread,
                      bool sends);
  /// The number of the next message that this call posts on the channel; nothing if it has no other
  /// end.
  /// @param call  no earlier one than before
  std::optional<std::uint64_t> take(std::uint64_t call, const MessageChannel& channel);

private:
  std::span<const ThreadMessages::End> left_;
  std::vector<ThreadMessages::End> here_; // of the call that was asked about last
};

} // namespace rondo::convert::internal
