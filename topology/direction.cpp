// SPDX-License-Identifier: Apache-2.0
#include "rondo/topology/direction.hpp"

#include <algorithm>

namespace rondo::topology {
namespace {

bool is_tree(TopologyKind kind) {
  return kind == TopologyKind::kStar || kind == TopologyKind::kHeapTree ||
         kind == TopologyKind::kBinomialTree;
}

bool receives(const Graph& graph, Vertex rank) {
  const Adjacency& rows = graph.adjacency();
  for (std::int64_t arc = rows.row_begin(rank); arc < rows.row_end(rank); ++arc) {
    if (graph.sent(graph.reverse(rank, arc)).messages > 0) return true;
  }
  return false;
}

// The only rank that sends and does not receive.
Vertex source_of(const Graph& graph) {
  Vertex source = -1;
  for (Vertex rank = 0; rank < graph.ranks(); ++rank) {
    if (graph.adjacency().degree(rank) == 0 || receives(graph, rank)) continue;
    if (source >= 0) return -1;
    source = rank;
  }
  return source;
}

Direction direction_of_lattice(const Graph& graph, const Recognition& recognition) {
  const auto offsets = offset_usage(graph, recognition);
  const bool is_one_way =
      !offsets.empty() && std::all_of(offsets.begin(), offsets.end(),
                                      [](const OffsetUse& use) { return use.one_way(); });
  if (!is_one_way) return {};
  const auto& dimensions = recognition.topology.dimensions;
  if (std::all_of(dimensions.begin(), dimensions.end(),
                  [](const Dimension& d) { return d.periodic; }))
    return {DirectionKind::kShift, -1};
  const auto kind = dimensions.size() == 1 ? DirectionKind::kPipeline : DirectionKind::kWavefront;
  return {kind, source_of(graph)};
}

// Cell 0 is the root of every tree that has cells, and the parent has the lower number.
Direction direction_of_tree(const Graph& graph, const Recognition& recognition) {
  const Adjacency& rows = graph.adjacency();
  bool up = true;
  bool down = true;
  Vertex root = -1;
  for (Vertex rank = 0; rank < graph.ranks(); ++rank) {
    const Vertex cell = recognition.cells[static_cast<std::size_t>(rank)];
    if (cell == 0) root = rank;
    std::int64_t arc = rows.row_begin(rank);
    for (const Vertex partner : rows.neighbours(rank)) {
      if (graph.sent(arc++).messages == 0) continue;
      const bool goes_down = cell < recognition.cells[static_cast<std::size_t>(partner)];
      (goes_down ? up : down) = false;
    }
  }
  if (up == down) return {};
  return {down ? DirectionKind::kFromRoot : DirectionKind::kToRoot, root};
}

std::string from(const char* what, Vertex source) {
  return source < 0 ? what : std::string(what) + " from rank " + std::to_string(source);
}

} // namespace

Direction direction_of(const Graph& graph, const Recognition& recognition) {
  if (recognition.cells.empty() || !recognition.recognized()) return {};
  if (recognition.copies == 1 && is_tree(recognition.topology.kind))
    return direction_of_tree(graph, recognition);
  return direction_of_lattice(graph, recognition);
}

std::string describe(const Direction& direction) {
  switch (direction.kind) {
  case DirectionKind::kBothWays:
    return "";
  case DirectionKind::kWavefront:
    return from("wavefront", direction.source);
  case DirectionKind::kPipeline:
    return from("pipeline", direction.source);
  case DirectionKind::kShift:
    return "shift";
  case DirectionKind::kFromRoot:
    return "away from rank " + std::to_string(direction.source);
  case DirectionKind::kToRoot:
    return "towards rank " + std::to_string(direction.source);
  }
  return "";
}

} // namespace rondo::topology
