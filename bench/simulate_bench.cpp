// SPDX-License-Identifier: Apache-2.0
// Guards that playing a trace against a model without contention goes through millions of calls a
// second, so that sweeps over models may use whole runs (goal: 2 M calls/s on a core).
//
//   simulate_bench [Google Benchmark's options] [F.rondo ...]
//
// Without files a halo exchange of 16 ranks on a ring is played, whose time is known.
#include "rondo/archive/archive.hpp"
#include "rondo/simulate/simulate.hpp"
#include "tests/support/recorded.hpp"

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

namespace rondo::simulate {
namespace {

using support::Caller;
using support::kDouble;
using support::kWorld;
using trace::Trace;

constexpr int kSteps = 10'000;
constexpr std::int64_t kRanks = 16;
constexpr const char* kModels[] = {"latency=5us,bandwidth=1GB/s",
                                   "L=5us,o=1us,g=2us,G=0.1ns,S=64kB"};

Trace halo_exchange() {
  return support::recorded(kRanks, [](Caller& s) {
    for (int step = 0; step < kSteps; ++step) {
      for (const std::int64_t offset : {std::int64_t{1}, kRanks - 1}) {
        s.call("MPI_Irecv", {{"count", 100},
                             {"datatype", kDouble},
                             {"source", (s.rank + kRanks - offset) % kRanks},
                             {"tag", 0},
                             {"comm", kWorld}});
        s.send((s.rank + offset) % kRanks, 100);
        s.call("MPI_Wait", {{"request", trace::request_by_age(0)}});
      }
    }
  });
}

// Two messages after each other in each step, alike on all ranks.
bool is_right(const Prediction& found) {
  const double wanted = 2 * kSteps * (5e-6 + 800e-9);
  return std::abs(found.seconds - wanted) <= 1e-9 * wanted;
}

void play(benchmark::State& state, const Trace& trace, const std::string& network, bool is_known) {
  const NetworkModel model = *parse_network(network);
  const auto first = simulate(trace, model);
  if (!first) return state.SkipWithError(first.error().text().c_str());
  if (is_known && !is_right(*first)) return state.SkipWithError("the time is not the known one");
  for (auto _ : state) benchmark::DoNotOptimize(simulate(trace, model));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(first->calls));
  const auto messages =
      static_cast<double>(state.iterations()) * static_cast<double>(first->messages);
  state.counters["messages/s"] = benchmark::Counter(messages, benchmark::Counter::kIsRate);
}

void add(const std::string& name, const std::shared_ptr<const Trace>& trace, bool is_known) {
  for (const std::string network : kModels) {
    const bool is_linear = network == kModels[0];
    benchmark::RegisterBenchmark(
        (name + (is_linear ? "/linear" : "/loggp")).c_str(),
        [=](benchmark::State& state) { play(state, *trace, network, is_known && is_linear); })
        ->Unit(benchmark::kMillisecond);
  }
}

} // namespace
} // namespace rondo::simulate

int main(int count, char** words) {
  benchmark::Initialize(&count, words);
  for (int i = 1; i < count; ++i) {
    auto trace = rondo::archive::read(words[i]);
    if (!trace) {
      std::fprintf(stderr, "simulate_bench: %s\n", trace.error().text().c_str());
      return 2;
    }
    rondo::simulate::add(std::filesystem::path(words[i]).stem().string(),
                         std::make_shared<const rondo::trace::Trace>(std::move(*trace)), false);
  }
  if (count < 2) {
    rondo::simulate::add(
        "halo", std::make_shared<const rondo::trace::Trace>(rondo::simulate::halo_exchange()),
        true);
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
