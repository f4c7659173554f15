// SPDX-License-Identifier: Apache-2.0
#include "logical/places/orientation.hpp"

#include "logical/places/peer_topologies.hpp"
#include "rondo/base/sort_stably.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <map>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <utility>

namespace rondo::logical::internal {
namespace {

using topology::Dimension;
using topology::Topology;
using topology::TopologyKind;
using topology::Vertex;
using Steps = std::vector<Vertex>;

Vertex modulo(Vertex x, Vertex size) { return ((x % size) + size) % size; }

Vertex nearest(Vertex x, const Dimension& dimension) {
  if (!dimension.periodic) return x;
  x = modulo(x, dimension.size);
  return 2 * x > dimension.size ? x - dimension.size : x;
}

// The ranks of one copy: what an inner one of them does, and where its origin is.
class Copy {
public:
  Copy(const topology::Recognition& found, const std::vector<RankUse>& uses,
       const std::vector<std::int64_t>& numbers, std::vector<std::size_t> ranks)
      : found_(found), found_cells_(found.cells), uses_(uses), numbers_(numbers),
        ranks_(std::move(ranks)) {}

  const std::vector<std::size_t>& ranks() const { return ranks_; }
  std::int64_t number(std::size_t rank) const { return numbers_[rank]; }

  Steps origin() const {
    const auto place = [&](std::size_t rank) {
      return std::pair{-static_cast<std::int64_t>(uses_[rank].calls_as_root), numbers_[rank]};
    };
    const auto first =
        std::min_element(ranks_.begin(), ranks_.end(),
                         [&](std::size_t a, std::size_t b) { return place(a) < place(b); });
    return coordinates(found_.cells[*first]);
  }

  // In a star, by rank: the centre, then leaves as it uses them, then those that it does not name.
  std::unordered_map<std::size_t, std::size_t> places_around_centre() const {
    const std::size_t centre = *std::find_if(ranks_.begin(), ranks_.end(),
                                             [&](std::size_t r) { return found_cells_[r] == 0; });
    const auto& partners = uses_[centre].partners;
    std::unordered_map<std::size_t, std::size_t> places{{centre, 0}};
    for (const std::int64_t partner : partners)
      places.try_emplace(static_cast<std::size_t>(partner), places.size());
    for (const std::size_t rank : ranks_) places.try_emplace(rank, partners.size() + 1);
    return places;
  }

  // The steps of an inner rank in the order of their use: first those that it sends along.
  std::vector<Steps> steps_by_use() const {
    const std::size_t inner =
        *std::min_element(ranks_.begin(), ranks_.end(), [&](std::size_t a, std::size_t b) {
          return std::pair{-partners_of(a), numbers_[a]} < std::pair{-partners_of(b), numbers_[b]};
        });
    std::vector<Steps> result;
    const auto add = [&](const std::vector<std::int64_t>& partners) {
      for (const std::int64_t to : partners) {
        if (!is_here(to)) continue;
        Steps step = step_between(inner, static_cast<std::size_t>(to));
        if (std::find(result.begin(), result.end(), step) == result.end())
          result.push_back(std::move(step));
      }
    };
    add(uses_[inner].receivers);
    add(uses_[inner].partners);
    return result;
  }

private:
  Steps coordinates(Vertex cell) const {
    return topology::coordinates(found_.topology.dimensions, cell);
  }

  bool is_here(std::int64_t rank) const {
    return std::binary_search(ranks_.begin(), ranks_.end(), static_cast<std::size_t>(rank));
  }

  std::int64_t partners_of(std::size_t rank) const {
    const auto& partners = uses_[rank].partners;
    return std::count_if(partners.begin(), partners.end(),
                         [&](std::int64_t to) { return is_here(to); });
  }

  Steps step_between(std::size_t from, std::size_t to) const {
    const Steps a = coordinates(found_.cells[from]);
    Steps step = coordinates(found_.cells[to]);
    for (std::size_t i = 0; i < a.size(); ++i)
      step[i] = nearest(step[i] - a[i], found_.topology.dimensions[i]);
    return step;
  }

