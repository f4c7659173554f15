// SPDX-License-Identifier: Apache-2.0
// Which messages a rank's calls send, and which have come when they end, for writers of timelines.
// Both ends of a message find the same number for it alone, as the j-th message on a channel is the
// j-th one received there: so nothing has to be held for the other end, but where ranks have
// several threads.
//
//   MessageRun run(trace);
//   CallMessages messages(run, reader, rank_class.thread);
//   while (const CallInstance* call = reader.next())
//     for (const CallMessage& one : messages.of(*call)) ...
#pragma once

#include "convert/calls/thread_messages.hpp"
#include "rondo/trace/call_meaning.hpp"
#include "rondo/trace/call_reader.hpp"
#include "rondo/trace/communicators.hpp"
#include "rondo/trace/persistent_slots.hpp"
#include "rondo/trace/resolved_receives.hpp"

#include <cstdint>
#include <map>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace rondo::convert::internal {

/// What all ranks of a trace have in common.
struct MessageRun {
  explicit MessageRun(const trace::Trace& read)
      : trace(read), comms(read), receives(read), threads(read) {}
  const trace::Trace& trace;
  trace::Communicators comms;
  trace::ResolvedReceives receives;
  ThreadMessages threads;
};

struct CallMessage {
  bool is_sent = false; // else it has come
  std::int64_t peer = 0; // world rank
  std::int64_t tag = 0;
  std::uint64_t bytes =
      0; // that were received, where the status says; else those there is room for
  std::uint64_t id = 0; // the same at both ends, hardly ever at another message
  std::uint32_t comm = 0; // trace::Communicators' number
  std::uint64_t posted = 0; // the mark of the call that sent it, or was ready to receive it
};

/// A rank's part in a collective operation.
struct CallCollective {
  const trace::Function* function = nullptr;
  std::uint32_t comm = 0; // Communicators::View::id
  std::int64_t root = -1; // world rank; -1 if it has none
  std::uint64_t began = 0; // the call, from 0, that the rank came to it with
};

class CallMessages {
public:
  /// All must outlive the object.
  /// @param thread  of the rank, whose stream the reader reads
  CallMessages(MessageRun& run, const trace::CallReader& reader, std::uint32_t thread);

  /// In the order of the stream, which is that of the reader. Valid until the next call.
  /// @param mark   what messages keep of this call, such as its time
  const std::vector<CallMessage>& of(const trace::CallInstance& call, std::uint64_t mark = 0);
  /// Receives that the last call got ready for, and that come later.
  const std::vector<CallMessage>& posted() const { return posted_; }
  /// Collective operations that ended with the call that was asked about last; persistent ones and
  /// those of neighbours are left out.
  const std::vector<CallCollective>& collectives() const { return collectives_; }
  /// So many elements of a datatype, by its word; 0 for one that the trace does not define.
  std::uint64_t bytes(std::int64_t count, std::int64_t type) const;

private:
  using Words = std::vector<std::int64_t>;
  struct Slot {
    const trace::Function* function = nullptr;
    Words words;
    std::vector<CallMessage> coming;
  };
  struct Open { // a request
    std::vector<CallMessage> coming;
    std::vector<CallCollective> collectives;
  };

  void transfer(const trace::CallView& call, std::vector<CallMessage>& coming);
  void keep_matched(const trace::CallView& call);
  void take_matched(const trace::CallView& call, std::vector<CallMessage>& coming);
  void take_part(const trace::CallView& call, const trace::Function& function,
                 std::vector<CallCollective>& parts);
  void start(std::int64_t reference);
  void complete(const trace::CallView& call);
  void start_or_free(const trace::CallView& call);
  void complete_one(std::int64_t reference, std::int64_t bytes);
  std::uint64_t number(bool is_sent, std::int64_t source, std::int64_t dest, std::uint32_t comm,
                       std::int64_t tag);
  std::vector<std::int64_t> array(std::int64_t index) const;

  MessageRun& run_;
  const trace::CallReader& reader_;
  std::int64_t rank_;
  std::uint32_t thread_;
  trace::EnvelopeReader envelopes_;
  ThreadMessageReader sends_; // of runs with several threads
  ThreadMessageReader receives_;
  std::uint64_t calls_ = 0;
  std::uint64_t mark_ = 0; // of the call that is looked at
  std::vector<CallMessage> now_;
  std::vector<CallMessage> posted_;
  std::vector<CallCollective> collectives_;
  std::unordered_map<std::int64_t, std::uint64_t> type_sizes_;
  std::map<std::tuple<bool, std::int64_t, std::int64_t, std::uint32_t, std::int64_t>,
           std::uint64_t>
      channels_; // messages so far; a rank's own to itself are sent and received here
  std::unordered_map<std::int64_t, CallMessage> matched_; // by the word of MPI_Message
  std::unordered_map<std::uint64_t, Open> open_; // by number of the request
  trace::PersistentSlots<Slot> slots_;
  std::uint64_t made_ = 0;
};

} // namespace rondo::convert::internal
