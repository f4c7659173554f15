// SPDX-License-Identifier: Apache-2.0
#include "logical/text/phases.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <set>

namespace rondo::logical::internal {
namespace {

// More of them explain nothing, and keep what comes again from being a procedure; nor do so many
// in which each kind of phase comes so often, where directions tell by themselves whose they are.
constexpr std::size_t kMostPhases = 32;
constexpr std::size_t kManyPhases = 8;
constexpr std::size_t kOften = 3;
// Stretches that take turns: so many, none as long as kLong, and with fewer than kFew calls in the
// mean, on no more than half as many topologies.
constexpr std::size_t kTurns = 5;
constexpr std::size_t kFew = 4;
constexpr std::size_t kLong = 2 * kFew;
constexpr std::string_view kOn = ": on ";
constexpr std::string_view kIn = ", in ";
constexpr std::string_view kAnd = " and ";

// What the calls with peers in some statements have.
struct Use {
  std::set<std::size_t> peer_topologies;
  std::set<std::string> communicators; // empty: MPI_COMM_WORLD
  std::size_t calls = 0;

  void add(const Use& other) {
    peer_topologies.insert(other.peer_topologies.begin(), other.peer_topologies.end());
    communicators.insert(other.communicators.begin(), other.communicators.end());
    calls += other.calls;
  }
};

const std::vector<Statement>* body_of(const Statement& statement) {
  if (const auto* loop = std::get_if<LoopStatement>(&statement.is)) return &loop->body;
  if (const auto* guard = std::get_if<GuardStatement>(&statement.is)) return &guard->body;
  return nullptr;
}

// A list of directions stands for as many calls one after the other.
std::size_t directions_of(const CallStatement& call) {
  constexpr std::string_view kNext = ", ";
  std::size_t directions = 1;
  for (std::size_t at = call.what.find(kNext); at != std::string::npos;
       at = call.what.find(kNext, at + kNext.size()))
    ++directions;
  return directions;
}

Use use_of(const Statement& statement) {
  Use use;
  if (const auto* body = body_of(statement)) {
    for (const Statement& inner : *body) use.add(use_of(inner));
  } else if (const auto* call = std::get_if<CallStatement>(&statement.is)) {
    if (call->peer_topologies.empty()) return use;
    use.calls = directions_of(*call);
    use.peer_topologies.insert(call->peer_topologies.begin(), call->peer_topologies.end());
    constexpr std::string_view kRemark = "on ";
    std::string name = "world";
    for (const std::string& remark : call->remarks) {
      if (remark.starts_with(kRemark)) name = remark.substr(kRemark.size());
    }
    use.communicators.insert(name);
  }
  return use;
}

// Consecutive statements of a body.
struct Stretch {
  std::size_t first = 0; // that has a call with peers
  Use use;
  bool is_split = false; // has phases inside
};

// A loop or guard with several topologies that its own parts tell apart.
bool splits(const Statement& statement);

Stretch all_of(std::vector<Stretch>::const_iterator from, std::vector<Stretch>::const_iterator to) {
  Stretch all{from->first, {}, false};
  for (; from != to; ++from) all.use.add(from->use);
  return all;
}

// Stretches that take turns are one.
std::vector<Stretch> without_turns(const std::vector<Stretch>& stretches) {
  std::vector<Stretch> result;
  const auto is_long = [](const Stretch& stretch) { return stretch.use.calls >= kLong; };
  for (auto from = stretches.begin(); from != stretches.end();) {
    const auto to = std::find_if(from, stretches.end(), is_long);
    const auto turns = static_cast<std::size_t>(to - from);
    const Stretch all = turns == 0 ? *from : all_of(from, to);
    if (turns >= kTurns && all.use.calls < kFew * turns &&
        2 * all.use.peer_topologies.size() <= turns) {
      result.push_back(all);
    } else {
      result.insert(result.end(), from, to);
    }
    if (to != stretches.end()) result.push_back(*to);
    from = to == stretches.end() ? to : std::next(to);
  }
  return result;
}

// A stretch on several topologies has the single calls on one of them beside it, and what stands
// between it and the next such.
std::vector<Stretch> without_single_calls(const std::vector<Stretch>& stretches) {
  const auto is_within = [](const Stretch& part, const Stretch& mixed) {
    return !part.is_split && !mixed.is_split && mixed.use.peer_topologies.size() > 1 &&
           part.use.calls < kLong &&
           std::ranges::includes(mixed.use.peer_topologies, part.use.peer_topologies);
  };
  std::vector<Stretch> result;
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    const Stretch& own = stretches[i];
    const Stretch* const before = result.empty() ? nullptr : &result.back();
    const Stretch* const after = i + 1 < stretches.size() ? &stretches[i + 1] : nullptr;
    const bool is_of_before = before != nullptr && is_within(own, *before);
    const bool is_of_after = after != nullptr && is_within(own, *after);
    const bool is_single = own.use.calls < 2;
    if (is_of_before && (is_single || is_of_after || own.use.peer_topologies.size() > 1)) {
      result.back().use.add(own.use);
    } else if (before != nullptr && before->use.calls < 2 && is_within(*before, own)) {
      result.back().use.add(own.use);
    } else {
      result.push_back(own);
    }
  }
  return result;
}

std::vector<Stretch> stretches_of(const std::vector<Statement>& body) {
  std::vector<Stretch> result;
  std::size_t calls = 0;
  for (std::size_t i = 0; i < body.size(); ++i) {
    const Use use = use_of(body[i]);
    if (use.calls == 0) continue;
    calls += use.calls;
    const bool is_split = splits(body[i]);
    if (!is_split && !result.empty() && !result.back().is_split &&
        result.back().use.peer_topologies == use.peer_topologies) {
      result.back().use.add(use);
    } else {
      result.push_back({i, use, is_split});
    }
  }
  if (result.size() <= 1) return result;
  if (calls < 2 * result.size()) return {all_of(result.begin(), result.end())};
  return without_turns(without_single_calls(result));
}

bool splits(const Statement& statement) {
  const auto* body = body_of(statement);
  if (body == nullptr) return false;
  const Use use = use_of(statement);
  if (use.peer_topologies.size() < 2) return false;
  // What few ranks do is no phase of the program.
  if (std::holds_alternative<GuardStatement>(statement.is) && use.calls < kLong) return false;
  const std::vector<Stretch> stretches = stretches_of(*body);
  return stretches.size() > 1 || stretches.front().is_split;
}

// "east of ring of 4 ranks", where no other topology around has an east.
struct PlainDirection {
  std::string name; // with its topology
  std::size_t size = 0; // of the direction
};

std::vector<PlainDirection> plain_directions(const std::vector<PeerTopologyWords>& all,
                                             const std::set<std::size_t>& topologies) {
  if (topologies.size() == 1)
    return {{" of " + all[*topologies.begin()].name, 0}}; // whatever it is
  std::map<std::string, std::size_t> owners;
  for (const std::size_t peer_topology : topologies) {
    for (const std::string& direction : all[peer_topology].directions) ++owners[direction];
  }
  std::vector<PlainDirection> plain;
  for (const std::size_t peer_topology : topologies) {
    for (const std::string& direction : all[peer_topology].directions) {
      if (owners[direction] == 1)
        plain.push_back({direction + " of " + all[peer_topology].name, direction.size()});
    }
  }
  return plain;
}

// Takes a topology's name away from behind its directions: "east of ring of 4 ranks" is "east".
// Conditions keep it, as they may be about another one.
void drop_names(const std::vector<PlainDirection>& plain, Statement& statement) {
  if (auto* loop = std::get_if<LoopStatement>(&statement.is)) {
    for (Statement& inner : loop->body) drop_names(plain, inner);
  } else if (auto* guard = std::get_if<GuardStatement>(&statement.is)) {
    for (Statement& inner : guard->body) drop_names(plain, inner);
  } else if (auto* call = std::get_if<CallStatement>(&statement.is)) {
    if (call->peer_topologies.empty()) return; // "root 0 of rows"
    for (const auto& [name, size] : plain) {
      for (std::size_t at = call->what.find(name); at != std::string::npos;
           at = call->what.find(name, at + size))
        call->what.erase(at + size, name.size() - size);
    }
  }
}

class PhaseMarker {
public:
  explicit PhaseMarker(const std::vector<PeerTopologyWords>& topologies)
      : topologies_(topologies) {}

