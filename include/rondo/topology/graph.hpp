// SPDX-License-Identifier: Apache-2.0
// The undirected communication graph of a matrix, with what was said along every edge. An edge
// joins two different ranks of which at least one sent to the other. Self messages are counted, not
// kept as edges.
//
//   Graph graph = Graph::from_matrix(matrix);
//   Graph heavy = graph.without_light_edges(WeightMeasure::kBytes, least);
#pragma once

#include "rondo/matrix/communication_matrix.hpp"
#include "rondo/topology/adjacency.hpp"

#include <cstdint>
#include <vector>

namespace rondo::topology {

enum class WeightMeasure { kMessages, kBytes };

/// Messages and bytes, added up over some edges.
struct Traffic {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;

  Traffic& operator+=(const Traffic& other) {
    messages += other.messages;
    bytes += other.bytes;
    return *this;
  }
  std::uint64_t of(WeightMeasure measure) const {
    return measure == WeightMeasure::kBytes ? bytes : messages;
  }
  friend bool operator==(const Traffic&, const Traffic&) = default;
};

class Graph {
public:
  Graph() = default;

  /// @param matrix   fewer than 2^31 ranks
  /// @complexity     O(ranks + entries)
  static Graph from_matrix(const matrix::CommunicationMatrix& matrix);

  const Adjacency& adjacency() const { return adjacency_; }
  Vertex ranks() const { return adjacency_.vertices(); }

  /// What the rank of a row sent along entry `arc` of the adjacency (an index into all rows); zero
  /// if it only received.
  const Traffic& sent(std::int64_t arc) const { return sent_[static_cast<std::size_t>(arc)]; }

  /// Entry of the other direction of `arc`, which stands in the row of `source`.
  /// @complexity     O(log degree)
  std::int64_t reverse(Vertex source, std::int64_t arc) const;

  /// Both directions of every edge u < v, in row order.
  /// @complexity     O(ranks + entries log degree)
  std::vector<Traffic> edge_traffic() const;

  const Traffic& total() const { return total_; } // of all edges, without self messages
  const Traffic& to_self() const { return to_self_; } // messages from a rank to itself

  /// The same graph without the edges whose both directions together weigh less than `least`.
  /// @complexity     O(ranks + entries log degree)
  Graph without_light_edges(WeightMeasure measure, double least) const;

private:
  Adjacency adjacency_;
  std::vector<Traffic> sent_; // one per adjacency entry
  Traffic total_;
  Traffic to_self_;
};

} // namespace rondo::topology
