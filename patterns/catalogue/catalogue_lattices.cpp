// SPDX-License-Identifier: Apache-2.0
// Shapes among neighbours: rings, pipelines, wavefronts, shifts, halo exchanges.
#include "patterns/message_group.hpp"
#include "rondo/base/sort_stably.hpp"
#include "rondo/topology/direction.hpp"
#include "rondo/topology/recognize.hpp"
#include "trace/mpi_names.hpp"

#include <algorithm>
#include <fmt/core.h>
#include <map>
#include <numeric>
#include <set>

namespace rondo::patterns::internal {
namespace {

using topology::DirectionKind;
using topology::TopologyKind;

struct Recognized {
  topology::Recognition found;
  topology::Direction direction;
};

Recognized with_direction(const MessageGroup& group) {
  topology::Graph graph;
  Recognized result{recognized(group, graph), {}};
  result.direction = topology::direction_of(graph, result.found);
  return result;
}

bool is_lattice(TopologyKind kind) {
  switch (kind) {
  case TopologyKind::kChain:
  case TopologyKind::kRing:
  case TopologyKind::kMesh:
  case TopologyKind::kHypercube:
  case TopologyKind::kSixPoint:
  case TopologyKind::kTwistedTorus:
  case TopologyKind::kMoore:
  case TopologyKind::kEighteenPoint:
  case TopologyKind::kStarStencil:
    return true;
  default:
    return false;
  }
}

// Whether each rank sends on what came in, as far as its order says: everything comes before it
// sends.
bool passes_on(const MessageGroup& group) {
  std::vector<std::uint64_t> first(group.ranks.size(), PatternMessage::kNever);
  for (const GroupMessage& m : group.messages)
    first[index(m.from)] = std::min(first[index(m.from)], m.sent);
  return std::all_of(group.messages.begin(), group.messages.end(), [&](const GroupMessage& m) {
    const std::uint64_t sends = first[index(m.to)];
    return sends == PatternMessage::kNever || m.received < sends;
  });
}

std::string from_rank(const MessageGroup& group, Vertex source) {
  return source < 0 ? "" : fmt::format("from rank {}", group.ranks[index(source)]);
}

// Four ranks, of which one sends to two, and both to the last; the topology is a ring.
Vertex source_of_square(const MessageGroup& group) {
  if (group.size() != 4 || group.messages.size() != 4) return -1;
  std::vector<int> in(4);
  std::vector<int> out(4);
  std::map<std::pair<Vertex, Vertex>, int> pairs;
  for (const GroupMessage& m : group.messages) {
    ++in[index(m.to)];
    ++out[index(m.from)];
    ++pairs[{m.from, m.to}];
  }
  const auto source = std::find(in.begin(), in.end(), 0);
  const auto sink = std::find(out.begin(), out.end(), 0);
  if (std::count(in.begin(), in.end(), 0) != 1 || std::count(out.begin(), out.end(), 0) != 1 ||
      pairs.size() != 4)
    return -1;
  const auto from = source - in.begin();
  const auto to = sink - out.begin();
  if (out[static_cast<std::size_t>(from)] != 2 || in[static_cast<std::size_t>(to)] != 2) return -1;
  return static_cast<Vertex>(from);
}

Shape wavefront(const MessageGroup& group, const std::string& where, Vertex source) {
  Shape shape{PatternName::kWavefront, "wavefront", from_rank(group, source), {}, "", source};
  shape.evidence.push_back("a " + where + ": each neighbour hears from the same sides only");
  shape.evidence.push_back(fmt::format("each rank sends after it has heard from all of its "
                                       "neighbours before; the longest way takes {} messages",
                                       group.depth));
  return shape;
}

Shape pipeline(const MessageGroup& group, Vertex source) {
  Shape shape{PatternName::kPipeline, "pipeline", from_rank(group, source), {}, "", source};
  shape.evidence.push_back("a chain: each rank sends to the next one after it has heard from the "
                           "one before");
  shape.evidence.push_back("messages of " + bytes_text(group));
  return shape;
}

// Messages of which neither waits for the other.
bool are_at_once(const GroupMessage& there, const GroupMessage& back) {
  return there.received >= back.sent && back.received >= there.sent;
}

// Each message has one that goes back, at the same time where that is asked for.
bool goes_both_ways(const MessageGroup& group, bool at_once) {
  std::map<std::pair<Vertex, Vertex>, std::vector<const GroupMessage*>> sent;
  for (const GroupMessage& m : group.messages) sent[{m.from, m.to}].push_back(&m);
  for (const auto& [pair, there] : sent) {
    const auto back = sent.find({pair.second, pair.first});
    if (back == sent.end() || back->second.size() != there.size()) return false;
    if (!at_once) continue;
    for (std::size_t i = 0; i < there.size(); ++i) {
      if (!are_at_once(*there[i], *back->second[i])) return false;
    }
  }
  return true;
}

// As many messages over each edge of one direction: if there are more over one of them, these
// belong to something else.
bool is_even(const MessageGroup& group, const topology::Recognition& found) {
  std::map<std::pair<Vertex, Vertex>, std::size_t> sent;
  for (const GroupMessage& m : group.messages) ++sent[{m.from, m.to}];
  const bool has_steps = topology::has_coordinates(found.topology) && !found.cells.empty();
  std::map<std::vector<Vertex>, std::size_t> messages_of;
  return std::all_of(sent.begin(), sent.end(), [&](const auto& edge) {
    const auto& [from, to] = edge.first;
    const std::vector<Vertex> step =
        has_steps ? step_of(found.topology, found.cells[index(from)], found.cells[index(to)])
                  : std::vector<Vertex>{};
    return messages_of.try_emplace(step, edge.second).first->second == edge.second;
  });
}

// All messages of one direction are sent at one time: all directions at once, or one after the
// other. Sweeps there and back are no exchange.
bool is_exchange(const MessageGroup& group, const topology::Recognition& found) {
  if (!goes_both_ways(group, !group.in_order)) return false;
  if (group.depth <= 1) return true;
  if (!topology::has_coordinates(found.topology) || found.cells.empty()) return false;
  std::map<std::vector<Vertex>, std::size_t> depth_of;
  return std::all_of(group.messages.begin(), group.messages.end(), [&](const GroupMessage& m) {
    const auto step = step_of(found.topology, found.cells[index(m.from)], found.cells[index(m.to)]);
    return depth_of.try_emplace(step, m.depth).first->second == m.depth;
  });
}

// Every other rank sends to all of its neighbours, and then those in between answer all of theirs.
bool is_two_coloured(const MessageGroup& group) {
  if (group.size() < 4 || !group.in_order || group.depth != 2 ||
      !goes_both_ways(group, !group.in_order))
    return false;
  std::vector<std::size_t> turn(group.ranks.size(), 0);
  for (const GroupMessage& m : group.messages) {
    std::size_t& own = turn[index(m.from)];
    if (own != 0 && own != m.depth) return false;
    own = m.depth;
  }
  return std::all_of(group.messages.begin(), group.messages.end(), [&](const GroupMessage& m) {
    return turn[index(m.from)] != turn[index(m.to)];
  });
}

constexpr Vertex kFewestInLine = 4;
constexpr double kMostTimesAsLarge = 4; // borders of uneven blocks

// One direction after the other by blocking calls: every other rank sends that way before it hears
// from behind, so that no message waits for more than one before it, whereas in a sweep each waits
// for all. That is to be seen where at least four ranks are behind one another.
bool is_in_turns_by_direction(const MessageGroup& group, const topology::Recognition& found) {
  if (!group.in_order || !topology::has_coordinates(found.topology) || found.cells.empty() ||
      !goes_both_ways(group, false) || !is_even(group, found) ||
      std::any_of(found.topology.dimensions.begin(), found.topology.dimensions.end(),
                  [](const auto& dimension) { return dimension.size < kFewestInLine; }))
    return false;
  using Way = std::pair<Vertex, std::vector<Vertex>>; // of a rank: the step
  std::map<Way, std::uint64_t> heard; // from behind
  std::map<std::vector<Vertex>, std::pair<double, double>> sizes; // least and most, by step
  for (const GroupMessage& m : group.messages) {
    const auto step = step_of(found.topology, found.cells[index(m.from)], found.cells[index(m.to)]);
    if (!heard.try_emplace({m.to, step}, m.received).second) return false; // several exchanges
    auto& [least, most] = sizes.try_emplace(step, m.bytes, m.bytes).first->second;
    least = std::min(least, m.bytes);
    most = std::max(most, m.bytes);
    if (most > kMostTimesAsLarge * least) return false; // exchanges of other kinds
  }
  std::set<Way> waits; // before it sends that way
  const auto way_of = [&](const GroupMessage& m, Vertex rank) {
    return Way{rank, step_of(found.topology, found.cells[index(m.from)], found.cells[index(m.to)])};
  };
  for (const GroupMessage& m : group.messages) {
    const auto before = heard.find(way_of(m, m.from));
    if (before != heard.end() && before->second < m.sent) waits.insert(before->first);
  }
  return std::none_of(group.messages.begin(), group.messages.end(), [&](const GroupMessage& m) {
    return waits.contains(way_of(m, m.from)) && waits.contains(way_of(m, m.to));
  });
}

std::string neighbours_text(const topology::DegreeStatistics& degrees) {
  if (degrees.least == degrees.most) return fmt::format("{} neighbours each", degrees.least);
  return fmt::format("{} to {} neighbours", degrees.least, degrees.most);
}

// When a rank has to do with one of its neighbours.
struct Meeting {
  std::uint64_t first = PatternMessage::kNever;
  std::uint64_t last = 0;
  void add(std::uint64_t time) {
    first = std::min(first, time);
    last = std::max(last, time);
  }
};

// Of each rank with each of its neighbours.
std::map<std::pair<Vertex, Vertex>, Meeting> meetings_of(const MessageGroup& group) {
  std::map<std::pair<Vertex, Vertex>, Meeting> meetings;
  for (const GroupMessage& m : group.messages) {
    meetings[{m.from, m.to}].add(m.sent);
    meetings[{m.to, m.from}].add(m.received);
  }
  return meetings;
}

// The neighbours of each rank in the order of meeting them; empty if two meetings overlap.
std::vector<std::vector<Vertex>> neighbours_in_turn(const MessageGroup& group) {
  std::vector<std::vector<std::pair<Meeting, Vertex>>> turns(group.ranks.size());
  for (const auto& [pair, meeting] : meetings_of(group))
    turns[index(pair.first)].emplace_back(meeting, pair.second);
  std::vector<std::vector<Vertex>> neighbours(turns.size());
  for (std::size_t rank = 0; rank < turns.size(); ++rank) {
    auto& own = turns[rank];
    sort_stably(own.begin(), own.end(),
                [](const auto& a, const auto& b) { return a.first.first < b.first.first; });
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (i > 0 && own[i].first.first <= own[i - 1].first.last) return {};
      neighbours[rank].push_back(own[i].second);
    }
  }
  return neighbours;
}

// Where each rank swaps messages with one neighbour after the other: how many such exchanges the
// longest way has, as each waits for those before it on both ranks; 0 where ranks do otherwise, or
// would wait for each other in a circle. O(messages log messages).
std::size_t longest_turns(const MessageGroup& group) {
  const auto neighbours = neighbours_in_turn(group);
  std::vector<std::size_t> met(neighbours.size()); // neighbours that a rank is through with
  std::vector<std::size_t> length(neighbours.size());
  const auto next = [&](Vertex rank) {
    const auto& own = neighbours[index(rank)];
    return met[index(rank)] < own.size() ? own[met[index(rank)]] : Vertex{-1};
  };
  std::vector<Vertex> ready(neighbours.size());
  std::iota(ready.begin(), ready.end(), 0);
  while (!ready.empty()) {
    const Vertex rank = ready.back();
    ready.pop_back();
    const Vertex other = next(rank);
    if (other < 0 || next(other) != rank) continue;
    const std::size_t longest = 1 + std::max(length[index(rank)], length[index(other)]);
    for (const Vertex both : {rank, other}) {
      length[index(both)] = longest;
      ++met[index(both)];
      ready.push_back(both);
    }
  }
  for (std::size_t rank = 0; rank < neighbours.size(); ++rank) {
    if (met[rank] < neighbours[rank].size()) return 0;
  }
  return length.empty() ? 0 : *std::max_element(length.begin(), length.end());
}

// On a chain or ring, each two neighbours exchange first of all for both, or last for both.
bool is_red_black(const MessageGroup& group, const topology::Recognition& found) {
  const TopologyKind kind = found.topology.kind;
  if (kind != TopologyKind::kChain && kind != TopologyKind::kRing) return false;
  auto meetings = meetings_of(group);
  const auto meets = [&](Vertex rank, auto fits) {
    auto at = meetings.lower_bound({rank, 0});
    while (at != meetings.end() && at->first.first == rank && !fits(at->second)) ++at;
    return at != meetings.end() && at->first.first == rank;
  };
  const auto is_later = [&](Vertex rank, Vertex neighbour) {
    const Meeting own = meetings[{rank, neighbour}];
    return meets(rank, [&](const Meeting& other) { return other.last < own.first; });
  };
  const auto is_earlier = [&](Vertex rank, Vertex neighbour) {
    const Meeting own = meetings[{rank, neighbour}];
    return meets(rank, [&](const Meeting& other) { return own.last < other.first; });
  };
  std::map<std::pair<Vertex, Vertex>, std::size_t> sent;
  for (const GroupMessage& m : group.messages) ++sent[{m.from, m.to}];
  std::vector<std::size_t> neighbours(group.ranks.size());
  for (const auto& [pair, meeting] : meetings) ++neighbours[index(pair.first)];
  return std::all_of(meetings.begin(), meetings.end(), [&](const auto& entry) {
    const auto [a, b] = entry.first;
    if (sent[{a, b}] == 0 || sent[{a, b}] != sent[{b, a}]) return false;
    const bool is_ordered = neighbours[index(a)] == 1 || is_later(a, b) != is_earlier(a, b);
    return is_ordered && !(is_later(a, b) && is_earlier(b, a));
  });
}

Shape halo(const MessageGroup& group, const Recognized& r) {
  Shape shape{
      PatternName::kHaloExchange, "halo exchange", "on a " + topology::title(r.found), {}, "", -1};
  shape.evidence.push_back(neighbours_text(r.found.degrees) +
                           (group.depth > 1
                                ? ", with messages both ways, one direction after the other"
                                : ", with messages both ways that do not wait for each other"));
  shape.evidence.push_back("messages of " + bytes_text(group));
  if (r.found.topology.kind == TopologyKind::kMesh) shape.collective = mpi::Neighbor_alltoallv;
  return shape;
}

// Pairs at random have a longest way too, so the ranks must be numbered as the grid is. Where no
// rank waits for more than its own exchanges, these are rounds of something that has another name.
std::optional<Shape> exchange_in_turns(const MessageGroup& group, const Recognized& r) {
  const auto numbering = r.found.numbering.kind;
  if (numbering == topology::NumberingKind::kNone ||
      numbering == topology::NumberingKind::kArbitrary || !goes_both_ways(group, true))
    return {};
  const std::size_t longest = longest_turns(group);
  if (longest <= static_cast<std::size_t>(r.found.degrees.most)) return {};
  Shape shape = halo(group, r);
  shape.how = "one neighbour after the other";
  shape.evidence.front() = neighbours_text(r.found.degrees) +
                           fmt::format(": ranks wait for those before them; the longest way takes "
                                       "{} exchanges",
                                       longest);
  return shape;
}

} // namespace

