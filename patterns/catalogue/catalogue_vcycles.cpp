// SPDX-License-Identifier: Apache-2.0
// Which exchanges, one after the other, are the levels of a multigrid cycle.
#include "patterns/message_group.hpp"
#include "rondo/base/sort_stably.hpp"
#include "rondo/base/units.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <fmt/core.h>
#include <map>
#include <set>

namespace rondo::patterns::internal {
namespace {

using Pair = std::pair<std::int64_t, std::int64_t>;
using Ranks = std::set<std::int64_t>;

// Levels with fewer and fewer ranks
// ------------------------------------------------------------------------------------------------

bool is_exchange(const NamedPhase& phase) {
  return phase.name == PatternName::kHaloExchange || phase.name == PatternName::kButterfly ||
         phase.name == PatternName::kPairExchange || phase.name == PatternName::kPairwiseAllToAll;
}

Ranks ranks_of(const NamedPhase& phase) {
  Ranks ranks;
  for (const auto& group : phase.groups) ranks.insert(group.begin(), group.end());
  return ranks;
}

std::size_t count_ranks(const std::vector<PatternMessage>& messages) {
  Ranks ranks;
  for (const PatternMessage& m : messages) ranks.insert({m.from, m.to});
  return ranks.size();
}

/// Exchanges among all ranks, then among some, then among all again. What goes between neighbours
/// on the levels of all ranks makes a grid; on the other levels neighbours are 2, 4, ... apart on
/// it in some dimension, and next to each other in the others.
class Levels {
public:
  Levels(const std::vector<PatternMessage>& messages, std::vector<NamedPhase>& phases)
      : messages_(messages), phases_(phases) {
    for (const PatternMessage& m : messages) {
      if (m.from == m.to) continue;
      all_.insert({m.from, m.to});
      ++left_[{m.from, m.to}];
      has_several_sizes_ = has_several_sizes_ || m.most_bytes >= 0;
    }
  }

  void name() {
    if (!find_cycle() || !shrinks_and_grows() || !find_grid() || !reaches_far() || !comes_back())
      return;
    NamedPhase cycle;
    cycle.name = PatternName::kVCycle;
    cycle.scope = fmt::format("over {} ranks, on a {}", all_.size(), topology::title(grid_));
    cycle.what = "V-cycle " + cycle.scope;
    cycle.groups = {{all_.begin(), all_.end()}};
    cycle.messages = between_.size();
    cycle.pairs = between_;
    for (std::size_t i = first_; i < last_; ++i) {
      cycle.messages += phases_[i].messages;
      cycle.rounds += phases_[i].rounds;
      cycle.pairs.insert(cycle.pairs.end(), phases_[i].pairs.begin(), phases_[i].pairs.end());
    }
    say_levels(cycle);
    phases_.erase(phases_.begin() + static_cast<std::ptrdiff_t>(first_),
                  phases_.begin() + static_cast<std::ptrdiff_t>(last_));
    phases_.insert(phases_.begin() + static_cast<std::ptrdiff_t>(first_), std::move(cycle));
  }

private:
  // From the last exchange of all ranks before those of some, to all others behind. If a rank does
  // the same before and after, it is one event for both, and there may be no exchange of all ranks
  // behind, but messages without a name.
  bool find_cycle() {
    const auto is_coarse = [&](const NamedPhase& phase) {
      return is_exchange(phase) && ranks_of(phase).size() < all_.size();
    };
    const auto coarse = std::find_if(phases_.begin(), phases_.end(), is_coarse);
    if (coarse == phases_.begin() || coarse == phases_.end()) return false;
    first_ = static_cast<std::size_t>(coarse - phases_.begin()) - 1;
    last_ = first_ + 1;
    while (last_ < phases_.size() && is_exchange(phases_[last_])) ++last_;
    return is_exchange(phases_[first_]);
  }

  // Fewer and fewer ranks, each time of those before; then more and more.
  bool shrinks_and_grows() {
    bool grows = false;
    for (std::size_t i = first_; i < last_; ++i) {
      levels_.push_back(ranks_of(phases_[i]));
      if (i == first_) continue;
      const Ranks& before = levels_[i - first_ - 1];
      const Ranks& here = levels_.back();
      grows = grows || here.size() > before.size();
      const Ranks& larger = grows ? here : before;
      const Ranks& smaller = grows ? before : here;
      if (!std::includes(larger.begin(), larger.end(), smaller.begin(), smaller.end()))
        return false;
    }
    return true;
  }

  bool is_coarse(std::size_t i) const { return levels_[i - first_].size() < all_.size(); }

