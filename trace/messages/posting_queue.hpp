// SPDX-License-Identifier: Apache-2.0
// What one stream has posted, in order, until it is known for what channel it is: a wildcard
// receive waits for its status, and those behind it that could take the same message wait with it.
#pragma once

#include "rondo/trace/matching.hpp"

#include <deque>
#include <unordered_map>

namespace rondo::trace::internal {

constexpr std::uint32_t kNoChannel = 0xffffffff;

/// A send or receive on its way to its channel.
struct Posted {
  enum class State : std::uint8_t {
    kPending, // its request has not completed
    kKnown, // has a channel
    kUnknown, // a wildcard that completed without a status
    kDropped, // cancelled, or came from MPI_PROC_NULL
  };
  State state = State::kKnown;
  bool is_send = false;
  std::uint32_t comm = 0;
  std::uint32_t channel = kNoChannel;
  std::int64_t comm_slot = 0; // as this rank calls the communicator
  std::int64_t peer = 0; // world rank, or kAnySource
  std::int64_t tag = 0; // or kAnyTag
  std::uint64_t bytes = 0;
  MessageEnd end;
};

/// Where posted messages go.
class PostSink {
public:
  PostSink() = default;
  PostSink(const PostSink&) = delete;
  PostSink& operator=(const PostSink&) = delete;
  virtual ~PostSink() = default;

  /// @param line   0; of partitioned requests 1 + how many like it the rank had made before
  virtual std::uint32_t channel_of(std::uint32_t comm, std::int64_t source,
                                   std::int64_t destination, std::int64_t tag,
                                   std::uint32_t line) = 0;
  virtual void post(const Posted& posted) = 0;
  /// Finds a message for a receive of unknown source; false: there is none yet.
  virtual bool take_unknown(const Posted& posted) = 0;
  virtual void collective(std::uint32_t comm, std::uint32_t line, std::int64_t all,
                          std::uint16_t function, const MessageEnd& end) = 0;
};

using PostingQueue = std::deque<Posted>; // references stay good while others come and go

} // namespace rondo::trace::internal
