// SPDX-License-Identifier: Apache-2.0
// The messages within a communication pattern, with when they are sent and received.
#include "rondo/patterns/catalogue.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace rondo::patterns {
namespace {

constexpr std::uint32_t kNoStep = CollapsedStream::kNoItem;

// The steps that a part takes: events with partners in the pattern. Others are left out, and then
// what stands twice in a row is one step, as it would be without them.
struct Steps {
  std::vector<std::uint32_t> of_event; // kNoStep: left out
  std::vector<std::uint32_t> up_to_event; // the last step up to there
};

Steps steps_of(const CommunicationPatterns& found, const PatternPart& part,
               const std::vector<bool>& is_linked) {
  const StreamPatterns& stream = found.processes.streams[part.stream];
  CollapsedStream linked;
  linked.track();
  for (std::size_t i = 0; i < part.length; ++i) {
    if (is_linked[i]) {
      linked.push(stream.items[part.first + i].symbol);
    } else {
      linked.skip();
    }
  }
  Steps steps{linked.item_of_positions(), {}};
  std::uint32_t last = 0;
  for (const std::uint32_t step : steps.of_event)
    steps.up_to_event.push_back(last = step == kNoStep ? last : std::max(last, step));
  return steps;
}

// Steps of a part stand at even times; what they wait for is there at the odd time behind. A
// receive that does not block is over at the first completion behind it.
std::uint64_t received_at(const CommunicationPatterns& found, const PatternPart& part,
                          const Steps& steps, std::size_t event) {
  const StreamPatterns& stream = found.processes.streams[part.stream];
  const auto symbol = stream.items[part.first + event].symbol;
  const trace::Function& function = *trace::find_function(found.processes.events[symbol].function);
  if (function.mode == trace::Mode::kBlocking) return 2 * std::uint64_t{steps.of_event[event]} + 1;
  for (std::size_t i = event; i < part.length; ++i) {
    if (stream.completes_behind[part.first + i]) return 2 * std::uint64_t{steps.up_to_event[i]} + 1;
  }
  return PatternMessage::kNever;
}

std::vector<Steps> steps_of(const CommunicationPatterns& found,
                            const CommunicationPattern& pattern) {
  std::vector<std::vector<bool>> is_linked;
  for (const PatternPart& part : pattern.parts) is_linked.emplace_back(part.length);
  for (const PatternLink& link : pattern.links) {
    is_linked[link.from][link.from_event] = true;
    is_linked[link.to][link.to_event] = true;
  }
  std::vector<Steps> steps;
  for (std::size_t i = 0; i < pattern.parts.size(); ++i)
    steps.push_back(steps_of(found, pattern.parts[i], is_linked[i]));
  return steps;
}

// All messages from one step to another, for all executions.
struct StepLink {
  std::size_t from = 0; // parts
  std::uint32_t sent = 0; // steps
  std::size_t to = 0;
  std::uint32_t received = 0;
  PatternLink sum; // its events are the first ones
};

std::vector<StepLink> step_links(const CommunicationPattern& pattern,
                                 const std::vector<Steps>& steps) {
  std::map<std::tuple<std::size_t, std::uint32_t, std::size_t, std::uint32_t>, std::size_t> known;
  std::vector<StepLink> links;
  for (const PatternLink& link : pattern.links) {
    if (link.messages == 0) continue;
    const std::uint32_t sent = steps[link.from].of_event[link.from_event];
    const std::uint32_t received = steps[link.to].of_event[link.to_event];
    const auto [same, is_new] =
        known.try_emplace({link.from, sent, link.to, received}, links.size());
    if (is_new) {
      links.push_back({link.from, sent, link.to, received, link});
      continue;
    }
    PatternLink& sum = links[same->second].sum;
    sum.messages += link.messages;
    sum.bytes += link.bytes;
    sum.messages_anywhere += link.messages_anywhere;
    sum.bytes_anywhere += link.bytes_anywhere;
    sum.least_bytes = std::min(sum.least_bytes, link.least_bytes);
    sum.most_bytes = std::max(sum.most_bytes, link.most_bytes);
  }
  return links;
}

// How often a step of a part is executed.
std::uint64_t executions_of(const CommunicationPatterns& found, const PatternPart& part,
                            const Steps& steps, std::uint32_t step) {
  std::uint64_t executions = 0;
  for (std::size_t i = 0; i < part.length; ++i) {
    if (steps.of_event[i] == step)
      executions += found.processes.streams[part.stream].items[part.first + i].executions;
  }
  return std::max(executions, std::uint64_t{1});
}

// Of the links of one step to one partner those with most messages, as many as one execution of the
// step has: the others lead to the executions before and behind, whose events are the same.
template <class Executions>
void drop_crossing(std::vector<StepLink>& links, bool of_sender, Executions executions) {
  using Key = std::tuple<std::size_t, std::uint32_t, std::size_t>;
  const auto key = [&](const StepLink& link) {
    return of_sender ? Key{link.from, link.sent, link.to} : Key{link.to, link.received, link.from};
  };
  std::map<Key, std::uint64_t> messages;
  for (const StepLink& link : links) messages[key(link)] += link.sum.messages;
  std::stable_sort(links.begin(), links.end(), [](const StepLink& a, const StepLink& b) {
    return a.sum.messages > b.sum.messages;
  });
  std::map<Key, std::uint64_t> kept;
  std::erase_if(links, [&](const StepLink& link) {
    const auto [part, step, partner] = key(link);
    const std::uint64_t times = executions(part, step);
    const std::uint64_t wanted = (messages[key(link)] + times / 2) / times;
    return kept[key(link)]++ >= std::max(wanted, std::uint64_t{1});
  });
}

} // namespace

