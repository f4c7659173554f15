// SPDX-License-Identifier: Apache-2.0
#include "topology/names/plain_names.hpp"

#include "topology/match.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <functional>
#include <numeric>

namespace rondo::topology::internal {
namespace {

constexpr Vertex kFewRanks = 5; // levels of which may be a chain and a star

bool is_complete(const Adjacency& graph, Vertex silent) {
  const std::int64_t n = graph.vertices() - silent;
  return 2 * graph.edges() == n * (n - 1);
}

bool all_equal(const std::vector<Vertex>& parts) {
  return std::adjacent_find(parts.begin(), parts.end(), std::not_equal_to<>()) == parts.end();
}

// Parts of one or two are an all-to-all in which a few pairs are missing, or a star.
bool is_plain_multipartite(const Topology& t) {
  const Vertex least = *std::min_element(t.parts.begin(), t.parts.end());
  if (t.parts.size() == 2) return least >= 2 && t.ranks >= 5;
  return least >= 3 && (t.parts.size() == 3 || all_equal(t.parts));
}

// All neighbours at distance one are everybody in small boxes.
bool is_plain_moore(const Topology& t, bool complete) {
  if (t.dimensions.size() > 3) return false;
  return !complete ||
         std::all_of(t.dimensions.begin(), t.dimensions.end(),
                     [&](const Dimension& d) { return d.size == t.dimensions[0].size; });
}

bool is_in_rank_order(const Adjacency& graph, const Topology& t) {
  if (t.ranks != graph.vertices()) return false;
  std::vector<Vertex> cells(at(t.ranks));
  std::iota(cells.begin(), cells.end(), 0);
  return maps_onto(graph, reference_graph(t), cells);
}

// Of some numbers of ranks a binomial tree is one by both of its numberings.
bool turn_to_rank_order(const Adjacency& graph, Topology& t) {
  if (is_in_rank_order(graph, t)) return true;
  Topology other = t;
  other.clears_highest_bit = !t.clears_highest_bit;
  if (t.kind != TopologyKind::kBinomialTree || !is_in_rank_order(graph, other)) return false;
  t = std::move(other);
  return true;
}

// Every small tree with a rank of many children is one by chance.
bool is_plain_heap(const Adjacency& graph, const Topology& t) {
  return t.arity <= 2 || t.ranks >= 1 + t.arity + t.arity * t.arity || is_in_rank_order(graph, t);
}

// Few ranks that talk at random are groups with leaders by chance, one of them a group of its own,
// unless groups are of neighbouring ranks.
bool is_plain_hierarchy(const Adjacency& graph, const Topology& t) {
  constexpr Vertex kFew = 12;
  if (t.small_group != 1 || t.ranks >= kFew) return true;
  Topology other = t;
  for (other.small_cell = 0; other.small_cell < t.leaders->ranks; ++other.small_cell) {
    if (is_in_rank_order(graph, other)) return true;
  }
  return false;
}

// Of few ranks most are near to each other in some order.
bool is_plain_star_stencil(const Adjacency& graph, const Topology& t) {
  return t.dimensions.size() > 1 || t.ranks > 4 * t.radius || is_in_rank_order(graph, t);
}

// Of five to seven ranks two thirds of all pairs are partners of a scan: more likely some pairs of
// an all-to-all are silent, unless messages go one way.
bool is_far_from_complete(const Adjacency& graph, const Topology& t) {
  return 3 * graph.edges() < t.ranks * (t.ranks - 1);
}

bool is_plain_one(const Adjacency& graph, const Topology& t, bool complete) {
  switch (t.kind) {
  case TopologyKind::kMultipartite:
    return is_plain_multipartite(t);
  case TopologyKind::kMoore:
    return is_plain_moore(t, complete);
  case TopologyKind::kSixPoint:
    return std::min(t.dimensions[0].size, t.dimensions[1].size) >= 3;
  case TopologyKind::kCg:
    return t.ranks >= 8;
  case TopologyKind::kDissemination:
    return !complete;
  case TopologyKind::kPrefixScan:
    return !complete && is_far_from_complete(graph, t);
  case TopologyKind::kComplete:
    return t.ranks >= 3;
  case TopologyKind::kHypercube:
    return t.dimensions.size() >= 3;
  case TopologyKind::kRowColumn:
    return *std::min_element(t.parts.begin(), t.parts.end()) >= 3;
  case TopologyKind::kHeapTree:
    return t.ranks >= 4 && is_plain_heap(graph, t);
  case TopologyKind::kHierarchy:
    return is_plain_hierarchy(graph, t);
  case TopologyKind::kStarStencil:
    return is_plain_star_stencil(graph, t);
  case TopologyKind::kBinomialTree:
  case TopologyKind::kRecursiveDoubling:
    return t.ranks >= 4; // two partners are a chain, or a star
  default:
    return true;
  }
}

bool is_long(const Dimension& d) { return d.size > 2; }

// Two pairs are a ring of four, but nobody closes one way round of a grid that is open elsewhere.
bool closes_pairs_of_a_grid(const Topology& main, const Topology& t) {
  if (main.kind != TopologyKind::kMesh || t.kind != TopologyKind::kMesh) return false;
  const auto open = [](const Dimension& d) { return is_long(d) && !d.periodic; };
  const auto closed = [](const Dimension& d) { return is_long(d) && d.periodic; };
  const auto& dims = main.dimensions;
  return std::none_of(dims.begin(), dims.end(), closed) &&
         std::any_of(dims.begin(), dims.end(), open) &&
         std::any_of(t.dimensions.begin(), t.dimensions.end(), closed);
}

// A chain of five is two stars and one leader more, as its leaders form a chain; nobody says so.
bool takes_apart_a_mesh(const Topology& main, const Topology& t) {
  return has_coordinates(main) && t.kind == TopologyKind::kHierarchy;
}

double effort_of_kind(const Topology& t) {
  switch (t.kind) {
  case TopologyKind::kTree:
  case TopologyKind::kMultipartite:
    return 2;
  case TopologyKind::kTwistedTorus:
  case TopologyKind::kFatTree:
  case TopologyKind::kMultigrid:
    return 1.5;
  case TopologyKind::kStarStencil: // on few ranks everybody is near
    return t.dimensions.size() == 1 && t.ranks <= 4 * t.radius ? 2 : 1;
  case TopologyKind::kCg:
  case TopologyKind::kHierarchy:
  case TopologyKind::kEighteenPoint:
    return 1.25;
  case TopologyKind::kHeapTree:
    return t.arity > 2 ? 1.25 : 1;
  default:
    return 1;
  }
}

// From every rank to those 1, 2, 4, ... further on, or back, as far as there are any, and to nobody
// else.
bool is_prefix_scan(const Graph& graph, bool forward) {
  const Vertex n = graph.ranks();
  std::int64_t ways = 0;
  for (Vertex v = 0; v < n; ++v) {
    std::int64_t arc = graph.adjacency().row_begin(v);
    for (const Vertex w : graph.adjacency().neighbours(v)) {
      if (graph.sent(arc++).messages == 0) continue;
      const Vertex step = forward ? w - v : v - w;
      if (step < 0 || !std::has_single_bit(static_cast<std::uint32_t>(step))) return false;
      ++ways;
    }
  }
  std::int64_t all = 0;
  for (std::int64_t step = 1; step < n; step *= 2) all += n - step;
  return ways == all;
}

// From every rank to those 1, 2, 4, ... further on, or back, and to nobody else.
bool is_dissemination(const Graph& graph, bool forward) {
  const Vertex n = graph.ranks();
  std::int64_t ways = 0;
  for (Vertex v = 0; v < n; ++v) {
    std::int64_t arc = graph.adjacency().row_begin(v);
    for (const Vertex w : graph.adjacency().neighbours(v)) {
      if (graph.sent(arc++).messages == 0) continue;
      const Vertex step = forward ? (w - v + n) % n : (v - w + n) % n;
      if (!std::has_single_bit(static_cast<std::uint32_t>(step))) return false;
      ++ways;
    }
  }
  return ways == std::int64_t{n} * std::bit_width(static_cast<std::uint32_t>(n - 1));
}

// The level of a multigrid that joins two cells: coordinates differ by its step in one dimension.
std::size_t level_between(const Topology& t, Vertex a, Vertex b) {
  const auto from = coordinates(t.dimensions, a);
  const auto to = coordinates(t.dimensions, b);
  Vertex step = 1;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const Vertex apart = std::abs(from[i] - to[i]);
    if (apart == 0) continue;
    step = t.dimensions[i].periodic ? std::min(apart, t.dimensions[i].size - apart) : apart;
  }
  return static_cast<std::size_t>(std::bit_width(static_cast<std::uint32_t>(step)) - 1);
}

// Messages of the pairs of each level.
std::vector<std::vector<std::uint64_t>> messages_by_level(const Graph& graph,
                                                          const Recognition& recognition) {
  std::vector<std::vector<std::uint64_t>> levels(at(recognition.topology.levels));
  const std::vector<Traffic> traffic = graph.edge_traffic();
  std::size_t edge = 0;
  for (Vertex v = 0; v < graph.ranks(); ++v) {
    for (const Vertex w : graph.adjacency().neighbours(v)) {
      if (v > w) continue;
      const std::size_t level =
          level_between(recognition.topology, recognition.cells[at(v)], recognition.cells[at(w)]);
      levels[std::min(level, levels.size() - 1)].push_back(traffic[edge++].messages);
    }
  }
  return levels;
}

} // namespace