  // Made by the exchanges of all ranks and by what has no name; each pair both ways.
  bool find_grid() {
    for (const NamedPhase& phase : phases_) {
      for (const Pair& pair : phase.pairs) --left_[pair];
    }
    std::set<Pair> fine;
    for (const auto& [pair, count] : left_) {
      if (count > 0) {
        between_.insert(between_.end(), static_cast<std::size_t>(count), pair);
        fine.insert(pair);
      }
    }
    for (std::size_t i = first_; i < last_; ++i) {
      if (!is_coarse(i)) fine.insert(phases_[i].pairs.begin(), phases_[i].pairs.end());
    }
    std::vector<PatternMessage> sent;
    for (const auto& [from, to] : fine) {
      if (!fine.contains({to, from})) return false;
      sent.push_back({.from = from, .to = to, .bytes = 1});
    }
    const auto groups = groups_of(sent, std::vector<std::size_t>(sent.size(), 1));
    if (groups.size() != 1 || groups.front().ranks.size() != all_.size()) return false;
    topology::Graph graph;
    grid_ = recognized(groups.front(), graph);
    if (!grid_.recognized() || grid_.copies != 1 || grid_.cells.empty() ||
        !topology::has_coordinates(grid_.topology) || !has_axes(grid_.topology.kind))
      return false;
    for (std::size_t i = 0; i < grid_.cells.size(); ++i)
      cell_[groups.front().ranks[i]] = grid_.cells[i];
    return true;
  }

  static bool has_axes(topology::TopologyKind kind) {
    return kind == topology::TopologyKind::kChain || kind == topology::TopologyKind::kRing ||
           kind == topology::TopologyKind::kMesh;
  }

  // How far apart on the grid a pair is if it is in one dimension, and by a power of two; else 0.
  std::uint64_t distance(const Pair& pair) const {
    std::uint64_t distance = 0;
    for (const auto step : step_of(grid_.topology, cell_.at(pair.first), cell_.at(pair.second))) {
      if (step == 0) continue;
      if (distance > 0) return 0;
      distance = static_cast<std::uint64_t>(std::abs(step));
    }
    return std::has_single_bit(distance) ? distance : 0;
  }

  bool reaches_far() {
    for (std::size_t i = first_; i < last_; ++i) {
      std::uint64_t farthest = 1;
      for (const Pair& pair : phases_[i].pairs) {
        const std::uint64_t far = distance(pair);
        if (far == 0) return false;
        farthest = std::max(farthest, far);
      }
      if ((farthest > 1) != is_coarse(i)) return false;
      distances_.push_back(farthest);
    }
    return true;
  }

  // Each rank that has neighbours far away has spoken to those next to it before, and does so
  // again.
  bool comes_back() const {
    struct Times {
      std::uint64_t first = PatternMessage::kNever; // of sending far away
      std::uint64_t last = 0;
      bool is_near_before = false;
      bool is_near_after = false;
    };
    std::map<std::int64_t, Times> times;
    for (const PatternMessage& m : messages_) {
      if (m.from == m.to || distance({m.from, m.to}) == 1) continue;
      Times& own = times[m.from];
      own.first = std::min(own.first, m.sent);
      own.last = std::max(own.last, m.sent);
    }
    for (const PatternMessage& m : messages_) {
      const auto own = times.find(m.from);
      if (own == times.end() || m.from == m.to || distance({m.from, m.to}) != 1) continue;
      own->second.is_near_before = own->second.is_near_before || m.sent < own->second.first;
      own->second.is_near_after = own->second.is_near_after || m.sent > own->second.last;
    }
    return std::all_of(times.begin(), times.end(), [](const auto& own) {
      return own.second.is_near_before && own.second.is_near_after;
    });
  }

  // What is between the same ranks one after the other is one line.
  void say_levels(NamedPhase& cycle) const {
    for (std::size_t i = 0; i < levels_.size();) {
      const std::size_t first = i;
      double least = phases_[first_ + i].least_bytes;
      double most = 0;
      for (; i < levels_.size() && levels_[i] == levels_[first]; ++i) {
        least = std::min(least, phases_[first_ + i].least_bytes);
        most = std::max(most, phases_[first_ + i].most_bytes);
      }
      const std::string sizes =
          least == most ? human_bytes(least) : human_bytes(least) + " to " + human_bytes(most);
      const std::string who =
          levels_[first] == all_
              ? fmt::format("all {} ranks, neighbours next to each other", all_.size())
              : fmt::format("{} ranks ({}), neighbours up to {} apart", levels_[first].size(),
                            ranks_text({levels_[first].begin(), levels_[first].end()}),
                            distances_[first]);
      cycle.evidence.push_back(
          fmt::format("{}among {}: {}", first == 0 ? "" : "then ", who, sizes));
    }
    if (levels_.back() != all_)
      cycle.evidence.push_back("then among neighbours next to each other again");
    if (!between_.empty())
      cycle.evidence.push_back(fmt::format("{} of its messages, all between neighbours next to "
                                           "each other, are no exchange of one level",
                                           between_.size()));
    if (has_several_sizes_)
      cycle.evidence.push_back("messages of several levels are one event where their peers are the "
                               "same; --envelope peer,size tells them apart");
  }

