// SPDX-License-Identifier: Apache-2.0
#include "logical/places/peer_topologies.hpp"

#include "logical/places/closed_axes.hpp"
#include "logical/places/irregular_graphs.hpp"
#include "logical/places/orientation.hpp"
#include "logical/places/pairing.hpp"
#include "logical/places/peer_words.hpp"
#include "rondo/base/sort_stably.hpp"
#include "rondo/topology/groups.hpp"
#include "rondo/topology/parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

namespace rondo::logical::internal {
namespace {

// Two of more ranks are partners: a chain of them would have taken in the others.
PeerTopology peer_topology_of(const topology::Recognition& found, DirectionOptions options) {
  if (found.topology.ranks == 2 && found.cells.size() > 2) options.across_twos = true;
  return {topology::title(found), found.topology, found.cells, found.copy_of,
          Directions(found.topology, options)};
}

// Two sides, each of whose ranks talks to all of the other, may be several call sites' topologies
// on top of each other, as a ring of six ranks and who is opposite: these say more.
bool has_sides(const topology::Recognition& found) {
  return found.topology.kind == topology::TopologyKind::kMultipartite && !found.cells.empty() &&
         Directions::has(found.topology);
}

bool is_peer_topology(const topology::Recognition& found) {
  return found.recognized() && !found.cells.empty() && Directions::has(found.topology) &&
         !has_sides(found);
}

std::vector<topology::Vertex> by_number(const std::vector<topology::Vertex>& of_rank,
                                        const std::vector<std::int64_t>& numbers) {
  std::vector<topology::Vertex> result(of_rank.size());
  for (std::size_t rank = 0; rank < of_rank.size(); ++rank)
    result[static_cast<std::size_t>(numbers[rank])] = of_rank[rank];
  return result;
}

std::vector<topology::Vertex> by_rank(const std::vector<topology::Vertex>& of_number,
                                      const std::vector<std::int64_t>& numbers) {
  std::vector<topology::Vertex> result(of_number.size());
  for (std::size_t rank = 0; rank < of_number.size(); ++rank)
    result[rank] = of_number[static_cast<std::size_t>(numbers[rank])];
  return result;
}

// Recognition then sees the ranks as if they had these numbers.
void renumber(matrix::LayeredTraffic& layered, const std::vector<std::int64_t>& numbers) {
  for (matrix::Layer& layer : layered.layers) {
    for (matrix::MatrixEntry& entry : layer.entries) {
      entry.source = numbers[static_cast<std::size_t>(entry.source)];
      entry.destination = numbers[static_cast<std::size_t>(entry.destination)];
    }
    sort_stably(layer.entries.begin(), layer.entries.end(), [](const auto& a, const auto& b) {
      return std::pair{a.source, a.destination} < std::pair{b.source, b.destination};
    });
  }
}

// The topologies of a trace's parts; where one has no directions, those of its call sites.
class PeerTopologyFinder {
public:
  PeerTopologyFinder(const trace::Trace& trace, matrix::LayeredTraffic layered,
                     const std::vector<RankUse>& uses, const std::vector<std::int64_t>& numbers,
                     DirectionOptions options)
      : trace_(trace), uses_(uses), numbers_(numbers), options_(options),
        layered_(std::move(layered)), made_(topology::cartesian_grids(trace)) {
    renumber(layered_, numbers);
    for (const topology::SuggestedGrid& grid : made_)
      settings_.suggested.push_back({grid.dimensions, by_number(grid.cells, numbers)});
  }

  std::vector<PeerTopology> run() {
    if (layered_.layers.empty()) return {};
    std::vector<topology::TrafficPart> parts =
        topology::parts_of(layered_, trace_.run.ranks, settings_);
    sort_stably(parts.begin(), parts.end(), [](const auto& a, const auto& b) {
      return a.traffic.messages > b.traffic.messages;
    });
    std::uint64_t all = 0;
    for (const topology::TrafficPart& part : parts) all += part.traffic.messages;
    for (const topology::TrafficPart& part : parts) {
      const bool is_light = part.traffic.messages < all / 100;
      if (is_peer_topology(part.found)) {
        add_peer_topology(part.found, part.direction.kind == topology::DirectionKind::kShift ||
                                          is_ring_elsewhere(part, parts));
        add_with_light(part);
      } else if (are_stars(part.found)) {
        add_stars(part.found);
      } else if (are_of_one_kind(part.found)) {
        add_of_one_kind(part.found);
      } else if (!is_light) {
        add_without_directions(part);
      }
    }
    return std::move(peer_topologies_);
  }

private:
  using Layers = std::vector<std::size_t>;

