// SPDX-License-Identifier: Apache-2.0
#include "topology/near/template_growth.hpp"

#include "topology/match.hpp"
#include "topology/near/mapping_repair.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace rondo::topology::internal {
namespace {

constexpr std::size_t kMostSeeds = 12;
constexpr std::size_t kMostSeedsIfLarge = 4;
constexpr std::size_t kLarge = 2000; // ranks
constexpr std::size_t kTriangles = 2; // entries of a profile
constexpr std::size_t kSquares = 3;

std::vector<Vertex> sorted_degrees(const Adjacency& graph) {
  std::vector<Vertex> degrees;
  for (Vertex v = 0; v < graph.vertices(); ++v) degrees.push_back(graph.degree(v));
  std::sort(degrees.begin(), degrees.end());
  return degrees;
}

double sum(const std::vector<Profile>& profiles, std::size_t entry) {
  double total = 0;
  for (const Profile& p : profiles) total += static_cast<double>(p[entry]);
  return total;
}

} // namespace

TemplateGrowth::TemplateGrowth(const Adjacency& graph, double tolerance, std::int64_t most_steps)
    : graph_(graph), degrees_(sorted_degrees(graph)), tolerance_(tolerance),
      steps_left_(most_steps) {
  std::int64_t pairs = 0;
  for (const std::int64_t d : degrees_) pairs += d * d;
  steps_left_ -= 4 * pairs;
  if (steps_left_ <= 0) return;
  core_ = edges_in_squares(graph);
  profiles_ = profiles_of(graph);
  core_profiles_ = profiles_of(core_);
}

// An edge more or less changes two degrees by one, so at least so many edges differ.
double TemplateGrowth::degree_distance(const Adjacency& reference) const {
  const auto wanted = sorted_degrees(reference);
  double apart = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) apart += std::abs(wanted[i] - degrees_[i]);
  return apart / 2;
}

// A triangle (square) is left with probability (1 - tolerance)^3 (^4); half of that is asked for.
bool TemplateGrowth::squares_allow(const std::vector<Profile>& wanted) const {
  const double left = 1 - tolerance_;
  return sum(profiles_, kTriangles) >= 0.5 * std::pow(left, 3) * sum(wanted, kTriangles) &&
         sum(profiles_, kSquares) >= 0.5 * std::pow(left, 4) * sum(wanted, kSquares);
}

TemplateGrowth::Target::Target(const Topology& topology)
    : reference(reference_graph(topology)), profiles(profiles_of(reference)),
      in_squares(edges_in_squares(reference).edges() == reference.edges()) {}

// Extra edges are hardly ever in squares, so they are left out if all edges ought to be.
ProfiledGraph TemplateGrowth::source(const Target& target) const {
  return target.in_squares ? ProfiledGraph{core_, core_profiles_}
                           : ProfiledGraph{graph_, profiles_};
}

// Cells of rare profiles (corners, roots) with the vertices that look most like them.
std::vector<TemplateGrowth::Seed> TemplateGrowth::seeds(const Target& target) const {
  constexpr std::size_t kMostClasses = 8;
  std::map<Profile, std::pair<Vertex, Vertex>> classes; // how many, one of them
  for (std::size_t c = 0; c < target.profiles.size(); ++c) {
    auto& [count, cell] = classes[target.profiles[c]];
    if (count++ == 0) cell = static_cast<Vertex>(c);
  }
  std::vector<std::pair<Vertex, Vertex>> rare;
  for (const auto& entry : classes) rare.push_back(entry.second);
  std::sort(rare.begin(), rare.end());
  if (rare.size() > kMostClasses) rare.resize(kMostClasses);
  const auto& profiles = source(target).profiles;
  std::vector<Seed> list;
  for (const auto& [count, cell] : rare) {
    for (std::size_t v = 0; v < profiles.size(); ++v) {
      const double apart = distance(profiles[v], target.profiles[at(cell)]);
      list.push_back({apart + 0.05 * std::log2(count), static_cast<Vertex>(v), cell});
    }
  }
  const std::size_t most =
      std::min(profiles.size() > kLarge ? kMostSeedsIfLarge : kMostSeeds, list.size());
  std::partial_sort(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(most), list.end());
  list.resize(most);
  return list;
}

