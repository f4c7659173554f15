// SPDX-License-Identifier: Apache-2.0
#include "rondo/generate/benchmark.hpp"

#include "generate/limits.hpp"
#include "generate/lowering.hpp"

#include <algorithm>

namespace rondo::generate {
namespace {

std::string title_of(const trace::Trace& trace) {
  const std::string program = trace.run.command.substr(0, trace.run.command.find(' '));
  return program.substr(program.rfind('/') + 1);
}

double seconds_of(const trace::Trace& trace) {
  std::uint64_t longest = 0;
  for (const trace::RankFacts& facts : trace.ranks) longest = std::max(longest, facts.span_ns);
  return static_cast<double>(longest) * 1e-9;
}

} // namespace

Result<Benchmark> benchmark_of(const trace::Trace& trace, const BenchmarkOptions& options) {
  if (const Status possible = internal::check_limits(trace); !possible) return propagate(possible);
  Benchmark benchmark;
  benchmark.title = title_of(trace);
  benchmark.ranks = trace.run.ranks;
  benchmark.recorded_seconds = seconds_of(trace);
  internal::ValueForms forms(benchmark);
  for (std::size_t i = 0; i < trace.programs.size(); ++i)
    internal::Lowering(trace, i, options, benchmark, forms).run();
  return benchmark;
}

} // namespace rondo::generate
