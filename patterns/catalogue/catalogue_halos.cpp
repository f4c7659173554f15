// SPDX-License-Identifier: Apache-2.0
// Halo exchanges that look like something else: swaps along the dimensions of a grid are pairs,
// rings, or a butterfly where there are two ranks in a dimension.
#include "patterns/message_group.hpp"
#include "rondo/base/units.hpp"
#include "trace/mpi_names.hpp"

#include <algorithm>
#include <fmt/core.h>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace rondo::patterns::internal {
namespace {

using topology::SuggestedGrid;
using Pairs = std::set<std::pair<std::int64_t, std::int64_t>>;

// Sender and receiver of everything that neighbours along one dimension of a grid may say.
Pairs neighbours_along(const SuggestedGrid& grid, std::size_t d) {
  std::vector<std::int64_t> rank_at(grid.cells.size());
  for (std::size_t rank = 0; rank < grid.cells.size(); ++rank)
    rank_at[static_cast<std::size_t>(grid.cells[rank])] = static_cast<std::int64_t>(rank);
  Pairs pairs;
  for (std::size_t rank = 0; rank < grid.cells.size(); ++rank) {
    const auto point = topology::coordinates(grid.dimensions, grid.cells[rank]);
    const topology::Dimension& dimension = grid.dimensions[d];
    for (const Vertex step : {-1, 1}) {
      auto next = point;
      next[d] += step;
      if (dimension.periodic) next[d] = (next[d] + dimension.size) % dimension.size;
      if (next[d] < 0 || next[d] >= dimension.size) continue;
      const auto cell = static_cast<std::size_t>(topology::cell_at(grid.dimensions, next));
      pairs.emplace(static_cast<std::int64_t>(rank), rank_at[cell]);
    }
  }
  return pairs;
}

struct Neighbours {
  Pairs all;
  std::vector<Pairs> along; // by dimension
};

Neighbours neighbours_on(const SuggestedGrid& grid) {
  Neighbours neighbours;
  for (std::size_t d = 0; d < grid.dimensions.size(); ++d) {
    neighbours.along.push_back(neighbours_along(grid, d));
    neighbours.all.insert(neighbours.along.back().begin(), neighbours.along.back().end());
  }
  return neighbours;
}

bool stays_on(const Pairs& neighbours, const NamedPhase& phase) {
  return std::all_of(phase.pairs.begin(), phase.pairs.end(),
                     [&](const auto& pair) { return neighbours.contains(pair); });
}

std::string grid_name(const SuggestedGrid& grid, std::size_t ranks) {
  const auto kind = grid.dimensions.size() > 1    ? topology::TopologyKind::kMesh
                    : grid.dimensions[0].periodic ? topology::TopologyKind::kRing
                                                  : topology::TopologyKind::kChain;
  return topology::name(
      {.kind = kind, .ranks = static_cast<Vertex>(ranks), .dimensions = grid.dimensions});
}

NamedPhase on_grid(const SuggestedGrid& grid, std::vector<NamedPhase> parts) {
  NamedPhase halo = std::move(parts.front());
  const std::string before =
      parts.size() == 1 && halo.name != PatternName::kHaloExchange ? halo.what : "";
  for (std::size_t i = 1; i < parts.size(); ++i) {
    halo.messages += parts[i].messages * parts[i].times;
    halo.rounds += parts[i].rounds;
    halo.least_bytes = std::min(halo.least_bytes, parts[i].least_bytes);
    halo.most_bytes = std::max(halo.most_bytes, parts[i].most_bytes);
    halo.pairs.insert(halo.pairs.end(), parts[i].pairs.begin(), parts[i].pairs.end());
  }
  const std::size_t ranks = grid.cells.size();
  const std::string least = human_bytes(halo.least_bytes);
  const std::string most = human_bytes(halo.most_bytes);
  halo.name = PatternName::kHaloExchange;
  halo.scope = fmt::format("over {} ranks, on a {}", ranks, grid_name(grid, ranks));
  halo.what = "halo exchange " + halo.scope;
  halo.evidence = {
      "the program made this grid (MPI_Cart_create), and all messages go to neighbours "
      "on it, both ways",
      "messages of " + (least == most ? least : least + " to " + most)};
  if (!before.empty())
    halo.evidence.push_back((before.starts_with("all") ? "also an " : "also a ") + before);
  halo.also = before;
  halo.collective = mpi::Neighbor_alltoallv;
  halo.groups.assign(1, {});
  for (std::size_t rank = 0; rank < ranks; ++rank)
    halo.groups.front().push_back(static_cast<std::int64_t>(rank));
  halo.has_root = false;
  return halo;
}

bool may_be_swaps(const NamedPhase& phase) {
  return phase.name == PatternName::kHaloExchange || phase.name == PatternName::kPairExchange ||
         phase.name == PatternName::kButterfly || phase.name == PatternName::kRingShift ||
         phase.name == PatternName::kDisseminationBarrier ||
         phase.name == PatternName::kPairwiseAllToAll;
}

// A ring of three is an all-to-all, and a dissemination, of three: along a dimension of the grid
// neighbours exchange.
void name_along(const SuggestedGrid& grid, const Neighbours& neighbours, NamedPhase& phase) {
  if (phase.name != PatternName::kPairwiseAllToAll &&
      phase.name != PatternName::kDisseminationBarrier)
    return;
  const Pairs met(phase.pairs.begin(), phase.pairs.end());
  const auto along = std::find(neighbours.along.begin(), neighbours.along.end(), met);
  if (along == neighbours.along.end()) return;
  const auto groups = phase.groups;
  const std::size_t comma = phase.scope.find("), in ");
  const std::string who =
      comma == std::string::npos ? phase.scope : phase.scope.substr(0, comma + 1);
  phase = on_grid(grid, {std::move(phase)});
  phase.groups = groups;
  phase.scope = fmt::format("{}, along dimension {} of a {}", who, along - neighbours.along.begin(),
                            grid_name(grid, grid.cells.size()));
  phase.what = "halo exchange " + phase.scope;
}

// Swaps one after the other are one exchange, as soon as all neighbours have had to do with each
// other.
void join_on(const SuggestedGrid& grid, std::vector<NamedPhase>& phases) {
  const Neighbours neighbours = neighbours_on(grid);
  std::vector<NamedPhase> joined;
  for (std::size_t first = 0; first < phases.size();) {
    std::size_t last = first;
    Pairs met;
    for (; last < phases.size() && may_be_swaps(phases[last]) &&
           stays_on(neighbours.all, phases[last]);
         ++last)
      met.insert(phases[last].pairs.begin(), phases[last].pairs.end());
    const bool is_all = last > first && met == neighbours.all;
    if (!is_all) {
      last = std::max(last, first + 1);
      for (std::size_t i = first; i < last; ++i) name_along(grid, neighbours, phases[i]);
      std::move(phases.begin() + static_cast<std::ptrdiff_t>(first),
                phases.begin() + static_cast<std::ptrdiff_t>(last), std::back_inserter(joined));
    } else {
      joined.push_back(on_grid(
          grid, {std::make_move_iterator(phases.begin() + static_cast<std::ptrdiff_t>(first)),
                 std::make_move_iterator(phases.begin() + static_cast<std::ptrdiff_t>(last))}));
    }
    first = last;
  }
  phases = std::move(joined);
}

// Where a rank swaps more often than others in between, the swaps of all do not fit each other, and
// some messages are left over: all of them together are the exchange.
void join_all_on(const SuggestedGrid& grid, const std::vector<PatternMessage>& messages,
                 std::vector<NamedPhase>& phases) {
  constexpr std::size_t kFewRanks = 3; // a master in their middle meets all neighbours, too
  if (phases.empty() && grid.cells.size() <= kFewRanks) return;
  if (!std::all_of(phases.begin(), phases.end(), may_be_swaps)) return;
  std::size_t named = 0;
  NamedPhase all;
  all.least_bytes = std::numeric_limits<double>::infinity();
  for (const NamedPhase& phase : phases) {
    named += phase.messages * phase.times;
    all.rounds += phase.rounds;
  }
  for (const PatternMessage& m : messages) {
    if (m.from == m.to) continue;
    ++all.messages;
    all.pairs.emplace_back(m.from, m.to);
    all.least_bytes = std::min(all.least_bytes, m.least_bytes < 0 ? m.bytes : m.least_bytes);
    all.most_bytes = std::max(all.most_bytes, m.most_bytes < 0 ? m.bytes : m.most_bytes);
  }
  const Pairs met(all.pairs.begin(), all.pairs.end());
  if (named >= all.messages || met != neighbours_on(grid).all) return;
  all.name = PatternName::kHaloExchange;
  phases = {on_grid(grid, {std::move(all)})};
}

// Sizes that no collective has, where a grid of twos explains who is whose partner.
void swap_names(NamedPhase& phase) {
  const std::string halo(to_text(PatternName::kHaloExchange));
  if (phase.name != PatternName::kButterfly || !phase.collective.empty() ||
      !phase.also.starts_with(halo))
    return;
  const std::string grid = phase.also.substr(halo.size()); // " on a 2x2 grid"
  phase.also = phase.what;
  phase.name = PatternName::kHaloExchange;
  phase.scope = phase.scope.substr(0, phase.scope.rfind(", in ")) + "," + grid;
  phase.what = halo + " " + phase.scope;
  phase.evidence.front() =
      "in each round all ranks exchange in pairs, one dimension after the other; "
      "a butterfly has the same partners, but other sizes";
  phase.collective = mpi::Neighbor_alltoallv;
}

using Groups = std::vector<std::vector<std::int64_t>>;

// Rows and columns: all ranks of one group are in different groups of the other partition.
bool do_cross(const Groups& rows, const Groups& columns) {
  std::map<std::int64_t, std::size_t> column_of;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    for (const std::int64_t rank : columns[i]) column_of[rank] = i;
  }
  return std::all_of(rows.begin(), rows.end(), [&](const std::vector<std::int64_t>& row) {
    std::set<std::size_t> met;
    for (const std::int64_t rank : row) {
      if (const auto found = column_of.find(rank); found != column_of.end())
        met.insert(found->second);
    }
    return met.size() == row.size();
  });
}

