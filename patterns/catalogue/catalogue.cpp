// SPDX-License-Identifier: Apache-2.0
#include "rondo/patterns/catalogue.hpp"

#include "patterns/masters.hpp"
#include "patterns/message_group.hpp"
#include "rondo/base/sort_stably.hpp"

#include <algorithm>
#include <fmt/core.h>
#include <limits>
#include <map>
#include <set>

namespace rondo::patterns {
namespace {

using internal::MessageGroup;
using internal::Shape;

constexpr std::size_t kMostDepths = 48; // that are looked at one after the other

// The first that fits; those that say most come first.
std::optional<Shape> shape_of(const MessageGroup& group) {
  for (const auto detector : {internal::pair, internal::butterfly, internal::dissemination,
                              internal::tree, internal::master_worker, internal::ring,
                              internal::all_to_all, internal::multigrid, internal::lattice}) {
    if (auto shape = detector(group)) return shape;
  }
  return {};
}

std::string groups_text(const std::vector<std::vector<std::int64_t>>& groups) {
  constexpr std::size_t kMostGroups = 3;
  if (groups.size() == 1) return fmt::format("over {} ranks", groups.front().size());
  const auto [least, most] =
      std::minmax_element(groups.begin(), groups.end(),
                          [](const auto& a, const auto& b) { return a.size() < b.size(); });
  const std::string size = least->size() == most->size()
                               ? std::to_string(most->size())
                               : fmt::format("{} to {}", least->size(), most->size());
  std::string members;
  for (std::size_t i = 0; i < std::min(kMostGroups, groups.size()); ++i) {
    members += (i == 0 ? "" : "; ") + internal::ranks_text(groups[i]);
  }
  if (groups.size() > kMostGroups) members += "; ...";
  return fmt::format("within each of {} groups of {} ranks ({})", groups.size(), size, members);
}

// Who gathers from more ranks than another does the same.
bool is_of_any_size(PatternName name) {
  return name == PatternName::kGather || name == PatternName::kScatter;
}

// Groups that do the same, and how.
struct SameShape {
  Shape shape;
  std::vector<std::vector<std::int64_t>> groups;
  std::size_t messages = 0;
  std::size_t depth = 0;
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs{};
  double least_bytes = std::numeric_limits<double>::infinity();
  double most_bytes = 0;

  void add(const MessageGroup& group) {
    groups.push_back(group.ranks);
    messages += group.messages.size();
    depth = std::max(depth, group.depth);
    for (const auto& m : group.messages) {
      pairs.emplace_back(group.ranks[static_cast<std::size_t>(m.from)],
                         group.ranks[static_cast<std::size_t>(m.to)]);
      least_bytes = std::min(least_bytes, m.least_bytes < 0 ? m.bytes : m.least_bytes);
      most_bytes = std::max(most_bytes, m.most_bytes < 0 ? m.bytes : m.most_bytes);
    }
  }
};

NamedPhase phase_of(const SameShape& same) {
  const Shape& shape = same.shape;
  NamedPhase phase;
  phase.name = shape.name;
  phase.also = shape.also;
  phase.scope = groups_text(same.groups);
  if (!shape.how.empty()) phase.scope += ", " + shape.how;
  phase.what = shape.what + " " + phase.scope;
  phase.evidence = shape.evidence;
  phase.collective = shape.collective;
  phase.groups = same.groups;
  phase.pairs = same.pairs;
  phase.least_bytes = same.least_bytes;
  phase.most_bytes = same.most_bytes;
  phase.messages = same.messages;
  phase.rounds = same.depth;
  if (shape.root >= 0) {
    phase.has_root = true;
    phase.root = same.groups.front()[static_cast<std::size_t>(shape.root)];
    if (same.groups.size() == 1 && phase.what.find("from rank") == std::string::npos)
      phase.what += fmt::format(", rank {} being the root", phase.root);
  }
  return phase;
}

// Names for messages that belong to one time; empty if some group has none.
std::vector<NamedPhase> named_at_once(const std::vector<PatternMessage>& messages,
                                      const std::vector<std::size_t>& depths) {
  constexpr std::size_t kMostKinds = 4; // of different things at one time
  std::vector<SameShape> kinds;
  for (const MessageGroup& group : internal::groups_of(messages, depths)) {
    if (group.messages.empty()) continue; // a rank that keeps something
    auto shape = shape_of(group);
    if (!shape) return {};
    const auto same = std::find_if(kinds.begin(), kinds.end(), [&](const SameShape& kind) {
      return kind.shape.what == shape->what && kind.shape.collective == shape->collective &&
             (kind.groups.front().size() == group.ranks.size() || is_of_any_size(shape->name));
    });
    if (same == kinds.end()) {
      if (kinds.size() == kMostKinds) return {};
      kinds.push_back({std::move(*shape), {}});
      kinds.back().add(group);
    } else {
      if (shape->how != same->shape.how) same->shape.how.clear();
      same->add(group);
    }
  }
  std::vector<NamedPhase> phases;
  for (const SameShape& same : kinds) phases.push_back(phase_of(same));
  return phases;
}

struct Timed {
  const std::vector<PatternMessage>& messages;
  std::vector<std::size_t> depths;

