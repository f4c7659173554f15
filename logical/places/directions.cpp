// SPDX-License-Identifier: Apache-2.0
#include "rondo/logical/directions.hpp"

#include "logical/places/irregular_graphs.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <map>

namespace rondo::logical {
namespace {

using topology::Topology;
using topology::TopologyKind;
using topology::Vertex;

// In keys of families without coordinates: what kind of step it is.
enum Step : Vertex {
  kParent,
  kChild,
  kBit,
  kGuest, // of a rank beyond a power of two, for whom the next one takes part
  kHost,
  kForward,
  kBackward,
  kInRow,
  kInColumn,
  kMirror,
  kLeader, // of the own group
  kMember,
  kAmongLeaders,
  kNeighbour, // in a graph without a family
  kOpposite // of the other of two sides
};

Vertex wrapped(Vertex difference, const topology::Dimension& dimension) {
  if (!dimension.periodic) return difference;
  difference %= dimension.size;
  if (2 * difference > dimension.size) difference -= dimension.size;
  if (2 * difference <= -dimension.size) difference += dimension.size;
  return difference;
}

std::string letter(std::size_t axis) {
  constexpr std::array kLetters = {"x", "y", "z"};
  return axis < kLetters.size() ? kLetters[axis] : "d" + std::to_string(axis + 1);
}

std::string signed_number(Vertex x) { return (x < 0 ? "" : "+") + std::to_string(x); }

// The plane as a map: the last dimension runs east, the first one south. A volume as a building:
// the first one runs down.
std::string compass(const std::vector<Vertex>& step) {
  std::string name;
  const std::size_t k = step.size();
  if (k == 3 && step[0] != 0) name = step[0] > 0 ? "down" : "up";
  const Vertex south = k >= 2 ? step[k - 2] : 0;
  const Vertex east = step[k - 1];
  std::string flat;
  if (south != 0) flat += south > 0 ? "south" : "north";
  if (east != 0) flat += east > 0 ? "east" : "west";
  if (!name.empty() && !flat.empty()) name += "-";
  return name + flat;
}

bool is_near(const std::vector<Vertex>& step) {
  return std::all_of(step.begin(), step.end(), [](Vertex x) { return x >= -1 && x <= 1; });
}

} // namespace

bool Directions::has(const Topology& topology) {
  switch (topology.kind) {
  case TopologyKind::kEmpty:
  case TopologyKind::kIrregular:
  case TopologyKind::kSeveral:
  case TopologyKind::kComplete:
    return false;
  case TopologyKind::kMultipartite:
    return topology.parts.size() == 2;
  case TopologyKind::kTree:
    return static_cast<bool>(topology.user); // which it is
  case TopologyKind::kHierarchy:
    return !topology.cliques && topology.leaders &&
           (has(*topology.leaders) || topology.leaders->kind == TopologyKind::kComplete);
  default:
    return topology::has_coordinates(topology) || topology.kind == TopologyKind::kRowColumn ||
           topology.kind == TopologyKind::kStar || topology.kind == TopologyKind::kHeapTree ||
           topology.kind == TopologyKind::kBinomialTree ||
           topology.kind == TopologyKind::kRecursiveDoubling ||
           topology.kind == TopologyKind::kIncompleteHypercube ||
           topology.kind == TopologyKind::kDissemination ||
           topology.kind == TopologyKind::kPrefixScan || topology.kind == TopologyKind::kCg;
  }
}

Directions::Directions(const Topology& topology, DirectionOptions options)
    : topology_(topology), options_(options),
      graph_(topology.kind == TopologyKind::kTree && topology.user
                 ? topology.user->graph
                 : topology::reference_graph(topology)) {
  if (topology.kind == TopologyKind::kHierarchy) {
    leaders_ = std::make_shared<const Directions>(*topology.leaders, options);
    for (Vertex group = 0; group < topology.leaders->ranks; ++group) {
      for (Vertex i = 0; i < topology::group_size(topology, group); ++i)
        group_of_.emplace_back(group, i);
    }
  }
  if (topology.kind == TopologyKind::kUser) {
    is_band_ = !internal::band_steps(graph_).empty();
    closes_ = !is_band_ && !internal::ring_steps(graph_).empty();
  }
  std::map<Key, std::uint32_t> index;
  std::vector<const std::uint32_t*> index_of_edge;
  for (Vertex cell = 0; cell < graph_.vertices(); ++cell) {
    for (const Vertex to : graph_.neighbours(cell))
      index_of_edge.push_back(&index.try_emplace(key(cell, to)).first->second);
  }
  for (auto& [key, number] : index) {
    number = static_cast<std::uint32_t>(names_.size());
    if (topology.kind == TopologyKind::kCg && key == Key{kMirror, 0}) mirror_ = number;
    names_.push_back(name_of(key));
  }
  for (const std::uint32_t* number : index_of_edge) direction_of_.push_back(*number);
}

Directions::Directions(const std::vector<Topology>& parts, DirectionOptions options)
    : options_(options) {
  topology_ = {.kind = TopologyKind::kSeveral};
  std::vector<std::int64_t> begin{0};
  std::vector<Vertex> neighbours;
  for (const Topology& part : parts) {
    const Directions one(part, options);
    std::vector<std::uint32_t> known; // by direction in the part
    for (const std::string& name : one.names_) {
      const auto same = std::find(names_.begin(), names_.end(), name);
      known.push_back(static_cast<std::uint32_t>(same - names_.begin()));
      if (same == names_.end()) names_.push_back(name);
    }
    for (const std::uint32_t direction : one.direction_of_)
      direction_of_.push_back(known[direction]);
    const Vertex first = topology_.ranks;
    for (Vertex cell = 0; cell < part.ranks; ++cell) {
      for (const Vertex to : one.graph_.neighbours(cell)) neighbours.push_back(first + to);
      begin.push_back(static_cast<std::int64_t>(neighbours.size()));
    }
    topology_.ranks += part.ranks;
  }
  graph_ = topology::Adjacency(std::move(begin), std::move(neighbours));
}

std::optional<std::size_t> Directions::between(Vertex from, Vertex to) const {
  if (from < 0 || to < 0) return std::nullopt;
  if (from == to) return is_own_mirror(from) ? mirror_ : std::nullopt;
  const auto neighbours = graph_.neighbours(from);
  const auto found = std::lower_bound(neighbours.begin(), neighbours.end(), to);
  if (found == neighbours.end() || *found != to) return std::nullopt;
  return direction_of_[static_cast<std::size_t>(graph_.row_begin(from) +
                                                (found - neighbours.begin()))];
}

std::optional<std::string> Directions::steps_between(Vertex from, Vertex to) const {
  if (from < 0 || to < 0 || !topology::has_coordinates(topology_)) return std::nullopt;
  const Key steps = lattice_key(from, to);
  std::string text;
  for (std::size_t axis = 0; axis < steps.size(); ++axis) {
    const Vertex step = steps[steps.size() - 1 - axis];
    if (step != 0) text += signed_number(step) + letter(axis);
  }
  return text.empty() ? std::nullopt : std::optional(std::move(text));
}

std::optional<Vertex> Directions::target(Vertex from, std::size_t direction) const {
  for (const Vertex to : graph_.neighbours(from)) {
    if (between(from, to) == direction) return to;
  }
  return between(from, from) == direction ? std::optional(from) : std::nullopt;
}

bool Directions::is_own_mirror(Vertex cell) const {
  if (topology_.kind != TopologyKind::kCg) return false;
  const auto neighbours = graph_.neighbours(cell);
  return std::none_of(neighbours.begin(), neighbours.end(), [&](Vertex to) {
    return key(cell, to) == Key{kMirror, 0};
  });
}

std::vector<std::size_t> Directions::from(Vertex cell) const {
  std::vector<std::size_t> result;
  for (const Vertex to : graph_.neighbours(cell)) {
    if (const auto direction = between(cell, to)) result.push_back(*direction);
  }
  if (const auto own = between(cell, cell)) result.push_back(*own);
  return result;
}

Directions::Key Directions::lattice_key(Vertex from, Vertex to) const {
  const auto a = topology::coordinates(topology_.dimensions, from);
  auto step = topology::coordinates(topology_.dimensions, to);
  const auto& dimensions = topology_.dimensions;
  for (std::size_t i = 0; i < a.size(); ++i) step[i] -= a[i];
  if (topology_.shift != 0) { // a step across the last row goes `shift` columns further
    if (step[0] < -1 || (dimensions[0].size == 2 && step[0] < 0)) step[1] -= topology_.shift;
    if (step[0] > 1) step[1] += topology_.shift;
  }
  for (std::size_t i = 0; i < a.size(); ++i) {
    step[i] = wrapped(step[i], dimensions[i]);
    const bool is_across = dimensions[i].size == 2 && options_.across_twos;
    if (is_across && step[i] != 0) step[i] = 1;
  }
  return step;
}

Directions::Key Directions::hierarchy_key(Vertex from, Vertex to) const {
  const auto [group, place] = group_of_[static_cast<std::size_t>(from)];
  const auto [other, other_place] = group_of_[static_cast<std::size_t>(to)];
  if (group == other) return other_place == 0 ? Key{kLeader, 0} : Key{kMember, other_place - 1};
  const auto among = leaders_->between(group, other);
  return {kAmongLeaders, among ? static_cast<Vertex>(*among) : Vertex{-1}};
}

Vertex Directions::place_among_neighbours(Vertex from, Vertex to) const {
  const auto neighbours = graph_.neighbours(from);
  return static_cast<Vertex>(std::lower_bound(neighbours.begin(), neighbours.end(), to) -
                             neighbours.begin());
}

Directions::Key Directions::key(Vertex from, Vertex to) const {
  if (topology::has_coordinates(topology_)) return lattice_key(from, to);
  const Vertex n = topology_.ranks;
  const auto bit_of = [](Vertex x) {
    return static_cast<Vertex>(std::countr_zero(static_cast<unsigned>(x)));
  };
  // With borders, the lower and the upper of two ranks that differ in a bit.
  const auto bit_key = [&](Vertex a, Vertex b) {
    if (options_.across_twos) return Key{kBit, bit_of(a ^ b)};
    return a < b ? Key{kForward, b - a} : Key{kBackward, a - b};
  };
  const auto round_key = [&] {
    const Vertex forward = (to - from + n) % n;
    return 2 * forward <= n ? Key{kForward, forward} : Key{kBackward, n - forward};
  };
  switch (topology_.kind) {
  case TopologyKind::kStar:
    return to == 0 ? Key{kParent, 0} : Key{kChild, to - 1};
  case TopologyKind::kHeapTree:
    return to < from ? Key{kParent, 0} : Key{kChild, (to - 1) % topology_.arity};
  case TopologyKind::kBinomialTree:
    return to < from ? Key{kParent, 0} : Key{kChild, bit_of(to - from)};
  case TopologyKind::kTree:
    if (to < from) return {kParent, 0};
    return {kChild, place_among_neighbours(from, to) - (from == 0 ? 0 : 1)};
  case TopologyKind::kMultipartite:
    return {kOpposite, from < topology_.parts[0] ? to - topology_.parts[0] : to};
  case TopologyKind::kRecursiveDoubling: {
    const auto core = static_cast<Vertex>(std::bit_floor(static_cast<unsigned>(n)));
    const Vertex surplus = n - core;
    const auto number = [&](Vertex rank) { return rank < 2 * surplus ? rank / 2 : rank - surplus; };
    if (number(from) == number(to)) return {to < from ? kGuest : kHost, 0};
    return bit_key(number(from), number(to));
  }
  case TopologyKind::kIncompleteHypercube:
    return bit_key(from, to);
  case TopologyKind::kHierarchy:
    return hierarchy_key(from, to);
  case TopologyKind::kComplete:
    return round_key();
  case TopologyKind::kPrefixScan:
    return from < to ? Key{kForward, to - from} : Key{kBackward, from - to};
  case TopologyKind::kDissemination: {
    const Vertex forward = (to - from + n) % n;
    const bool is_power = std::has_single_bit(static_cast<unsigned>(forward));
    return is_power ? Key{kForward, forward} : Key{kBackward, n - forward};
  }
  case TopologyKind::kUser: {
    if (closes_) return round_key();
    if (is_band_) return to > from ? Key{kForward, to - from} : Key{kBackward, from - to};
    return {kNeighbour, place_among_neighbours(from, to)};
  }
  case TopologyKind::kRowColumn: {
    const Vertex columns = topology_.parts[1];
    if (from / columns == to / columns)
      return {kInRow, (to % columns - from % columns + columns) % columns};
    return {kInColumn, (to / columns - from / columns + topology_.parts[0]) % topology_.parts[0]};
  }
  default: { // NAS CG: rows of at most 2^k columns, and the transpose partner
    const int power = std::bit_width(static_cast<unsigned>(n)) - 1;
    const Vertex rows = Vertex{1} << (power / 2);
    const Vertex columns = n / rows;
    const bool same_row = from / columns == to / columns;
    const bool one_bit = std::has_single_bit(static_cast<unsigned>(from ^ to));
    return same_row && one_bit ? Key{kBit, bit_of(from ^ to)} : Key{kMirror, 0};
  }
  }
}

std::string Directions::name_of(const Key& key) const {
  if (!topology::has_coordinates(topology_)) {
    const std::string number = std::to_string(key[1]);
    switch (static_cast<Step>(key[0])) {
    case kParent:
      return topology_.kind == TopologyKind::kStar ? "centre" : "parent";
    case kChild:
      return (topology_.kind == TopologyKind::kStar ? "leaf " : "child ") + number;
    case kBit:
      return topology_.kind == TopologyKind::kCg ? "row^" + std::to_string(1 << key[1])
                                                 : "bit " + number;
    case kGuest:
      return "guest";
    case kHost:
      return "host";
    case kForward:
      return "+" + number;
    case kBackward:
      return "-" + number;
    case kInRow:
      return "row+" + number;
    case kInColumn:
      return "column+" + number;
    case kMirror:
      return "transpose";
    case kLeader:
      return "leader";
    case kMember:
      return "member " + number;
    case kNeighbour:
      return "neighbour " + number;
    case kOpposite:
      return "opposite " + number;
    case kAmongLeaders:
      return key[1] < 0 ? "other leader"
                        : leaders_->name(static_cast<std::size_t>(key[1])) + " leader";
    }
  }
  const auto& dimensions = topology_.dimensions;
  const bool has_twos =
      options_.across_twos && std::any_of(dimensions.begin(), dimensions.end(),
                                          [](const topology::Dimension& d) { return d.size == 2; });
  if (has_twos && dimensions.size() == 1) return "partner";
  if (!has_twos && dimensions.size() <= 3 && is_near(key)) return compass(key);
  std::string name;
  for (std::size_t i = 0; i < key.size(); ++i) {
    if (key[i] == 0) continue;
    if (!name.empty()) name += " ";
    const std::string axis = letter(key.size() - 1 - i);
    const bool is_across = options_.across_twos && dimensions[i].size == 2;
    name += is_across      ? "across " + axis
            : is_near(key) ? (key[i] > 0 ? "+" : "-") + axis
                           : axis + signed_number(key[i]);
  }
  return name;
}

} // namespace rondo::logical
