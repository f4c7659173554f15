// SPDX-License-Identifier: Apache-2.0
#include "rondo/topology/topology.hpp"

#include <algorithm>

namespace rondo::topology {
namespace {

bool open_and_long(const Dimension& d) { return d.size > 2 && !d.periodic; }
bool closed_and_long(const Dimension& d) { return d.size > 2 && d.periodic; }

std::string periodic_dimensions(const std::vector<Dimension>& dimensions) {
  std::string list;
  int count = 0;
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    if (!closed_and_long(dimensions[i])) continue;
    list += (count++ == 0 ? "" : " and ") + std::to_string(i + 1);
  }
  return (count == 1 ? "periodic in dimension " : "periodic in dimensions ") + list;
}

// Dimensions of two ranks are the same open or periodic, so they do not make a mixture.
std::string mesh_name(const Topology& t) {
  const auto& dims = t.dimensions;
  const std::string size = size_text(dims);
  if (std::none_of(dims.begin(), dims.end(), closed_and_long)) return size + " grid";
  if (std::none_of(dims.begin(), dims.end(), open_and_long)) return size + " torus";
  return size + " grid, " + periodic_dimensions(dims);
}

std::string stencil_name(const Topology& t, const std::string& stencil) {
  const auto& dims = t.dimensions;
  const std::string size = size_text(dims);
  if (std::none_of(dims.begin(), dims.end(), closed_and_long)) return size + " " + stencil;
  if (std::none_of(dims.begin(), dims.end(), open_and_long)) return size + " periodic " + stencil;
  return size + " " + stencil + ", " + periodic_dimensions(dims);
}

std::string moore_name(const Topology& t) {
  std::int64_t points = 1;
  for (std::size_t i = 0; i < t.dimensions.size(); ++i) points *= 3;
  return stencil_name(t, std::to_string(points - 1) + "-point stencil");
}

std::string star_stencil_name(const Topology& t) {
  const std::string radius = "radius-" + std::to_string(t.radius) + " ";
  if (t.dimensions.size() > 1) return stencil_name(t, radius + "star stencil");
  return radius + (t.dimensions[0].periodic ? "ring" : "chain") + " of " + std::to_string(t.ranks) +
         " ranks";
}

std::string joined(const std::vector<Vertex>& numbers, const char* separator) {
  std::string text;
  for (const Vertex n : numbers) text += (text.empty() ? "" : separator) + std::to_string(n);
  return text;
}

std::string multipartite_name(const Topology& t) {
  const auto& parts = t.parts;
  if (parts.size() == 2) return "complete bipartite " + joined(parts, "+");
  const std::string start = "complete " + std::to_string(parts.size()) + "-partite ";
  const bool equal =
      std::adjacent_find(parts.begin(), parts.end(), std::not_equal_to<>()) == parts.end();
  if (equal && parts.size() > 4) return start + "with parts of " + std::to_string(parts.front());
  return start + joined(parts, "+");
}

std::string shift_text(const Topology& t) {
  return t.shift == 0 ? "" : ", shifted by " + std::to_string(t.shift);
}

std::string twisted_name(const Topology& t) {
  if (t.dimensions[0].size > 1) return size_text(t.dimensions) + " twisted torus" + shift_text(t);
  return "circulant of " + std::to_string(t.ranks) + " ranks with steps 1 and " +
         std::to_string(t.shift);
}

std::string of_ranks(const char* what, const Topology& t) {
  return std::string(what) + " of " + std::to_string(t.ranks) + " ranks";
}

std::string heap_name(const Topology& t) {
  if (t.arity == 2) return of_ranks("binary tree", t);
  return of_ranks((std::to_string(t.arity) + "-ary tree").c_str(), t);
}

std::string levels_text(int levels) {
  switch (levels) {
  case 2:
    return "two";
  case 3:
    return "three";
  case 4:
    return "four";
  default:
    return std::to_string(levels);
  }
}

std::string hierarchy_name(const Topology& t) {
  int levels = 1;
  std::string text;
  const Topology* top = &t;
  for (; top->kind == TopologyKind::kHierarchy; top = &*top->leaders, ++levels) {
    const bool has_small = top->small_group > 0;
    const Vertex alike = top->leaders->ranks - (has_small ? 1 : 0);
    const std::string plural = alike == 1 ? "" : "s";
    text += std::to_string(alike) + (top->cliques ? " clique" : " star") + plural + " of " +
            std::to_string(top->group) +
            (has_small ? " and one of " + std::to_string(top->small_group) : "") + ", leaders in ";
  }
  return levels_text(levels) + "-level hierarchy: " + text + name(*top);
}

// With k children everywhere, one parent for the leaves and k for all others it has a name of its
// own.
std::string fat_tree_name(const Topology& t) {
  const std::size_t levels = t.parts.size() / 2;
  const std::vector<Vertex> children(t.parts.begin(), t.parts.begin() + std::ptrdiff_t(levels));
  const std::vector<Vertex> parents(t.parts.begin() + std::ptrdiff_t(levels), t.parts.end());
  std::vector<Vertex> k_ary(levels, children[0]);
  const bool same_children = children == k_ary;
  k_ary[0] = 1;
  if (same_children && parents == k_ary) {
    const std::string what =
        std::to_string(children[0]) + "-ary " + std::to_string(levels) + "-tree";
    return of_ranks(what.c_str(), t);
  }
  const std::string what = "fat tree XGFT(" + std::to_string(levels) + "; " +
                           joined(children, ",") + "; " + joined(parents, ",") + ")";
  return of_ranks(what.c_str(), t);
}

std::string multigrid_name(const Topology& t) {
  const bool is_line = t.dimensions.size() == 1;
  const char* line = is_line && t.dimensions[0].periodic ? "ring" : "chain";
  return std::to_string(t.levels) + " multigrid levels on a " +
         (is_line ? of_ranks(line, t) : mesh_name(t));
}

} // namespace

