// SPDX-License-Identifier: Apache-2.0
#include "topology/near/growth.hpp"

#include "topology/match.hpp"

#include <algorithm>
#include <limits>

namespace rondo::topology::internal {

namespace {

constexpr Vertex kMostInTable = 2048; // ranks; 16 MiB

}

VoteTable::VoteTable(Vertex vertices) : stride_(vertices) {
  if (vertices <= kMostInTable) all_.assign(at(stride_ * stride_), 0);
}

Vertex& VoteTable::operator()(Vertex vertex, Vertex cell) {
  const std::int64_t key = vertex * stride_ + cell;
  return all_.empty() ? some_[key] : all_[at(key)];
}

Vertex VoteTable::of(Vertex vertex, Vertex cell) const {
  const std::int64_t key = vertex * stride_ + cell;
  if (!all_.empty()) return all_[at(key)];
  const auto found = some_.find(key);
  return found == some_.end() ? 0 : found->second;
}

Growth::Growth(ProfiledGraph graph, ProfiledGraph reference)
    : graph_(graph), reference_(reference), votes_(graph.graph.vertices()) {
  const std::size_t n = at(graph.graph.vertices());
  cell_of_.assign(n, -1);
  vertex_at_.assign(n, -1);
  mapped_around_.assign(n, 0);
  taken_around_.assign(n, 0);
  paths_.assign(n, 0);
  cell_paths_.assign(n, 0);
}

// Twice the edges gained less the contradictions: neighbours that are mapped elsewhere, and
// neighbouring cells that are taken by others.
std::int64_t Growth::merit(Vertex vertex, Vertex cell) const {
  return 4 * std::int64_t{votes_.of(vertex, cell)} - mapped_around_[at(vertex)] -
         taken_around_[at(cell)];
}

void Growth::place(Vertex vertex, Vertex cell) {
  const Vertex gained = votes_.of(vertex, cell);
  common_ += gained;
  either_ += mapped_around_[at(vertex)] + taken_around_[at(cell)] - gained;
  cell_of_[at(vertex)] = cell;
  vertex_at_[at(cell)] = vertex;
  for (const Vertex c : reference_.graph.neighbours(cell)) ++taken_around_[at(c)];
  for (const Vertex v : graph_.graph.neighbours(vertex)) {
    ++mapped_around_[at(v)];
    if (cell_of_[at(v)] >= 0) continue;
    for (const Vertex c : reference_.graph.neighbours(cell)) {
      if (vertex_at_[at(c)] >= 0) continue;
      ++votes_(v, c);
      queue_.push({2 * merit(v, c), v, c, false});
    }
  }
  steps_ += 1 + std::int64_t{graph_.graph.degree(vertex)} * (1 + reference_.graph.degree(cell));
}

// Paths of two edges from a free vertex (or cell) to mapped ones, counted by cell.
void Growth::count_paths(const Adjacency& graph, Vertex from, bool mapped_only_by_cell,
                         std::vector<Vertex>& counts, std::vector<Vertex>& ends) {
  for (const Vertex end : ends) counts[at(end)] = 0;
  ends.clear();
  for (const Vertex w : graph.neighbours(from)) {
    steps_ += graph.degree(w);
    for (const Vertex x : graph.neighbours(w)) {
      const Vertex cell = mapped_only_by_cell ? x : cell_of_[at(x)];
      if (cell < 0 || vertex_at_[at(cell)] < 0) continue;
      if (counts[at(cell)]++ == 0) ends.push_back(cell);
    }
  }
}

// How well the surroundings agree; paths_ holds the paths of the vertex.
double Growth::likeness(Vertex vertex, Vertex cell) {
  count_paths(reference_.graph, cell, true, cell_paths_, cell_ends_);
  std::int64_t agree = 0;
  for (const Vertex end : ends_) {
    const Vertex a = paths_[at(end)];
    const Vertex b = cell_paths_[at(end)];
    agree += 2 * std::min(a, b) - std::abs(a - b);
  }
  for (const Vertex end : cell_ends_) {
    if (paths_[at(end)] == 0) agree -= cell_paths_[at(end)];
  }
  return static_cast<double>(agree) -
         distance(graph_.profiles[at(vertex)], reference_.profiles[at(cell)]);
}

// Pairs of at least as much merit that would take the same vertex or the same cell, and the pair
// itself.
std::vector<Edge> Growth::rivals(const Pair& pair) {
  const std::int64_t least = merit(pair.vertex, pair.cell);
  std::vector<Edge> result;
  for (const Vertex u : graph_.graph.neighbours(pair.vertex)) {
    if (cell_of_[at(u)] < 0) continue;
    for (const Vertex c : reference_.graph.neighbours(cell_of_[at(u)])) {
      if (vertex_at_[at(c)] < 0 && merit(pair.vertex, c) >= least)
        result.emplace_back(pair.vertex, c);
    }
  }
  for (const Vertex c : reference_.graph.neighbours(pair.cell)) {
    const Vertex u = vertex_at_[at(c)];
    if (u < 0) continue;
    for (const Vertex v : graph_.graph.neighbours(u)) {
      if (cell_of_[at(v)] < 0 && merit(v, pair.cell) >= least) result.emplace_back(v, pair.cell);
    }
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

Growth::Pair Growth::most_alike(const Pair& pair, bool& decided) {
  const auto list = rivals(pair);
  decided = list.size() == 1;
  if (decided) return pair;
  Pair best = pair;
  double most = -std::numeric_limits<double>::infinity();
  Vertex counted = -1;
  for (const auto& [vertex, cell] : list) {
    if (vertex != counted) count_paths(graph_.graph, vertex, false, paths_, ends_);
    counted = vertex;
    const double alike = likeness(vertex, cell);
    if (alike == most) decided = false;
    if (alike <= most) continue;
    decided = true;
    most = alike;
    best.vertex = vertex;
    best.cell = cell;
  }
  return best;
}

// False if the pair goes back into the queue: its merit has sunk, or others are as good.
bool Growth::take(Pair pair) {
  constexpr int kMostPutOff = 6;
  const std::int64_t priority = 2 * merit(pair.vertex, pair.cell) - (pair.contested ? 1 : 0);
  if (priority < pair.priority) {
    pair.priority = priority;
    queue_.push(pair);
    return false;
  }
  bool decided = false;
  const Pair best = most_alike(pair, decided);
  if (!decided && !pair.contested && put_off_ < kMostPutOff) {
    ++put_off_;
    pair.contested = true;
    --pair.priority;
    queue_.push(pair);
    return false;
  }
  put_off_ = 0;
  place(best.vertex, best.cell);
  // the pair itself may still be good for another vertex or cell
  if (cell_of_[at(pair.vertex)] < 0 && vertex_at_[at(pair.cell)] < 0) queue_.push(pair);
  return true;
}

// What is left has no mapped neighbours, or their cells no free ones: the vertex with most free
// neighbours goes to the cell that looks most like it.
bool Growth::plant() {
  Vertex vertex = -1;
  for (Vertex v = 0; v < graph_.graph.vertices(); ++v) {
    if (cell_of_[at(v)] >= 0) continue;
    const auto free = [&](Vertex x) { return graph_.graph.degree(x) - mapped_around_[at(x)]; };
    if (vertex < 0 || free(v) > free(vertex)) vertex = v;
  }
  if (vertex < 0) return false;
  Vertex best = -1;
  double least = std::numeric_limits<double>::infinity();
  for (Vertex c = 0; c < reference_.graph.vertices(); ++c) {
    if (vertex_at_[at(c)] >= 0) continue;
    const double cost =
        taken_around_[at(c)] + distance(graph_.profiles[at(vertex)], reference_.profiles[at(c)]);
    if (cost >= least) continue;
    least = cost;
    best = c;
  }
  steps_ += 2 * std::int64_t{graph_.graph.vertices()};
  place(vertex, best);
  return true;
}

bool Growth::hopeless(double least_share) const {
  constexpr std::int64_t kEnoughToJudge = 24;
  return either_ >= kEnoughToJudge &&
         static_cast<double>(common_) < least_share * static_cast<double>(either_);
}

bool Growth::run(double least_share, std::int64_t most_steps) {
  do {
    if (steps_ > most_steps) return false;
    while (!queue_.empty()) {
      const Pair pair = queue_.top();
      queue_.pop();
      if (cell_of_[at(pair.vertex)] >= 0 || vertex_at_[at(pair.cell)] >= 0) continue;
      if (take(pair) && (hopeless(least_share) || steps_ > most_steps)) return false;
    }
  } while (plant());
  return true;
}

} // namespace rondo::topology::internal
