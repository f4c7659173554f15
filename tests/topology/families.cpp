// SPDX-License-Identifier: Apache-2.0
#include "tests/topology/families.hpp"

#include "tests/topology/graphs.hpp"

#include <algorithm>
#include <bit>

namespace rondo::topology::testing {
namespace {

void extend(Vertex room, std::vector<Dimension>& dims,
            const std::function<bool(Dimension)>& allowed,
            std::vector<std::vector<Dimension>>& result) {
  const Vertex most = dims.empty() ? room : std::min(room, dims.back().size);
  for (Vertex size = most; size >= 2; --size) {
    for (const bool periodic : {true, false}) {
      if (!allowed({size, periodic})) continue;
      if (!dims.empty() && dims.back().size == size && periodic && !dims.back().periodic) continue;
      dims.push_back({size, periodic});
      result.push_back(dims);
      extend(room / size, dims, allowed, result);
      dims.pop_back();
    }
  }
}

Topology with_parts(TopologyKind kind, std::vector<Vertex> parts, Vertex ranks) {
  Topology t = of_kind(kind, ranks);
  t.parts = std::move(parts);
  return t;
}

std::vector<Topology> with_boxes(TopologyKind kind,
                                 const std::vector<std::vector<Dimension>>& boxes) {
  std::vector<Topology> result;
  for (const auto& dims : boxes) {
    result.push_back(of_kind(kind, product(dims)));
    result.back().dimensions = dims;
    if (dims.size() == 1 && kind == TopologyKind::kMesh) {
      result.back().kind = dims[0].periodic ? TopologyKind::kRing : TopologyKind::kChain;
    }
  }
  return result;
}

void add_multipartite(Vertex room, std::vector<Vertex>& parts, std::vector<Topology>& result) {
  const Vertex least = parts.empty() ? 1 : parts.back();
  Vertex used = 0;
  for (const Vertex p : parts) used += p;
  if (parts.size() >= 2 && parts.back() > 1)
    result.push_back(with_parts(TopologyKind::kMultipartite, parts, used));
  for (Vertex size = least; size <= room - used; ++size) {
    parts.push_back(size);
    add_multipartite(room, parts, result);
    parts.pop_back();
  }
}

void add_by_ranks(Vertex n, std::vector<Topology>& result) {
  result.push_back(of_kind(TopologyKind::kComplete, n));
  result.push_back(of_kind(TopologyKind::kStar, n));
  result.push_back(of_kind(TopologyKind::kBinomialTree, n));
  result.push_back(of_kind(TopologyKind::kDissemination, n));
  if (n >= 5) result.push_back(of_kind(TopologyKind::kPrefixScan, n));
  for (Vertex arity = 2; arity <= 5 && arity < n - 1; ++arity) {
    result.push_back(of_kind(TopologyKind::kHeapTree, n));
    result.back().arity = arity;
  }
  if (std::has_single_bit(static_cast<unsigned>(n))) {
    if (n >= 4) result.push_back(of_kind(TopologyKind::kCg, n));
  } else {
    result.push_back(of_kind(TopologyKind::kRecursiveDoubling, n));
    const auto is_power = [](Vertex x) { return std::has_single_bit(static_cast<unsigned>(x)); };
    const bool is_grid = n % 3 == 0 && is_power(n / 3);
    if (n >= 7 && !is_power(n - 1) && !is_grid)
      result.push_back(of_kind(TopologyKind::kIncompleteHypercube, n));
  }
  for (Vertex a = 2; a * a <= n; ++a) {
    if (n % a != 0) continue;
    result.push_back(with_parts(TopologyKind::kRowColumn, {a, n / a}, n));
    result.push_back(of_kind(TopologyKind::kSixPoint, n));
    result.back().dimensions = {{n / a, n / a > 2}, {a, a > 2}};
  }
}

} // namespace

std::vector<std::vector<Dimension>> boxes(Vertex ranks,
                                          const std::function<bool(Dimension)>& allowed) {
  std::vector<std::vector<Dimension>> result;
  std::vector<Dimension> dims;
  extend(ranks, dims, allowed, result);
  return result;
}

std::vector<Topology> all_meshes(Vertex ranks) {
  return with_boxes(TopologyKind::kMesh, boxes(ranks, [](Dimension d) {
                      return d.periodic ? d.size == 3 || d.size >= 5 : d.size >= 2;
                    }));
}

std::vector<Topology> all_moore(Vertex ranks) {
  auto list = boxes(ranks, [](Dimension d) { return d.size >= (d.periodic ? 3 : 2); });
  std::erase_if(list, [](const auto& dims) { return dims.size() < 2 || dims.size() > 5; });
  return with_boxes(TopologyKind::kMoore, list);
}

std::vector<Topology> all_star_stencils(Vertex ranks) {
  std::vector<Topology> result;
  for (Vertex radius = 2; radius <= 6; ++radius) {
    auto list = boxes(ranks, [&](Dimension d) { return !d.periodic || d.size > radius + 1; });
    std::erase_if(list, [&](const auto& dims) {
      return std::all_of(dims.begin(), dims.end(), [&](Dimension d) {
        return d.size <= (d.periodic ? 2 * radius + 1 : 2 * radius);
      });
    });
    for (Topology& t : with_boxes(TopologyKind::kStarStencil, list)) {
      t.radius = radius;
      result.push_back(std::move(t));
    }
  }
  return result;
}

std::vector<Topology> all_twisted(Vertex ranks, Vertex least_rows) {
  std::vector<Topology> result;
  for (Vertex rows = least_rows; rows * 3 <= ranks; ++rows) {
    for (Vertex columns = 3; rows * columns <= ranks; ++columns) {
      for (Vertex shift = 1; 2 * shift <= columns; ++shift) {
        for (const TopologyKind kind : {TopologyKind::kSixPoint, TopologyKind::kTwistedTorus}) {
          result.push_back(of_kind(kind, rows * columns));
          result.back().dimensions = {{rows, true}, {columns, true}};
          result.back().shift = shift;
        }
      }
    }
  }
  return result;
}

std::vector<Topology> all_multigrids(Vertex ranks) {
  std::vector<Topology> result;
  for (const auto& dims : boxes(ranks, [](Dimension d) { return !d.periodic || d.size > 2; })) {
    if (product(dims) < 5 || dims.size() > 3) continue;
    for (Vertex levels = 2; dims.front().size > 1 << (levels - 1); ++levels) {
      const bool fits = std::all_of(dims.begin(), dims.end(), [&](const Dimension& d) {
        return !d.periodic || d.size % (1 << (levels - 1)) == 0;
      });
      if (!fits) break;
      result.push_back(of_kind(TopologyKind::kMultigrid, product(dims)));
      result.back().dimensions = dims;
      result.back().levels = levels;
    }
  }
  return result;
}

std::vector<Topology> all_others(Vertex ranks) {
  auto list = boxes(ranks, [](Dimension d) { return d.size >= (d.periodic ? 3 : 2); });
  std::erase_if(list, [](const auto& dims) { return dims.size() != 3; });
  std::vector<Topology> result = with_boxes(TopologyKind::kEighteenPoint, list);
  for (Vertex n = 3; n <= ranks; ++n) add_by_ranks(n, result);
  std::vector<Vertex> parts;
  add_multipartite(std::min<Vertex>(ranks, 16), parts, result);
  for (Vertex size = 2; size <= ranks; ++size) {
    for (Vertex count = 3; count * size <= ranks; ++count) {
      const std::vector<Vertex> equal(static_cast<std::size_t>(count), size);
      result.push_back(with_parts(TopologyKind::kMultipartite, equal, count * size));
      if (count * size == ranks) continue;
      result.push_back(result.back()); // and one part of another size
      ++result.back().parts.back();
      ++result.back().ranks;
    }
  }
  for (Vertex a = 2; a <= ranks; ++a) {
    for (Vertex b = a; a + b <= ranks; b += 7) {
      result.push_back(with_parts(TopologyKind::kMultipartite, {a, b}, a + b));
    }
  }
  return result;
}

} // namespace rondo::topology::testing