  const topology::Recognition& found_;
  std::vector<Vertex> found_cells_; // before they are turned
  const std::vector<RankUse>& uses_;
  const std::vector<std::int64_t>& numbers_;
  std::vector<std::size_t> ranks_; // ascending
};

// A map of a box onto itself that takes axes to axes.
struct AxisMap {
  std::vector<std::size_t> from; // new axis -> old one
  std::vector<bool> is_mirrored; // by old axis
};

std::optional<std::size_t> only_axis(const Steps& step) {
  std::optional<std::size_t> axis;
  for (std::size_t i = 0; i < step.size(); ++i) {
    if (step[i] == 0) continue;
    if (axis) return std::nullopt;
    axis = i;
  }
  return axis;
}

AxisMap axis_map_of(const std::vector<Dimension>& dimensions, const std::vector<Steps>& steps) {
  AxisMap map;
  map.is_mirrored.resize(dimensions.size());
  std::vector<std::size_t> used;
  const auto use = [&](std::size_t axis) {
    const bool is_new = std::find(used.begin(), used.end(), axis) == used.end();
    if (is_new) used.push_back(axis);
    return is_new;
  };
  for (const Steps& step : steps) {
    const auto axis = only_axis(step);
    if (axis && use(*axis)) map.is_mirrored[*axis] = step[*axis] < 0;
  }
  for (std::size_t axis = dimensions.size(); axis > 0; --axis) use(axis - 1);
  map.from.resize(dimensions.size());
  std::vector<bool> is_taken(dimensions.size());
  for (std::size_t axis = dimensions.size(); axis > 0; --axis) { // the last one is named first
    const auto next = std::find_if(used.begin(), used.end(), [&](std::size_t old) {
      return !is_taken[old] && dimensions[old] == dimensions[axis - 1];
    });
    is_taken[*next] = true;
    map.from[axis - 1] = *next;
  }
  return map;
}

void turn_axes(topology::Recognition& found, const Copy& copy) {
  const auto& dimensions = found.topology.dimensions;
  const AxisMap map = axis_map_of(dimensions, copy.steps_by_use());
  const Steps origin = copy.origin();
  // Where other axes close, two ranks are no border but a ring as well.
  const bool has_no_border = found.topology.kind == TopologyKind::kHypercube ||
                             std::any_of(dimensions.begin(), dimensions.end(),
                                         [](const Dimension& d) { return d.periodic; });
  for (const std::size_t rank : copy.ranks()) {
    const Steps old = topology::coordinates(dimensions, found.cells[rank]);
    Steps turned(old.size());
    for (std::size_t axis = 0; axis < old.size(); ++axis) {
      const std::size_t from = map.from[axis];
      const Vertex size = dimensions[from].size;
      if (dimensions[from].periodic) {
        const Vertex x = modulo(old[from] - origin[from], size);
        turned[axis] = map.is_mirrored[from] ? modulo(-x, size) : x;
      } else {
        const bool by_origin = has_no_border && size == 2;
        const bool is_mirrored = by_origin ? origin[from] != 0 : map.is_mirrored[from];
        turned[axis] = is_mirrored ? size - 1 - old[from] : old[from];
      }
    }
    found.cells[rank] = topology::cell_at(dimensions, turned);
  }
}

using Matrix = std::array<Vertex, 4>; // row by row

Steps product(const Matrix& m, const Steps& x) {
  return {m[0] * x[0] + m[1] * x[1], m[2] * x[0] + m[3] * x[1]};
}

// The six steps of the stencil, in the order in which they should be used.
const std::vector<Steps>& six_steps() {
  static const std::vector<Steps> kSteps = {{0, 1}, {1, 0}, {0, -1}, {-1, 0}, {1, -1}, {-1, 1}};
  return kSteps;
}

std::size_t place_of(const Steps& step) {
  const auto found = std::find(six_steps().begin(), six_steps().end(), step);
  return static_cast<std::size_t>(found - six_steps().begin());
}

// Where the maps of the stencil's steps onto themselves take the steps used; the first ones win.
Matrix stencil_map_of(const std::vector<Steps>& used) {
  Matrix best = {1, 0, 0, 1};
  std::vector<std::size_t> best_places;
  for (int code = 0; code < 81; ++code) {
    const Matrix m = {code % 3 - 1, code / 3 % 3 - 1, code / 9 % 3 - 1, code / 27 - 1};
    const auto& all = six_steps();
    const bool is_map =
        m[0] * m[3] != m[1] * m[2] && std::all_of(all.begin(), all.end(), [&](const Steps& step) {
          return place_of(product(m, step)) < all.size();
        });
    if (!is_map) continue;
    std::vector<std::size_t> places;
    for (const Steps& step : used) places.push_back(place_of(product(m, step)));
    if (best_places.empty() || places < best_places) {
      best = m;
      best_places = std::move(places);
    }
  }
  return best;
}

void turn_stencil(topology::Recognition& found, const Copy& copy) {
  const auto& dimensions = found.topology.dimensions;
  const Matrix map = stencil_map_of(copy.steps_by_use());
  const Steps origin = copy.origin();
  for (const std::size_t rank : copy.ranks()) {
    Steps x = topology::coordinates(dimensions, found.cells[rank]);
    for (std::size_t i = 0; i < 2; ++i) x[i] -= origin[i];
    x = product(map, x);
    for (std::size_t i = 0; i < 2; ++i) x[i] = modulo(x[i], dimensions[i].size);
    found.cells[rank] = topology::cell_at(dimensions, x);
  }
}

// Leaves in the order in which the centre turns to them.
void number_leaves(topology::Recognition& found, const Copy& copy) {
  std::vector<std::size_t> order = copy.ranks();
  const auto places = copy.places_around_centre();
  sort_stably(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(places.at(a), copy.number(a)) < std::pair(places.at(b), copy.number(b));
  });
  for (std::size_t cell = 0; cell < order.size(); ++cell)
    found.cells[order[cell]] = static_cast<Vertex>(cell);
}

// The cells of recursive doubling: where a rank of the core stands, and for which number in it.
class DoublingCells {
public:
  explicit DoublingCells(Vertex ranks)
      : core_(static_cast<Vertex>(std::bit_floor(static_cast<unsigned>(ranks)))),
        guests_(ranks - core_) {}

