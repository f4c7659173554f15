// SPDX-License-Identifier: Apache-2.0
// Repairs are guesses: they propose a topology and a cell for each rank. Every proposal is then
// laid over the graph edge by edge, and only what that says decides.
#include "rondo/topology/near.hpp"

#include "rondo/base/sort_stably.hpp"
#include "topology/names/aliases.hpp"
#include "topology/names/natural_numbering.hpp"
#include "topology/names/plain_names.hpp"
#include "topology/near/near_score.hpp"
#include "topology/near/near_templates.hpp"
#include "topology/near/path_cover.hpp"
#include "topology/near/seams.hpp"
#include "topology/near/template_growth.hpp"
#include "topology/parts/part_clustering.hpp"
#include "topology/recognisers/components.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace rondo::topology {
namespace {

using internal::each_edge;
using internal::Scored;
using internal::Scorer;

std::vector<Vertex> identity(Vertex ranks) {
  std::vector<Vertex> cells(at(ranks));
  std::iota(cells.begin(), cells.end(), 0);
  return cells;
}

// Dimensions largest first, as everywhere; the cells follow.
void sort_dimensions(Topology& topology, std::vector<Vertex>& cells) {
  if (!has_coordinates(topology) || topology.kind == TopologyKind::kUser) return;
  Topology sorted = topology;
  sort_stably(sorted.dimensions.begin(), sorted.dimensions.end(),
              [](const Dimension& a, const Dimension& b) {
                return a.size != b.size ? a.size > b.size : a.periodic && !b.periodic;
              });
  const internal::MeshTranslation translate(topology, sorted);
  for (Vertex& cell : cells) cell = translate(cell);
  topology = std::move(sorted);
}

// The edges that pass a test.
Adjacency where(const Adjacency& graph,
                const std::function<bool(Vertex, Vertex, std::size_t)>& keep) {
  std::vector<Edge> edges;
  each_edge(graph, [&](Vertex v, Vertex w, std::size_t i) {
    if (keep(v, w, i)) edges.emplace_back(v, w);
  });
  return Adjacency::from_edges(graph.vertices(), edges);
}

int squares_at(const Adjacency& graph, Vertex u, Vertex v, int enough) {
  int count = 0;
  for (const Vertex a : graph.neighbours(u)) {
    if (a == v) continue;
    for (const Vertex b : graph.neighbours(v)) {
      if (b != u && b != a && graph.adjacent(a, b) && ++count == enough) return count;
    }
  }
  return count;
}

// Among boxes that look alike the compact ones are tried first.
double oblongness(const Topology& topology) {
  const auto& dims = topology.dimensions;
  if (dims.empty()) return 0;
  return 0.02 * std::log2(static_cast<double>(dims.front().size) / dims.back().size);
}

// At most two ranks of far more partners than others have.
std::vector<Vertex> hubs_of(const Adjacency& graph) {
  std::vector<Vertex> order = identity(graph.vertices());
  sort_stably(order.begin(), order.end(), [&](Vertex a, Vertex b) {
    return graph.degree(a) != graph.degree(b) ? graph.degree(a) > graph.degree(b) : a < b;
  });
  const Vertex median = graph.degree(order[order.size() / 2]);
  std::vector<Vertex> hubs;
  for (std::size_t i = 0; i < std::min<std::size_t>(2, order.size()); ++i) {
    const Vertex degree = graph.degree(order[i]);
    if (degree > 2 * median && 4 * degree >= 3 * (graph.vertices() - 1)) hubs.push_back(order[i]);
  }
  std::sort(hubs.begin(), hubs.end());
  return hubs;
}

// Small members of many families are an all-to-all, which is what it is called.
bool is_said(const Topology& t) {
  constexpr Vertex kSmall = 64;
  if (t.kind == TopologyKind::kMoore && t.dimensions.size() > 3) return false;
  const bool may_be_odd = t.kind == TopologyKind::kMoore || t.kind == TopologyKind::kMultipartite ||
                          t.kind == TopologyKind::kSixPoint ||
                          t.kind == TopologyKind::kDissemination;
  if (!may_be_odd || t.ranks > kSmall) return true;
  const Adjacency graph = reference_graph(t);
  const bool is_all_to_all = 2 * graph.edges() == t.ranks * (t.ranks - 1);
  return !is_all_to_all && internal::is_plain(graph, t);
}

// Two thirds of all pairs are nearly anything in some order of the ranks.
bool may_be_by_chance(const Topology& t, const std::vector<Vertex>& cells) {
  constexpr Vertex kSmall = 64;
  const bool may_be_dense =
      t.kind == TopologyKind::kMoore || t.kind == TopologyKind::kEighteenPoint ||
      t.kind == TopologyKind::kStarStencil || t.kind == TopologyKind::kSixPoint ||
      t.kind == TopologyKind::kTwistedTorus || t.kind == TopologyKind::kRowColumn;
  if (!may_be_dense || t.ranks > kSmall || std::is_sorted(cells.begin(), cells.end())) return false;
  return 3 * reference_graph(t).edges() >= std::int64_t{t.ranks} * (t.ranks - 1);
}

class Nearest {
public:
  Nearest(const Graph& graph, const NearOptions& options)
      : graph_(graph), adjacency_(graph.adjacency()), options_(options),
        scorer_(graph, options.measure) {}

