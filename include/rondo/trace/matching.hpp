// SPDX-License-Identifier: Apache-2.0
// Which send does a receive get its message from? Goes through all ranks of a trace at once and
// pairs what belongs together, by the rules that MPI gives: on one channel (communicator, source,
// destination, tag) the j-th message sent is the j-th one received, in the order in which sends and
// receives were posted; on one communicator the j-th collective operation of each rank is one
// operation.
//
//   MatchVisitor visitor;
//   visitor.message = [&](const Message& m) { use(m.send.rank, m.receive.rank, m.bytes); };
//   const MatchSummary summary = match_messages(trace, visitor);
//
// - Wildcard receives take what their status says, wherever that stands: the posting order holds
//   among receives that could have taken the same message. A status is at the call that completed
//   the request. Where none was recorded (imported traces, MPI_Isendrecv) a receive gets the oldest
//   message that no other receive must have; such messages are marked as inferred.
// - A persistent or partitioned request is posted at each start, MPI_Sendrecv posts both, and
//   MPI_Mprobe and MPI_Improbe receive where they find the message.
// - Calls that failed, messages to and from MPI_PROC_NULL, and receives that MPI_Cancel was called
//   for and whose completion has no status are no messages. One-sided communication is not looked
//   at.
// - Between threads of one rank MPI gives no order; theirs is the order in which they are read.
#pragma once

#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace rondo::trace {

/// A call as one side of a message, or as one rank's part in a collective operation.
struct MessageEnd {
  std::int64_t rank = 0; // in MPI_COMM_WORLD
  std::uint64_t call = 0; // in the stream, from 0
  std::uint32_t thread = 0;
  std::uint32_t symbol = 0; // index into the calls of the class's program
  friend bool operator==(const MessageEnd&, const MessageEnd&) = default;
};

struct Message {
  MessageEnd send;
  MessageEnd receive;
  std::uint32_t comm = 0; // Communicators::View::id
  std::int64_t tag = 0;
  std::uint64_t bytes = 0; // sent; 0 if the datatype is not defined
  bool is_inferred = false; // the receive was a wildcard whose status was not recorded
};

struct CollectiveOperation {
  std::uint32_t comm = 0;
  std::uint16_t function = 0; // of the first end
  bool agrees = true; // all ranks called the same function
  std::span<const MessageEnd> ends; // in the order in which they were met; valid during the call
};

struct MatchVisitor {
  std::function<void(const Message&)> message{};
  std::function<void(const CollectiveOperation&)> collective{}; // complete ones
};

enum class UnmatchedKind : std::uint8_t { kSend, kReceive, kCollective };

/// A call whose other side is not in the trace.
struct Unmatched {
  UnmatchedKind kind = UnmatchedKind::kSend;
  MessageEnd end;
  std::string text; // the call: "MPI_Send(count=1, ..., dest=3, tag=0, comm=MPI_COMM_WORLD)"
};

struct MatchOptions {
  std::size_t most_listed = 20; // of the unmatched calls, those that come first in their streams
};

struct MatchSummary {
  std::uint64_t messages = 0; // matched
  std::uint64_t bytes = 0; // sent in them
  std::uint64_t inferred = 0; // of the messages
  std::uint64_t unmatched_sends = 0;
  std::uint64_t unmatched_receives = 0;
  std::uint64_t collectives = 0; // operations in which all ranks of the communicator took part
  std::uint64_t disagreeing_collectives = 0; // of them: ranks called different functions
  std::uint64_t unmatched_collectives = 0; // operations that some rank did not come to
  std::uint64_t cancelled = 0;
  std::uint64_t unknown_peers =
      0; // calls with processes or communicators that are not in the trace
  std::uint64_t unknown_requests = 0; // starts of requests that were not seen being made
  bool has_threads = false; // several threads of a rank communicate
  std::vector<Unmatched> unmatched; // at most MatchOptions::most_listed

  bool is_whole() const {
    return unmatched_sends == 0 && unmatched_receives == 0 && unmatched_collectives == 0 &&
           disagreeing_collectives == 0;
  }
};

/// @param visitor    gets messages in an order in which each channel's are as they were sent
/// @complexity  O(calls) time, twice if some receive has wildcards; memory for what is not matched
///              yet, as the ranks are read side by side: O(program * ranks + channels + unmatched)
/// @source      [mpi31, sec. 3.5], the rules of order
MatchSummary match_messages(const Trace& trace, const MatchVisitor& visitor,
                            const MatchOptions& options = {});

} // namespace rondo::trace
