// SPDX-License-Identifier: Apache-2.0
// The messages within a communication pattern, with when they are sent and received.
#include "rondo/patterns/catalogue.hpp"

#include "rondo/base/sort_stably.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <tuple>

namespace rondo::patterns {
namespace {

constexpr std::uint32_t kNoStep = CollapsedStream::kNoItem;

// The steps that a part takes: events with partners in the pattern. Others are left out, and then
// what stands twice in a row is one step, as it would be without them.
struct Steps {
  std::vector<std::uint32_t> of_event; // kNoStep: left out
  std::vector<std::uint32_t> up_to_event; // the last step up to there
  std::vector<std::uint64_t> turns; // how many times one is taken, from one loop to the next
  std::vector<std::uint64_t> first; // of these times, all steps before it counted; and one more

  void count() {
    first.assign(turns.size() + 1, 0);
    std::partial_sum(turns.begin(), turns.end(), first.begin() + 1);
  }
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
  Steps steps{linked.item_of_positions(), {}, {}, {}};
  std::uint32_t last = 0;
  for (const std::uint32_t step : steps.of_event)
    steps.up_to_event.push_back(last = step == kNoStep ? last : std::max(last, step));
  steps.turns.assign(last + 1, 1);
  return steps;
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

enum Side : std::size_t { kSender, kReceiver };

struct LinkEnd {
  std::size_t part = 0;
  std::uint32_t step = 0;
  std::uint32_t turn = 0; // of the step, with this partner
  friend auto operator<=>(const LinkEnd&, const LinkEnd&) = default;
};

// All messages from one step to another, for all executions.
struct StepLink {
  std::array<LinkEnd, 2> ends; // by side
  PatternLink sum; // its events are the first ones
};

std::vector<StepLink> step_links(const CommunicationPattern& pattern,
                                 const std::vector<Steps>& steps) {
  std::vector<StepLink> links;
  for (const PatternLink& link : pattern.links) {
    if (link.messages == 0) continue;
    const std::array<LinkEnd, 2> ends{{{link.from, steps[link.from].of_event[link.from_event]},
                                       {link.to, steps[link.to].of_event[link.to_event]}}};
    links.push_back({ends, link});
  }
  sort_stably(links.begin(), links.end(),
              [](const StepLink& a, const StepLink& b) { return a.ends < b.ends; });
  std::size_t count = 0;
  for (const StepLink& link : links) {
    if (count == 0 || links[count - 1].ends != link.ends) {
      links[count++] = link;
      continue;
    }
    PatternLink& sum = links[count - 1].sum;
    sum.messages += link.sum.messages;
    sum.bytes += link.sum.bytes;
    sum.messages_anywhere += link.sum.messages_anywhere;
    sum.bytes_anywhere += link.sum.bytes_anywhere;
    sum.least_bytes = std::min(sum.least_bytes, link.sum.least_bytes);
    sum.most_bytes = std::max(sum.most_bytes, link.sum.most_bytes);
  }
  links.resize(count);
  sort_stably(links.begin(), links.end(), [](const StepLink& a, const StepLink& b) {
    const auto place = [](const PatternLink& link) {
      return std::tie(link.from, link.from_event, link.to, link.to_event);
    };
    return place(a.sum) < place(b.sum);
  });
  return links;
}

// A step of one side, with a partner.
using StepKey = std::tuple<LinkEnd, std::size_t>;

StepKey key_of(const StepLink& link, Side side) {
  return {link.ends[side], link.ends[1 - side].part};
}

/// The links of each step to each partner, in the order that they have.
template <class Use> void each_step(std::vector<StepLink>& links, Side side, Use use) {
  std::vector<StepLink*> order;
  for (StepLink& link : links) order.push_back(&link);
  sort_stably(order.begin(), order.end(), [&](const StepLink* a, const StepLink* b) {
    return key_of(*a, side) < key_of(*b, side);
  });
  for (auto first = order.begin(); first != order.end();) {
    const auto last = std::find_if(first, order.end(), [&](const StepLink* link) {
      return key_of(*link, side) != key_of(**first, side);
    });
    use(std::span<StepLink*>(first, last));
    first = last;
  }
}

std::uint64_t message_sum(std::span<StepLink*> links) {
  std::uint64_t sum = 0;
  for (const StepLink* link : links) sum += link->sum.messages;
  return sum;
}

// Where one loop ends with what the next one begins with, both are one step, which the partner may
// have as two. Then the step is taken in turns, in the order of the partner's. Only what is most of
// what a step of the partner gets from here is a turn: the rest crosses from execution to
// execution.
bool take_turns(std::vector<StepLink>& links, Side side, std::vector<Steps>& steps) {
  const Side other = side == kSender ? kReceiver : kSender;
  std::vector<bool> is_whole(links.size());
  each_step(links, other, [&](std::span<StepLink*> of_partner) {
    const std::uint64_t messages = message_sum(of_partner);
    for (const StepLink* link : of_partner)
      is_whole[static_cast<std::size_t>(link - links.data())] = 2 * link->sum.messages > messages;
  });
  bool has_turns = false;
  std::vector<std::pair<StepLink*, std::uint32_t>> turns; // set behind, as they are in the keys
  each_step(links, side, [&](std::span<StepLink*> of_step) {
    std::vector<StepLink*> taken;
    for (StepLink* const link : of_step) {
      if (is_whole[static_cast<std::size_t>(link - links.data())]) taken.push_back(link);
    }
    if (taken.size() < 2) return;
    sort_stably(taken.begin(), taken.end(), [&](const StepLink* a, const StepLink* b) {
      return a->ends[other] < b->ends[other];
    });
    const LinkEnd& end = of_step.front()->ends[side];
    std::uint64_t& all = steps[end.part].turns[end.step];
    all = std::max<std::uint64_t>(all, taken.size());
    for (std::uint32_t turn = 0; turn < taken.size(); ++turn) turns.emplace_back(taken[turn], turn);
    has_turns = true;
  });
  for (const auto& [link, turn] : turns) link->ends[side].turn = turn;
  return has_turns;
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
void drop_crossing(std::vector<StepLink>& links, Side side, Executions executions) {
  std::vector<bool> is_dropped(links.size());
  each_step(links, side, [&](std::span<StepLink*> of_step) {
    if (of_step.size() < 2) return;
    const std::uint64_t times = executions(of_step.front()->ends[side]);
    const std::uint64_t wanted = (message_sum(of_step) + times / 2) / times;
    sort_stably(of_step.begin(), of_step.end(), [](const StepLink* a, const StepLink* b) {
      return a->sum.messages > b->sum.messages;
    });
    for (std::size_t i = std::max<std::uint64_t>(wanted, 1); i < of_step.size(); ++i)
      is_dropped[static_cast<std::size_t>(of_step[i] - links.data())] = true;
  });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < links.size(); ++i) {
    if (!is_dropped[i]) links[kept++] = links[i];
  }
  links.resize(kept);
}

struct Linked {
  std::vector<Steps> steps; // by part
  std::vector<StepLink> links;
  bool has_turns = false;
};

Linked linked_steps(const CommunicationPatterns& found, const CommunicationPattern& pattern) {
  Linked linked{steps_of(found, pattern), {}};
  linked.links = step_links(pattern, linked.steps);
  for (Steps& one : linked.steps) one.count();
  return linked;
}

Linked in_turns(Linked linked) {
  for (const Side side : {kSender, kReceiver})
    linked.has_turns = take_turns(linked.links, side, linked.steps) || linked.has_turns;
  for (Steps& one : linked.steps) one.count();
  return linked;
}

// Steps of a part stand at even times; what they wait for is there at the odd time behind. A
// receive that does not block is over at the first completion behind it.
std::uint64_t received_at(const CommunicationPatterns& found, const PatternPart& part,
                          const Steps& steps, const LinkEnd& end, std::size_t event) {
  const StreamPatterns& stream = found.processes.streams[part.stream];
  const auto symbol = stream.items[part.first + event].symbol;
  const trace::Function& function = *trace::find_function(found.processes.events[symbol].function);
  if (function.mode == trace::Mode::kBlocking) return 2 * (steps.first[end.step] + end.turn) + 1;
  for (std::size_t i = event; i < part.length; ++i) {
    if (stream.completes_behind[part.first + i])
      return 2 * steps.first[steps.up_to_event[i] + 1] - 1;
  }
  return PatternMessage::kNever;
}

std::vector<PatternMessage> messages_of(const CommunicationPatterns& found,
                                        const CommunicationPattern& pattern, const Linked& linked) {
  const std::vector<Steps>& steps = linked.steps;
  std::vector<StepLink> links = linked.links;
  const auto executions = [&](const LinkEnd& end) {
    return executions_of(found, pattern.parts[end.part], steps[end.part], end.step);
  };
  for (const Side side : {kSender, kReceiver}) drop_crossing(links, side, executions);
  sort_stably(links.begin(), links.end(),
              [](const StepLink& a, const StepLink& b) { return a.ends < b.ends; });
  std::vector<PatternMessage> messages;
  for (const StepLink& link : links) {
    const auto& [sent, received] = link.ends;
    const PatternPart& from = pattern.parts[sent.part];
    const PatternPart& to = pattern.parts[received.part];
    const StreamPatterns& sender = found.processes.streams[from.stream];
    PatternMessage message;
    message.from = sender.rank;
    message.to = found.processes.streams[to.stream].rank;
    message.sent = 2 * (steps[sent.part].first[sent.step] + sent.turn);
    message.received = received_at(found, to, steps[received.part], received, link.sum.to_event);
    message.bytes = static_cast<double>(link.sum.bytes_anywhere) /
                    static_cast<double>(link.sum.messages_anywhere);
    message.times = static_cast<double>(link.sum.messages) /
                    static_cast<double>(std::max(from.executions, std::uint64_t{1}));
    if (link.sum.least_bytes != link.sum.most_bytes) {
      message.least_bytes = static_cast<double>(link.sum.least_bytes);
      message.most_bytes = static_cast<double>(link.sum.most_bytes);
    }
    message.place = sender.place_of[from.first + link.sum.from_event];
    message.site = sender.site_of[from.first + link.sum.from_event] + 1;
    messages.push_back(message);
  }
  return messages;
}

PatternSurroundings surroundings_of(const CommunicationPatterns& found,
                                    const CommunicationPattern& pattern, const Linked& linked) {
  const std::vector<Steps>& steps = linked.steps;
  PatternSurroundings result;
  result.grids = found.grids;
  result.takers = found.takers;
  result.in_turns = linked.has_turns;
  for (std::size_t i = 0; i < pattern.parts.size(); ++i) {
    const PatternPart& part = pattern.parts[i];
    const StreamPatterns& stream = found.processes.streams[part.stream];
    result.ranks.push_back(stream.rank);
    for (std::size_t event = 0; event < part.length; ++event) {
      const Symbol symbol = stream.items[part.first + event].symbol;
      const auto& function = *trace::find_function(found.processes.events[symbol].function);
      const std::uint32_t step = steps[i].of_event[event];
      if (function.role == trace::Role::kCollective && step != kNoStep)
        result.collectives[stream.rank].push_back(2 * steps[i].first[step]);
    }
  }
  return result;
}

} // namespace

std::vector<PatternMessage> messages_of(const CommunicationPatterns& found,
                                        const CommunicationPattern& pattern, bool takes_turns) {
  Linked linked = linked_steps(found, pattern);
  return messages_of(found, pattern, takes_turns ? in_turns(std::move(linked)) : linked);
}

// What is told apart at the seams of loops may also take apart what belongs together, such as the
// levels of a multigrid, so it counts only where everything gets a name.
Documentation documented(const CommunicationPatterns& found, const CommunicationPattern& pattern) {
  const Linked linked = linked_steps(found, pattern);
  const auto messages = messages_of(found, pattern, linked);
  const Linked apart = in_turns(linked);
  const auto turns =
      apart.has_turns ? messages_of(found, pattern, apart) : std::vector<PatternMessage>{};
  if (turns.size() > messages.size()) {
    Documentation known = documented(turns, surroundings_of(found, pattern, apart));
    known.in_turns = true;
    if (known.is_known() && known.unnamed == 0) return known;
  }
  return documented(messages, surroundings_of(found, pattern, linked));
}

} // namespace rondo::patterns