  const std::vector<PatternMessage>& messages_;
  std::vector<NamedPhase>& phases_;
  Ranks all_;
  std::map<Pair, std::int64_t> left_; // messages, without those of phases
  std::vector<Pair> between_; // messages that have no name
  bool has_several_sizes_ = false; // for one message, from execution to execution
  std::size_t first_ = 0;
  std::size_t last_ = 0;
  std::vector<Ranks> levels_;
  std::vector<std::uint64_t> distances_;
  topology::Recognition grid_;
  std::map<std::int64_t, Vertex> cell_;
};

// Levels with smaller and smaller messages
// ------------------------------------------------------------------------------------------------

/// A butterfly whose messages shrink from round to round, then a collective on the coarsest level,
/// and back. Without the collective it is an allreduce.
class Halving {
public:
  Halving(const std::vector<PatternMessage>& messages, const PatternSurroundings& others)
      : messages_(messages), others_(others) {}

  void name(NamedPhase& phase) const {
    if (phase.name != PatternName::kButterfly || phase.rounds < 4 || phase.rounds % 2 != 0) return;
    const Ranks ranks = ranks_of(phase);
    std::vector<double> sizes;
    for (const std::int64_t rank : ranks) {
      const auto here = sizes_of(rank, ranks, phase.rounds);
      if (here.empty() || (!sizes.empty() && here != sizes)) return;
      sizes = here;
    }
    const std::size_t levels = sizes.size();
    phase.name = PatternName::kVCycle;
    phase.scope = phase.groups.size() == 1 ? fmt::format("over {} ranks", ranks.size())
                                           : phase.scope.substr(0, phase.scope.find(", in "));
    phase.scope += fmt::format(", in {} levels", levels);
    phase.what = "V-cycle on a hypercube " + phase.scope;
    phase.collective.clear();
    std::string text;
    for (const double bytes : sizes) text += (text.empty() ? "" : ", ") + human_bytes(bytes);
    phase.evidence = {phase.evidence.front(),
                      phase.evidence.size() > 1 ? phase.evidence[1] : std::string(),
                      "from level to level messages shrink, and on the way back they grow: " + text,
                      "each rank calls a collective on the coarsest level, between there and back; "
                      "without it this would be an allreduce by halving and doubling"};
  }

private:
  // Of the levels of one rank; empty if it does something else.
  std::vector<double> sizes_of(std::int64_t rank, const Ranks& ranks, std::size_t rounds) const {
    std::vector<const PatternMessage*> sent;
    std::vector<const PatternMessage*> received;
    for (const PatternMessage& m : messages_) {
      if (m.from == rank && m.to != rank && ranks.contains(m.to)) sent.push_back(&m);
      if (m.to == rank && m.from != rank && ranks.contains(m.from)) received.push_back(&m);
    }
    if (sent.size() != rounds || received.size() != rounds) return {};
    sort_stably(sent.begin(), sent.end(), [](auto* a, auto* b) { return a->sent < b->sent; });
    sort_stably(received.begin(), received.end(),
                [](auto* a, auto* b) { return a->received < b->received; });
    std::vector<double> sizes;
    for (std::size_t i = 0; i < rounds / 2; ++i) {
      const PatternMessage& there = *sent[i];
      const PatternMessage& back = *sent[rounds - 1 - i];
      if (there.to != back.to || there.bytes != back.bytes ||
          (i > 0 && there.bytes >= sizes.back()))
        return {};
      sizes.push_back(there.bytes);
    }
    const std::size_t middle = rounds / 2;
    const std::uint64_t down = std::max(sent[middle - 1]->sent, received[middle - 1]->received);
    const auto collectives = others_.collectives.find(rank);
    const bool has_collective =
        collectives != others_.collectives.end() &&
        std::any_of(collectives->second.begin(), collectives->second.end(),
                    [&](std::uint64_t time) { return time > down && time < sent[middle]->sent; });
    return has_collective ? sizes : std::vector<double>{};
  }

  const std::vector<PatternMessage>& messages_;
  const PatternSurroundings& others_;
};

} // namespace

void name_v_cycles(const std::vector<PatternMessage>& messages, const PatternSurroundings& others,
                   std::vector<NamedPhase>& phases) {
  for (NamedPhase& phase : phases) Halving(messages, others).name(phase);
  Levels(messages, phases).name();
  if (has_v_cycle(phases)) return;
  // What one level hands over to the next may look like an exchange of its own.
  const std::size_t all = count_ranks(messages);
  std::vector<NamedPhase> levels = phases;
  std::erase_if(levels, [&](const NamedPhase& phase) {
    return phase.name == PatternName::kPairExchange && ranks_of(phase).size() < all;
  });
  if (levels.size() == phases.size()) return;
  Levels(messages, levels).name();
  if (has_v_cycle(levels)) phases = std::move(levels);
}

bool may_have_levels(const std::vector<PatternMessage>& messages,
                     const std::vector<NamedPhase>& phases) {
  const std::size_t all = count_ranks(messages);
  return phases.size() > 1 && !has_v_cycle(phases) &&
         std::any_of(phases.begin(), phases.end(), [&](const NamedPhase& phase) {
           return is_exchange(phase) && ranks_of(phase).size() < all;
         });
}

bool has_v_cycle(const std::vector<NamedPhase>& phases) {
  return std::any_of(phases.begin(), phases.end(),
                     [](const NamedPhase& phase) { return phase.name == PatternName::kVCycle; });
}

} // namespace rondo::patterns::internal