  // Those of first <= depth < last.
  std::vector<NamedPhase> named(std::size_t first, std::size_t last) const {
    std::vector<PatternMessage> part;
    std::vector<std::size_t> part_depths;
    for (std::size_t i = 0; i < messages.size(); ++i) {
      if (depths[i] < first || depths[i] >= last) continue;
      part.push_back(messages[i]);
      part_depths.push_back(depths[i]);
    }
    return named_at_once(part, part_depths);
  }
};

// One thing after the other, the longest first.
std::vector<NamedPhase> named_in_turn(const Timed& timed) {
  const auto [least, most] = std::minmax_element(timed.depths.begin(), timed.depths.end());
  if (*least == 0 || *most > kMostDepths) return {};
  std::vector<NamedPhase> phases;
  for (std::size_t first = 1; first <= *most;) {
    std::size_t last = *most + 1;
    std::vector<NamedPhase> found;
    for (; last > first && found.empty(); --last) found = timed.named(first, last);
    if (found.empty()) return {};
    first = last + 1;
    phases.insert(phases.end(), found.begin(), found.end());
  }
  return phases;
}

std::size_t count_of(const std::vector<NamedPhase>& phases) {
  std::size_t count = 0;
  for (const NamedPhase& phase : phases) count += phase.messages;
  return count;
}

// Messages in pieces that follow each other, as many of them at once as have a name. What fits
// nothing is left out; it must be less than a quarter.
class InPieces {
public:
  using Messages = std::vector<PatternMessage>;

  InPieces(std::vector<Messages> pieces, std::size_t all) : all_(all), places_(std::move(pieces)) {}

  // By the call that sent them, in the order of the program.
  static InPieces by_place(const Messages& messages) {
    std::map<std::uint32_t, Messages> by_place;
    for (const PatternMessage& m : messages) by_place[m.place].push_back(m);
    std::vector<Messages> pieces;
    if (by_place.contains(0)) return {pieces, messages.size()};
    for (auto& [place, sent] : by_place) pieces.push_back(std::move(sent));
    sort_stably(pieces.begin(), pieces.end(),
                [](const Messages& a, const Messages& b) { return mean_time(a) < mean_time(b); });
    return {std::move(pieces), messages.size()};
  }

  static InPieces by_layer(const Messages& messages) {
    const auto layers = internal::layers_of(messages);
    std::vector<Messages> pieces(*std::max_element(layers.begin(), layers.end()));
    for (std::size_t i = 0; i < messages.size(); ++i) {
      if (messages[i].place == 0) return {{}, messages.size()};
      pieces[layers[i] - 1].push_back(messages[i]);
    }
    return {std::move(pieces), messages.size()};
  }

