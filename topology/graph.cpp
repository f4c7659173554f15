// SPDX-License-Identifier: Apache-2.0
#include "rondo/topology/graph.hpp"
#include "topology/at.hpp"

#include <algorithm>
#include <limits>

namespace rondo::topology {
namespace {

using matrix::MatrixEntry;

// Who sent to each rank, ascending: one counting sort, stable in the source.
struct Senders {
  std::vector<std::int64_t> begin;
  std::vector<Vertex> of;
};

Senders senders_of(std::int64_t ranks, std::span<const MatrixEntry> entries) {
  Senders result{std::vector<std::int64_t>(at(ranks) + 1, 0), std::vector<Vertex>(entries.size())};
  for (const MatrixEntry& e : entries) ++result.begin[at(e.destination) + 1];
  for (std::size_t v = 1; v < result.begin.size(); ++v) result.begin[v] += result.begin[v - 1];
  std::vector<std::int64_t> next(result.begin.begin(), result.begin.end() - 1);
  for (const MatrixEntry& e : entries) {
    result.of[at(next[at(e.destination)]++)] = static_cast<Vertex>(e.source);
  }
  return result;
}

} // namespace

Graph Graph::from_matrix(const matrix::CommunicationMatrix& matrix) {
  const auto entries = matrix.entries();
  const Senders senders = senders_of(matrix.ranks(), entries);
  Graph graph;
  std::vector<std::int64_t> begin(at(matrix.ranks()) + 1, 0);
  std::vector<Vertex> to;
  to.reserve(entries.size() + entries.size() / 8);
  graph.sent_.reserve(to.capacity());
  constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();
  std::size_t out = 0;
  for (std::int64_t v = 0; v < matrix.ranks(); ++v) {
    std::int64_t in = senders.begin[at(v)];
    const std::int64_t in_end = senders.begin[at(v) + 1];
    for (;;) { // merge what v sent with what it received; both are ascending
      const bool sends = out < entries.size() && entries[out].source == v;
      const std::int64_t to_rank = sends ? entries[out].destination : kNone;
      const std::int64_t from = in < in_end ? std::int64_t{senders.of[at(in)]} : kNone;
      const std::int64_t peer = std::min(to_rank, from);
      if (peer == kNone) break;
      Traffic sent;
      if (peer == to_rank) {
        sent = {entries[out].messages, entries[out].bytes};
        ++out;
      }
      if (peer == from) ++in;
      if (peer == v) {
        graph.to_self_ += sent;
        continue;
      }
      to.push_back(static_cast<Vertex>(peer));
      graph.sent_.push_back(sent);
      graph.total_ += sent;
    }
    begin[at(v) + 1] = static_cast<std::int64_t>(to.size());
  }
  graph.adjacency_ = Adjacency(std::move(begin), std::move(to));
  return graph;
}

std::int64_t Graph::reverse(Vertex source, std::int64_t arc) const {
  const auto own = adjacency_.neighbours(source);
  const Vertex target = own[at(arc - adjacency_.row_begin(source))];
  const auto row = adjacency_.neighbours(target);
  const auto found = std::lower_bound(row.begin(), row.end(), source);
  return adjacency_.row_begin(target) + (found - row.begin());
}

std::vector<Traffic> Graph::edge_traffic() const {
  std::vector<Traffic> edges;
  edges.reserve(at(adjacency_.edges()));
  for (Vertex v = 0; v < ranks(); ++v) {
    std::int64_t arc = adjacency_.row_begin(v);
    for (const Vertex w : adjacency_.neighbours(v)) {
      if (v < w) {
        edges.push_back(sent(arc));
        edges.back() += sent(reverse(v, arc));
      }
      ++arc;
    }
  }
  return edges;
}

Graph Graph::without_light_edges(WeightMeasure measure, double least) const {
  Graph kept;
  kept.to_self_ = to_self_;
  std::vector<std::int64_t> begin = {0};
  std::vector<Vertex> to;
  for (Vertex v = 0; v < ranks(); ++v) {
    std::int64_t arc = adjacency_.row_begin(v);
    for (const Vertex w : adjacency_.neighbours(v)) {
      Traffic both = sent(arc);
      both += sent(reverse(v, arc));
      if (static_cast<double>(both.of(measure)) >= least) {
        to.push_back(w);
        kept.sent_.push_back(sent(arc));
        kept.total_ += sent(arc);
      }
      ++arc;
    }
    begin.push_back(static_cast<std::int64_t>(to.size()));
  }
  kept.adjacency_ = Adjacency(std::move(begin), std::move(to));
  return kept;
}

} // namespace rondo::topology
