// SPDX-License-Identifier: Apache-2.0
// A program's traffic sorted by what the program says of it: by communicator, call site, loop,
// marked phase or function.
//
//   for (const LayerGroup& group : groups_of(trace, layered, Grouping::kCommunicator))
//     use(part_of_layers(layered, group.layers, trace.run.ranks, {}));
#pragma once

#include "rondo/matrix/layers.hpp"
#include "rondo/topology/recognize.hpp"
#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rondo::topology {

enum class Grouping { kCommunicator, kCallSite, kLoop, kPhase, kFunction };

struct LayerGroup {
  std::vector<std::size_t> layers; // indices into LayeredTraffic::layers, ascending
  std::vector<std::size_t> collectives; // likewise
  /// kCommunicator: slot, kWorldSlot for MPI_COMM_WORLD; communicators that the ranks made by one
  /// call have one slot.
  std::int64_t comm = trace::kWorldSlot;
  std::uint32_t site = 0; // kCallSite
  std::size_t program = 0; // kLoop
  std::uint32_t place = 0;
  std::string name; // kPhase: as marked, empty outside of all; kFunction
};

/// Every layer is in one group. Groups are in the order of the program.
/// @complexity  O(places + layers log layers)
std::vector<LayerGroup> groups_of(const trace::Trace& trace, const matrix::LayeredTraffic& layered,
                                  Grouping grouping);

/// True if the program marks phases (rondo_phase.h).
bool has_phases(const trace::Trace& trace);

/// Communicators that stand in one slot, each on other ranks: one call made them, as a rule.
struct CommFamily {
  std::int64_t slot = 0;
  std::vector<const trace::CommDefinition*> comms; // by lowest world rank
  std::vector<std::int64_t> sizes; // of each
};

/// Families of the communicators that the program made.
/// @complexity  O(members of all communicators)
std::vector<CommFamily> comm_families(const trace::Trace& trace);

/// Two families of which each communicator of the one has exactly one rank in common with each of
/// the other: the rows and columns of a process grid.
struct CrossedFamilies {
  std::int64_t rows = 0; // slots; of rows, the two lowest ranks are nearer
  std::int64_t columns = 0;
  std::int64_t row_count = 0;
  std::int64_t column_count = 0;
  std::size_t grid = 0; // families of the same ranks make one grid: its number, from 0
};

/// @complexity  O(families squared * ranks)
/// @source      [logicalization, sec. 6], which leaves communicators to later work
std::vector<CrossedFamilies> crossed_families(const trace::Trace& trace);

/// The grids that the program made of all its ranks by MPI_Cart_create, for
/// TopologyOptions::suggested.
/// @complexity  O(calls of the programs + grids * ranks)
std::vector<SuggestedGrid> cartesian_grids(const trace::Trace& trace);

} // namespace rondo::topology