topology::Recognition recognized(const MessageGroup& group, topology::Graph& graph) {
  std::map<std::pair<Vertex, Vertex>, matrix::MatrixEntry> sent;
  for (const GroupMessage& m : group.messages) {
    auto& entry =
        sent.try_emplace({m.from, m.to}, matrix::MatrixEntry{m.from, m.to, 0, 0}).first->second;
    ++entry.messages;
    entry.bytes += static_cast<std::uint64_t>(m.bytes);
  }
  std::vector<matrix::MatrixEntry> entries;
  for (const auto& [pair, entry] : sent) entries.push_back(entry);
  graph = topology::Graph::from_matrix(
      matrix::CommunicationMatrix::from_entries(group.size(), std::move(entries)));
  topology::TopologyOptions options;
  options.filter = topology::FilterKind::kNone;
  return topology::recognize(graph, options);
}

std::vector<Vertex> step_of(const topology::Topology& grid, Vertex from, Vertex to) {
  auto step = topology::coordinates(grid.dimensions, to);
  const auto start = topology::coordinates(grid.dimensions, from);
  for (std::size_t d = 0; d < step.size(); ++d) {
    const topology::Dimension& dimension = grid.dimensions[d];
    step[d] -= start[d];
    if (dimension.periodic && 2 * step[d] > dimension.size) step[d] -= dimension.size;
    if (dimension.periodic && 2 * step[d] < -dimension.size) step[d] += dimension.size;
  }
  return step;
}

