// SPDX-License-Identifier: Apache-2.0
// Calls as the events that patterns are made of: what a call does, and as much of its envelope
// (peer, size, tag) as is wanted. Equal events have equal numbers, on all ranks.
//
// Events are sends, receives, collectives, starts of persistent requests and one-sided transfers;
// what only completes, makes or frees something is none. A start has the envelope of what made its
// request; MPI_Startall is one event, with a list of what it starts.
#pragma once

#include "rondo/patterns/collapsed_stream.hpp"
#include "rondo/trace/communicators.hpp"
#include "rondo/trace/trace.hpp"

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace rondo::patterns {

/// What is kept of a message's envelope.
struct Envelope {
  bool peer = true;
  bool size = false;
  bool tag = false;
};

struct Event {
  std::uint16_t function = 0;
  std::uint32_t comm = trace::Communicators::kWorld;
  // World ranks; kNothing where the function has none, or it is not kept; kAnySource.
  std::int64_t destination = trace::kNothing;
  std::int64_t source = trace::kNothing;
  std::int64_t root = trace::kNothing;
  std::int64_t send_tag = trace::kNothing;
  std::int64_t receive_tag = trace::kNothing;
  std::int64_t bytes = trace::kNothing;
  std::uint16_t made_by = 0; // of a start: what made the request; 0: not known
  std::uint32_t list = 0; // of MPI_Startall: EventTable::list_of()
  friend auto operator<=>(const Event&, const Event&) = default;
};

bool is_event(const trace::Function& function);

/// "send 3", "sendrecv 3 from 5", "allreduce", "bcast root 0", "recv any (tag 5)", "start send 3";
/// with `rank` the peers are written as seen from there: "send +1".
/// @param comm   name of the event's communicator, for one that the program made
std::string text_of(const Event& event, std::int64_t rank = -1, std::string_view comm = "?");

class EventTable {
public:
  explicit EventTable(Envelope envelope) : envelope_(envelope) {}
  EventTable(EventTable&&) = default;
  EventTable& operator=(EventTable&&) = default;

  Symbol number(const Event& event);
  const Event& operator[](Symbol symbol) const { return *events_[symbol]; }
  std::size_t size() const { return events_.size(); }

  /// A number for these events together, from 1.
  std::uint32_t list(const Word& started);
  const Word& list_of(std::uint32_t number) const { return *lists_[number - 1]; }
  /// A number for a phase that the program marks (rondo_phase.h), from 1; 0 is outside of all.
  std::uint32_t phase(const std::string& name);
  std::string phase_name(std::uint32_t number) const {
    return number == 0 ? "" : *phases_[number - 1];
  }

  /// The event itself, or for MPI_Startall each that it starts.
  template <class Visit> void for_each_message(Symbol symbol, Visit visit) const {
    const Event& event = *events_[symbol];
    if (event.list == 0) return visit(event);
    for (const Symbol started : list_of(event.list)) visit(*events_[started]);
  }

  /// Events of this trace then say their communicator by its name (trace::CommunicatorNames).
  /// @complexity  O(ranks * communicators)
  void name_communicators(const trace::Trace& trace, const trace::Communicators& comms);

  /// As of an event; "startall {send 3, recv 5}".
  std::string text_of(Symbol symbol, std::int64_t rank = -1) const;

  const Envelope& envelope() const { return envelope_; }

private:
  Envelope envelope_;
  struct Hash {
    std::size_t operator()(const Event& event) const;
  };
  std::unordered_map<Event, Symbol, Hash> numbers_;
  std::vector<const Event*> events_; // in numbers_
  std::map<Word, std::uint32_t> list_numbers_;
  std::vector<const Word*> lists_; // in list_numbers_
  std::map<std::string, std::uint32_t> phase_numbers_;
  std::vector<const std::string*> phases_; // in phase_numbers_
  std::map<std::uint32_t, std::string> comm_names_; // by Communicators::View::id
};

} // namespace rondo::patterns
