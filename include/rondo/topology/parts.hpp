// SPDX-License-Identifier: Apache-2.0
// A program's traffic, part by part: a grid in the time step, a tree in its reduction, a star at
// the end, which on top of each other have no name.
//
//   for (const TrafficPart& part : parts_of(layered, ranks, {}))
//     std::cout << title(part.found) << '\n';
#pragma once

#include "rondo/matrix/layers.hpp"
#include "rondo/topology/direction.hpp"
#include "rondo/topology/recognize.hpp"

#include <cstdint>
#include <vector>

namespace rondo::topology {

/// Layers that are looked at as one graph.
struct TrafficPart {
  std::vector<std::size_t> layers; // indices into LayeredTraffic::layers, ascending
  Graph graph; // of all ranks, after the filter
  Recognition found;
  Direction direction;
  Traffic traffic; // of all layers, with what ranks send to themselves
  /// The outermost loops among it in which messages go one way: sweeps, shifts.
  std::vector<TrafficPart> sweeps;
};

/// The layers with these indices as one graph, recognized.
/// @complexity  that of recognize()
TrafficPart part_of_layers(const matrix::LayeredTraffic& layered, std::vector<std::size_t> layers,
                           std::int64_t ranks, const TopologyOptions& options);

/// The fewest parts that have names, in the order of the program. A part is what a loop does, or
/// neighbouring terms of a loop's body do together; parts with the same partners are one, and so
/// are those of which one's partners are among another's. Where ranks have different programs, call
/// sites stand for terms.
/// @complexity  O(terms of a body squared) recognitions for bodies of up to 16 terms that have
///              messages, proportional to their number above
/// @source      [logicalization, sec. 6], which leaves several patterns in one program to later
/// work
std::vector<TrafficPart> parts_of(const matrix::LayeredTraffic& layered, std::int64_t ranks,
                                  const TopologyOptions& options);

/// Parts by what they carry, as indices; heaviest first.
struct PartWeights {
  std::vector<std::size_t> heavy; // what the program is called after
  std::vector<std::size_t> light; // behind a gap of at least ten to one
};

/// The widest gap between the weights of parts, if it is wide, is where the light ones begin.
/// @param measure  messages stand for bytes where no part has any
PartWeights weigh(const std::vector<TrafficPart>& parts, WeightMeasure measure);

} // namespace rondo::topology