  // What a statement sends around a ring on one communicator goes around four ranks on another.
  bool is_ring_elsewhere(const topology::TrafficPart& part,
                         const std::vector<topology::TrafficPart>& parts) const {
    const auto sites_of = [&](const topology::TrafficPart& one) {
      std::set<std::uint32_t> sites;
      for (const std::size_t layer : one.layers) sites.insert(layered_.layers[layer].site);
      return sites;
    };
    return std::any_of(parts.begin(), parts.end(), [&](const topology::TrafficPart& other) {
      return &other != &part && other.found.topology.kind == topology::TopologyKind::kRing &&
             sites_of(part) == sites_of(other);
    });
  }

  static bool are_stars(const topology::Recognition& found) {
    return found.is_of_one_kind() &&
           found.parts.front().topology.kind == topology::TopologyKind::kStar;
  }

  // Small messages that close a chain to a ring are light, and as many calls as others: calls that
  // make them follow what all of the messages form, the others what the heavy ones do.
  void add_with_light(const topology::TrafficPart& part) {
    constexpr std::uint64_t kSeldom = 50; // of so many messages one may be off the topology
    const topology::Filtered& light = part.found.filtered;
    if (light.traffic.messages < part.traffic.messages / kSeldom) return;
    topology::TopologyOptions unfiltered = settings_;
    unfiltered.filter = topology::FilterKind::kNone;
    const topology::TrafficPart all =
        topology::part_of_layers(layered_, part.layers, trace_.run.ranks, unfiltered);
    if (is_peer_topology(all.found) && closes(all.found.topology, part.found.topology))
      add_peer_topology(with_axes_of(part.found, all.found, layered_, part.layers),
                        all.direction.kind == topology::DirectionKind::kShift);
    // What one call sends to several distances is those, some of which are gone less often than
    // others; what some calls send seldom may have a name of its own.
    const std::map<std::uint32_t, Layers> sites = by_site(part.layers);
    if (sites.size() == 1) {
      auto graph = graph_of(part.layers);
      if (graph && graph->directions.are_round_steps()) {
        add_new(std::move(*graph));
      } else {
        add_complete(all.found, part.layers);
      }
      return;
    }
    if (is_peer_topology(all.found)) return;
    for (const auto& [site, own] : sites) {
      const auto found =
          topology::part_of_layers(layered_, own, trace_.run.ranks, unfiltered).found;
      if (is_peer_topology(found)) add_peer_topology(found);
    }
  }

  // Of several sizes: a small one is the largest without some of its leaves.
  void add_stars(topology::Recognition found) {
    const std::string title = topology::title(found);
    found.topology = found.parts.front().topology;
    found.cells = by_rank(found.cells, numbers_);
    found.copy_of = by_rank(found.copy_of, numbers_);
    orient(found, uses_, numbers_);
    PeerTopology peer_topology = peer_topology_of(found, options_);
    peer_topology.name = title;
    add_new(std::move(peer_topology));
  }

  // Rings of 5 and of 6 ranks, as communicators of unequally many ranks make them.
  static bool are_of_one_kind(const topology::Recognition& found) {
    return found.is_of_one_kind() && Directions::has(found.parts.front().topology);
  }

  void add_of_one_kind(const topology::Recognition& found) {
    std::vector<topology::Topology> parts;
    PeerTopology result{
        topology::title(found), found.topology, std::vector<topology::Vertex>(numbers_.size(), -1),
        by_rank(found.copy_of, numbers_), Directions(found.parts.front().topology, options_)};
    topology::Vertex first = 0; // cell of the part
    for (topology::Recognition& one : parts_of(found)) {
      orient(one, uses_, numbers_);
      for (std::size_t rank = 0; rank < one.cells.size(); ++rank) {
        if (one.cells[rank] >= 0) result.cells[rank] = first + one.cells[rank];
      }
      first += one.topology.ranks;
      parts.push_back(std::move(one.topology));
    }
    DirectionOptions options = options_;
    options.across_twos = false; // a pair is a chain among chains
    result.directions = Directions(parts, options);
    result.topology.ranks = first;
    add_new(std::move(result));
  }