  void mark(std::vector<Statement>& body) {
    const std::vector<Stretch> stretches = stretches_of(body);
    std::vector<Statement> marked;
    std::size_t next = 0; // stretch
    std::vector<PlainDirection> plain; // of the phase
    for (std::size_t i = 0; i < body.size(); ++i) {
      if (next < stretches.size() && stretches[next].first == i) {
        const Stretch& stretch = stretches[next++];
        plain.clear();
        if (stretch.is_split) {
          // Each time round, a loop begins with its first phase, so that is said in any case.
          mark(std::holds_alternative<LoopStatement>(body[i].is)
                   ? std::get<LoopStatement>(body[i].is).body
                   : std::get<GuardStatement>(body[i].is).body);
        } else {
          marked.push_back({phase(stretch.use)});
          plain = plain_directions(topologies_, stretch.use.peer_topologies);
        }
      }
      drop_names(plain, body[i]);
      marked.push_back(std::move(body[i]));
    }
    body = std::move(marked);
  }

private:
  PhaseStatement phase(const Use& use) {
    PhaseStatement phase{++number_, {}, {}};
    for (const std::size_t peer_topology : use.peer_topologies)
      phase.topologies.push_back(topologies_[peer_topology].name);
    if (use.communicators != std::set<std::string>{"world"})
      phase.communicators.assign(use.communicators.begin(), use.communicators.end());
    return phase;
  }

