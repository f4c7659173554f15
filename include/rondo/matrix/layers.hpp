// SPDX-License-Identifier: Apache-2.0
// Who sends what to whom, apart for every place of the program: the messages of one send in one
// loop are a layer. Layers are what a program's patterns are made of, before they lie on top of
// each other in one matrix.
//
//   auto layered = layers_of(trace);
//   for (const Layer& layer : layered.layers)
//     use(layered.places[layer.program][layer.place], layer.entries);
#pragma once

#include "rondo/matrix/communication_matrix.hpp"
#include "rondo/matrix/trace_traffic.hpp"
#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace rondo::matrix {

/// A term of a merged program on the way that leads there through its loops: a loop that is entered
/// at two places is two places, and so is what it has in its body.
struct ProgramPlace {
  std::uint32_t parent = 0; // index of the loop around it; place 0 is the whole program
  std::uint32_t term = 0; // position in the body of the parent, or in the top sequence
  std::uint32_t depth = 0; // loops around it and itself; 0 for the whole
  std::optional<trace::Term> what{}; // into the merged program; nothing for the whole
  std::uint64_t executions = 0; // most of any class's first rank; of a loop: iterations
};

/// The messages of one call at one place on one communicator.
struct Layer {
  std::size_t program = 0; // index into Trace::programs
  std::uint32_t place = 0; // index into LayeredTraffic::places[program]
  const trace::Function* function = nullptr; // of a persistent request: that made it
  std::uint32_t site = 0; // index into Trace::sites; of a persistent request: of its start
  const trace::CommDefinition* comm = nullptr; // nullptr: MPI_COMM_WORLD
  std::vector<MatrixEntry> entries; // world ranks; one for each pair
  std::optional<std::int64_t> tag{}; // of all its messages; nothing: several, or not known
};

/// The executions of one collective at one place on one communicator, by all of its ranks.
struct CollectiveLayer {
  std::size_t program = 0;
  std::uint32_t place = 0;
  const trace::Function* function = nullptr;
  std::uint32_t site = 0;
  const trace::CommDefinition* comm = nullptr;
  std::uint64_t calls = 0; // of all ranks
  std::uint64_t bytes = 0; // handed over, as CollectiveCalls has it
};

struct LayeredTraffic {
  std::vector<std::vector<ProgramPlace>> places; // of each merged program, in its order
  std::vector<Layer> layers; // in the order of programs and places
  std::vector<CollectiveLayer> collectives;
  TrafficLoss loss;
  /// By site: the first one that stands at the same place of the source. Call stacks make several
  /// sites of a place.
  std::vector<std::uint32_t> place_of_site;
};

/// The rank in MPI_COMM_WORLD that a peer word of `rank` stands for, where it is no rank in the
/// call's communicator.
using PeerOf = std::function<std::int64_t(std::int64_t rank, std::int64_t word)>;

/// @param peer_of  for traces with other words than ranks for peers; not asked for MPI_PROC_NULL
/// @param collectives  those whose messages are layers, and which are not among the collectives
/// then
/// @complexity  O(terms) for each class of ranks, times the iterations of loops in which one call
///              with varying words stands at two places; then O(choices of words) for each rank
LayeredTraffic layers_of(const trace::Trace& trace, const PeerOf& peer_of = {},
                         CollectiveCounting collectives = CollectiveCounting::kNone);

} // namespace rondo::matrix