  std::vector<NamedPhase> named() {
    constexpr std::size_t kMostPlaces = 256;
    constexpr std::size_t kLongest = 24; // pieces with one name
    if (places_.size() < 2 || places_.size() > kMostPlaces) return {};
    ranks_ = ranks_of(messages(0, places_.size())).size();
    for (std::size_t first = 0; first < places_.size();) {
      std::size_t last = std::min(places_.size(), first + kLongest);
      std::vector<NamedPhase> found;
      for (; last > first && found.empty(); --last) found = named(first, last);
      if (found.empty()) {
        ++first;
        continue;
      }
      pieces_.push_back({first, last + 1, std::move(found)});
      first = last + 1;
    }
    join_dimensions();
    std::vector<NamedPhase> phases;
    for (const Piece& piece : pieces_) {
      phases.insert(phases.end(), piece.phases.begin(), piece.phases.end());
    }
    return 4 * count_of(phases) >= 3 * all_ ? phases : std::vector<NamedPhase>{};
  }

private:
  struct Piece {
    std::size_t first = 0; // places
    std::size_t last = 0;
    std::vector<NamedPhase> phases;
    bool is_exchange() const {
      return std::all_of(phases.begin(), phases.end(), [](const NamedPhase& phase) {
        return phase.name == PatternName::kHaloExchange || phase.name == PatternName::kPairExchange;
      });
    }
  };

  // Of a message's steps of its sender: where the call stands among the others.
  static double mean_time(const std::vector<PatternMessage>& sent) {
    double sum = 0;
    for (const PatternMessage& m : sent) sum += static_cast<double>(m.sent);
    return sum / static_cast<double>(sent.size());
  }

  std::vector<PatternMessage> messages(std::size_t first, std::size_t last) const {
    std::vector<PatternMessage> part;
    for (std::size_t i = first; i < last; ++i)
      part.insert(part.end(), places_[i].begin(), places_[i].end());
    return part;
  }

  // Half of the ranks at least must take part: of few ranks anything is something.
  std::vector<NamedPhase> named(std::size_t first, std::size_t last) const {
    const auto part = messages(first, last);
    if (2 * ranks_of(part).size() < ranks_) return {};
    auto phases = named_at_once(part, internal::depths_of(part));
    const bool has_few = std::any_of(phases.begin(), phases.end(), [&](const NamedPhase& phase) {
      return 2 * phase.groups.size() * phase.groups.front().size() < ranks_;
    });
    return has_few ? std::vector<NamedPhase>{} : phases;
  }

  static std::set<std::int64_t> ranks_of(const Messages& messages) {
    std::set<std::int64_t> ranks;
    for (const PatternMessage& m : messages) ranks.insert({m.from, m.to});
    return ranks;
  }

  // Exchanges in rows and then in columns are one on the grid.
  void join_dimensions() {
    for (std::size_t first = 0; first + 1 < pieces_.size(); ++first) {
      std::size_t last = first;
      while (last < pieces_.size() && pieces_[last].is_exchange()) ++last;
      for (; last > first + 1; --last) {
        auto joined = joined_exchange(pieces_[first].first, pieces_[last - 1].last);
        if (!joined) continue;
        pieces_[first].last = pieces_[last - 1].last;
        pieces_[first].phases = {std::move(*joined)};
        pieces_.erase(pieces_.begin() + static_cast<std::ptrdiff_t>(first) + 1,
                      pieces_.begin() + static_cast<std::ptrdiff_t>(last));
        break;
      }
    }
  }

  std::optional<NamedPhase> joined_exchange(std::size_t first, std::size_t last) const {
    const auto part = messages(first, last);
    const auto groups = internal::groups_of(part, internal::depths_of(part));
    if (groups.size() != 1) return {};
    auto shape = internal::exchange_by_dimension(groups.front());
    if (!shape) return {};
    SameShape same{std::move(*shape), {}};
    same.add(groups.front());
    return phase_of(same);
  }