  std::optional<NearMatch> run() {
    if (adjacency_.vertices() < 3 || adjacency_.edges() == 0) return std::nullopt;
    const auto everyone = identity(adjacency_.vertices());
    const auto hubs = hubs_of(adjacency_);
    natural(adjacency_, everyone, {});
    star();
    if (!fits(best_)) parts(); // an all-to-all that fits is the simpler answer
    if (!fits(best_) && !hubs.empty()) with_hubs(hubs, false);
    if (!fits(best_)) {
      squares();
      paths();
      // a hub makes growth expensive, and few large topologies have one of their own
      constexpr Vertex kLarge = 2000;
      if (hubs.empty() || adjacency_.vertices() <= kLarge) grown(adjacency_, everyone, {});
    }
    if (!fits(best_) && !hubs.empty()) with_hubs(hubs, true);
    if (best_.merit() < 1 - options_.tolerance) heavy_cores();
    if (!fits(best_)) return std::nullopt;
    return std::move(best_.match);
  }

private:
  bool fits(const Scored& scored) const {
    return scored.missing_share <= options_.tolerance && scored.surplus <= options_.tolerance;
  }

  void consider(Topology topology, std::vector<Vertex> cells, const std::vector<Vertex>& hubs) {
    if (!is_said(topology) || may_be_by_chance(topology, cells)) return;
    sort_dimensions(topology, cells);
    Scored scored = scorer_(topology, std::move(cells), hubs);
    if (fits(scored) && scored.merit() > best_.merit()) best_ = std::move(scored);
  }

  // A mapping of a part of the ranks, `ranks[v]` being the rank of vertex v.
  void consider_part(const Topology& t, const std::vector<Vertex>& own,
                     const std::vector<Vertex>& ranks, const std::vector<Vertex>& hubs) {
    std::vector<Vertex> cells(at(adjacency_.vertices()), -1);
    for (std::size_t v = 0; v < ranks.size(); ++v) cells[at(ranks[v])] = own[v];
    consider(t, std::move(cells), hubs);
  }

  void natural(const Adjacency& part, const std::vector<Vertex>& ranks,
               const std::vector<Vertex>& hubs) {
    const double least = std::max(0.3, 1 - 3 * options_.tolerance);
    for (const Topology& t : internal::natural_candidates(part, least))
      consider_part(t, identity(part.vertices()), ranks, hubs);
    const auto most = static_cast<double>(part.edges()) / std::max(0.1, 1 - options_.tolerance);
    for (const Family& family : options_.families) {
      for (const Topology& t : family.topologies(part.vertices(), {1, std::llround(most)}))
        consider_part(t, identity(part.vertices()), ranks, hubs);
    }
  }

