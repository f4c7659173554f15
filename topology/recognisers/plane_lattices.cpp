// SPDX-License-Identifier: Apache-2.0
// A twisted torus is the plane modulo the lattice of (rows, -shift) and (0, columns). Walking along
// the other axis first gives a second description of the same graph, reflections give the rest; the
// one that the recognizer prefers is kept.
#include "topology/recognisers/plane_lattices.hpp"

#include "rondo/base/sort_stably.hpp"
#include "topology/paired_refinement.hpp"
#include "topology/recognisers/candidates.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <tuple>
#include <utility>

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

// x with a * x = gcd(a, b) modulo b, by Euclid's algorithm; 0 <= x < b.
Vertex cofactor(Vertex a, Vertex b) {
  std::int64_t x = 1;
  std::int64_t next = 0;
  const Vertex modulus = b;
  while (b != 0) {
    x = std::exchange(next, x - a / b * next);
    a = std::exchange(b, a % b);
  }
  return static_cast<Vertex>((x % modulus + modulus) % modulus);
}

// The same graph with rows and columns exchanged. The line upwards from the origin meets row 0 in
// the multiples of g = gcd(columns, shift).
Twist turned(const Twist& t) {
  const Vertex g = std::gcd(t.columns, t.shift);
  const Vertex length = t.rows * (t.columns / g);
  const std::int64_t turns = cofactor(t.shift, t.columns); // until column g
  return {g, length, static_cast<Vertex>(t.rows * turns % length)};
}

// Steps from the origin to (up, right): with diagonals (1, -1) opposite signs make up for each
// other.
Vertex steps_to(Vertex up, Vertex right, TopologyKind kind) {
  const Vertex both = std::abs(up) + std::abs(right);
  if (kind == TopologyKind::kTwistedTorus) return both;
  return (up < 0) != (right < 0) ? std::max(std::abs(up), std::abs(right)) : both;
}

// Some way round has fewer steps than `least`.
bool is_narrow(const Twist& t, Vertex least, TopologyKind kind) {
  for (Vertex up = 0; up < least; up += t.rows) {
    const auto column = static_cast<Vertex>(std::int64_t{up / t.rows} * t.shift % t.columns);
    for (Vertex right = 1 - least; right < least; ++right) {
      if ((up == 0 && right == 0) || steps_to(up, right, kind) >= least) continue;
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

Topology topology_of(const Twist& t, TopologyKind kind) {
  return {.kind = kind,
          .ranks = t.rows * t.columns,
          .dimensions = {{t.rows, true}, {t.columns, true}},
          .shift = t.shift};
}

// The most square ones first.
void each_twist(Vertex ranks, const std::function<bool(const Twist&)>& visit) {
  std::vector<Vertex> all_rows;
  for (Vertex rows = 1; rows <= ranks; ++rows) {
    if (ranks % rows == 0) all_rows.push_back(rows);
  }
  sort_stably(all_rows.begin(), all_rows.end(), [&](Vertex a, Vertex b) {
    return std::abs(a - ranks / a) < std::abs(b - ranks / b);
  });
  for (const Vertex rows : all_rows) {
    for (Vertex shift = 0; shift < ranks / rows; ++shift) {
      if (!visit({rows, ranks / rows, shift})) return;
    }
  }
}

} // namespace

std::vector<Topology> twisted_tori(Vertex ranks, std::size_t most) {
  constexpr TopologyKind kKind = TopologyKind::kTwistedTorus;
  std::vector<Topology> result;
  each_twist(ranks, [&](const Twist& t) {
    if (t.shift == 0 || 2 * t.shift > t.columns) return true;
    if (!is_narrow(t, 3, kKind) && is_canonical(t)) result.push_back(topology_of(t, kKind));
    return result.size() < most;
  });
  return result;
}

MaybeMatch match_narrow_plane(const Adjacency& graph) {
  const Signature signature = signature_of(graph);
  const Vertex degree = signature.most_degree;
  if (!signature.regular() || (degree != 4 && degree != 6) || signature.ranks > kMostRanks)
    return std::nullopt;
  const TopologyKind kind = degree == 4 ? TopologyKind::kTwistedTorus : TopologyKind::kSixPoint;
  MaybeMatch match;
  each_twist(signature.ranks, [&](const Twist& t) {
    // all neighbours differ, and a walk would stumble
    if (is_narrow(t, 3, kind) || !is_narrow(t, degree == 4 ? 5 : 4, kind)) return true;
    const Topology topology = topology_of(t, kind);
    auto cells = find_isomorphism(graph, reference_graph(topology), Symmetry::kVertexTransitive);
    if (cells) match = Match{topology, std::move(*cells)};
    return !match;
  });
  return match;
}

} // namespace rondo::topology::internal
