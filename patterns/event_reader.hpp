// SPDX-License-Identifier: Apache-2.0
// Turns the calls of one rank into events.
#pragma once

#include "rondo/matrix/call_bytes.hpp"
#include "rondo/patterns/events.hpp"
#include "rondo/trace/call_meaning.hpp"
#include "rondo/trace/call_reader.hpp"
#include "rondo/trace/persistent_slots.hpp"

#include <set>
#include <span>
#include <unordered_map>
#include <vector>

namespace rondo::patterns::internal {

/// What a call does to what is known of the stream.
enum class StreamAct : std::uint8_t {
  kNothing,
  kEvent,
  kStart, // an event, whose envelope is that of its requests
  kMakeRequest, // one that is started later
  kFreeRequest,
  kMakeWindow,
  kBeginPhase,
  kEndPhase,
};
StreamAct stream_act_of(const trace::Function& function);

/// Of MPI_Improbe, which is a receive where it has found a message, and else nothing.
bool found_nothing(const trace::Function& function, std::span<const std::int64_t> words);

/// The same call may mean something else after it.
inline bool changes_meaning(StreamAct act) {
  return act == StreamAct::kMakeRequest || act == StreamAct::kFreeRequest ||
         act == StreamAct::kMakeWindow;
}

class EventMaker {
public:
  EventMaker(const trace::Trace& trace, const trace::Program& program, std::int64_t rank,
             const trace::Communicators& comms, EventTable& events);

  /// The rank takes what comes first from these world ranks: which of them an event is with is not
  /// said.
  void is_master_of(const std::set<std::int64_t>& workers) { workers_ = &workers; }
  /// The rank hears from each of these equally often, in the order in which they come: it is not
  /// said of a receive from anywhere which of them it has heard.
  void takes_first_from(const std::set<std::int64_t>& senders) { senders_ = &senders; }
  /// Of a receive from anywhere that gets messages of others from time to time it is not said
  /// whose.
  void leaves_senders_open();
  /// Takes in what a call that is no event changes for those behind it.
  void note(const trace::Function& function, const std::vector<std::int64_t>& words);
  /// The phase that the program has marked here.
  std::uint32_t phase() const { return phases_.empty() ? 0 : phases_.back(); }

  /// The event of a call that is one.
  /// @param words    those of words_of() must be there
  /// @param source   world rank whose message a receive from anywhere got, if it is known
  StreamEvent event(const trace::Function& function, const std::vector<std::int64_t>& words,
                    std::uint32_t symbol, std::int64_t source = trace::kAnySource);
  /// Mean time of a call in MPI.
  std::uint64_t inside_ns(std::uint32_t symbol) const { return inside_ns_[symbol]; }
  /// Words that matter for events with this envelope, and for the bytes that they move.
  static std::vector<int> words_of(const trace::Function& function, const Envelope& envelope);

private:
  struct Message {
    Event event;
    std::uint64_t bytes = 0; // moved, as all commands have it: matrix::CallBytes
  };

  std::int64_t block_of(int count_word, int type_word, const trace::CallView& call) const;
  Message message(const trace::Function& function, const std::vector<std::int64_t>& words) const;
  Message started(std::int64_t request, std::uint16_t function);
  Message start(const trace::Function& function, const std::vector<std::int64_t>& words);

  std::int64_t rank_;
  const trace::Program* program_;
  const trace::Communicators* comms_;
  EventTable* events_;
  matrix::CallBytes bytes_;
  std::unordered_map<std::int64_t, std::int64_t> type_bytes_;
  std::vector<std::uint64_t> inside_ns_; // by symbol
  const std::set<std::int64_t>* workers_ = nullptr; // of a master
  const std::set<std::int64_t>* senders_ = nullptr; // to one who takes what comes first
  std::vector<bool> has_senders_; // by symbol: the call in the source hears several; empty: as said
  trace::PersistentSlots<Message> requests_;
  std::unordered_map<std::int64_t, std::int64_t> comm_of_window_; // slots
  std::vector<std::uint32_t> phases_; // open ones
};

} // namespace rondo::patterns::internal
