// SPDX-License-Identifier: Apache-2.0
#include "topology/recognisers/candidates.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <set>

namespace rondo::topology::internal {
namespace {

bool power_of_two(Vertex n) { return n > 0 && std::has_single_bit(static_cast<std::uint32_t>(n)); }

int log2_floor(Vertex n) { return std::bit_width(static_cast<std::uint32_t>(n)) - 1; }

// Sizes of at least four have a walk of their own (plane_walk.hpp).
void add_small_six_point(const Signature& s, std::vector<Candidate>& list) {
  for (const Vertex p : {3, 2}) {
    if (s.ranks % p != 0 || s.ranks / p < p || !s.regular()) continue;
    const Vertex q = s.ranks / p;
    const Vertex degree = p == 3 ? 6 : q == 2 ? 3 : 5;
    if (s.least_degree != degree) continue;
    list.push_back({{.kind = TopologyKind::kSixPoint,
                     .ranks = s.ranks,
                     .dimensions = {{q, q > 2}, {p, p > 2}}},
                    Symmetry::kVertexTransitive});
  }
}

// Neighbours in one dimension: at its end, and inside.
Vertex at_end(const Dimension& d) { return d.periodic ? 2 : 1; }
Vertex inside(const Dimension& d) { return d.size > 2 ? 2 : 1; }

Signature eighteen_point_signature(Vertex ranks, const std::array<Dimension, 3>& dims) {
  Signature s{ranks, 0, 0, 0};
  std::array<std::int64_t, 3> lines{}; // edges along a dimension, per unit of cross-section
  for (std::size_t i = 0; i < 3; ++i) lines[i] = dims[i].periodic ? dims[i].size : dims[i].size - 1;
  for (std::size_t i = 0; i < 3; ++i) {
    s.edges += lines[i] * (ranks / dims[i].size);
    s.least_degree += at_end(dims[i]);
    s.most_degree += inside(dims[i]);
    for (std::size_t j = i + 1; j < 3; ++j) {
      s.edges += 2 * lines[i] * lines[j] * (ranks / dims[i].size / dims[j].size);
      s.least_degree += at_end(dims[i]) * at_end(dims[j]);
      s.most_degree += inside(dims[i]) * inside(dims[j]);
    }
  }
  return s;
}

void add_eighteen_point_of_size(const Signature& s, const std::array<Vertex, 3>& sizes,
                                std::vector<Candidate>& list) {
  for (unsigned flags = 0; flags < 8; ++flags) {
    std::array<Dimension, 3> dims{};
    bool valid = true;
    for (std::size_t i = 0; i < 3; ++i) {
      dims[i] = {sizes[i], ((flags >> i) & 1) != 0};
      valid = valid && (sizes[i] > 2 || !dims[i].periodic);
      // of equal sizes the periodic ones stand first
      valid = valid &&
              (i == 0 || sizes[i] != sizes[i - 1] || dims[i - 1].periodic || !dims[i].periodic);
    }
    if (!valid || eighteen_point_signature(s.ranks, dims) != s) continue;
    list.push_back({{.kind = TopologyKind::kEighteenPoint,
                     .ranks = s.ranks,
                     .dimensions = {dims.begin(), dims.end()}},
                    s.regular() ? Symmetry::kVertexTransitive : Symmetry::kNone});
  }
}

void add_eighteen_point(const Signature& s, std::vector<Candidate>& list) {
  if (s.most_degree > 18 || s.least_degree < 6) return;
  for (std::int64_t c = 2; c * c * c <= s.ranks; ++c) {
    if (s.ranks % c != 0) continue;
    const std::int64_t rest = s.ranks / c;
    for (std::int64_t b = c; b * b <= rest; ++b) {
      if (rest % b != 0) continue;
      add_eighteen_point_of_size(
          s, {static_cast<Vertex>(rest / b), static_cast<Vertex>(b), static_cast<Vertex>(c)}, list);
    }
  }
}

void add_recursive_doubling(const Signature& s, std::vector<Candidate>& list) {
  const int log = log2_floor(s.ranks);
  const Vertex core = Vertex{1} << log;
  if (power_of_two(s.ranks) || s.least_degree != 1 || s.most_degree != log + 1) return;
  if (s.edges != static_cast<std::int64_t>(core) / 2 * log + s.ranks - core) return;
  list.push_back({{.kind = TopologyKind::kRecursiveDoubling, .ranks = s.ranks}});
}

void add_incomplete_hypercube(const Signature& s, std::vector<Candidate>& list) {
  const int log = log2_floor(s.ranks);
  if (!has_own_hypercube(s.ranks) || s.most_degree > log + 1) return;
  const Topology t{.kind = TopologyKind::kIncompleteHypercube, .ranks = s.ranks};
  if (signature_of(reference_graph(t)) == s) list.push_back({t});
}

void add_dissemination(const Signature& s, std::vector<Candidate>& list) {
  if (!s.regular()) return;
  std::set<std::int64_t> steps;
  for (std::int64_t step = 1; step < s.ranks; step *= 2) {
    steps.insert(step);
    steps.insert(s.ranks - step);
  }
  if (static_cast<Vertex>(steps.size()) != s.least_degree) return;
  list.push_back(
      {{.kind = TopologyKind::kDissemination, .ranks = s.ranks}, Symmetry::kVertexTransitive});
}

// The ends have a partner for each step, ranks in the middle up to two.
void add_prefix_scan(const Signature& s, std::vector<Candidate>& list) {
  constexpr Vertex kLeast = 5; // less is a chain with more neighbours, or nearly all pairs
  if (s.ranks < kLeast) return;
  const auto degree = [&](Vertex v) {
    Vertex partners = 0;
    for (std::int64_t step = 1; step < s.ranks; step *= 2)
      partners += (v >= step ? 1 : 0) + (v + step < s.ranks ? 1 : 0);
    return partners;
  };
  Signature own{s.ranks, 0, s.ranks, 0};
  for (std::int64_t step = 1; step < s.ranks; step *= 2) own.edges += s.ranks - step;
  if (own.edges != s.edges) return;
  for (Vertex v = 0; v < s.ranks; ++v) {
    own.least_degree = std::min(own.least_degree, degree(v));
    own.most_degree = std::max(own.most_degree, degree(v));
  }
  if (own == s) list.push_back({{.kind = TopologyKind::kPrefixScan, .ranks = s.ranks}});
}

// A grid of one more level must have a rank next to the corner.
bool has_level(const std::vector<Dimension>& dims, Vertex step) {
  return dims.front().size > step && std::all_of(dims.begin(), dims.end(), [&](const auto& d) {
           return !d.periodic || d.size % step == 0;
         });
}

// How many pairs of ranks are next to each other on some level; none is on two.
std::int64_t multigrid_pairs(const Topology& t) {
  std::int64_t pairs = 0;
  for (Vertex level = 0; level < t.levels; ++level) {
    const Vertex step = Vertex{1} << level;
    const auto size = [&](const Dimension& d) { return std::int64_t{(d.size + step - 1) / step}; };
    std::int64_t cells = 1;
    for (const Dimension& d : t.dimensions) cells *= size(d);
    for (const Dimension& d : t.dimensions)
      pairs += cells / size(d) * (size(d) - (d.periodic && d.size > 2 * step ? 0 : 1));
  }
  return pairs;
}

void add_levels(const Signature& s, const std::vector<Dimension>& dims,
                std::vector<Candidate>& list) {
  Topology t{.kind = TopologyKind::kMultigrid, .ranks = s.ranks, .dimensions = dims, .levels = 2};
  for (; has_level(dims, Vertex{1} << (t.levels - 1)); ++t.levels) {
    if (multigrid_pairs(t) == s.edges && signature_of(reference_graph(t)) == s) list.push_back({t});
  }
}

void add_multigrid_of(const Signature& s, Vertex room, std::vector<Dimension>& dims,
                      std::vector<Candidate>& list) {
  constexpr std::size_t kMostDimensions = 3;
  if (room == 1) return add_levels(s, dims, list);
  if (dims.size() == kMostDimensions) return;
  for (Vertex size = dims.empty() ? room : std::min(room, dims.back().size); size >= 2; --size) {
    if (room % size != 0) continue;
    for (const bool periodic : {true, false}) {
      const bool is_sorted = dims.empty() || dims.back().size != size || !periodic ||
                             dims.back().periodic; // of equal sizes the periodic ones first
      if ((periodic && size == 2) || !is_sorted) continue;
      dims.push_back({size, periodic});
      add_multigrid_of(s, room / size, dims, list);
      dims.pop_back();
    }
  }
}

// A grid has at most one pair a rank and dimension, and each level at most half of those of the one
// below.
void add_multigrid(const Signature& s, std::vector<Candidate>& list) {
  constexpr Vertex kLeast = 5;
  if (s.ranks < kLeast || s.regular() || s.edges > std::int64_t{6} * s.ranks ||
      s.least_degree > 6 || s.most_degree > 6 * (log2_floor(s.ranks) + 1))
    return;
  std::vector<Dimension> dims;
  add_multigrid_of(s, s.ranks, dims, list);
}

void add_cg(const Signature& s, std::vector<Candidate>& list) {
  const int log_columns = (log2_floor(s.ranks) + 1) / 2;
  if (!power_of_two(s.ranks) || s.ranks < 4) return;
  if (s.most_degree > log_columns + 1 || s.least_degree != log_columns) return;
  list.push_back({{.kind = TopologyKind::kCg, .ranks = s.ranks}});
}

} // namespace

bool has_own_hypercube(Vertex ranks) {
  return ranks >= 7 && !power_of_two(ranks) && !power_of_two(ranks - 1) &&
         !(ranks % 3 == 0 && power_of_two(ranks / 3));
}

Signature signature_of(const Adjacency& graph) {
  Signature s{graph.vertices(), graph.edges(), graph.vertices(), 0};
  for (Vertex v = 0; v < graph.vertices(); ++v) {
    s.least_degree = std::min(s.least_degree, graph.degree(v));
    s.most_degree = std::max(s.most_degree, graph.degree(v));
  }
  return s;
}

std::vector<Candidate> candidates_for(const Signature& signature) {
  std::vector<Candidate> list;
  if (signature.ranks < 3) return list;
  add_small_six_point(signature, list);
  add_eighteen_point(signature, list);
  add_recursive_doubling(signature, list);
  add_incomplete_hypercube(signature, list);
  add_cg(signature, list);
  add_dissemination(signature, list);
  add_prefix_scan(signature, list);
  add_multigrid(signature, list);
  return list;
}

std::vector<Match> match_candidates(const Adjacency& graph, const Signature& signature) {
  std::vector<Match> matches;
  for (const Candidate& candidate : candidates_for(signature)) {
    const Adjacency reference = reference_graph(candidate.topology);
    if (signature_of(reference) != signature) continue;
    auto cells = find_isomorphism(graph, reference, candidate.symmetry);
    if (cells) matches.push_back({candidate.topology, std::move(*cells)});
  }
  return matches;
}

} // namespace rondo::topology::internal
