// SPDX-License-Identifier: Apache-2.0
// A twisted torus is the plane modulo the lattice of (rows, -shift) and (0, columns). Walking along
// the other axis first gives a second description of the same graph, reflections give the rest; the
// one that the recognizer prefers is kept.
#include "topology/twisted_candidates.hpp"

#include "topology/candidates.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <tuple>

namespace rondo::topology::internal {
namespace {

constexpr Vertex kMostRanks = 2048; // of a search

struct Twist {
  Vertex rows = 0;
  Vertex columns = 0;
  Vertex shift = 0;

  Twist reflected() const { return {rows, columns, (columns - shift) % columns}; }

  // Smaller is preferred: no shift, nearly square, more rows than columns, a small shift.
  auto merit() const { return std::tuple(shift != 0, std::abs(rows - columns), -rows, shift); }
};

// The same graph with rows and columns exchanged. The line upwards from the origin meets row 0 in
// the multiples of g = gcd(columns, shift).
Twist turned(const Twist& t) {
  const Vertex g = std::gcd(t.columns, t.shift);
  const Vertex length = t.rows * (t.columns / g);
  Vertex turns = 0; // until column g
  while (std::int64_t{turns} * t.shift % t.columns != g % t.columns) ++turns;
  return {g, length, static_cast<Vertex>(std::int64_t{t.rows} * turns % length)};
}

// Some way round has fewer steps than `least`.
bool is_short(const Twist& t, Vertex least) {
  for (Vertex up = 0; up < least; up += t.rows) {
    const Vertex column = static_cast<Vertex>(std::int64_t{up / t.rows} * t.shift % t.columns);
    for (Vertex right = up - least + 1; right < least - up; ++right) {
      if (up == 0 && right == 0) continue;
      if (((column + right) % t.columns + t.columns) % t.columns == 0) return true;
    }
  }
  return false;
}

bool is_canonical(const Twist& t) {
  const Twist other = turned(t);
  return t.merit() <= t.reflected().merit() && t.merit() <= other.merit() &&
         t.merit() <= other.reflected().merit();
}

} // namespace

std::vector<Topology> twisted_tori(Vertex ranks, std::size_t most, WaysRound ways) {
  std::vector<Vertex> all_rows;
  for (Vertex rows = 1; rows <= ranks; ++rows) {
    if (ranks % rows == 0) all_rows.push_back(rows);
  }
  std::stable_sort(all_rows.begin(), all_rows.end(), [&](Vertex a, Vertex b) {
    return std::abs(a - ranks / a) < std::abs(b - ranks / b);
  });
  std::vector<Topology> result;
  for (const Vertex rows : all_rows) {
    const Vertex columns = ranks / rows;
    for (Vertex shift = 1; 2 * shift <= columns && result.size() < most; ++shift) {
      const Twist t{rows, columns, shift};
      if (is_short(t, 3) || (ways == WaysRound::kShort && !is_short(t, 5))) continue;
      if (!is_canonical(t)) continue;
      result.push_back({.kind = Kind::kTwistedTorus,
                        .ranks = ranks,
                        .dimensions = {{rows, true}, {columns, true}},
                        .shift = shift});
    }
  }
  return result;
}

MaybeMatch match_short_twisted_torus(const Adjacency& graph) {
  const Signature signature = signature_of(graph);
  if (!signature.regular() || signature.most_degree != 4 || signature.ranks > kMostRanks)
    return std::nullopt;
  for (const Topology& t : twisted_tori(graph.vertices(), SIZE_MAX, WaysRound::kShort)) {
    auto cells = find_isomorphism(graph, reference_graph(t), Symmetry::kVertexTransitive);
    if (cells) return Match{t, std::move(*cells)};
  }
  return std::nullopt;
}

} // namespace rondo::topology::internal
