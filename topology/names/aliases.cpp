// SPDX-License-Identifier: Apache-2.0
#include "topology/names/aliases.hpp"

#include "rondo/base/sort_stably.hpp"

#include <algorithm>
#include <array>

namespace rondo::topology::internal {
namespace {

bool larger(const Dimension& a, const Dimension& b) {
  return a.size != b.size ? a.size > b.size : a.periodic && !b.periodic;
}

bool of_two(const Dimension& d) { return d.size == 2; }

Topology with_pairs(const Topology& mesh, std::size_t pairs) {
  Topology alias = mesh;
  auto& dims = alias.dimensions;
  for (std::size_t i = 0; i < pairs; ++i) {
    dims.pop_back(); // dimensions of two stand last
    dims.pop_back();
    dims.insert(dims.begin(), {4, true});
    sort_stably(dims.begin(), dims.end(), larger);
  }
  alias.kind = dims.size() == 1 ? TopologyKind::kRing : TopologyKind::kMesh;
  return alias;
}

} // namespace

bool same_up_to_order(std::vector<Dimension> a, std::vector<Dimension> b) {
  const auto before = [](const Dimension& x, const Dimension& y) {
    return x.size != y.size ? x.size < y.size : x.periodic < y.periodic;
  };
  sort_stably(a.begin(), a.end(), before);
  sort_stably(b.begin(), b.end(), before);
  return a == b;
}

std::vector<Topology> mesh_aliases(const Topology& mesh) {
  std::vector<Topology> result;
  if (mesh.kind != TopologyKind::kMesh) return result;
  const auto twos = static_cast<std::size_t>(
      std::count_if(mesh.dimensions.begin(), mesh.dimensions.end(), of_two));
  if (twos == mesh.dimensions.size()) {
    result.push_back(mesh);
    result.back().kind = TopologyKind::kHypercube;
  }
  for (std::size_t pairs = 1; 2 * pairs <= twos; ++pairs) result.push_back(with_pairs(mesh, pairs));
  return result;
}

MeshTranslation::MeshTranslation(const Topology& mesh, const Topology& alias)
    : mesh_(mesh.dimensions) {
  std::vector<bool> used(mesh_.size(), false);
  const auto take = [&](const Dimension& wanted) {
    // the last one that fits, as the last counts fastest
    for (std::size_t i = mesh_.size(); i-- > 0;) {
      if (used[i] || mesh_[i] != wanted) continue;
      used[i] = true;
      return i;
    }
    return mesh_.size();
  };
  parts_.resize(alias.dimensions.size());
  for (std::size_t k = parts_.size(); k-- > 0;) {
    parts_[k].dimension = alias.dimensions[k];
    parts_[k].first = take(alias.dimensions[k]);
    if (parts_[k].first < mesh_.size()) continue;
    parts_[k].paired = true;
    parts_[k].first = take({2, false});
    parts_[k].second = take({2, false});
  }
}

Vertex MeshTranslation::operator()(Vertex cell) const {
  const auto point = coordinates(mesh_, cell);
  constexpr std::array<Vertex, 4> kAround = {0, 1, 3, 2}; // a square, walked
  Vertex result = 0;
  for (const Part& part : parts_) {
    const Vertex x =
        part.paired ? kAround[at(2 * point[part.first] + point[part.second])] : point[part.first];
    result = result * part.dimension.size + x;
  }
  return result;
}

} // namespace rondo::topology::internal
