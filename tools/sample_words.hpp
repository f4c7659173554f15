// SPDX-License-Identifier: Apache-2.0
// Words that the samples in the opening comments of headers use without saying where they come
// from: check_samples.py declares those that a sample has. One in for_FOLDER is for that folder's.
#pragma once
#include "rondo/fold/program_builder.hpp"
#include "rondo/fold/recast.hpp"
#include "rondo/fold/types_by_source.hpp"
#include "rondo/generate/benchmark.hpp"
#include "rondo/generate/writers.hpp"
#include "rondo/rondo.hpp"
#include "rondo/simulate/run_graph.hpp"
#include "rondo/trace/collective_part.hpp"
#include "rondo/trace/live_wire.hpp"
#include "rondo/trace/place_values.hpp"
#include "rondo/trace/program_lines.hpp"

#include <functional>
#include <iostream>
#include <string>
#include <vector>

namespace rondo::samples {

template <class... T> Result<void> use(const T&...);
template <class... T> Result<void> complain(const T&...);
template <class... T> void say(const T&...);
template <class... T> void show(const T&...);

struct Row {
  int n;
};
struct Table {};
extern std::vector<Row> rows;
extern const std::string path;
extern const std::string bytes;
extern const std::string why;
extern const std::string text;
extern const std::vector<int> sizes;
extern const std::size_t count;
extern const trace::Trace trace;
extern const trace::Trace a;
extern const trace::Trace b;
extern const matrix::CommunicationMatrix matrix;
extern const std::int64_t rank;
extern const std::int64_t ranks;

namespace for_base {
struct RankFacts {
  Seldom<trace::RankEnding> ending;
};
using Ending = trace::Ending;
extern RankFacts facts;
} // namespace for_base

namespace for_efficiency {
extern const efficiency::Factors factors;
extern const Result<efficiency::WaitStates> waits;
} // namespace for_efficiency

namespace for_fold {
extern std::vector<fold::RecordingPart> ranks;
extern fold::RecordingPart part;
extern fold::RecordingPart other;
extern fold::ProgramBuilder builder;
extern const std::vector<trace::CommDefinition> rows_of_all;
extern const std::vector<std::uint32_t> stream;
extern const fold::ProgramOptions options;
extern const std::int64_t* event;
extern const std::int64_t slot_of_comm;
extern const std::int64_t my_rank;
extern const std::int64_t size;
extern const std::uint64_t computation_ns;
extern const std::uint64_t inside_ns;
extern fold::Recasting recasting;
extern const std::vector<std::int64_t> cell_of_rank;
} // namespace for_fold

namespace for_generate {
extern const generate::BenchmarkOptions options;
extern const generate::WriterOptions how;
extern const generate::Benchmark benchmark;
} // namespace for_generate

namespace for_logical {
extern const topology::Topology topology;
extern const logical::LogicalProgram logical;
extern const logical::LogicalText a;
extern const logical::LogicalText b;
extern const logical::LogicalText other;
} // namespace for_logical

namespace for_matrix {
extern const trace::Program program;
extern const trace::CallInstance* call;
extern const std::vector<matrix::MatrixEntry> entries;
} // namespace for_matrix

namespace for_patterns {
extern const patterns::Word word;
extern const patterns::Word text;
extern const std::vector<std::uint32_t> symbols;
extern const patterns::CommunicationPatterns joined;
extern const patterns::ProcessPatterns found;
extern const patterns::CommunicationPattern pattern;
} // namespace for_patterns

namespace for_report {
extern const std::string document;
}

namespace for_simulate {
extern simulate::SimulateOptions options;
extern const simulate::NetworkModel network;
extern const simulate::NetworkModel model;
extern const std::function<double(const simulate::RunGraph::Spot&)> factor_of;
void set_for_the_ranks(const char*, const std::string&);
void run_the_program();
} // namespace for_simulate

namespace for_sites {
extern const trace::Call call;
extern const std::string file;
template <class... T> void warn(const T&...);
} // namespace for_sites

namespace for_topology {
extern const topology::Graph graph;
extern const topology::Recognition recognition;
extern const matrix::LayeredTraffic layered;
extern const std::vector<topology::TrafficPart> parts;
extern const double least;
} // namespace for_topology

namespace for_trace {
extern const trace::CallInstance call;
extern const trace::Function function;
extern const trace::Member member;
extern const trace::WordReader amounts;
extern const trace::Members all;
extern const std::uint32_t top;
extern const trace::PlaceValues::PlaceIn place_in;
struct Made {
  const trace::CallInstance* call;
};
extern trace::TimeCourse course;
extern const std::size_t n;
extern const double ns;
extern const trace::Column column;
extern const std::int64_t slot;
extern const std::int64_t peer;
extern const trace::RankClass rank_class;
extern const std::uint32_t place;
extern const trace::Nest nest;
extern const std::int64_t reference;
extern const std::vector<std::int64_t> dims;
extern const std::vector<std::int64_t> periods;
extern const std::vector<std::int64_t> nodes;
extern const std::vector<std::int64_t> degrees;
extern const std::vector<std::int64_t> destinations;
} // namespace for_trace

} // namespace rondo::samples