  // A ring of three ranks beside two pairs.
  static bool have_directions(const topology::Recognition& found) {
    return !found.parts.empty() &&
           std::all_of(found.parts.begin(), found.parts.end(),
                       [](const auto& part) { return Directions::has(part.topology); });
  }

  void add_parts(const topology::Recognition& found) {
    for (topology::Recognition& part : parts_of(found)) {
      orient(part, uses_, numbers_);
      add_new(peer_topology_of(part, options_));
    }
  }

  // The parts by themselves, of ranks; none if some of one size differ.
  std::vector<topology::Recognition> parts_of(const topology::Recognition& found) const {
    const auto cells = by_rank(found.cells, numbers_);
    const auto copy_of = by_rank(found.copy_of, numbers_);
    std::map<topology::Vertex, topology::Vertex> sizes; // of the copies
    for (const topology::Vertex copy : copy_of) ++sizes[copy];
    std::set<topology::Vertex> seen;
    std::vector<topology::Recognition> result;
    for (const topology::Component& part : found.parts) {
      if (!seen.insert(part.topology.ranks).second) return {};
      topology::Recognition& one = result.emplace_back(found);
      one.topology = part.topology;
      one.copies = part.copies;
      one.parts.clear();
      one.aliases.clear();
      one.cells = cells;
      one.copy_of = copy_of;
      for (std::size_t rank = 0; rank < cells.size(); ++rank) {
        if (copy_of[rank] < 0 || sizes.at(copy_of[rank]) != part.topology.ranks)
          one.cells[rank] = one.copy_of[rank] = -1;
      }
    }
    return result;
  }

  // Such a part may be of several call sites that have some each.
  void add_without_directions(const topology::TrafficPart& part) {
    constexpr auto kIrregular = topology::TopologyKind::kIrregular;
    if (add_tree(part.found, part.layers)) return;
    if (add_complete(part.found, part.layers)) return;
    const std::map<std::uint32_t, Layers> sites = by_site(part.layers);
    if (sites.size() < 2) {
      if (has_sides(part.found)) add_peer_topology(part.found);
      if (have_directions(part.found)) add_parts(part.found);
      if (part.found.topology.kind == kIrregular) add_irregular(part.layers);
      if (is_without_directions(part.found))
        add_irregular(part.layers, topology::title(part.found));
      return;
    }
    Layers irregular;
    for (const auto& [site, own] : sites) {
      const topology::Recognition found =
          topology::part_of_layers(layered_, own, trace_.run.ranks, settings_).found;
      if (is_peer_topology(found) || has_sides(found)) {
        add_peer_topology(found);
      } else if (!add_tree(found, own) && !add_complete(found, own) &&
                 found.topology.kind == kIrregular) {
        irregular.insert(irregular.end(), own.begin(), own.end());
      }
    }
    add_irregular(irregular);
  }

  bool add_tree(const topology::Recognition& found, const Layers& layers) {
    if (found.topology.kind != topology::TopologyKind::kTree || found.copies > 1) return false;
    auto tree = rooted_tree(layered_, layers, ranks_by_number());
    if (!tree) return false;
    Directions directions(tree->topology, options_);
    add_new({topology::title(found),
             tree->topology,
             std::move(tree->cells),
             {},
             std::move(directions)});
    return true;
  }

  // Cliques whose leaders talk, or more than two sides: a rank has neighbours there.
  static bool is_without_directions(const topology::Recognition& found) {
    using topology::TopologyKind;
    return found.copies == 1 && !Directions::has(found.topology) &&
           (found.topology.kind == TopologyKind::kHierarchy ||
            found.topology.kind == TopologyKind::kMultipartite);
  }

  void add_irregular(const Layers& all, const std::string& name = "") {
    auto graph = graph_of(all);
    if (!graph) return;
    if (!name.empty()) graph->name = name;
    add_new(std::move(*graph));
  }

