// SPDX-License-Identifier: Apache-2.0
// Guards the choice of constructing recognizers over search: milliseconds for any numbering, a
// million ranks well below a second. Ranks are shuffled; the answer is checked before the clock
// starts.
#include "rondo/topology/recognize.hpp"
#include "tests/topology/graphs.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace rondo::topology {
namespace {

using testing::mesh;
using testing::moore;
using testing::six_point;
using testing::star_stencil;

Topology hypercube(int dimensions) {
  return mesh(std::vector<int>(static_cast<std::size_t>(dimensions), 2));
}

Topology grid_with_corners(int dimensions, int size) {
  return moore(std::vector<int>(static_cast<std::size_t>(dimensions), -size));
}

TopologyOptions no_filter() {
  TopologyOptions options;
  options.filter = FilterKind::kNone;
  return options;
}

// From a graph in memory to its name, with a verified cell for every rank.
void recognition(benchmark::State& state, const Topology& topology) {
  const Adjacency rows = testing::shuffled(reference_graph(topology), 42);
  const Graph graph = Graph::from_matrix(testing::matrix_of(rows));
  const Recognition first = recognize(graph, no_filter());
  const auto names = testing::all_names(first);
  const bool is_named = std::find(names.begin(), names.end(), name(topology)) != names.end();
  if (!is_named || testing::wrong_mapping(rows, first) != "") {
    state.SkipWithError("wrong answer");
    return;
  }
  for (auto _ : state) benchmark::DoNotOptimize(recognize(graph, no_filter()));
  state.counters["ranks"] = topology.ranks;
  state.counters["edges"] = static_cast<double>(rows.edges());
}

// From a matrix in memory to the graph.
void graph_build(benchmark::State& state, const Topology& topology) {
  const auto matrix = testing::matrix_of(testing::shuffled(reference_graph(topology), 42));
  for (auto _ : state) benchmark::DoNotOptimize(Graph::from_matrix(matrix));
  state.counters["ranks"] = topology.ranks;
}

// A graph without a name must cost no more than one with a name.
void refusal(benchmark::State& state, const Adjacency& rows) {
  const Graph graph = Graph::from_matrix(testing::matrix_of(rows));
  for (auto _ : state) benchmark::DoNotOptimize(recognize(graph, no_filter()));
  state.counters["edges"] = static_cast<double>(rows.edges());
}

Adjacency random_graph(Vertex ranks, int edge_count) {
  std::vector<Edge> edges;
  for (int k = 0; k < edge_count; ++k) {
    edges.emplace_back(static_cast<Vertex>(std::rand() % ranks),
                       static_cast<Vertex>(std::rand() % ranks));
  }
  return Adjacency::from_edges(ranks, edges);
}

Topology star(Vertex ranks) {
  Topology t;
  t.kind = TopologyKind::kStar;
  t.ranks = ranks;
  return t;
}

constexpr auto kMilli = benchmark::kMillisecond;

BENCHMARK_CAPTURE(recognition, six_point_529, six_point(23, 23))->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(recognition, torus_316x316, mesh({-316, -316}))->Unit(kMilli);
BENCHMARK_CAPTURE(recognition, six_point_316x316, six_point(316, 316))->Unit(kMilli);
BENCHMARK_CAPTURE(recognition, moore_316x316, grid_with_corners(2, 316))->Unit(kMilli);
BENCHMARK_CAPTURE(recognition, grid_1000x1000, mesh({1000, 1000}))->Unit(kMilli);
BENCHMARK_CAPTURE(recognition, torus_1000x1000, mesh({-1000, -1000}))->Unit(kMilli);
BENCHMARK_CAPTURE(recognition, six_point_1000x1000, six_point(1000, 1000))->Unit(kMilli);
BENCHMARK_CAPTURE(recognition, moore_1000x1000, grid_with_corners(2, 1000))->Unit(kMilli);
BENCHMARK_CAPTURE(recognition, torus_100x100x100, mesh({-100, -100, -100}))->Unit(kMilli);
BENCHMARK_CAPTURE(recognition, moore_100x100x100, grid_with_corners(3, 100))->Unit(kMilli);
BENCHMARK_CAPTURE(recognition, star2_316x316, star_stencil({-316, -316}, 2))->Unit(kMilli);
BENCHMARK_CAPTURE(recognition, star2_1000x1000, star_stencil({-1000, -1000}, 2))->Unit(kMilli);
BENCHMARK_CAPTURE(recognition, star4_100x100x100, star_stencil({100, 100, 100}, 4))->Unit(kMilli);
BENCHMARK_CAPTURE(recognition, star3_ring_100000, star_stencil({-100'000}, 3))->Unit(kMilli);
BENCHMARK_CAPTURE(recognition, star3_chain_100000, star_stencil({100'000}, 3))->Unit(kMilli);
BENCHMARK_CAPTURE(recognition, hypercube_20, hypercube(20))->Unit(kMilli);
BENCHMARK_CAPTURE(recognition, star_1000000, star(1'000'000))->Unit(kMilli);
BENCHMARK_CAPTURE(graph_build, torus_1000x1000, mesh({-1000, -1000}))->Unit(kMilli);
BENCHMARK_CAPTURE(graph_build, moore_100x100x100, grid_with_corners(3, 100))->Unit(kMilli);
BENCHMARK_CAPTURE(graph_build, hypercube_20, hypercube(20))->Unit(kMilli);
BENCHMARK_CAPTURE(refusal, random_million_edges, random_graph(300'000, 1'000'000))->Unit(kMilli);
BENCHMARK_CAPTURE(refusal, two_switched_torus,
                  testing::two_switched(testing::shuffled(reference_graph(mesh({-1000, -1000})), 1),
                                        1))
    ->Unit(kMilli);

} // namespace
} // namespace rondo::topology
