// SPDX-License-Identifier: Apache-2.0
// The disjoint union holds vertices 0 .. n-1 of the graph and n .. 2n-1 of the reference. A cell is
// a run of `elements`, named by its first index. Invariant: every cell holds as many vertices of
// the one as of the other, or refine() has returned false.
#include "topology/paired_refinement.hpp"

#include <algorithm>
#include <numeric>

namespace rondo::topology::internal {
namespace {

struct Partition {
  std::vector<Vertex> elements;
  std::vector<Vertex> position; // inverse of elements
  std::vector<Vertex> cell; // vertex -> its cell
  std::vector<Vertex> length; // cell -> number of vertices
};

class PairedRefinement {
public:
  PairedRefinement(const Adjacency& graph, const Adjacency& reference, std::int64_t budget)
      : g_(graph), t_(reference), n_(graph.vertices()), budget_(budget) {
    const std::size_t all = at(2 * static_cast<std::int64_t>(n_));
    p_.elements.resize(all);
    std::iota(p_.elements.begin(), p_.elements.end(), 0);
    p_.position = p_.elements;
    p_.cell.assign(all, 0);
    p_.length.assign(all, 0);
    p_.length[0] = 2 * n_;
    count_.assign(all, 0);
    touched_in_.assign(all, 0);
    queued_.assign(all, 0);
  }

  std::optional<std::vector<Vertex>> run(Symmetry symmetry) {
    enqueue(0);
    if (refine() && search(symmetry == Symmetry::kVertexTransitive)) return result_;
    return std::nullopt;
  }

private:
  std::span<const Vertex> row(Vertex v) const {
    return v < n_ ? g_.neighbours(v) : t_.neighbours(v - n_);
  }

  void enqueue(Vertex cell) {
    if (queued_[at(cell)]) return;
    queued_[at(cell)] = 1;
    queue_.push_back(cell);
  }

  bool refine() {
    bool balanced = true;
    while (!queue_.empty()) {
      const Vertex cell = queue_.back();
      queue_.pop_back();
      queued_[at(cell)] = 0;
      if (balanced) balanced = split_by(cell);
    }
    return balanced && budget_ > 0;
  }

  // Splits every cell by the number of neighbours its vertices have in `cell`.
  bool split_by(Vertex cell) {
    const auto first = p_.elements.begin() + cell;
    splitter_.assign(first, first + p_.length[at(cell)]);
    touched_cells_.clear();
    for (const Vertex v : splitter_) {
      for (const Vertex w : row(v)) touch(v < n_ ? w : w + n_);
      budget_ -= static_cast<std::int64_t>(row(v).size());
    }
    bool balanced = true;
    for (const Vertex c : touched_cells_) balanced = split(c) && balanced;
    return balanced;
  }

  // Counts a neighbour; the counted vertices of a cell gather at its end.
  void touch(Vertex w) {
    if (count_[at(w)]++ > 0) return;
    const Vertex c = p_.cell[at(w)];
    if (touched_in_[at(c)]++ == 0) touched_cells_.push_back(c);
    swap_to(w, c + p_.length[at(c)] - touched_in_[at(c)]);
  }

  void swap_to(Vertex w, Vertex index) {
    const Vertex old = p_.position[at(w)];
    const Vertex other = p_.elements[at(index)];
    p_.elements[at(old)] = other;
    p_.position[at(other)] = old;
    p_.elements[at(index)] = w;
    p_.position[at(w)] = index;
  }