std::optional<Shape> ring(const MessageGroup& group) {
  const std::size_t size = group.ranks.size();
  if (size < 3 || group.messages.size() != size) return {};
  std::vector<Vertex> next(size, -1);
  for (const GroupMessage& m : group.messages) {
    if (next[index(m.from)] >= 0) return {};
    next[index(m.from)] = m.to;
  }
  Vertex at = 0;
  std::size_t length = 0;
  do {
    at = next[index(at)];
    ++length;
  } while (at != 0 && length <= size);
  if (length != size) return {};
  const double times = group.messages.front().times;
  const bool is_steady = std::all_of(group.messages.begin(), group.messages.end(),
                                     [&](const auto& m) { return m.times == times; });
  Shape shape{PatternName::kRingShift, "ring shift", "", {}, "", -1};
  shape.evidence.push_back("each rank sends to the next one around one circle: " +
                           bytes_text(group));
  if (group.in_order && group.depth == size)
    shape.evidence.push_back("one after the other, as a token is handed on");
  if (!is_steady || size < 4) return shape;
  const auto steps = static_cast<double>(size - 1);
  if (times == steps) {
    shape.how = fmt::format("{} times around", size - 1);
    shape.evidence.push_back("as many times as there are other ranks: all hear from all");
    shape.collective = mpi::Allgather;
  } else if (times == 2 * steps) {
    shape.how = fmt::format("{} times around", 2 * (size - 1));
    shape.evidence.push_back("twice as many times as there are other ranks");
    shape.collective = mpi::Allreduce;
  }
  return shape;
}

