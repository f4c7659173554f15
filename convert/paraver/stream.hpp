// SPDX-License-Identifier: Apache-2.0
// Folds the records of one thread into its program. A call is held back until everything that the
// trace says of it has been read: the message record of a receive stands where its send began, and
// the root of a collective operation at the root's call.
//
//   ParaverStream stream(...);
//   stream.running(0, 100);
//   stream.begin_call(form, 100);
//   stream.end_call(200);
//   fold::RecordingPart part = stream.finish();
#pragma once

#include "convert/calls/call_forms.hpp"
#include "convert/paraver/communicators.hpp"
#include "convert/paraver/counts.hpp"
#include "rondo/convert/paraver.hpp"
#include "rondo/fold/merge.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

namespace rondo::convert::internal {

/// One end of a message.
struct MessageEnd {
  std::uint64_t logical_ns = 0; // when the call began, or a time within it
  std::uint64_t physical_ns = 0;
  std::int64_t peer = 0; // rank
  std::int64_t bytes = 0;
  std::int64_t tag = 0;
};

/// What all streams of a trace share.
struct ParaverRun {

  ImportOptions options;
  std::int64_t ranks = 0;
  std::uint64_t duration_ns = 0;
  std::int64_t start_unix_ns = 0;
  std::size_t most_held = 0; // calls of a stream
  ParaverComms comms;
  ParaverCounts counts{};
  bool gaps_compute = false; // time outside of calls is computation: no state says so
  bool has_one_comm = false; // collective operations name none: they are of all tasks
  bool has_running = false; // a state that says so came
};

class ParaverStream {
public:
  /// @param run   must outlive the stream
  ParaverStream(ParaverRun& run, std::int64_t rank, std::uint32_t thread);

  void join_comm(const CommPlace& place);
  void join_comms_of(const ParaverStream& other);

  /// Times come as records are sorted: by their start.
  void running(std::uint64_t begin_ns, std::uint64_t end_ns);
  void begin_call(const CallForm& form, std::uint64_t time_ns);
  void end_call(std::uint64_t time_ns);
  /// Of the open call, if there is one.
  void say_sizes(std::optional<std::int64_t> sent, std::optional<std::int64_t> received);
  void say_comm(std::uint64_t comm);
  void say_root();

  void sent(const MessageEnd& message) { take_end(message, true); }
  void received(const MessageEnd& message) { take_end(message, false); }

  /// Ends the stream, which has only facts() left.
  fold::RecordingPart finish();
  const trace::RankFacts& facts() const { return facts_; }

private:
  struct Held {
    const CallForm* form = nullptr;
    std::uint64_t begin_ns = 0;
    std::uint64_t end_ns = 0;
    std::uint64_t computation_ns = 0;
    std::uint64_t comm = 0; // ID, 0 if it is not said
    std::uint64_t ordinal = 0; // among the communicator's operations with a root
    std::int64_t send_bytes = trace::kNothing;
    std::int64_t receive_bytes = trace::kNothing;
    bool is_root = false;
    std::optional<MessageEnd> out{};
    std::optional<MessageEnd> in{};
  };
  struct Request {
    std::uint64_t number = 0; // from 1
    std::optional<std::uint64_t> done_ns{}; // when its message was there
  };
  struct Place {
    CommPlace in;
    std::uint64_t rooted = 0; // operations with a root so far
  };
  using Ends = std::multimap<std::uint64_t, MessageEnd>; // by logical time

  void settle(std::uint64_t until_ns);
  void count_operation(Held& call);
  void take_end(const MessageEnd& message, bool is_send);
  bool give_to_held(const MessageEnd& message, bool is_send);
  void take_early(Held& call, Ends& ends, std::optional<MessageEnd> Held::*end);
  bool is_ready(const Held& call) const;
  void release();
  void record(Held& call);
  void finish_rank(fold::RecordingPart& part);

  // stream_words.cpp
  void fill_message(const Held& call);
  void fill_collective(Held& call);
  void fill_sizes(const Held& call, std::uint64_t size, bool knows_size);
  std::optional<std::int64_t> root_of(const Held& call) const;
  void fill_completion(const Held& call);
  std::vector<std::int64_t> complete(const Held& call);
  void put(int word, std::int64_t value);
  void put_bytes(int count_word, int type_word, std::int64_t bytes);
  std::int64_t array_of(const std::vector<std::int64_t>& values);

  ParaverRun& run_;
  std::int64_t rank_;
  std::uint32_t thread_;
  fold::ProgramBuilder program_;
  std::optional<trace::TimeStampWriter> stamps_;
  std::unordered_map<std::uint64_t, Place> places_; // by the communicator's ID
  trace::RankFacts facts_;

  std::uint64_t now_ns_ = 0; // of the record read last
  std::uint64_t running_begin_ns_ = 0; // of the state read last, as far as it is not counted
  std::uint64_t running_end_ns_ = 0;
  std::uint64_t computation_ns_ = 0; // since the call before
  std::uint64_t settled_ns_ = 0; // computation so far
  std::uint64_t free_ns_ = 0; // end of the call before
  bool is_finalized_ = false;

  std::optional<Held> open_;
  std::deque<Held> held_; // ended, oldest first
  Ends early_sends_; // whose call has not ended yet
  Ends early_receives_;
  std::vector<std::int64_t> event_; // of the call that is recorded
  std::deque<Request> requests_; // open, oldest first
  std::uint64_t made_ = 0; // requests
};

} // namespace rondo::convert::internal