double effort_within(const Recognition& found) {
  if (found.topology.kind == TopologyKind::kEmpty) return 0;
  if (found.topology.kind == TopologyKind::kIrregular) return 3;
  if (found.is_of_one_kind()) return effort_of_kind(found.parts.front().topology) + 0.2;
  if (found.topology.kind == TopologyKind::kSeveral)
    return 1 + 0.5 * static_cast<double>(found.parts.size());
  return effort_of_kind(found.topology) + (found.copies > 1 ? 0.1 : 0);
}

double effort(const Recognition& found) {
  const bool is_family = found.topology.kind != TopologyKind::kEmpty &&
                         found.topology.kind != TopologyKind::kIrregular &&
                         found.topology.kind != TopologyKind::kSeveral;
  return effort_within(found) + (is_family && found.silent_ranks > 0 ? 0.25 : 0);
}

bool is_plain(const Adjacency& graph, const Topology& topology) {
  return is_plain_one(graph, topology, is_complete(graph, 0));
}

void keep_plain_aliases(const Adjacency& graph, Recognition& recognition) {
  const bool complete = recognition.copies == 1 && is_complete(graph, recognition.silent_ranks);
  std::erase_if(recognition.aliases, [&](const Topology& t) {
    return !is_plain_one(graph, t, complete) || closes_pairs_of_a_grid(recognition.topology, t) ||
           takes_apart_a_mesh(recognition.topology, t) || t.kind == TopologyKind::kMultigrid;
  });
}