  Vertex core() const { return core_; }
  bool is_guest(Vertex cell) const { return cell < 2 * guests_ && cell % 2 == 0; }
  bool is_host(Vertex number) const { return number < guests_; }
  Vertex number(Vertex cell) const { return cell < 2 * guests_ ? cell / 2 : cell - guests_; }
  Vertex cell(Vertex number, bool is_guest) const {
    return is_host(number) ? 2 * number + (is_guest ? 0 : 1) : number + guests_;
  }

private:
  Vertex core_, guests_;
};

// Bits by how far the numbers of the ranks are apart that differ in them.
std::vector<std::size_t> bits_by_distance(const topology::Recognition& found,
                                          const DoublingCells& cells) {
  std::vector<std::int64_t> rank_of(static_cast<std::size_t>(cells.core()), -1);
  for (std::size_t rank = 0; rank < found.cells.size(); ++rank) {
    const Vertex cell = found.cells[rank];
    if (cell >= 0 && !cells.is_guest(cell))
      rank_of[static_cast<std::size_t>(cells.number(cell))] = static_cast<std::int64_t>(rank);
  }
  std::vector<std::int64_t> distances;
  for (Vertex bit = 1; bit < cells.core(); bit *= 2) {
    std::int64_t sum = 0;
    for (Vertex a = 0; a < cells.core(); ++a)
      sum += std::abs(rank_of[static_cast<std::size_t>(a)] -
                      rank_of[static_cast<std::size_t>(a ^ bit)]);
    distances.push_back(sum);
  }
  std::vector<std::size_t> bits(distances.size());
  std::iota(bits.begin(), bits.end(), std::size_t{0});
  sort_stably(bits.begin(), bits.end(),
              [&](std::size_t a, std::size_t b) { return distances[a] < distances[b]; });
  return bits;
}

} // namespace