  // The uncounted part keeps the cell's name; rewriting it would make refinement quadratic.
  bool split(Vertex c) {
    const Vertex end = c + p_.length[at(c)];
    const Vertex begin = end - std::exchange(touched_in_[at(c)], 0);
    sort_by_count(begin, end);
    const bool was_queued = queued_[at(c)] != 0;
    Vertex largest = c;
    bool balanced = true;
    pieces_.clear();
    if (begin > c) {
      p_.length[at(c)] = begin - c;
      pieces_.push_back(c);
    }
    for (Vertex i = begin; i < end;) {
      const Vertex piece = i;
      std::int64_t excess = 0;
      const Vertex count = count_[at(p_.elements[at(i)])];
      for (; i < end && count_[at(p_.elements[at(i)])] == count; ++i) {
        const Vertex v = p_.elements[at(i)];
        excess += v < n_ ? 1 : -1;
        p_.cell[at(v)] = piece;
      }
      balanced = balanced && excess == 0;
      p_.length[at(piece)] = i - piece;
      pieces_.push_back(piece);
      if (p_.length[at(piece)] > p_.length[at(largest)]) largest = piece;
    }
    for (Vertex i = begin; i < end; ++i) count_[at(p_.elements[at(i)])] = 0;
    if (pieces_.size() == 1) return balanced;
    for (const Vertex piece : pieces_) {
      if (was_queued || piece != largest) enqueue(piece);
    }
    return balanced;
  }

  void sort_by_count(Vertex begin, Vertex end) {
    const auto first = p_.elements.begin() + begin;
    const auto last = p_.elements.begin() + end;
    const auto less = [&](Vertex a, Vertex b) { return count_[at(a)] < count_[at(b)]; };
    if (std::is_sorted(first, last, less)) return;
    std::sort(first, last, less);
    for (Vertex i = begin; i < end; ++i) p_.position[at(p_.elements[at(i)])] = i;
  }

  // The shortest cell with more than one pair; 2n if all are pairs.
  Vertex branching_cell() const {
    Vertex best = 2 * n_;
    for (Vertex c = 0; c < 2 * n_; c += p_.length[at(c)]) {
      const Vertex length = p_.length[at(c)];
      if (length > 2 && (best == 2 * n_ || length < p_.length[at(best)])) best = c;
      if (best == c && length == 4) break;
    }
    return best;
  }

  bool search(bool one_candidate) {
    const Vertex c = branching_cell();
    if (c == 2 * n_) return read_off();
    const auto first = p_.elements.begin() + c;
    const std::vector<Vertex> members(first, first + p_.length[at(c)]);
    const Vertex g = *std::min_element(members.begin(), members.end());
    const Partition saved = p_;
    for (const Vertex t : members) {
      if (t < n_) continue;
      if (individualise(c, g, t) && refine() && search(false)) return true;
      if (one_candidate || budget_ <= 0) return false;
      p_ = saved;
    }
    return false;
  }

  bool individualise(Vertex c, Vertex g, Vertex t) {
    const Vertex pair = c + p_.length[at(c)] - 2;
    swap_to(g, pair);
    swap_to(t, pair + 1);
    p_.length[at(c)] -= 2;
    p_.length[at(pair)] = 2;
    p_.cell[at(g)] = p_.cell[at(t)] = pair;
    enqueue(pair);
    budget_ -= 2 * n_; // the copy of the partition
    return true;
  }

  bool read_off() {
    result_.assign(at(n_), -1);
    for (Vertex c = 0; c < 2 * n_; c += 2) {
      const auto [g, t] = std::minmax(p_.elements[at(c)], p_.elements[at(c) + 1]);
      result_[at(g)] = t - n_;
    }
    return maps_onto(g_, t_, result_);
  }

  const Adjacency& g_;
  const Adjacency& t_;
  Vertex n_;
  std::int64_t budget_;
  Partition p_;
  std::vector<Vertex> count_; // vertex -> neighbours in the splitter
  std::vector<Vertex> touched_in_; // cell -> counted vertices
  std::vector<char> queued_;
  std::vector<Vertex> queue_;
  std::vector<Vertex> splitter_;
  std::vector<Vertex> touched_cells_;
  std::vector<Vertex> pieces_;
  std::vector<Vertex> result_;
};

} // namespace

std::optional<std::vector<Vertex>> find_isomorphism(const Adjacency& graph,
                                                    const Adjacency& reference, Symmetry symmetry,
                                                    std::int64_t budget) {
  if (graph.vertices() != reference.vertices() || graph.edges() != reference.edges()) {
    return std::nullopt;
  }
  if (graph == reference) {
    std::vector<Vertex> identity(at(graph.vertices()));
    std::iota(identity.begin(), identity.end(), 0);
    return identity;
  }
  return PairedRefinement(graph, reference, budget).run(symmetry);
}

} // namespace rondo::topology::internal
