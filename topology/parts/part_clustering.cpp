// SPDX-License-Identifier: Apache-2.0
#include "topology/parts/part_clustering.hpp"

#include "rondo/base/sort_stably.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>

namespace rondo::topology::internal {
namespace {

constexpr Vertex kMostClusteredRanks = 2048;
constexpr Vertex kLeastPart = 3;

class Parts {
public:
  explicit Parts(const Adjacency& graph)
      : graph_(graph), n_(graph.vertices()), words_(at((n_ + 63) / 64)), rows_(at(n_) * words_, 0),
        part_(at(n_), -1) {
    for (Vertex v = 0; v < n_; ++v) {
      for (const Vertex w : graph.neighbours(v))
        rows_[at(v) * words_ + at(w / 64)] |= std::uint64_t{1} << (w % 64);
    }
  }

  // Which vertices are looked at first matters; the best of some orders counts.
  MaybeMatch run() {
    constexpr int kOrders = 8;
    std::vector<Vertex> order(at(n_));
    std::iota(order.begin(), order.end(), 0);
    std::mt19937 random(1);
    MaybeMatch best;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (int i = 0; i < kOrders; ++i) {
      group(order);
      settle(true);
      dissolve_small();
      auto found = match();
      if (found && edits() < least) {
        least = edits();
        best = std::move(found);
      }
      std::shuffle(order.begin(), order.end(), random);
    }
    return best;
  }

private:
  // Neighbours of one but not of the other.
  Vertex difference(Vertex u, Vertex v) const {
    Vertex count = 0;
    for (std::size_t i = 0; i < words_; ++i)
      count += std::popcount(rows_[at(u) * words_ + i] ^ rows_[at(v) * words_ + i]);
    return count;
  }

  // Vertices of two parts differ in both parts, so in as many neighbours as both do not have.
  void group(const std::vector<Vertex>& order) {
    part_.assign(at(n_), -1);
    sizes_.clear();
    for (const Vertex v : order) {
      if (part_[at(v)] >= 0) continue;
      part_[at(v)] = static_cast<Vertex>(sizes_.size());
      sizes_.push_back(1);
      for (const Vertex u : order) {
        if (part_[at(u)] >= 0) continue;
        const Vertex strangers = 2 * n_ - graph_.degree(u) - graph_.degree(v);
        if (2 * difference(u, v) >= strangers) continue;
        part_[at(u)] = part_[at(v)];
        ++sizes_.back();
      }
    }
  }

  void settle(bool may_found) {
    constexpr int kMostRounds = 20;
    for (int round = 0; round < kMostRounds && sweep(may_found); ++round) {
    }
  }

  // Parts of one or two ranks would explain away any few missing pairs of an all-to-all.
  void dissolve_small() {
    for (Vertex& p : part_) {
      if (sizes_[at(p)] >= kLeastPart) continue;
      Vertex largest = 0;
      for (std::size_t q = 0; q < sizes_.size(); ++q) {
        if (sizes_[q] > sizes_[at(largest)]) largest = static_cast<Vertex>(q);
      }
      --sizes_[at(p)];
      ++sizes_[at(largest)];
      p = largest;
    }
    settle(false);
  }

  // Edges within parts, and missing ones between them.
  std::int64_t edits() const {
    std::int64_t within = 0;
    for (Vertex v = 0; v < n_; ++v) {
      for (const Vertex w : graph_.neighbours(v))
        within += v < w && part_[at(v)] == part_[at(w)] ? 1 : 0;
    }
    std::int64_t wanted = std::int64_t{n_} * n_;
    for (const std::int64_t s : sizes_) wanted -= s * s;
    return 2 * within + wanted / 2 - graph_.edges();
  }

  // Moves each vertex to the part where most of its pairs fit, or to a new one if that is better.
  bool sweep(bool may_found) {
    bool moved = false;
    std::vector<Vertex> friends;
    for (Vertex v = 0; v < n_; ++v) {
      friends.assign(sizes_.size(), 0);
      for (const Vertex w : graph_.neighbours(v)) ++friends[at(part_[at(w)])];
      const Vertex own = part_[at(v)];
      --sizes_[at(own)];
      // neighbours within less strangers within; none of either in a part of its own
      const auto cost = [&](Vertex p) { return 2 * friends[at(p)] - sizes_[at(p)]; };
      Vertex best = own;
      for (Vertex p = 0; p < static_cast<Vertex>(sizes_.size()); ++p) {
        if (sizes_[at(p)] > 0 && cost(p) < cost(best)) best = p;
      }
      if (may_found && cost(best) > 0) {
        best = static_cast<Vertex>(sizes_.size());
        sizes_.push_back(0);
      }
      ++sizes_[at(best)];
      part_[at(v)] = best;
      moved = moved || best != own;
    }
    return moved;
  }

  MaybeMatch match() const {
    std::vector<Vertex> order; // of parts
    for (std::size_t p = 0; p < sizes_.size(); ++p) {
      if (sizes_[p] > 0) order.push_back(static_cast<Vertex>(p));
    }
    sort_stably(order.begin(), order.end(),
                [&](Vertex a, Vertex b) { return sizes_[at(a)] < sizes_[at(b)]; });
    Match result{{.kind = TopologyKind::kMultipartite, .ranks = n_}, std::vector<Vertex>(at(n_))};
    std::vector<Vertex> next(sizes_.size(), 0); // free cell of each part
    Vertex cells = 0;
    for (const Vertex p : order) {
      next[at(p)] = cells;
      cells += sizes_[at(p)];
      result.topology.parts.push_back(sizes_[at(p)]);
    }
    const auto& parts = result.topology.parts;
    if (parts.size() < 2 || parts.front() < kLeastPart) return std::nullopt;
    for (Vertex v = 0; v < n_; ++v) result.cells[at(v)] = next[at(part_[at(v)])]++;
    return result;
  }

  const Adjacency& graph_;
  Vertex n_;
  std::size_t words_;
  std::vector<std::uint64_t> rows_; // of the adjacency matrix
  std::vector<Vertex> part_; // by vertex
  std::vector<Vertex> sizes_; // of parts; some become empty
};

} // namespace

MaybeMatch nearest_multipartite(const Adjacency& graph) {
  if (graph.vertices() < 4 || graph.vertices() > kMostClusteredRanks) return std::nullopt;
  return Parts(graph).run();
}

} // namespace rondo::topology::internal