std::string size_text(const std::vector<Dimension>& dimensions) {
  std::string text;
  for (const Dimension& d : dimensions) text += (text.empty() ? "" : "x") + std::to_string(d.size);
  return text;
}

std::string name(const Topology& t) {
  switch (t.kind) {
  case TopologyKind::kEmpty:
    return "no point-to-point messages between ranks";
  case TopologyKind::kIrregular:
    return "irregular graph";
  case TopologyKind::kSeveral:
    return "several topologies";
  case TopologyKind::kChain:
    return t.ranks == 2 ? "pair of ranks" : of_ranks("chain", t);
  case TopologyKind::kRing:
    return of_ranks("ring", t);
  case TopologyKind::kMesh:
    return mesh_name(t);
  case TopologyKind::kHypercube:
    return "hypercube of " + std::to_string(t.dimensions.size()) + " dimensions";
  case TopologyKind::kSixPoint:
    return size_text(t.dimensions) + " 6-point stencil" + shift_text(t);
  case TopologyKind::kTwistedTorus:
    return twisted_name(t);
  case TopologyKind::kMoore:
    return moore_name(t);
  case TopologyKind::kEighteenPoint:
    return stencil_name(t, "18-point stencil");
  case TopologyKind::kStarStencil:
    return star_stencil_name(t);
  case TopologyKind::kComplete:
    return of_ranks("all-to-all", t);
  case TopologyKind::kMultipartite:
    return multipartite_name(t);
  case TopologyKind::kRowColumn:
    return joined(t.parts, "x") + " row and column all-to-all";
  case TopologyKind::kStar:
    return of_ranks("star", t);
  case TopologyKind::kHeapTree:
    return heap_name(t);
  case TopologyKind::kBinomialTree:
    return of_ranks("binomial tree", t);
  case TopologyKind::kTree:
    return of_ranks("tree", t);
  case TopologyKind::kRecursiveDoubling:
    return of_ranks("recursive doubling", t);
  case TopologyKind::kIncompleteHypercube:
    return of_ranks("incomplete hypercube", t);
  case TopologyKind::kDissemination:
    return of_ranks("dissemination", t);
  case TopologyKind::kPrefixScan:
    return of_ranks("prefix scan", t);
  case TopologyKind::kMultigrid:
    return multigrid_name(t);
  case TopologyKind::kCg:
    return "CG pattern";
  case TopologyKind::kHierarchy:
    return hierarchy_name(t);
  case TopologyKind::kFatTree:
    return fat_tree_name(t);
  case TopologyKind::kUser:
    return t.user->name;
  }
  return "";
}

Vertex leader_cell(const Topology& t, Vertex group) {
  const bool behind = t.small_group > 0 && group > t.small_cell;
  return group * t.group - (behind ? t.group - t.small_group : 0);
}

Vertex group_size(const Topology& t, Vertex group) {
  return t.small_group > 0 && group == t.small_cell ? t.small_group : t.group;
}

bool has_coordinates(const Topology& t) { return !t.dimensions.empty(); }

std::vector<Vertex> coordinates(const std::vector<Dimension>& dimensions, Vertex cell) {
  std::vector<Vertex> result(dimensions.size());
  for (std::size_t i = dimensions.size(); i-- > 0;) {
    result[i] = cell % dimensions[i].size;
    cell /= dimensions[i].size;
  }
  return result;
}

Vertex cell_at(const std::vector<Dimension>& dimensions, const std::vector<Vertex>& coordinates) {
  Vertex cell = 0;
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    cell = cell * dimensions[i].size + coordinates[i];
  }
  return cell;
}

} // namespace rondo::topology