// So many common edges are within the tolerance.
std::int64_t TemplateGrowth::enough(const Adjacency& reference) const {
  const auto larger = static_cast<double>(std::max(reference.edges(), graph_.edges()));
  return static_cast<std::int64_t>(std::ceil((1 - tolerance_) * larger - 1e-9));
}

// Common edges over all edges that a growth must keep up: what the tolerance or a better match asks
// for, less an allowance, since swaps will mend some.
double TemplateGrowth::least_share(const Adjacency& reference, double to_beat) const {
  const auto wanted = static_cast<double>(reference.edges());
  const auto there = static_cast<double>(graph_.edges());
  const double common = std::sqrt(to_beat * wanted * there);
  return std::max({0.4, 0.9 - 3 * tolerance_, common / (wanted + there - common) - 0.15});
}

// Empty if the growth gave up.
std::vector<Vertex> TemplateGrowth::grown(const std::vector<Edge>& pairs, const Target& target,
                                          double least) {
  Growth growth(source(target), {target.reference, target.profiles});
  for (const auto& [vertex, cell] : pairs) growth.place(vertex, cell);
  const bool done = growth.run(least, steps_left_);
  steps_left_ -= growth.steps();
  if (!done) return {};
  auto cells = growth.cells();
  steps_left_ -= improve_by_swaps(graph_, target.reference, cells, steps_left_);
  return cells;
}

bool TemplateGrowth::keep_better(const Target& target, std::vector<Vertex> cells,
                                 std::vector<Vertex>& best) {
  if (cells.empty()) return false;
  const auto common = [&](const std::vector<Vertex>& map) {
    return common_edges(graph_, target.reference, map);
  };
  if (!best.empty() && common(cells) <= common(best)) return false;
  best = std::move(cells);
  return true;
}

// Starts again with all vertices that fit well, as long as that helps.
void TemplateGrowth::regrow(const Target& target, double least, std::vector<Vertex>& best) {
  while (keep_better(target, grown(well_placed(graph_, target.reference, best), target, least),
                     best)) {
  }
}

std::optional<double> TemplateGrowth::distance_to(const Topology& topology) {
  if (steps_left_ <= 0) return std::nullopt;
  const Adjacency reference = reference_graph(topology);
  steps_left_ -= 4 * reference.edges();
  const auto edges = static_cast<double>(reference.edges() + graph_.edges());
  const double degrees = degree_distance(reference);
  if (degrees > tolerance_ * edges) return std::nullopt;
  const auto wanted = profiles_of(reference);
  if (!squares_allow(wanted)) return std::nullopt;
  double apart = degrees / edges;
  for (const std::size_t entry : {kTriangles, kSquares}) {
    const double a = sum(profiles_, entry);
    const double b = sum(wanted, entry);
    apart += std::abs(a - b) / (1 + std::max(a, b));
  }
  return apart;
}

std::vector<Vertex> TemplateGrowth::onto(const Topology& topology, double to_beat) {
  if (steps_left_ <= 0) return {};
  const Target target(topology);
  const auto wanted = static_cast<double>(target.reference.edges());
  const auto there = static_cast<double>(graph_.edges());
  steps_left_ -= 4 * target.reference.edges();
  if (std::min(wanted, there) <= to_beat * std::max(wanted, there)) return {};
  const double least = least_share(target.reference, to_beat);
  constexpr int kMoreSeeds = 2; // once a mapping is within the tolerance
  std::vector<Vertex> best;
  int good = 0;
  auto tried = seeds(target);
  // there is a match already, and another try would be expensive
  if (to_beat > 0 && target.profiles.size() > kLarge) tried.resize(1);
  for (const Seed& seed : tried) {
    auto cells = grown({{seed.vertex, seed.cell}}, target, least);
    if (cells.empty()) continue;
    regrow(target, least, cells);
    const bool within = common_edges(graph_, target.reference, cells) >= enough(target.reference);
    keep_better(target, std::move(cells), best);
    if (within && ++good > kMoreSeeds) break;
  }
  return best;
}

std::vector<Vertex> TemplateGrowth::refined(const Topology& topology, std::vector<Vertex> cells) {
  if (steps_left_ <= 0) return cells;
  const Target target(topology);
  steps_left_ -= improve_by_swaps(graph_, target.reference, cells, steps_left_);
  regrow(target, least_share(target.reference, 0), cells);
  return cells;
}

} // namespace rondo::topology::internal