std::vector<PatternMessage> messages_of(const CommunicationPatterns& found,
                                        const CommunicationPattern& pattern) {
  const std::vector<Steps> steps = steps_of(found, pattern);
  std::vector<StepLink> links = step_links(pattern, steps);
  const auto executions = [&](std::size_t part, std::uint32_t step) {
    return executions_of(found, pattern.parts[part], steps[part], step);
  };
  drop_crossing(links, true, executions);
  drop_crossing(links, false, executions);
  std::sort(links.begin(), links.end(), [](const StepLink& a, const StepLink& b) {
    return std::tie(a.from, a.sent, a.to, a.received) < std::tie(b.from, b.sent, b.to, b.received);
  });
  std::vector<PatternMessage> messages;
  for (const StepLink& link : links) {
    const PatternPart& from = pattern.parts[link.from];
    const PatternPart& to = pattern.parts[link.to];
    const StreamPatterns& sender = found.processes.streams[from.stream];
    PatternMessage message;
    message.from = sender.rank;
    message.to = found.processes.streams[to.stream].rank;
    message.sent = 2 * std::uint64_t{link.sent};
    message.received = received_at(found, to, steps[link.to], link.sum.to_event);
    message.bytes = static_cast<double>(link.sum.bytes_anywhere) /
                    static_cast<double>(link.sum.messages_anywhere);
    message.times = static_cast<double>(link.sum.messages) /
                    static_cast<double>(std::max(from.executions, std::uint64_t{1}));
    if (link.sum.least_bytes != link.sum.most_bytes) {
      message.least_bytes = static_cast<double>(link.sum.least_bytes);
      message.most_bytes = static_cast<double>(link.sum.most_bytes);
    }
    message.place = sender.place_of[from.first + link.sum.from_event];
    messages.push_back(message);
  }
  return messages;
}

PatternSurroundings surroundings_of(const CommunicationPatterns& found,
                                    const CommunicationPattern& pattern) {
  const std::vector<Steps> steps = steps_of(found, pattern);
  PatternSurroundings result;
  result.grids = found.grids;
  result.takers = found.takers;
  for (std::size_t i = 0; i < pattern.parts.size(); ++i) {
    const PatternPart& part = pattern.parts[i];
    const StreamPatterns& stream = found.processes.streams[part.stream];
    result.ranks.push_back(stream.rank);
    for (std::size_t event = 0; event < part.length; ++event) {
      const Symbol symbol = stream.items[part.first + event].symbol;
      const auto& function = *trace::find_function(found.processes.events[symbol].function);
      if (function.role == trace::Role::kCollective && steps[i].of_event[event] != kNoStep)
        result.collectives[stream.rank].push_back(2 * std::uint64_t{steps[i].of_event[event]});
    }
  }
  return result;
}

Documentation documented(const CommunicationPatterns& found, const CommunicationPattern& pattern) {
  return documented(messages_of(found, pattern), surroundings_of(found, pattern));
}

} // namespace rondo::patterns