  // The rank with most partners as the root.
  void star() {
    if (adjacency_.edges() > 2 * std::int64_t{adjacency_.vertices()}) return;
    Vertex root = 0;
    for (Vertex v = 1; v < adjacency_.vertices(); ++v) {
      if (adjacency_.degree(v) > adjacency_.degree(root)) root = v;
    }
    auto cells = identity(adjacency_.vertices());
    std::swap(cells[0], cells[at(root)]);
    consider({.kind = TopologyKind::kStar, .ranks = adjacency_.vertices()}, std::move(cells), {});
  }

  void parts() {
    if (auto found = internal::nearest_multipartite(adjacency_))
      consider(std::move(found->topology), std::move(found->cells), {});
  }

  // A chain begins behind a gap, if there is one.
  void paths() {
    const Vertex n = adjacency_.vertices();
    if (2 * adjacency_.edges() > 3 * std::int64_t{n}) return;
    auto order = internal::order_along_paths(adjacency_);
    for (Vertex i = 0; i + 1 < n; ++i) {
      if (adjacency_.adjacent(order[at(i)], order[at(i + 1)])) continue;
      std::rotate(order.begin(), order.begin() + i + 1, order.end());
      break;
    }
    const auto cells = internal::inverse(order);
    consider({.kind = TopologyKind::kRing, .ranks = n, .dimensions = {{n, true}}}, cells, {});
    consider({.kind = TopologyKind::kChain, .ranks = n, .dimensions = {{n, false}}}, cells, {});
  }

