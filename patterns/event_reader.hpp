// SPDX-License-Identifier: Apache-2.0
// Turns the calls of one rank into events.
#pragma once

#include "rondo/patterns/events.hpp"
#include "rondo/trace/call_reader.hpp"

#include <optional>
#include <unordered_map>
#include <vector>

namespace rondo::patterns::internal {

/// Words that an event is made of, by their place in the call; -1: none.
struct EventLayout {
  bool is_event = false;
  int comm = -1, destination = -1, source = -1, root = -1, send_tag = -1, receive_tag = -1,
      count = -1, type = -1, partitions = -1, status = -1, request = -1;
};
const EventLayout& event_layout_of(const trace::Function& function);

class EventMaker {
public:
  EventMaker(const trace::Trace& trace, const trace::Program& program, std::int64_t rank,
             const trace::Communicators& comms, EventTable& events);

  /// The event of a call that is one.
  /// @param words   those that the layout names must be there
  StreamEvent event(const trace::Function& function, const std::vector<std::int64_t>& words,
                    std::uint32_t symbol);
  /// Mean time of a call in MPI.
  std::uint64_t inside_ns(std::uint32_t symbol) const { return inside_ns_[symbol]; }
  /// Words that matter for events with this envelope.
  static std::vector<int> words_of(const EventLayout& layout, const Envelope& envelope);

private:
  std::int64_t bytes_of(const EventLayout& layout, const std::vector<std::int64_t>& words) const;

  std::int64_t rank_;
  const trace::Communicators* comms_;
  EventTable* events_;
  std::unordered_map<std::int64_t, std::int64_t> type_bytes_;
  std::vector<std::uint64_t> inside_ns_; // by symbol
};

} // namespace rondo::patterns::internal
