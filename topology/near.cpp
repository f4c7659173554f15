// SPDX-License-Identifier: Apache-2.0
// Repairs are guesses: they propose a topology and a cell for each rank. Every proposal is then
// laid over the graph edge by edge, and only what that says decides.
#include "rondo/topology/near.hpp"

#include "topology/aliases.hpp"
#include "topology/components.hpp"
#include "topology/natural_numbering.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace rondo::topology {
namespace {

using internal::at;

// A proposal, laid over the graph.
struct Scored {
  NearMatch match;
  double missing_share = 1; // without the stars of hubs
  double surplus = 1;

  double merit() const { return (1 - missing_share) * (1 - surplus); }
};

Adjacency expected_graph(const Topology& topology, const std::vector<Vertex>& cells,
                         const std::vector<Vertex>& hubs) {
  const Adjacency reference = reference_graph(topology);
  std::vector<Vertex> rank_at(at(topology.ranks), -1);
  for (std::size_t rank = 0; rank < cells.size(); ++rank) {
    if (cells[rank] >= 0) rank_at[at(cells[rank])] = static_cast<Vertex>(rank);
  }
  std::vector<Edge> edges;
  for (Vertex a = 0; a < reference.vertices(); ++a) {
    for (const Vertex b : reference.neighbours(a)) {
      if (a < b) edges.emplace_back(rank_at[at(a)], rank_at[at(b)]);
    }
  }
  const auto ranks = static_cast<Vertex>(cells.size());
  for (const Vertex hub : hubs) {
    for (Vertex v = 0; v < ranks; ++v) edges.emplace_back(hub, v);
  }
  return Adjacency::from_edges(ranks, edges);
}

void each_edge(const Adjacency& graph, const std::function<void(Vertex, Vertex, std::size_t)>& f) {
  std::size_t index = 0;
  for (Vertex v = 0; v < graph.vertices(); ++v) {
    for (const Vertex w : graph.neighbours(v)) {
      if (v < w) f(v, w, index++);
    }
  }
}

double share(double part, double whole) { return whole == 0 ? 0 : part / whole; }

class Scorer {
public:
  Scorer(const Graph& graph, WeightMeasure measure)
      : graph_(graph), measure_(measure), weights_(graph.edge_traffic()) {}

