// SPDX-License-Identifier: Apache-2.0
// How it works. In a product, layered from a corner:
//   1. a vertex has one neighbour in the layer below for each nonzero coordinate (two where a
//   coordinate is
//      opposite to the root in an even cycle). So the vertices with one lower neighbour form the
//      axes.
//   2. two axes that meet are the two directions of a cycle; an axis that ends is a path.
//   3. any other vertex has two lower neighbours; in each coordinate it equals the one farther from
//   the
//      root. With codes that grow with the distance, that is a maximum of bit fields.
//   4. the codes are then checked: every edge joins codes that differ in one field, by one step.
// Only step 4 is trusted.
#include "topology/recognisers/cartesian.hpp"

#include "rondo/base/sort_stably.hpp"
#include "topology/parallel.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace rondo::topology::internal {
namespace {

using Code = std::uint64_t;

struct Axis {
  std::vector<Vertex> path; // from the neighbour of the root outwards
  Vertex partner = -1; // the axis of the other direction of a cycle
  Vertex size = 0; // of its dimension, once the axis has ended
  bool open() const { return size == 0; }
  Vertex tip() const { return path.back(); }
};

// One dimension as a field of the code. A path codes x as x. A cycle codes distance d from the root
// and side s as 2 d + s, which leaves out 1 and ends with `size`.
struct Field {
  Vertex size = 0;
  bool periodic = false;
  Vertex forward = 0; // axis of the positive direction
  Vertex backward = 0; // axis of the negative direction, if periodic
  int bit = 0;
  Code mask = 0;
  std::int64_t stride = 0;

  Code last_code() const { return static_cast<Code>(periodic ? size : size - 1); }
};

class CartesianRecognizer {
public:
  explicit CartesianRecognizer(const Layering& layers) : g_(layers) {}

  MaybeMatch run() {
    if (g_.layers() < 2 || g_.degree(0) > 40) return std::nullopt;
    if (!find_axes() || !find_fields() || !has_edge_count()) return std::nullopt;
    assign_axis_codes();
    if (!spread_codes() || !edges_fit()) return std::nullopt;
    return match();
  }

private:
  Vertex lower_neighbours(Vertex v, Vertex layer_begin) const {
    Vertex count = 0;
    for (const Vertex w : g_.neighbours(v)) count += w < layer_begin ? 1 : 0;
    return count;
  }

  bool find_axes() {
    axes_.resize(at(g_.degree(0)));
    for (Vertex i = 0; i < g_.degree(0); ++i) axes_[at(i)].path = {i + 1};
    if (!join_triangles()) return false;
    std::size_t open = axes_.size();
    for (Vertex layer = 2; open > 0; ++layer) {
      for (Vertex i = 0; i < static_cast<Vertex>(axes_.size()); ++i) {
        if (axes_[at(i)].open() && !advance(i, layer)) return false;
      }
      open = static_cast<std::size_t>(
          std::count_if(axes_.begin(), axes_.end(), [](const Axis& a) { return a.open(); }));
    }
    return true;
  }

  // Neighbours of the root that are adjacent lie on a cycle of three.
  bool join_triangles() {
    const Vertex degree = g_.degree(0);
    for (Vertex i = 0; i < degree; ++i) {
      for (const Vertex w : g_.neighbours(i + 1)) {
        if (w == 0 || w > degree || w < i + 1) continue;
        if (!join(i, w - 1, 3)) return false;
      }
    }
    return true;
  }

  bool join(Vertex i, Vertex j, Vertex size) {
    Axis& a = axes_[at(i)];
    Axis& b = axes_[at(j)];
    if (!a.open() || !b.open()) return false;
    a.size = b.size = size;
    a.partner = j;
    b.partner = i;
    return true;
  }

  Vertex open_axis_with_tip(Vertex v, Vertex except) const {
    for (Vertex j = 0; j < static_cast<Vertex>(axes_.size()); ++j) {
      if (j != except && axes_[at(j)].open() && axes_[at(j)].tip() == v) return j;
    }
    return -1;
  }

