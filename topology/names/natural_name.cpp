// SPDX-License-Identifier: Apache-2.0
#include "topology/names/natural_name.hpp"

#include "rondo/base/sort_stably.hpp"
#include "topology/match.hpp"
#include "topology/names/aliases.hpp"
#include "topology/recognisers/components.hpp"

#include <algorithm>

namespace rondo::topology::internal {
namespace {

bool is_mesh(const Topology& t) {
  return t.kind == TopologyKind::kMesh || t.kind == TopologyKind::kHypercube ||
         t.kind == TopologyKind::kRing || t.kind == TopologyKind::kChain;
}

bool is_of_twos(const Topology& t) {
  return std::all_of(t.dimensions.begin(), t.dimensions.end(),
                     [](const Dimension& d) { return d.size == 2; });
}

// Names between which cells can be carried over.
bool is_translatable(const Topology& from, const Topology& to) {
  return from.kind == TopologyKind::kMesh && is_mesh(to) && has_coordinates(to);
}

void put_first(Recognition& recognition, const Topology& name) {
  if (name == recognition.topology) return;
  if (name.dimensions != recognition.topology.dimensions) {
    const MeshTranslation translate(recognition.topology, name);
    for (Vertex& cell : recognition.cells) cell = translate(cell);
  }
  auto& aliases = recognition.aliases;
  const Topology before = recognition.topology;
  recognition.topology = name;
  std::erase(aliases, recognition.topology);
  aliases.insert(aliases.begin(), before);
}

// The grid that the program made, if it is what the ranks form under the coordinates that it gave
// them.
bool adopt_suggestion(const Adjacency& graph, const SuggestedGrid& grid, Recognition& recognition) {
  std::vector<Topology> names = {recognition.topology};
  names.insert(names.end(), recognition.aliases.begin(), recognition.aliases.end());
  for (const Topology& name : names) {
    if (!has_coordinates(name) || name.kind == TopologyKind::kHypercube ||
        !same_up_to_order(name.dimensions, grid.dimensions))
      continue;
    Topology laid_out = name; // its axes in the program's order
    laid_out.dimensions = grid.dimensions;
    if (!maps_onto(graph, reference_graph(laid_out), grid.cells)) continue;
    if (name != recognition.topology) {
      const Topology other = name;
      recognition.aliases.insert(recognition.aliases.begin(), recognition.topology);
      std::erase(recognition.aliases, other);
    }
    recognition.topology = std::move(laid_out);
    recognition.cells = grid.cells;
    recognition.numbering = {NumberingKind::kCartesian, name.kind, grid.dimensions, {}};
    for (std::size_t rank = 0; rank < grid.cells.size(); ++rank) {
      if (grid.cells[rank] != static_cast<Vertex>(rank)) return true;
    }
    recognition.numbering.kind = NumberingKind::kRowMajor;
    return true;
  }
  return false;
}

} // namespace

void put_natural_name_first(const Adjacency& graph, const std::vector<SuggestedGrid>& suggested,
                            Recognition& recognition) {
  for (const SuggestedGrid& grid : suggested) {
    if (adopt_suggestion(graph, grid, recognition)) return;
  }
  recognition.numbering = find_numbering(graph, recognition.topology, recognition.aliases);
  const Numbering& numbering = recognition.numbering;
  std::vector<Topology> names = recognition.aliases;
  if (is_of_twos(recognition.topology) && recognition.topology.dimensions.size() > 2 &&
      (numbering.layout.empty() ||
       same_up_to_order(numbering.layout, recognition.topology.dimensions))) {
    std::erase_if(names, [](const Topology& t) { return t.kind != TopologyKind::kHypercube; });
  } else if (!numbering.layout.empty()) {
    std::erase_if(names, [&](const Topology& t) {
      return t.kind != numbering.of || !same_up_to_order(t.dimensions, numbering.layout);
    });
  } else {
    sort_stably(names.begin(), names.end(), [](const Topology& a, const Topology& b) {
      return a.dimensions.size() < b.dimensions.size();
    });
  }
  std::erase_if(names,
                [&](const Topology& t) { return !is_translatable(recognition.topology, t); });
  const bool is_named = !numbering.layout.empty() && numbering.of == recognition.topology.kind &&
                        same_up_to_order(numbering.layout, recognition.topology.dimensions);
  const bool is_hypercube = !names.empty() && names.front().kind == TopologyKind::kHypercube;
  if (!names.empty() && (is_hypercube || !is_named)) put_first(recognition, names.front());
  adopt_numbering(recognition);
}

} // namespace rondo::topology::internal