void prefer_tree_in_rank_order(const Adjacency& graph, Recognition& recognition) {
  if (recognition.copies != 1 || graph.edges() + 1 != graph.vertices()) return;
  if (recognition.numbering.kind != NumberingKind::kNone &&
      recognition.numbering.kind != NumberingKind::kArbitrary)
    return;
  const auto is_tree = [](const Topology& t) {
    return t.kind == TopologyKind::kHeapTree || t.kind == TopologyKind::kBinomialTree;
  };
  // Who numbers a tree as one does not call it by what it would be in another order.
  const auto keep_those_in_order = [&] {
    std::erase_if(recognition.aliases,
                  [&](const Topology& t) { return !is_in_rank_order(graph, t); });
  };
  const auto take_rank_order = [&] {
    recognition.numbering = {};
    recognition.cells.resize(at(graph.vertices()));
    std::iota(recognition.cells.begin(), recognition.cells.end(), 0);
  };
  const Topology found = recognition.topology;
  if (is_tree(found) && turn_to_rank_order(graph, recognition.topology)) {
    if (recognition.topology != found) take_rank_order();
    return keep_those_in_order();
  }
  for (Topology& alias : recognition.aliases) {
    if (!is_tree(alias) || !turn_to_rank_order(graph, alias)) continue;
    std::swap(alias, recognition.topology);
    take_rank_order();
    return keep_those_in_order();
  }
}

void prefer_bits_of_ranks(const Adjacency& graph, Recognition& recognition) {
  const Topology bits{.kind = TopologyKind::kIncompleteHypercube, .ranks = graph.vertices()};
  const bool is_named_otherwise = recognition.topology.kind == TopologyKind::kMesh &&
                                  recognition.numbering.kind == NumberingKind::kArbitrary;
  constexpr Vertex kLeast = 6;
  if (!is_named_otherwise || recognition.copies != 1 || recognition.silent_ranks > 0 ||
      bits.ranks < kLeast || !(graph == reference_graph(bits)))
    return;
  recognition.aliases.insert(recognition.aliases.begin(), recognition.topology);
  recognition.topology = bits;
  recognition.numbering = {};
  recognition.cells.resize(at(bits.ranks));
  std::iota(recognition.cells.begin(), recognition.cells.end(), 0);
}

void name_three_in_a_row(const Adjacency& graph, Recognition& recognition) {
  const TopologyKind kind = recognition.topology.kind;
  const bool is_path = (kind == TopologyKind::kChain || kind == TopologyKind::kStar) &&
                       recognition.topology.ranks == 3 && recognition.copies == 1;
  if (!is_path) return;
  std::vector<Vertex> ranks; // ascending
  Vertex middle = -1;
  for (Vertex v = 0; v < graph.vertices(); ++v) {
    if (graph.degree(v) > 0) ranks.push_back(v);
    if (graph.degree(v) == 2) middle = v;
  }
  if (ranks.size() != 3 || middle < 0) return;
  const bool is_chain = middle == ranks[1];
  recognition.aliases.clear();
  if (is_chain == (kind == TopologyKind::kChain)) return;
  recognition.topology = {.kind = is_chain ? TopologyKind::kChain : TopologyKind::kStar,
                          .ranks = 3};
  if (is_chain) recognition.topology.dimensions = {{3, false}};
  recognition.numbering = {};
  recognition.cells.assign(at(graph.vertices()), -1);
  if (!is_chain) std::swap(ranks[0], *std::find(ranks.begin(), ranks.end(), middle));
  for (Vertex cell = 0; cell < 3; ++cell) recognition.cells[at(ranks[at(cell)])] = cell;
}