void count_bits_as_numbered(topology::Recognition& found) {
  if (found.topology.kind != TopologyKind::kRecursiveDoubling || found.copies != 1) return;
  const DoublingCells cells(found.topology.ranks);
  const std::vector<std::size_t> bits = bits_by_distance(found, cells);
  const auto turned = [&](Vertex number) {
    Vertex result = 0;
    for (std::size_t bit = 0; bit < bits.size(); ++bit) {
      if ((number >> bits[bit] & 1) != 0) result |= Vertex{1} << bit;
    }
    return result;
  };
  for (Vertex number = 0; number < cells.core(); ++number) {
    if (cells.is_host(number) != cells.is_host(turned(number))) return;
  }
  for (Vertex& cell : found.cells) {
    if (cell >= 0) cell = cells.cell(turned(cells.number(cell)), cells.is_guest(cell));
  }
}

bool lie_as_numbered(topology::Recognition& found, bool is_round) {
  using topology::NumberingKind;
  Topology& topology = found.topology;
  const auto& layout = found.numbering.layout;
  const bool is_lattice =
      topology.kind == TopologyKind::kChain || topology.kind == TopologyKind::kRing ||
      topology.kind == TopologyKind::kMesh || topology.kind == TopologyKind::kMoore ||
      topology.kind == TopologyKind::kEighteenPoint || topology.kind == TopologyKind::kStarStencil;
  const bool is_in_rows = found.numbering.kind == NumberingKind::kRowMajor ||
                          found.numbering.kind == NumberingKind::kColumnMajor;
  const auto pairs =
      std::count_if(layout.begin(), layout.end(), [](const Dimension& d) { return d.size == 2; });
  const bool is_square = topology.kind == TopologyKind::kRing && topology.ranks == 4 && !is_round;
  if (!is_lattice || !is_in_rows || found.numbering.of != topology.kind || found.copies != 1 ||
      found.silent_ranks > 0 || pairs > 1 || is_square)
    return false;
  topology.dimensions = layout;
  std::iota(found.cells.begin(), found.cells.end(), Vertex{0});
  return true;
}

void orient(topology::Recognition& found, const std::vector<RankUse>& uses,
            const std::vector<std::int64_t>& numbers) {
  const Topology& topology = found.topology;
  const bool is_star = topology.kind == TopologyKind::kStar;
  if (!is_star && (!topology::has_coordinates(topology) || topology.shift != 0)) return;
  if (topology.kind == TopologyKind::kMultigrid) return; // its corner is where all levels are
  const bool is_stencil = topology.kind == TopologyKind::kSixPoint;
  if (is_stencil && topology.dimensions[0].size != topology.dimensions[1].size) return;
  std::map<Vertex, std::vector<std::size_t>> copies;
  for (std::size_t rank = 0; rank < found.cells.size(); ++rank) {
    if (found.cells[rank] >= 0)
      copies[found.copy_of.empty() ? 0 : found.copy_of[rank]].push_back(rank);
  }
  for (auto& [number, ranks] : copies) {
    const Copy copy(found, uses, numbers, std::move(ranks));
    if (is_star) {
      number_leaves(found, copy);
    } else if (is_stencil) {
      turn_stencil(found, copy);
    } else {
      turn_axes(found, copy);
    }
  }
}

bool go_the_same_ways(const PeerTopology& peer_topology, const std::vector<RankUse>& uses) {
  const std::vector<std::int64_t>* first = nullptr;
  std::int64_t first_rank = 0;
  for (std::size_t rank = 0; rank < uses.size(); ++rank) {
    if (peer_topology.cells[rank] < 0) continue;
    const std::vector<std::int64_t>& receivers = uses[rank].receivers;
    const auto from = static_cast<std::int64_t>(rank);
    if (first == nullptr) {
      first = &receivers;
      first_rank = from;
    }
    const bool are_alike = std::equal(receivers.begin(), receivers.end(), first->begin(),
                                      first->end(), [&](std::int64_t a, std::int64_t b) {
                                        return direction_between(peer_topology, from, a) ==
                                               direction_between(peer_topology, first_rank, b);
                                      });
    if (!are_alike) return false;
  }
  return true;
}

} // namespace rondo::logical::internal