std::optional<Shape> exchange_by_dimension(const MessageGroup& group) {
  if (group.size() < 4) return {};
  const Recognized r = with_direction(group);
  if (!r.found.recognized() || r.found.copies != 1 ||
      r.found.topology.kind != TopologyKind::kMesh || r.direction.kind != DirectionKind::kBothWays)
    return {};
  Shape shape = halo(group, r);
  shape.evidence.front() =
      neighbours_text(r.found.degrees) + ", with messages both ways, one dimension after the other";
  return shape;
}

std::optional<Shape> red_black(const MessageGroup& group) {
  if (group.size() < 4) return {};
  const Recognized r = with_direction(group);
  if (!r.found.recognized() || r.found.copies != 1 ||
      r.direction.kind != DirectionKind::kBothWays || !is_red_black(group, r.found))
    return {};
  Shape shape = halo(group, r);
  shape.how = "red-black";
  shape.evidence.front() = neighbours_text(r.found.degrees) +
                           ": every other pair exchanges first, then the pairs between them";
  return shape;
}

std::optional<Shape> lattice(const MessageGroup& group) {
  if (group.size() < 3) return {};
  if (const Vertex source = source_of_square(group); source >= 0 && passes_on(group))
    return wavefront(group, "2x2 grid", source);
  const Recognized r = with_direction(group);
  if (!r.found.recognized() || r.found.copies != 1 || !is_lattice(r.found.topology.kind)) return {};
  switch (r.direction.kind) {
  case DirectionKind::kWavefront:
    if (!passes_on(group) || !is_even(group, r.found)) return {};
    return wavefront(group, topology::title(r.found), r.direction.source);
  case DirectionKind::kPipeline:
    if (r.found.topology.kind != TopologyKind::kChain || !passes_on(group)) return {};
    return pipeline(group, r.direction.source);
  case DirectionKind::kShift: {
    Shape shape{PatternName::kRingShift, "shift", "on a " + topology::title(r.found), {}, "", -1};
    shape.evidence.push_back("each rank sends one way in each dimension, and all of them are "
                             "closed to rings");
    return shape;
  }
  case DirectionKind::kBothWays:
    if (is_exchange(group, r.found)) return halo(group, r);
    if (is_two_coloured(group)) {
      Shape shape = halo(group, r);
      shape.evidence.front() = neighbours_text(r.found.degrees) +
                               ": every other rank sends first, then the ranks between them";
      return shape;
    }
    if (is_in_turns_by_direction(group, r.found)) {
      Shape shape = halo(group, r);
      shape.evidence.front() = neighbours_text(r.found.degrees) +
                               ", with messages both ways, one direction after the "
                               "other; no message waits for more than one before it";
      return shape;
    }
    return exchange_in_turns(group, r);
  default:
    return {};
  }
}

} // namespace rondo::patterns::internal