void prefer_what_directions_say(const Graph& graph, Recognition& recognition) {
  const TopologyKind kind = recognition.topology.kind;
  const bool may_be = kind == TopologyKind::kComplete || kind == TopologyKind::kMultipartite ||
                      kind == TopologyKind::kStarStencil || kind == TopologyKind::kMoore ||
                      kind == TopologyKind::kTwistedTorus || kind == TopologyKind::kIrregular ||
                      kind == TopologyKind::kSixPoint || kind == TopologyKind::kRowColumn;
  if (!may_be || graph.ranks() < 4 || recognition.silent_ranks > 0) return;
  TopologyKind said = TopologyKind::kIrregular;
  if (is_dissemination(graph, true) || is_dissemination(graph, false))
    said = TopologyKind::kDissemination;
  if (is_prefix_scan(graph, true) || is_prefix_scan(graph, false)) said = TopologyKind::kPrefixScan;
  if (said == TopologyKind::kIrregular) return;
  std::erase_if(recognition.aliases, [&](const Topology& t) { return t.kind == said; });
  if (kind != TopologyKind::kIrregular)
    recognition.aliases.insert(recognition.aliases.begin(), recognition.topology);
  recognition.topology = {.kind = said, .ranks = graph.ranks()};
  recognition.numbering = {};
  recognition.cells.resize(at(graph.ranks()));
  std::iota(recognition.cells.begin(), recognition.cells.end(), 0);
}

bool is_multigrid_by_chance(const Topology& topology) {
  constexpr Vertex kFewLevels = 2;
  return topology.kind == TopologyKind::kMultigrid &&
         (topology.levels <= kFewLevels || topology.ranks <= kFewRanks);
}

void make_irregular(Recognition& recognition) {
  recognition.topology = {.kind = TopologyKind::kIrregular, .ranks = recognition.topology.ranks};
  recognition.aliases.clear();
  recognition.cells.clear();
  recognition.numbering = {};
}

std::vector<Edge> one_way_pairs(const Graph& graph) {
  std::vector<Edge> pairs;
  for (Vertex v = 0; v < graph.ranks(); ++v) {
    std::int64_t arc = graph.adjacency().row_begin(v);
    for (const Vertex w : graph.adjacency().neighbours(v)) {
      const std::int64_t here = arc++;
      if (v > w) continue;
      const bool there = graph.sent(here).messages > 0;
      const bool back = graph.sent(graph.reverse(v, here)).messages > 0;
      if (there != back) pairs.emplace_back(v, w);
    }
  }
  return pairs;
}

void refuse_damaged_all_to_all(const Graph& graph, Recognition& recognition) {
  if (recognition.topology.kind != TopologyKind::kComplete || recognition.symmetric) return;
  if (recognition.copies != 1 || recognition.silent_ranks > 0) return;
  if (2 * static_cast<std::int64_t>(one_way_pairs(graph).size()) > graph.adjacency().edges())
    return;
  make_irregular(recognition);
}

void refuse_levels_by_chance(const Graph& graph, Recognition& recognition) {
  constexpr std::uint64_t kAboutAsOften = 4;
  if (recognition.copies != 1 || !is_multigrid_by_chance(recognition.topology)) return;
  const auto one_way = static_cast<std::int64_t>(one_way_pairs(graph).size());
  bool is_one = one_way == 0 || one_way == graph.adjacency().edges();
  if (graph.ranks() <= kFewRanks)
    is_one = is_one && is_in_rank_order(graph.adjacency(), recognition.topology);
  std::vector<std::uint64_t> most;
  for (const auto& messages : messages_by_level(graph, recognition)) {
    if (messages.empty()) continue;
    const auto [least, greatest] = std::minmax_element(messages.begin(), messages.end());
    is_one = is_one && *greatest <= kAboutAsOften * *least;
    most.push_back(*greatest);
  }
  is_one = is_one &&
           (std::is_sorted(most.begin(), most.end()) || std::is_sorted(most.rbegin(), most.rend()));
  if (!is_one) make_irregular(recognition);
}

} // namespace rondo::topology::internal
