// SPDX-License-Identifier: Apache-2.0
#include "logical/places/pairing.hpp"

#include "rondo/base/sort_stably.hpp"

#include <algorithm>
#include <set>

namespace rondo::logical::internal {
namespace {

using topology::Dimension;
using topology::Topology;
using topology::TopologyKind;
using topology::Vertex;

constexpr std::size_t kMostTwos = 8;

// Coordinates with every ring of four as two dimensions of two.
struct Split {
  std::vector<Dimension> others;
  std::size_t twos = 0;
  std::vector<std::vector<Vertex>> bits; // by rank; empty for silent ranks
  std::vector<std::vector<Vertex>> rest; // coordinates in `others`
};

Split split(const topology::Recognition& found) {
  const auto& dimensions = found.topology.dimensions;
  Split result;
  for (const Dimension& d : dimensions) {
    const bool is_ring_of_four = d.size == 4 && d.periodic;
    if (is_ring_of_four || d.size == 2) {
      result.twos += is_ring_of_four ? 2 : 1;
    } else {
      result.others.push_back(d);
    }
  }
  result.bits.resize(found.cells.size());
  result.rest.resize(found.cells.size());
  for (std::size_t rank = 0; rank < found.cells.size(); ++rank) {
    if (found.cells[rank] < 0) continue;
    const auto at = topology::coordinates(dimensions, found.cells[rank]);
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
      const Dimension& d = dimensions[axis];
      if (d.size == 4 && d.periodic) { // a Gray code: neighbours differ in one bit
        const Vertex gray = at[axis] ^ (at[axis] >> 1);
        result.bits[rank].push_back(gray >> 1);
        result.bits[rank].push_back(gray & 1);
      } else if (d.size == 2) {
        result.bits[rank].push_back(at[axis]);
      } else {
        result.rest[rank].push_back(at[axis]);
      }
    }
  }
  return result;
}

using Pairing = std::vector<std::pair<std::size_t, std::size_t>>;

// All ways to put some of the dimensions into pairs.
void add_pairings(std::size_t next, std::vector<bool>& is_taken, Pairing& pairing,
                  std::vector<Pairing>& all) {
  while (next < is_taken.size() && is_taken[next]) ++next;
  if (next == is_taken.size()) {
    all.push_back(pairing);
    return;
  }
  is_taken[next] = true;
  add_pairings(next + 1, is_taken, pairing, all);
  for (std::size_t other = next + 1; other < is_taken.size(); ++other) {
    if (is_taken[other]) continue;
    is_taken[other] = true;
    pairing.emplace_back(next, other);
    add_pairings(next + 1, is_taken, pairing, all);
    pairing.pop_back();
    is_taken[other] = false;
  }
  is_taken[next] = false;
}

struct Layout {
  std::vector<Dimension> dimensions; // largest first
  std::vector<Vertex> cells;
};

Layout joined(const Split& split, const Pairing& pairing) {
  std::vector<Dimension> dimensions(pairing.size(), {4, true});
  dimensions.insert(dimensions.end(), split.others.begin(), split.others.end());
  std::vector<bool> is_paired(split.twos);
  for (const auto& [a, b] : pairing) is_paired[a] = is_paired[b] = true;
  dimensions.resize(dimensions.size() + split.twos - 2 * pairing.size(), {2, false});
  std::vector<std::size_t> order(dimensions.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  sort_stably(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return dimensions[a].size > dimensions[b].size;
  });
  Layout result;
  for (const std::size_t from : order) result.dimensions.push_back(dimensions[from]);
  for (std::size_t rank = 0; rank < split.bits.size(); ++rank) {
    if (split.bits[rank].empty()) {
      result.cells.push_back(-1);
      continue;
    }
    std::vector<Vertex> at;
    for (const auto& [a, b] : pairing) {
      const Vertex high = split.bits[rank][a];
      at.push_back(high * 2 + (high ^ split.bits[rank][b]));
    }
    at.insert(at.end(), split.rest[rank].begin(), split.rest[rank].end());
    for (std::size_t bit = 0; bit < split.twos; ++bit) {
      if (!is_paired[bit]) at.push_back(split.bits[rank][bit]);
    }
    std::vector<Vertex> sorted;
    for (const std::size_t from : order) sorted.push_back(at[from]);
    result.cells.push_back(topology::cell_at(result.dimensions, sorted));
  }
  return result;
}

// How many different steps ranks take to their first partner, to their second one, and so on.
std::size_t steps_taken(const topology::Recognition& found, const Layout& layout,
                        const std::vector<RankUse>& uses) {
  std::set<std::pair<std::size_t, std::vector<Vertex>>> steps;
  for (std::size_t rank = 0; rank < layout.cells.size(); ++rank) {
    if (layout.cells[rank] < 0) continue;
    const auto from = topology::coordinates(layout.dimensions, layout.cells[rank]);
    for (std::size_t i = 0; i < uses[rank].partners.size(); ++i) {
      const auto to = static_cast<std::size_t>(uses[rank].partners[i]);
      const bool is_here = layout.cells[to] >= 0 &&
                           (found.copy_of.empty() || found.copy_of[rank] == found.copy_of[to]);
      if (!is_here) continue;
      auto step = topology::coordinates(layout.dimensions, layout.cells[to]);
      for (std::size_t axis = 0; axis < step.size(); ++axis) {
        const Dimension& d = layout.dimensions[axis];
        step[axis] -= from[axis];
        if (d.periodic || d.size == 2) step[axis] = (step[axis] + d.size) % d.size;
      }
      steps.emplace(i, std::move(step));
    }
  }
  return steps.size();
}

} // namespace

void pair_dimensions(topology::Recognition& found, const std::vector<RankUse>& uses,
                     bool square_is_grid) {
  const TopologyKind kind = found.topology.kind;
  if (kind != TopologyKind::kHypercube && kind != TopologyKind::kMesh &&
      kind != TopologyKind::kRing)
    return;
  const Split parts = split(found);
  if (parts.twos < 2 || parts.twos > kMostTwos) return;
  std::vector<Pairing> pairings;
  std::vector<bool> is_taken(parts.twos);
  Pairing pairing;
  add_pairings(0, is_taken, pairing, pairings);
  // With equally good ones the fewest dimensions win.
  sort_stably(pairings.begin(), pairings.end(),
              [](const Pairing& a, const Pairing& b) { return a.size() > b.size(); });
  if (square_is_grid && parts.twos == 2 && parts.others.empty()) pairings = {Pairing{}};
  Layout best;
  std::size_t least = 0;
  for (const Pairing& one : pairings) {
    Layout layout = joined(parts, one);
    const std::size_t steps = steps_taken(found, layout, uses);
    if (!best.cells.empty() && steps >= least) continue;
    least = steps;
    best = std::move(layout);
  }
  // 2x2 ranks are a grid, as elsewhere.
  const bool is_hypercube =
      best.dimensions.size() > 2 && std::all_of(best.dimensions.begin(), best.dimensions.end(),
                                                [](const Dimension& d) { return d.size == 2; });
  const bool is_square = best.dimensions.size() == 1;
  if (best.dimensions == found.topology.dimensions) {
    found.cells = std::move(best.cells);
    return;
  }
  found.topology.kind = is_square      ? TopologyKind::kRing
                        : is_hypercube ? TopologyKind::kHypercube
                                       : TopologyKind::kMesh;
  found.topology.dimensions = std::move(best.dimensions);
  found.cells = std::move(best.cells);
}

} // namespace rondo::logical::internal
