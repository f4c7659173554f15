// SPDX-License-Identifier: Apache-2.0
// Calls as the events that patterns are made of: what a call does, and as much of its envelope
// (peer, size, tag) as is wanted. Equal events have equal numbers, on all ranks.
//
// Events are sends, receives, collectives and starts of persistent requests; what only completes,
// makes or frees something is none.
#pragma once

#include "rondo/patterns/collapsed_stream.hpp"
#include "rondo/trace/communicators.hpp"
#include "rondo/trace/trace.hpp"

#include <compare>
#include <cstdint>
#include <map>
#include <string>
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
  friend auto operator<=>(const Event&, const Event&) = default;
};

bool is_event(const trace::Function& function);

class EventTable {
public:
  explicit EventTable(Envelope envelope) : envelope_(envelope) {}
  EventTable(EventTable&&) = default;
  EventTable& operator=(EventTable&&) = default;

  Symbol number(const Event& event);
  const Event& operator[](Symbol symbol) const { return *events_[symbol]; }
  std::size_t size() const { return events_.size(); }
  const Envelope& envelope() const { return envelope_; }

private:
  Envelope envelope_;
  std::map<Event, Symbol> numbers_;
  std::vector<const Event*> events_; // in numbers_
};

/// "send 3", "sendrecv 3 from 5", "allreduce", "bcast from 0", "recv any (tag 5)"; with `rank` the
/// peers are written as seen from there: "send +1".
std::string text_of(const Event& event, std::int64_t rank = -1);

} // namespace rondo::patterns
