// SPDX-License-Identifier: Apache-2.0
// The mapping of a damaged graph onto a given topology, whatever the numbering of its ranks.
#pragma once

#include "topology/near/growth.hpp"

#include "rondo/topology/topology.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace rondo::topology::internal {

class TemplateGrowth {
public:
  /// @param graph       outlives this
  /// @param tolerance   share of the topology's edges that may be missing, and of the graph's edges
  ///                    that may be extra
  /// @param most_steps  pairs of neighbours visited, over all topologies; nothing is found after it
  TemplateGrowth(const Adjacency& graph, double tolerance, std::int64_t most_steps);

  /// How far degrees, triangles and squares of a topology are from those of the graph: 0 if equal;
  /// nothing if the tolerance is out of reach.
  /// @complexity     O(sum of squares of degrees)
  std::optional<double> distance_to(const Topology& topology);

  /// A mapping with many common edges, found by growth from several seeds and improved by swaps.
  /// It is a guess: the caller counts what it is worth.
  /// @param topology    of as many ranks as the graph
  /// @param to_beat     common edges squared over the product of both numbers of edges; less is of
  ///                    no use
  /// @return            rank -> cell; empty if no growth got far, or out of steps
  /// @complexity        O(seeds * sum of squares of degrees * log), at most 12 seeds
  /// @source            [yartseva2013]; seeds are vertices whose surroundings look alike
  std::vector<Vertex> onto(const Topology& topology, double to_beat);

  /// The same from a mapping that is right in most places.
  /// @return            `cells` if no better one is found
  /// @complexity        O(sum of squares of degrees * log) a round; each must be better
  /// @source            [yartseva2013]
  std::vector<Vertex> refined(const Topology& topology, std::vector<Vertex> cells);

private:
  struct Seed {
    double cost;
    Vertex vertex;
    Vertex cell;
    bool operator<(const Seed& other) const { return cost < other.cost; }
  };

  // A topology with what is known of it.
  struct Target {
    explicit Target(const Topology& topology);
    Adjacency reference;
    std::vector<Profile> profiles;
    bool in_squares; // all edges are in triangles or squares
  };

  double degree_distance(const Adjacency& reference) const;
  bool squares_allow(const std::vector<Profile>& wanted) const;
  std::vector<Seed> seeds(const Target& target) const;
  std::int64_t enough(const Adjacency& reference) const;
  double least_share(const Adjacency& reference, double to_beat) const;
  ProfiledGraph source(const Target& target) const;
  std::vector<Vertex> grown(const std::vector<Edge>& pairs, const Target& target, double least);
  bool keep_better(const Target& target, std::vector<Vertex> cells, std::vector<Vertex>& best);
  void regrow(const Target& target, double least, std::vector<Vertex>& best);

  const Adjacency& graph_;
  Adjacency core_; // edges in triangles and squares
  std::vector<Profile> profiles_;
  std::vector<Profile> core_profiles_;
  std::vector<Vertex> degrees_; // ascending
  double tolerance_;
  std::int64_t steps_left_;
};

} // namespace rondo::topology::internal