  const std::vector<PeerTopologyWords>& topologies_;
  std::uint64_t number_ = 0;
};

// How often each kind of phase stands below some statements.
using PhaseKinds = std::map<std::vector<std::string>, std::size_t>; // by topologies

void count_phases(const std::vector<Statement>& statements, PhaseKinds& kinds) {
  for (const Statement& statement : statements) {
    if (const auto* phase = std::get_if<PhaseStatement>(&statement.is)) ++kinds[phase->topologies];
    if (const auto* body = body_of(statement)) count_phases(*body, kinds);
  }
}

// No two topologies have a direction of one name.
bool tell_by_themselves(const std::vector<PeerTopologyWords>& topologies) {
  std::set<std::string_view> known;
  return std::ranges::all_of(topologies, [&](const PeerTopologyWords& one) {
    return std::ranges::all_of(one.directions, [&](const std::string& direction) {
      return known.insert(direction).second;
    });
  });
}

bool explain(const PhaseKinds& kinds, const std::vector<PeerTopologyWords>& topologies) {
  std::size_t phases = 0;
  for (const auto& [kind, times] : kinds) phases += times;
  if (phases > kMostPhases) return false;
  return phases <= kManyPhases || phases < kOften * kinds.size() || !tell_by_themselves(topologies);
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : kAnd.data()) + name;
  return text;
}

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t at = text.find(kAnd);
    parts.emplace_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + kAnd.size());
  }
}

} // namespace

void mark_phases(std::vector<LogicalText::Part>& parts,
                 const std::vector<PeerTopologyWords>& topologies) {
  std::set<std::set<std::size_t>> different;
  for (const LogicalText::Part& part : parts) {
    for (const Stretch& stretch : stretches_of(part.statements))
      different.insert(stretch.is_split ? std::set<std::size_t>{} : stretch.use.peer_topologies);
  }
  const bool is_split = different.contains({});
  if (different.size() < 2 && !is_split) return;
  PhaseMarker marker(topologies);
  std::vector<LogicalText::Part> marked = parts;
  PhaseKinds kinds;
  for (LogicalText::Part& part : marked) {
    marker.mark(part.statements);
    count_phases(part.statements, kinds);
  }
  if (explain(kinds, topologies)) parts = std::move(marked);
}

std::string phase_text(const PhaseStatement& phase) {
  return "phase " + std::to_string(phase.number) + std::string(kOn) + joined(phase.topologies) +
         (phase.communicators.empty() ? "" : std::string(kIn) + joined(phase.communicators));
}

std::optional<PhaseStatement> phase_of(std::string_view text,
                                       const std::vector<PeerTopologyWords>& names) {
  constexpr std::string_view kPhase = "phase ";
  const std::size_t on = text.find(kOn);
  if (!text.starts_with(kPhase) || on == std::string_view::npos) return std::nullopt;
  PhaseStatement phase;
  const char* const end = text.data() + on;
  const auto [last, error] = std::from_chars(text.data() + kPhase.size(), end, phase.number);
  if (error != std::errc{} || last != end) return std::nullopt;
  text.remove_prefix(on + kOn.size());
  if (const std::size_t in = text.rfind(kIn); in != std::string_view::npos) {
    phase.communicators = split(text.substr(in + kIn.size()));
    text = text.substr(0, in);
  }
  // Names of topologies may have an "and" themselves.
  while (true) {
    const auto fits = [&](const PeerTopologyWords& peer_topology) {
      if (!text.starts_with(peer_topology.name)) return false;
      const std::string_view rest = text.substr(peer_topology.name.size());
      return rest.empty() || rest.starts_with(kAnd);
    };
    const PeerTopologyWords* longest = nullptr;
    for (const PeerTopologyWords& peer_topology : names) {
      if (fits(peer_topology) &&
          (longest == nullptr || peer_topology.name.size() > longest->name.size()))
        longest = &peer_topology;
    }
    if (longest == nullptr) return std::nullopt;
    phase.topologies.push_back(longest->name);
    text.remove_prefix(longest->name.size());
    if (text.empty()) return phase;
    text.remove_prefix(kAnd.size());
  }
}

} // namespace rondo::logical::internal