  std::optional<PeerTopology> graph_of(const Layers& all) const {
    auto graph = irregular_graph(layered_, all, ranks_by_number());
    if (!graph) return std::nullopt;
    Directions directions(graph->topology, options_);
    return PeerTopology{graph->topology.user ? graph->topology.user->name
                                             : topology::name(graph->topology),
                        graph->topology,
                        std::move(graph->cells),
                        {},
                        std::move(directions)};
  }

  std::map<std::uint32_t, Layers> by_site(const Layers& layers) const {
    std::map<std::uint32_t, Layers> result;
    for (const std::size_t layer : layers) result[layered_.layers[layer].site].push_back(layer);
    return result;
  }

  // @param goes_round  messages do: four ranks are a ring then, and no square
  void add_peer_topology(topology::Recognition found, bool goes_round = false) {
    found.cells = by_rank(found.cells, numbers_);
    found.copy_of = by_rank(found.copy_of, numbers_);
    const bool is_made = std::any_of(made_.begin(), made_.end(), [&](const auto& grid) {
      return grid.dimensions == found.topology.dimensions && grid.cells == found.cells;
    });
    const std::string title = topology::title(found);
    const bool is_round = goes_round && found.topology.kind == topology::TopologyKind::kRing;
    if (!is_made && options_.lies_as_numbered && lie_as_numbered(found, is_round)) {
      PeerTopology peer_topology = peer_topology_of(found, options_);
      peer_topology.name = title; // as `rondo topology` has it, the longest dimension first
      add_new(std::move(peer_topology));
      return;
    }
    if (options_.lies_as_numbered) count_bits_as_numbered(found);
    if (!is_made) {
      if (!is_round) pair_dimensions(found, uses_, options_.square_is_grid);
      orient(found, uses_, numbers_);
    }
    add_new(peer_topology_of(found, options_));
  }

  void add_new(PeerTopology peer_topology) {
    const bool is_known = std::any_of(
        peer_topologies_.begin(), peer_topologies_.end(), [&](const PeerTopology& known) {
          return known.topology == peer_topology.topology && known.cells == peer_topology.cells &&
                 known.copy_of == peer_topology.copy_of;
        });
    if (!is_known) peer_topologies_.push_back(std::move(peer_topology));
  }

  // Any numbering of an all-to-all is as good as any other: of those that have another name the one
  // in which all ranks go the same ways one after the other, and call sites have the fewest
  // directions, if all ranks do the same in it; else distances.
  bool add_complete(topology::Recognition found, const Layers& layers) {
    if (found.topology.kind != topology::TopologyKind::kComplete) return false;
    number_active(found, layers);
    std::vector<topology::Topology> names;
    if (found.copies == 1) names = found.aliases;
    names.push_back(found.topology);
    std::optional<PeerTopology> best;
    std::pair<bool, std::size_t> least; // in different orders, directions
    for (const topology::Topology& name : names) {
      if (name.kind != topology::TopologyKind::kComplete && !topology::has_coordinates(name))
        continue;
      PeerTopology peer_topology{topology::title(found), name, found.cells, found.copy_of,
                                 Directions(name, options_)};
      const auto uses = directions_in(peer_topology, layers);
      if (!uses) continue;
      const std::pair burden(!go_the_same_ways(peer_topology, uses_), *uses);
      if (best && burden >= least) continue;
      least = burden;
      best = std::move(peer_topology);
    }
    if (!best) // ranks do different things: distances say as much as anything
      best = PeerTopology{topology::title(found), found.topology, found.cells, found.copy_of,
                          Directions(found.topology, options_)};
    add_new(std::move(*best));
    return true;
  }

  std::vector<std::int64_t> ranks_by_number() const {
    std::vector<std::int64_t> rank_of(numbers_.size());
    for (std::size_t rank = 0; rank < numbers_.size(); ++rank)
      rank_of[static_cast<std::size_t>(numbers_[rank])] = static_cast<std::int64_t>(rank);
    return rank_of;
  }

  // By rank, 1 if it sends or receives in the layers.
  std::vector<topology::Vertex> active_in(const Layers& layers,
                                          const std::vector<std::int64_t>& rank_of) const {
    std::vector<topology::Vertex> is_active(numbers_.size(), 0);
    for (const std::size_t layer : layers) {
      for (const matrix::MatrixEntry& entry : layered_.layers[layer].entries) {
        for (const std::int64_t number : {entry.source, entry.destination})
          is_active[static_cast<std::size_t>(rank_of[static_cast<std::size_t>(number)])] = 1;
      }
    }
    return is_active;
  }

