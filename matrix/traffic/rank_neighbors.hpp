// SPDX-License-Identifier: Apache-2.0
// Whom a rank speaks to in neighbourhood collectives. A communicator's definition does not say its
// process topology, the call that made it does.
#pragma once

#include "matrix/traffic/current_topologies.hpp"
#include "rondo/trace/call_reader.hpp"
#include "rondo/trace/communicators.hpp"
#include "rondo/trace/process_topology.hpp"
#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace rondo::matrix::internal {

/// The graphs of MPI_Dist_graph_create, joined from what all ranks say.
class DistGraphs {
public:
  /// @complexity O(programs) for a trace without such calls
  explicit DistGraphs(const trace::Trace& trace);

  /// The graph of a rank's communicator; nullptr if none is known, or more than one have stood
  /// there.
  const trace::DistGraph* of(std::int64_t rank, std::int64_t comm) const;

private:
  void add(const trace::RankClass& rank_class, std::int64_t rank);

  std::optional<trace::Communicators> comms_; // nothing: there are no such calls
  std::map<std::uint32_t, trace::DistGraph> graphs_; // by number of the communicator
  std::map<std::uint32_t, bool> is_unclear_;
};

class RankNeighbors {
public:
  /// All must outlive it.
  RankNeighbors(const trace::Program& program, std::int64_t rank, const trace::Positions& positions,
                const DistGraphs& graphs)
      : program_(&program), rank_(rank), positions_(&positions), graphs_(&graphs) {}

  /// As ranks of the communicator; nothing if they are not known.
  /// @param maker   who gave it its process topology. nullptr: the calls that made a communicator
  /// in
  ///                this slot; if they differ, the answer is not known
  /// @complexity    O(calls of the program) the first time
  const std::optional<trace::Neighbors>& of(std::int64_t comm, const TopologyMaker* maker);

private:
  static constexpr int kMostCuts = 16; // a grid has no more dimensions than that
  struct Grid {
    std::vector<std::int64_t> dims;
    std::vector<std::int64_t> periods;
    friend bool operator==(const Grid&, const Grid&) = default;
  };

  template <class Found, class Of>
  std::optional<Found> alike(std::int64_t comm, const Of& found_by) const;
  std::optional<trace::Neighbors> find(std::int64_t comm);
  std::vector<const trace::Call*> makers_of(std::int64_t comm) const;
  std::int64_t old_comm(const trace::Call& call) const;
  std::optional<trace::Neighbors> made_by(const trace::Call& call, const TopologyMaker* maker);
  std::optional<Grid> grid_by(const trace::Call& call, const TopologyMaker* maker, int depth);
  std::optional<Grid> grid_of(std::int64_t comm);

  const trace::Program* program_;
  std::int64_t rank_;
  const trace::Positions* positions_;
  const DistGraphs* graphs_;
  std::map<std::pair<std::int64_t, const TopologyMaker*>, std::optional<trace::Neighbors>>
      known_; // by slot
  std::map<std::int64_t, std::optional<Grid>> grids_; // by slot
};

} // namespace rondo::matrix::internal