  Scored operator()(const Topology& topology, std::vector<Vertex> cells,
                    const std::vector<Vertex>& hubs) const {
    Scored scored;
    NearMatch& match = scored.match;
    match.topology = topology;
    match.hubs = hubs;
    const Adjacency expected = expected_graph(topology, cells, hubs);
    match.cells = std::move(cells);
    match.total = graph_.total();
    const auto at_hub = [&](Vertex v, Vertex w) {
      return std::find(hubs.begin(), hubs.end(), v) != hubs.end() ||
             std::find(hubs.begin(), hubs.end(), w) != hubs.end();
    };
    double apart = 0; // edges and weight of the graph, and edges of the match, away from hubs
    double apart_weight = 0;
    double extra_weight = 0;
    each_edge(graph_.adjacency(), [&](Vertex v, Vertex w, std::size_t i) {
      const auto weight = static_cast<double>(weights_[i].of(measure_));
      if (!at_hub(v, w)) {
        ++apart;
        apart_weight += weight;
      }
      if (expected.adjacent(v, w)) {
        ++match.shared;
        match.explained += weights_[i];
      } else {
        match.extra.emplace_back(v, w);
        extra_weight += weight;
      }
    });
    double wanted = 0;
    double missing = 0;
    each_edge(expected, [&](Vertex v, Vertex w, std::size_t) {
      const bool there = graph_.adjacency().adjacent(v, w);
      if (!there) match.missing.emplace_back(v, w);
      if (at_hub(v, w)) return;
      ++wanted;
      if (!there) ++missing;
    });
    scored.missing_share = std::max(share(missing, wanted), 1 - match.recall());
    const double by_edges = share(static_cast<double>(match.extra.size()), apart);
    const double by_weight = apart_weight == 0 ? by_edges : share(extra_weight, apart_weight);
    scored.surplus = std::min(by_edges, by_weight);
    return scored;
  }

private:
  const Graph& graph_;
  WeightMeasure measure_;
  std::vector<Traffic> weights_;
};

std::vector<Vertex> identity(Vertex ranks) {
  std::vector<Vertex> cells(at(ranks));
  std::iota(cells.begin(), cells.end(), 0);
  return cells;
}

// Dimensions largest first, as everywhere; the cells follow.
void sort_dimensions(Topology& topology, std::vector<Vertex>& cells) {
  if (!has_coordinates(topology) || topology.kind == Kind::kUser) return;
  Topology sorted = topology;
  std::stable_sort(sorted.dimensions.begin(), sorted.dimensions.end(),
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

// At most two ranks of far more partners than others have.
std::vector<Vertex> hubs_of(const Adjacency& graph) {
  std::vector<Vertex> order = identity(graph.vertices());
  std::sort(order.begin(), order.end(), [&](Vertex a, Vertex b) {
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

class Nearest {
public:
  Nearest(const Graph& graph, const NearOptions& options)
      : graph_(graph), adjacency_(graph.adjacency()), options_(options),
        scorer_(graph, options.measure) {}

  std::optional<NearMatch> run() {
    if (adjacency_.vertices() < 3 || adjacency_.edges() == 0) return std::nullopt;
    natural(adjacency_, {});
    star();
    squares();
    if (const auto hubs = hubs_of(adjacency_); !hubs.empty()) without(hubs);
    if (best_.merit() < 1 - options_.tolerance) heavy_cores();
    if (!fits(best_)) return std::nullopt;
    return std::move(best_.match);
  }

private:
  bool fits(const Scored& scored) const {
    return scored.missing_share <= options_.tolerance && scored.surplus <= options_.tolerance;
  }

  void consider(Topology topology, std::vector<Vertex> cells, const std::vector<Vertex>& hubs) {
    sort_dimensions(topology, cells);
    Scored scored = scorer_(topology, std::move(cells), hubs);
    if (fits(scored) && scored.merit() > best_.merit()) best_ = std::move(scored);
  }

  void natural(const Adjacency& votes, const std::vector<Vertex>& hubs) {
    const double least = std::max(0.3, 1 - 3 * options_.tolerance);
    for (const Topology& t : internal::natural_candidates(votes, least))
      consider(t, identity(votes.vertices()), hubs);
    const auto most = static_cast<double>(votes.edges()) / std::max(0.1, 1 - options_.tolerance);
    for (const Family& family : options_.families) {
      for (const Topology& t : family.topologies(votes.vertices(), {1, std::llround(most)}))
        consider(t, identity(votes.vertices()), hubs);
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
    consider({.kind = Kind::kStar, .ranks = adjacency_.vertices()}, std::move(cells), {});
  }

  // Exact recognition of a repaired graph, `ranks[v]` being the rank of vertex v.
  void exact(const Adjacency& repaired, const std::vector<Vertex>& ranks,
             const std::vector<Vertex>& hubs) {
    if (repaired.vertices() < 3 || repaired.edges() + 1 < repaired.vertices()) return;
    const Recognition found = internal::recognize_components(repaired, 0);
    if (!found.recognized() || found.copies != 1 || found.silent_ranks > 0 ||
        found.topology.kind == Kind::kTree || found.cells.empty())
      return;
    std::vector<Vertex> cells(at(adjacency_.vertices()), -1);
    for (std::size_t v = 0; v < ranks.size(); ++v) cells[at(ranks[v])] = found.cells[v];
    consider(found.topology, std::move(cells), hubs);
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

  void without(const std::vector<Vertex>& hubs) {
    const auto is_hub = [&](Vertex v) {
      return std::find(hubs.begin(), hubs.end(), v) != hubs.end();
    };
    const Adjacency rest = where(
        adjacency_, [&](Vertex v, Vertex w, std::size_t) { return !is_hub(v) && !is_hub(w); });
    natural(rest, hubs);
    outside(rest, hubs);
    if (hubs.size() == 1) inside_a_torus(rest, hubs);
  }

  // The hubs stand apart: a master, and workers that form the topology.
  void outside(const Adjacency& rest, const std::vector<Vertex>& hubs) {
    std::vector<Vertex> members;
    for (Vertex v = 0; v < rest.vertices(); ++v) {
      if (std::find(hubs.begin(), hubs.end(), v) == hubs.end()) members.push_back(v);
    }
    std::vector<Vertex> index_of(at(rest.vertices()), -1);
    const Adjacency workers = part_of(rest, members, index_of);
    exact(workers, members, hubs);
    const double least = std::max(0.3, 1 - 3 * options_.tolerance);
    for (Topology t : internal::natural_candidates(workers, least)) {
      auto own = identity(workers.vertices());
      sort_dimensions(t, own);
      std::vector<Vertex> cells(at(rest.vertices()), -1);
      for (std::size_t v = 0; v < members.size(); ++v) cells[at(members[v])] = own[v];
      consider(t, std::move(cells), hubs);
    }
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
      natural(core.adjacency(), {});
    }
  }

  const Graph& graph_;
  const Adjacency& adjacency_;
  NearOptions options_;
  Scorer scorer_;
  Scored best_;
};

} // namespace

double NearMatch::recall() const {
  const auto found = static_cast<double>(shared);
  return share(found, found + static_cast<double>(missing.size()));
}

double NearMatch::jaccard() const {
  const auto found = static_cast<double>(shared);
  return share(found, found + static_cast<double>(missing.size() + extra.size()));
}

double NearMatch::accuracy(WeightMeasure measure) const {
  const auto all = static_cast<double>(total.of(measure));
  return all == 0 ? 1.0 : static_cast<double>(explained.of(measure)) / all;
}

std::optional<NearMatch> nearest(const Graph& graph, const NearOptions& options) {
  return Nearest(graph, options).run();
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
