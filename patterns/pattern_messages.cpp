// SPDX-License-Identifier: Apache-2.0
// The messages within a communication pattern, with when they are sent and received.
#include "rondo/patterns/catalogue.hpp"

namespace rondo::patterns {
namespace {

// Events of a part stand at even steps; what they wait for is there at the odd step behind.
std::uint64_t sent_at(std::size_t event) { return 2 * event; }

// A receive that does not block is over at the first completion behind it.
std::uint64_t received_at(const CommunicationPatterns& found, const PatternPart& part,
                          std::size_t event) {
  const StreamPatterns& stream = found.processes.streams[part.stream];
  const auto symbol = stream.items[part.first + event].symbol;
  const trace::Function& function = *trace::find_function(found.processes.events[symbol].function);
  if (function.mode == trace::Mode::kBlocking) return 2 * event + 1;
  for (std::size_t i = event; i < part.length; ++i) {
    if (stream.completes_behind[part.first + i]) return 2 * i + 1;
  }
  return PatternMessage::kNever;
}

} // namespace

std::vector<PatternMessage> messages_of(const CommunicationPatterns& found,
                                        const CommunicationPattern& pattern) {
  std::vector<PatternMessage> messages;
  for (const PatternLink& link : pattern.links) {
    if (link.messages == 0) continue;
    const PatternPart& from = pattern.parts[link.from];
    const PatternPart& to = pattern.parts[link.to];
    const auto executions = std::max(from.executions, std::uint64_t{1});
    messages.push_back({found.processes.streams[from.stream].rank,
                        found.processes.streams[to.stream].rank, sent_at(link.from_event),
                        received_at(found, to, link.to_event),
                        static_cast<double>(link.bytes) / static_cast<double>(link.messages),
                        static_cast<double>(link.messages) / static_cast<double>(executions)});
  }
  return messages;
}

Documentation documented(const CommunicationPatterns& found, const CommunicationPattern& pattern) {
  return documented(messages_of(found, pattern));
}

} // namespace rondo::patterns
