// SPDX-License-Identifier: Apache-2.0
// Guards the choice of recognizers of our own over general graph isomorphism: the same shuffled
// graphs for us and for Traces, bliss and VF2. We find the name, the sizes and a cell for every
// rank; the others are told the one right answer and only asked whether the graph is isomorphic to
// it.
#include "rondo/topology/recognize.hpp"
#include "tests/topology/canonical.hpp"
#include "tests/topology/graphs.hpp"

#include <benchmark/benchmark.h>
#include <bliss/graph.hh>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/vf2_sub_graph_iso.hpp>

#include <algorithm>
#include <functional>
#include <memory>

namespace rondo::topology {
namespace {

using testing::mesh;
using testing::moore;
using testing::six_point;

bool named_by_us(const Adjacency& graph, const Topology& topology) {
  const auto names = testing::all_names(testing::recognized(graph));
  return std::find(names.begin(), names.end(), name(topology)) != names.end();
}

bool same_for_traces(const Adjacency& graph, const Adjacency& reference) {
  return testing::traces_form(graph) == testing::traces_form(reference);
}

std::unique_ptr<bliss::Graph> bliss_form(const Adjacency& rows) {
  bliss::Graph graph(static_cast<unsigned>(rows.vertices()));
  for (const Edge& edge : testing::edges_of(rows))
    graph.add_edge(static_cast<unsigned>(edge.first), static_cast<unsigned>(edge.second));
  bliss::Stats stats;
  const unsigned* labels = graph.canonical_form(stats, nullptr, nullptr);
  return std::unique_ptr<bliss::Graph>(graph.permute(labels));
}

bool same_for_bliss(const Adjacency& graph, const Adjacency& reference) {
  return bliss_form(graph)->cmp(*bliss_form(reference)) == 0;
}

using BoostGraph = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS>;

BoostGraph boost_graph(const Adjacency& rows) {
  BoostGraph graph(static_cast<std::size_t>(rows.vertices()));
  for (const Edge& edge : testing::edges_of(rows))
    boost::add_edge(static_cast<std::size_t>(edge.first), static_cast<std::size_t>(edge.second),
                    graph);
  return graph;
}

bool same_for_vf2(const Adjacency& graph, const Adjacency& reference) {
  const BoostGraph a = boost_graph(graph);
  const BoostGraph b = boost_graph(reference);
  return boost::vf2_graph_iso(a, b, [](const auto&, const auto&) { return false; });
}

using Method = bool (*)(const Adjacency& graph, const Adjacency& reference);

void peer(benchmark::State& state, const Topology& topology, Method method) {
  const Adjacency reference = reference_graph(topology);
  const Adjacency graph = testing::shuffled(reference, 42);
  bool is_same = true;
  for (auto _ : state) is_same = is_same && method(graph, reference);
  if (!is_same) state.SkipWithError("wrong answer");
}

// From the matrix to the name, as a user waits for it.
void ours(benchmark::State& state, const Topology& topology) {
  const Adjacency graph = testing::shuffled(reference_graph(topology), 42);
  const Graph weighted = Graph::from_matrix(testing::matrix_of(graph));
  TopologyOptions options;
  options.filter = FilterKind::kNone;
  for (auto _ : state) benchmark::DoNotOptimize(recognize(weighted, options));
  if (!named_by_us(graph, topology)) state.SkipWithError("wrong answer");
}

void add(const char* size, const Topology& topology, bool with_vf2) {
  const auto named = [&](const char* who) { return std::string(size) + "/" + who; };
  constexpr auto kUnit = benchmark::kMillisecond;
  benchmark::RegisterBenchmark(named("rondo").c_str(), ours, topology)->Unit(kUnit);
  benchmark::RegisterBenchmark(named("traces").c_str(), peer, topology, same_for_traces)
      ->Unit(kUnit);
  benchmark::RegisterBenchmark(named("bliss").c_str(), peer, topology, same_for_bliss)->Unit(kUnit);
  if (!with_vf2) return;
  benchmark::RegisterBenchmark(named("vf2").c_str(), peer, topology, same_for_vf2)->Unit(kUnit);
}

const bool kRegistered = [] {
  add("six_point_12x12", six_point(12, 12), true);
  add("torus_12x12", mesh({-12, -12}), true);
  add("six_point_23x23", six_point(23, 23), true); // VF2 may not end: --benchmark_filter=-23x23/vf2
  add("six_point_100x100", six_point(100, 100), false);
  add("torus_316x316", mesh({-316, -316}), false);
  add("grid_316x316", mesh({316, 316}), false);
  add("six_point_316x316", six_point(316, 316), false);
  add("moore_316x316", moore({316, 316}), false);
  return true;
}();

} // namespace
} // namespace rondo::topology
