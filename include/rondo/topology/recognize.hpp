// SPDX-License-Identifier: Apache-2.0
// What do the ranks form? Names the topology of a communication matrix, whatever the numbers of the
// ranks. A name other than "irregular" comes with a mapping that has been checked edge by edge.
//
//   Recognition r = recognize(matrix, {});
//   std::cout << title(r) << '\n'; // "4x2x2 torus", "3 copies of ring of 4 ranks"
//   auto xyz = coordinates(r.topology.dimensions, r.cells[rank]);
#pragma once

#include "rondo/topology/family.hpp"
#include "rondo/topology/graph.hpp"
#include "rondo/topology/numbering.hpp"
#include "rondo/topology/topology.hpp"

#include <string>
#include <vector>

namespace rondo::topology {

enum class FilterKind {
  kAutomatic, // at a gap in both messages and bytes, if what is above has a name as plain as that
              // of all; else none if that gives a name; else at the largest gaps between weights
  kNone,
  kFraction, // edges lighter than a fraction of the heaviest one are left out
};

/// A grid that the program itself made of its ranks (MPI_Cart_create).
struct SuggestedGrid {
  std::vector<Dimension>
      dimensions; // in the program's order; none of size 1, those of 2 not periodic
  std::vector<Vertex> cells; // rank -> row-major cell; all ranks
};

struct TopologyOptions {
  FilterKind filter = FilterKind::kAutomatic;
  double fraction = 0.05; // kFraction
  WeightMeasure measure = WeightMeasure::kBytes;
  /// Up to this many ranks a graph is tried against every family, to list all of its names; above
  /// it the first name is taken, with those that follow from its sizes.
  Vertex all_names_up_to = 1024;
  /// Only names that somebody would give: no "complete 3-partite 1+1+2", which is an all-to-all of
  /// few ranks with a pair missing.
  bool plain_names = true;
  /// If the graph is one of these, with these coordinates, it is called so.
  std::vector<SuggestedGrid> suggested{};
  /// Tried after the families Rondo knows.
  std::vector<Family> families{};
};

/// Edges left out before recognition.
struct Filtered {
  std::int64_t edges = 0;
  Traffic traffic;
  double least_weight = 0; // what an edge had to weigh to be kept; 0 if nothing was filtered
  std::string with; // the name of the graph with them, if it has one
};

struct DegreeStatistics {
  Vertex least = 0;
  Vertex most = 0;
  double mean = 0;
  std::vector<std::pair<Vertex, Vertex>> histogram; // degree, number of ranks; ascending
};

/// One of several different parts that do not talk to each other.
struct Component {
  Topology topology;
  Vertex copies = 0;
};

struct Recognition {
  Topology topology; // of each copy, if there are several
  std::vector<Topology> aliases; // other names of the same graph
  Vertex copies = 1;
  std::vector<Component> parts; // kSeveral only; largest first
  std::vector<Vertex> cells; // rank -> cell of reference_graph(topology); -1 for silent ranks; may
                             // be empty. Among several parts, of trees and graphs without a family:
                             // the rank's place in the first part like its own
  std::vector<Vertex> copy_of; // rank -> copy or part, -1 for silent ranks; empty if one
  Vertex silent_ranks = 0; // ranks without any edge
  Numbering numbering; // one copy that takes in all ranks
  Filtered filtered;
  Traffic kept; // of the edges that were not filtered
  Traffic to_self;
  bool symmetric = true; // every kept edge was used in both directions
  DegreeStatistics degrees;

  bool recognized() const {
    return topology.kind != TopologyKind::kIrregular && topology.kind != TopologyKind::kSeveral;
  }
  /// Several parts that differ in size alone, and have a name: stars of 3 and of 4 ranks.
  bool is_of_one_kind() const;
  /// Share of the messages or bytes between different ranks that the kept edges carry, 0 to 1.
  double accuracy(WeightMeasure measure) const;
};

/// Names the topology of a matrix.
/// @complexity     O(edges * degree) for lattices, trees and dense graphs; a search for rare
/// families
/// @source         [logicalization, sec. 4.2]; ours constructs the mapping instead of filtering
/// candidates by
///                 spectrum and searching with VF2
Recognition recognize(const matrix::CommunicationMatrix& matrix, const TopologyOptions& options);

/// The same for a graph built before.
Recognition recognize(const Graph& graph, const TopologyOptions& options);

/// The name with the number of copies; for parts a list, e.g. "4x4 grid and 2 copies of ring of 5
/// ranks"; "3 stars of 3 to 4 ranks" if they differ in size alone.
std::string title(const Recognition& recognition);

/// Degrees of all ranks.
/// @complexity     O(ranks)
DegreeStatistics degree_statistics(const Adjacency& graph);

} // namespace rondo::topology