  // Ranks of each copy in their order, without those that light messages alone reach.
  void number_active(topology::Recognition& found, const Layers& layers) const {
    std::vector<topology::Vertex> is_active = active_in(layers, ranks_by_number());
    if (!found.cells.empty()) {
      const std::vector<topology::Vertex> cells = by_rank(found.cells, numbers_);
      for (std::size_t rank = 0; rank < cells.size(); ++rank)
        if (cells[rank] < 0) is_active[rank] = 0;
    }
    if (found.copies > 1) found.copy_of = by_rank(found.copy_of, numbers_);
    std::map<topology::Vertex, topology::Vertex> next; // by copy
    found.cells.assign(numbers_.size(), -1);
    for (std::size_t rank = 0; rank < numbers_.size(); ++rank) {
      const topology::Vertex copy = found.copies > 1 ? found.copy_of[rank] : 0;
      if (is_active[rank] > 0 && next[copy] < found.topology.ranks)
        found.cells[rank] = next[copy]++;
    }
  }

  // Of all call sites; nothing if ranks send different numbers of messages in one of them.
  std::optional<std::size_t> directions_in(const PeerTopology& peer_topology,
                                           const Layers& layers) const {
    const std::vector<topology::Vertex> cells = by_number(peer_topology.cells, numbers_);
    std::map<std::pair<std::uint32_t, std::size_t>, std::map<std::int64_t, std::uint64_t>> used;
    for (const std::size_t i : layers) {
      const matrix::Layer& layer = layered_.layers[i];
      for (const matrix::MatrixEntry& entry : layer.entries) {
        const auto direction =
            peer_topology.directions.between(cells[static_cast<std::size_t>(entry.source)],
                                             cells[static_cast<std::size_t>(entry.destination)]);
        if (direction) used[{layer.site, *direction}][entry.source] += entry.messages;
      }
    }
    for (const auto& [use, messages] : used) {
      const std::uint64_t first = messages.begin()->second;
      const bool is_alike = std::all_of(messages.begin(), messages.end(),
                                        [&](const auto& one) { return one.second == first; });
      if (!is_alike) return std::nullopt;
    }
    return used.size();
  }

  const trace::Trace& trace_;
  const std::vector<RankUse>& uses_;
  const std::vector<std::int64_t>& numbers_;
  DirectionOptions options_;
  matrix::LayeredTraffic layered_; // with the numbers
  std::vector<topology::SuggestedGrid> made_;
  topology::TopologyOptions settings_;
  std::vector<PeerTopology> peer_topologies_;
};

} // namespace

std::vector<PeerTopology> peer_topologies_of(const trace::Trace& trace,
                                             matrix::LayeredTraffic layered,
                                             const std::vector<RankUse>& uses,
                                             const std::vector<std::int64_t>& numbers,
                                             DirectionOptions options) {
  return PeerTopologyFinder(trace, std::move(layered), uses, numbers, options).run();
}

std::optional<std::size_t> direction_between(const PeerTopology& peer_topology, std::int64_t from,
                                             std::int64_t to) {
  const auto a = static_cast<std::size_t>(from);
  const auto b = static_cast<std::size_t>(to);
  if (!peer_topology.copy_of.empty() && peer_topology.copy_of[a] != peer_topology.copy_of[b])
    return std::nullopt;
  return peer_topology.directions.between(peer_topology.cells[a], peer_topology.cells[b]);
}

bool is_leaf(const PeerTopology& peer_topology, std::size_t direction) {
  if (direction == Peer::kAnyLeaf) return false;
  const std::string& name = peer_topology.directions.name(direction);
  return (peer_topology.topology.kind == topology::TopologyKind::kUser &&
          !topology::has_coordinates(peer_topology.topology) &&
          !peer_topology.directions.are_round_steps()) ||
         peer_topology.topology.kind == topology::TopologyKind::kMultipartite ||
         (peer_topology.topology.kind == topology::TopologyKind::kStar &&
          name.starts_with("leaf")) ||
         (peer_topology.topology.kind == topology::TopologyKind::kHierarchy &&
          name.starts_with("member"));
}

} // namespace rondo::logical::internal