// Three that exchange both ways round are no all-to-all where the same ranks exchange halos across:
// the grid is there, though the program made none.
void name_rings_across(std::vector<NamedPhase>& phases) {
  for (NamedPhase& phase : phases) {
    const bool may_be_rings =
        (phase.name == PatternName::kPairwiseAllToAll ||
         phase.name == PatternName::kDisseminationBarrier) &&
        std::all_of(phase.groups.begin(), phase.groups.end(),
                    [](const std::vector<std::int64_t>& group) { return group.size() == 3; });
    if (!may_be_rings) continue;
    const bool is_of_grid = std::any_of(phases.begin(), phases.end(), [&](const NamedPhase& other) {
      return other.name == PatternName::kHaloExchange && do_cross(phase.groups, other.groups);
    });
    if (!is_of_grid) continue;
    phase.also = phase.what;
    phase.name = PatternName::kHaloExchange;
    phase.scope = phase.scope.substr(0, phase.scope.rfind(", in ")) + ", on a ring of 3 ranks";
    phase.what = "halo exchange " + phase.scope;
    phase.evidence.back() = phase.also.substr(0, phase.also.find(" within")) +
                            " of 3 ranks is the same, but here they exchange with neighbours "
                            "across, too";
    phase.collective.clear();
  }
}

} // namespace

void name_halo_exchanges(const std::vector<PatternMessage>& messages,
                         const PatternSurroundings& others, std::vector<NamedPhase>& phases) {
  for (const SuggestedGrid& grid : others.grids) {
    if (grid.dimensions.empty()) continue;
    join_on(grid, phases);
    join_all_on(grid, messages, phases);
  }
  for (NamedPhase& phase : phases) swap_names(phase);
  name_rings_across(phases);
}

} // namespace rondo::patterns::internal