  // Takes axis i, whose tip lies in layer - 1, into `layer`, or ends it.
  bool advance(Vertex i, Vertex layer) {
    Axis& axis = axes_[at(i)];
    const Vertex tip_layer = g_.layer_begin[at(layer) - 1];
    const Vertex above = g_.layer_begin[at(std::min(layer, g_.layers()))];
    Vertex next = -1;
    for (const Vertex w : g_.neighbours(axis.tip())) {
      if (w < above || lower_neighbours(w, above) != 1) continue;
      if (next >= 0) return false;
      next = w;
    }
    if (next >= 0) {
      axis.path.push_back(next);
      return true;
    }
    if (layer >= 3 && close_cycle(i, layer, tip_layer, above)) return true;
    axis.size = layer;
    return true;
  }

  // The tips of both directions are adjacent (odd cycle) or share the opposite vertex (even cycle).
  bool close_cycle(Vertex i, Vertex layer, Vertex tip_layer, Vertex above) {
    const Vertex tip = axes_[at(i)].tip();
    for (const Vertex w : g_.neighbours(tip)) {
      if (w < tip_layer) continue;
      if (w < above) {
        const Vertex j = open_axis_with_tip(w, i);
        if (j >= 0) return join(i, j, 2 * layer - 1);
        continue;
      }
      if (lower_neighbours(w, above) != 2) continue;
      for (const Vertex x : g_.neighbours(w)) {
        const Vertex j = x < above && x != tip ? open_axis_with_tip(x, i) : -1;
        if (j < 0) continue;
        axes_[at(i)].path.push_back(w);
        return join(i, j, 2 * layer);
      }
    }
    return false;
  }

  // Sorted so that the last field belongs to the smallest size, and among equal ones to the lowest
  // neighbour of the root: ranks numbered row by row are then found as row-major.
  bool find_fields() {
    for (Vertex i = 0; i < static_cast<Vertex>(axes_.size()); ++i) {
      const Axis& axis = axes_[at(i)];
      if (axis.partner >= 0 && axis.partner < i) continue;
      fields_.push_back({axis.size, axis.partner >= 0, i, axis.partner});
    }
    sort_stably(fields_.begin(), fields_.end(), [&](const Field& a, const Field& b) {
      if (a.size != b.size) return a.size > b.size;
      if (a.periodic != b.periodic) return a.periodic;
      return g_.order[at(a.forward) + 1] > g_.order[at(b.forward) + 1];
    });
    int bit = 0;
    std::int64_t stride = 1;
    for (auto field = fields_.rbegin(); field != fields_.rend(); ++field) {
      const int width = std::bit_width(field->last_code());
      if (bit + width > 64 || stride > g_.reached()) return false;
      field->bit = bit;
      field->mask = (~Code{0} >> (64 - width)) << bit;
      for (int b = bit; b < bit + width; ++b) field_of_bit_[at(b)] = &*field;
      bit += width;
      field->stride = stride;
      stride *= field->size;
    }
    return stride == g_.reached();
  }

  bool has_edge_count() const {
    std::int64_t edges = 0;
    for (const Field& f : fields_)
      edges += g_.reached() / f.size * (f.periodic ? f.size : f.size - 1);
    return 2 * edges == static_cast<std::int64_t>(g_.to.size());
  }

  void assign_axis_codes() {
    codes_.assign(at(g_.reached()), 0);
    for (const Field& f : fields_) {
      // the forward path may end with the vertex opposite to the root, or the backward one may
      for (int side = 0; side < (f.periodic ? 2 : 1); ++side) {
        const auto& path = axes_[at(side == 0 ? f.forward : f.backward)].path;
        for (std::size_t k = 0; k < path.size(); ++k) {
          const Code d = k + 1;
          const bool opposite = 2 * d == static_cast<Code>(f.size);
          const Code code = !f.periodic ? d : opposite ? 2 * d : 2 * d + static_cast<Code>(side);
          codes_[at(path[k])] = code << f.bit;
        }
      }
    }
  }