  std::size_t all_; // messages
  std::size_t ranks_ = 0;
  std::vector<Messages> places_;
  std::vector<Piece> pieces_;
};

// The way that names most; calls first, where they tell messages apart.
std::vector<NamedPhase> in_pieces(const std::vector<PatternMessage>& messages, bool in_turns) {
  if (in_turns) return InPieces::by_layer(messages).named();
  auto by_place = InPieces::by_place(messages).named();
  if (count_of(by_place) == messages.size()) return by_place;
  auto by_layer = InPieces::by_layer(messages).named();
  return count_of(by_layer) > count_of(by_place) ? by_layer : by_place;
}

// Two exchanges in pairs that make one on a chain or ring of all ranks.
void join_red_black(const std::vector<PatternMessage>& messages, std::vector<NamedPhase>& phases) {
  if (phases.size() != 2 || phases[0].name != PatternName::kPairExchange ||
      phases[1].name != PatternName::kPairExchange)
    return;
  const auto groups = internal::groups_of(messages, internal::depths_of(messages));
  if (groups.size() != 1 || groups.front().messages.size() != count_of(phases)) return;
  auto shape = internal::red_black(groups.front());
  if (!shape) return;
  SameShape same{std::move(*shape), {}};
  same.add(groups.front());
  phases = {phase_of(same)};
}

// Two collectives of sizes that have nothing in common are two.
bool are_of_a_size(const NamedPhase& a, const NamedPhase& b) {
  return a.collective.empty() || (a.least_bytes <= b.most_bytes && b.least_bytes <= a.most_bytes);
}

// The same again and again is said once.
void join_repeated(std::vector<NamedPhase>& phases) {
  std::vector<NamedPhase> joined;
  for (NamedPhase& phase : phases) {
    if (joined.empty() || joined.back().what != phase.what ||
        joined.back().groups != phase.groups || !are_of_a_size(joined.back(), phase) ||
        joined.back().evidence.front() != phase.evidence.front()) {
      joined.push_back(std::move(phase));
      continue;
    }
    ++joined.back().times;
    joined.back().messages += phase.messages;
    joined.back().rounds += phase.rounds;
    joined.back().least_bytes = std::min(joined.back().least_bytes, phase.least_bytes);
    joined.back().most_bytes = std::max(joined.back().most_bytes, phase.most_bytes);
    joined.back().pairs.insert(joined.back().pairs.end(), phase.pairs.begin(), phase.pairs.end());
  }
  phases = std::move(joined);
}

// A master with its workers, then what these do among themselves.
Documentation both_of(const internal::MasterApart& apart, const PatternSurroundings& others) {
  Documentation result = documented(apart.of_master, others);
  Documentation own = documented(apart.of_workers, others);
  if (!own.is_known()) own.unnamed = apart.of_workers.size();
  result.phases.insert(result.phases.end(), own.phases.begin(), own.phases.end());
  result.advice.insert(result.advice.end(), own.advice.begin(), own.advice.end());
  result.unnamed += own.unnamed;
  return result;
}

} // namespace

Documentation documented(const std::vector<PatternMessage>& messages,
                         const PatternSurroundings& others) {
  if (messages.empty()) return {};
  if (const auto apart = internal::master_apart(messages, others); !apart.of_master.empty())
    return both_of(apart, others);
  Documentation result;
  const Timed timed{messages, internal::depths_of(messages)};
  result.phases = named_at_once(messages, timed.depths);
  if (result.phases.empty()) result.phases = named_in_turn(timed);
  if (result.phases.empty()) result.phases = in_pieces(messages, others.in_turns);
  join_red_black(messages, result.phases);
  internal::name_halo_exchanges(messages, others, result.phases);
  internal::name_transposes(messages, others, result.phases);
  internal::name_v_cycles(messages, others, result.phases);
  if (internal::may_have_levels(messages, result.phases)) {
    // One function may exchange on all levels; in layers its calls are told apart.
    auto levels = InPieces::by_layer(messages).named();
    internal::name_v_cycles(messages, others, levels);
    if (internal::has_v_cycle(levels)) result.phases = std::move(levels);
  }
  internal::name_masters(messages, others, result.phases);
  internal::drop_pieces_of_exchanges(messages, result.phases);
  join_repeated(result.phases);
  if (result.is_known()) {
    result.unnamed = static_cast<std::size_t>(std::count_if(
        messages.begin(), messages.end(), [](const PatternMessage& m) { return m.from != m.to; }));
    for (const NamedPhase& phase : result.phases) result.unnamed -= phase.messages;
  }
  result.advice = internal::advice_for(result.phases);
  return result;
}

} // namespace rondo::patterns
