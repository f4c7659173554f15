// SPDX-License-Identifier: Apache-2.0
// One mapping of a damaged graph onto a reference graph, grown from a pair of vertices. Pairs of
// mapped vertices vote for the pairs of their neighbours, and the pair with most votes and fewest
// contradictions is mapped next; so single missing or extra edges are outvoted.
#pragma once

#include "topology/profiles.hpp"

#include <cstdint>
#include <queue>
#include <unordered_map>
#include <vector>

namespace rondo::topology::internal {

/// A graph and the profiles of its vertices.
struct ProfiledGraph {
  const Adjacency& graph;
  const std::vector<Profile>& profiles;
};

/// How many pairs of mapped neighbours speak for a vertex and a cell.
class VoteTable {
public:
  explicit VoteTable(Vertex vertices);
  Vertex& operator()(Vertex vertex, Vertex cell);
  Vertex of(Vertex vertex, Vertex cell) const;

private:
  std::int64_t stride_;
  std::vector<Vertex> all_; // for few vertices
  std::unordered_map<std::int64_t, Vertex> some_; // for many
};

class Growth {
public:
  /// Both graphs have the same number of vertices, and outlive this.
  Growth(ProfiledGraph graph, ProfiledGraph reference);

  /// Maps a vertex to a cell, both still free, before run().
  void place(Vertex vertex, Vertex cell);

  /// Maps all other vertices.
  /// @param least_share   stops as soon as a smaller share of the edges between mapped vertices, or
  ///                      between their cells, is common to both
  /// @param most_steps    and when so many pairs of neighbours have been visited
  /// @return              false if it stopped
  /// @complexity          O(sum of squares of degrees * log), times the square of the largest
  ///                      degree where votes are tied
  /// @source              [yartseva2013]; added: contradictions, ties decided by paths of length
  ///                      two, one pair as the seed
  bool run(double least_share, std::int64_t most_steps);

  const std::vector<Vertex>& cells() const { return cell_of_; }
  std::int64_t steps() const { return steps_; } // pairs of neighbours visited

private:
  struct Pair {
    std::int64_t priority;
    Vertex vertex;
    Vertex cell;
    bool contested; // seen before, and put behind its equals
    bool operator<(const Pair& other) const { return priority < other.priority; }
  };
  std::int64_t merit(Vertex vertex, Vertex cell) const;
  bool take(Pair pair);
  Pair most_alike(const Pair& pair, bool& decided);
  std::vector<Edge> rivals(const Pair& pair);
  void count_paths(const Adjacency& graph, Vertex from, bool mapped_only_by_cell,
                   std::vector<Vertex>& counts, std::vector<Vertex>& ends);
  double likeness(Vertex vertex, Vertex cell);
  bool plant();
  bool hopeless(double least_share) const;

  ProfiledGraph graph_;
  ProfiledGraph reference_;
  std::vector<Vertex> cell_of_; // -1: free
  std::vector<Vertex> vertex_at_;
  std::vector<Vertex> mapped_around_; // mapped neighbours of a vertex
  std::vector<Vertex> taken_around_; // taken neighbours of a cell
  VoteTable votes_;
  std::priority_queue<Pair> queue_;
  std::vector<Vertex> paths_, cell_paths_; // scratch, by cell
  std::vector<Vertex> ends_, cell_ends_;
  int put_off_ = 0; // contested pairs in a row
  std::int64_t common_ = 0;
  std::int64_t either_ = 0;
  std::int64_t steps_ = 0;
};

} // namespace rondo::topology::internal