  // Fields where both agree stay; in the others the one farther from the root wins. 0 if the two
  // cannot be lower neighbours of one vertex.
  Code joined(Code a, Code b) const {
    const Code difference = a ^ b;
    if (difference == 0) return 0;
    const Field& f = *field_of_bit_[at(std::countr_zero(difference))];
    const Code rest = difference & ~f.mask;
    if (rest == 0) return f.periodic ? (a & ~f.mask) | (f.last_code() << f.bit) : 0;
    const Code other = field_of_bit_[at(std::countr_zero(rest))]->mask;
    if ((rest & ~other) != 0) return 0;
    return (a & ~(f.mask | other)) | std::max(a & f.mask, b & f.mask) |
           std::max(a & other, b & other);
  }

  bool spread_codes() {
    for (Vertex layer = 2; layer < g_.layers(); ++layer) {
      const Vertex begin = g_.layer_begin[at(layer)];
      for (Vertex v = begin; v < g_.layer_begin[at(layer) + 1]; ++v) {
        if (codes_[at(v)] != 0) continue;
        Vertex first = -1;
        for (const Vertex w : g_.neighbours(v)) {
          if (w >= begin) continue;
          if (first >= 0) {
            codes_[at(v)] = joined(codes_[at(first)], codes_[at(w)]);
            break;
          }
          first = w;
        }
        if (codes_[at(v)] == 0) return false;
      }
    }
    return true;
  }

  static bool one_step(const Field& f, Code a, Code b) {
    const Code low = std::min(a, b);
    const Code high = std::max(a, b);
    if (!f.periodic) return high - low == 1;
    return high - low == 2 || (low == 0 && high == 3) ||
           (high == f.last_code() && low + 1 == f.last_code());
  }

  bool edges_fit() const {
    return all_vertices(g_.reached(), [&](Vertex v) {
      const Code code = codes_[at(v)];
      for (const Vertex w : g_.neighbours(v)) {
        if (w >= v) continue;
        const Code difference = code ^ codes_[at(w)];
        if (difference == 0) return false;
        const Field& f = *field_of_bit_[at(std::countr_zero(difference))];
        if ((difference & ~f.mask) != 0) return false;
        if (!one_step(f, (code & f.mask) >> f.bit, (codes_[at(w)] & f.mask) >> f.bit)) return false;
      }
      return true;
    });
  }

  static Vertex position(const Field& f, Code code) {
    const auto value = static_cast<Vertex>((code & f.mask) >> f.bit);
    if (!f.periodic) return value;
    return (value & 1) == 0 ? value / 2 : f.size - value / 2;
  }

  MaybeMatch match() const {
    std::vector<Vertex> cells(at(g_.reached()));
    for (Vertex v = 0; v < g_.reached(); ++v) {
      std::int64_t cell = 0;
      for (const Field& f : fields_) cell += f.stride * position(f, codes_[at(v)]);
      if (cell >= g_.reached()) return std::nullopt;
      cells[at(v)] = static_cast<Vertex>(cell);
    }
    if (!is_bijection(cells)) return std::nullopt;
    Match result;
    result.topology.ranks = g_.reached();
    for (const Field& f : fields_) result.topology.dimensions.push_back({f.size, f.periodic});
    const auto& dims = result.topology.dimensions;
    result.topology.kind = dims.size() > 1    ? TopologyKind::kMesh
                           : dims[0].periodic ? TopologyKind::kRing
                                              : TopologyKind::kChain;
    result.cells = g_.for_vertices(cells);
    return result;
  }

  const Layering& g_;
  std::vector<Axis> axes_;
  std::vector<Field> fields_;
  std::array<const Field*, 64> field_of_bit_{};
  std::vector<Code> codes_; // 0: the root, or not yet known
};

} // namespace

MaybeMatch match_cartesian(const Layering& layers) { return CartesianRecognizer(layers).run(); }

} // namespace rondo::topology::internal