  // Whatever the numbering: every topology of about as many edges.
  void grown(const Adjacency& graph, const std::vector<Vertex>& ranks,
             const std::vector<Vertex>& hubs) {
    constexpr std::int64_t kMostSteps = 1'000'000'000;
    internal::TemplateGrowth growth(graph, options_.tolerance, kMostSteps);
    std::vector<std::pair<double, Topology>> nearest_first; // with how far they look
    for (auto& t : internal::templates_near(graph.vertices(), graph.edges(), options_.tolerance)) {
      if (const auto apart = growth.distance_to(t))
        nearest_first.emplace_back(*apart + oblongness(t), std::move(t));
    }
    sort_stably(nearest_first.begin(), nearest_first.end(),
                [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [apart, t] : nearest_first) {
      const auto own = growth.onto(t, best_.merit());
      if (own.empty()) continue;
      consider_part(t, own, ranks, hubs);
      if (auto shifted = internal::with_best_seams(graph, {t, own}))
        consider_part(shifted->topology, growth.refined(shifted->topology, shifted->cells), ranks,
                      hubs);
    }
  }

  // Exact recognition of a repaired graph.
  void exact(const Adjacency& repaired, const std::vector<Vertex>& ranks,
             const std::vector<Vertex>& hubs) {
    if (repaired.vertices() < 3 || repaired.edges() + 1 < repaired.vertices()) return;
    const Recognition found = internal::recognize_components(repaired, 0);
    if (!found.recognized() || found.copies != 1 || found.silent_ranks > 0 ||
        found.topology.kind == TopologyKind::kTree || found.cells.empty())
      return;
    consider_part(found.topology, found.cells, ranks, hubs);
  }

  // In a lattice of two dimensions every edge is the side of a square, in one of more dimensions of
  // several; edges between any two ranks hardly ever are.
  void squares() {
    constexpr std::int64_t kMostSteps = 100'000'000;
    constexpr int kMostSquares = 4;
    std::int64_t steps = 0;
    each_edge(adjacency_, [&](Vertex v, Vertex w, std::size_t) {
      steps += std::int64_t{adjacency_.degree(v)} * adjacency_.degree(w);
    });
    if (steps > kMostSteps) return;
    std::vector<int> counts;
    each_edge(adjacency_, [&](Vertex v, Vertex w, std::size_t) {
      counts.push_back(squares_at(adjacency_, v, w, kMostSquares));
    });
    std::int64_t before = adjacency_.edges();
    for (int least = 1; least <= kMostSquares; ++least) {
      const Adjacency core =
          where(adjacency_, [&](Vertex, Vertex, std::size_t i) { return counts[i] >= least; });
      if (core.edges() < before) exact(core, identity(core.vertices()), {});
      before = core.edges();
    }
  }

  // Hubs may be part of the topology, or stand apart: a master, and workers that form it.
  void with_hubs(const std::vector<Vertex>& hubs, bool any_numbering) {
    const auto is_hub = [&](Vertex v) {
      return std::find(hubs.begin(), hubs.end(), v) != hubs.end();
    };
    const Adjacency rest = where(
        adjacency_, [&](Vertex v, Vertex w, std::size_t) { return !is_hub(v) && !is_hub(w); });
    const auto everyone = identity(rest.vertices());
    std::vector<Vertex> members = everyone;
    std::erase_if(members, is_hub);
    std::vector<Vertex> index_of(at(rest.vertices()), -1);
    const Adjacency workers = part_of(rest, members, index_of);
    if (!any_numbering) {
      natural(rest, everyone, hubs);
      natural(workers, members, hubs);
      return;
    }
    exact(workers, members, hubs);
    if (hubs.size() == 1) inside_a_torus(rest, hubs);
    grown(rest, everyone, hubs);
    grown(workers, members, hubs);
  }

  // A hub inside a torus hides its own edges there; its neighbours are those that lack one.
  void inside_a_torus(const Adjacency& rest, const std::vector<Vertex>& hubs) {
    Vertex most = 0;
    for (Vertex v = 0; v < rest.vertices(); ++v) most = std::max(most, rest.degree(v));
    std::vector<Edge> edges;
    each_edge(rest, [&](Vertex v, Vertex w, std::size_t) { edges.emplace_back(v, w); });
    for (Vertex v = 0; v < rest.vertices(); ++v) {
      if (v != hubs[0] && rest.degree(v) + 1 == most) edges.emplace_back(hubs[0], v);
    }
    exact(Adjacency::from_edges(rest.vertices(), edges), identity(rest.vertices()), hubs);
  }

  // Only the heaviest edges, as long as they carry what the tolerance asks for.
  void heavy_cores() {
    constexpr std::size_t kMostTrials = 6;
    std::vector<double> weights;
    for (const Traffic& t : graph_.edge_traffic())
      weights.push_back(static_cast<double>(t.of(options_.measure)));
    std::sort(weights.begin(), weights.end());
    const double most_left_out =
        options_.tolerance * std::accumulate(weights.begin(), weights.end(), 0.0);
    std::vector<std::pair<double, double>> gaps; // ratio, weight above the gap
    double below = 0;
    for (std::size_t i = 1; i < weights.size(); ++i) {
      below += weights[i - 1];
      if (below > most_left_out) break;
      const double ratio = weights[i] / std::max(weights[i - 1], 1.0);
      if (ratio > 1) gaps.emplace_back(ratio, weights[i]);
    }
    std::sort(gaps.rbegin(), gaps.rend());
    if (gaps.size() > kMostTrials) gaps.resize(kMostTrials);
    for (const auto& gap : gaps) {
      const Graph core = graph_.without_light_edges(options_.measure, gap.second);
      exact(core.adjacency(), identity(core.ranks()), {});
      natural(core.adjacency(), identity(core.ranks()), {});
    }
  }

  const Graph& graph_;
  const Adjacency& adjacency_;
  NearOptions options_;
  Scorer scorer_;
  Scored best_;
};

} // namespace

std::optional<NearMatch> nearest(const Graph& graph, const NearOptions& options) {
  return Nearest(graph, options).run();
}

std::optional<NearMatch> nearest(const Graph& graph, const Recognition& found,
                                 const NearOptions& options) {
  if (found.recognized() && found.topology.kind != TopologyKind::kTree) return std::nullopt;
  if (options.tolerance <= 0) return std::nullopt;
  return nearest(graph, options);
}

std::string title(const NearMatch& match) {
  std::string text = name(match.topology);
  if (match.hubs.empty()) return text;
  text += match.hubs.size() == 1 ? " and hub " : " and hubs ";
  for (std::size_t i = 0; i < match.hubs.size(); ++i)
    text += (i == 0 ? "" : " and ") + std::to_string(match.hubs[i]);
  return text;
}

} // namespace rondo::topology
