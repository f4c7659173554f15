// SPDX-License-Identifier: Apache-2.0
// Guards that patterns may be looked for in any trace:
//  - Raw/*       symbols one by one, from 10^5 to 10^8: time per call must not grow with the length
//  - Calls       the same with reading the calls of a trace and making events of them
//  - Folded      the loop nest: time must not depend on the number of iterations
//  - Repeats     the suffix array of what is left: near linear also where nothing was left out
//  - Similar     approximate search, one machine word for each 64 events of the pattern
// Each is compared with a slow and obvious version before it is timed.
#include "rondo/patterns/approximate_search.hpp"
#include "rondo/patterns/process_patterns.hpp"
#include "rondo/patterns/repeats.hpp"
#include "tests/support/recorded.hpp"
#include "tests/support/streams.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>

namespace rondo::patterns {
namespace {

using support::Random;

// One period of a stream, which a benchmark goes round.
// A halo exchange of four neighbours and a reduction: eight events again and again.
Word halo() { return support::letters("abcdefgh"); }

// Two sweeps over 60 planes, an exchange, and a norm in every 20th step, as LU has them.
Word wavefronts() {
  Word word;
  for (int step = 0; step < 20; ++step) {
    for (const char* plane : {"abcd", "cdab"}) {
      const auto sweep = support::repeat(support::letters(plane), 60);
      word.insert(word.end(), sweep.begin(), sweep.end());
    }
    for (const Symbol symbol : support::letters("efghijkl")) word.push_back(symbol);
  }
  word.push_back(20);
  return word;
}

// No order at all: nothing folds but by chance, and the collapsed stream is as long as the stream.
Word irregular() {
  Random random(1);
  return support::random_letters(random, 1 << 20, 64);
}

CollapsedStream collapsed(const Word& period, std::uint64_t length) {
  CollapsedStream stream;
  for (std::uint64_t i = 0, at = 0; i < length; ++i) {
    stream.push(period[at]);
    if (++at == period.size()) at = 0;
  }
  return stream;
}

// Takes away the shortest square at the end until there is none, symbol by symbol.
Word collapsed_slowly(const Word& period, std::size_t length) {
  Word word;
  for (std::size_t i = 0; i < length; ++i) {
    word.push_back(period[i % period.size()]);
    for (std::size_t p = 1; p * 2 <= word.size(); ++p) {
      if (!std::equal(word.end() - static_cast<std::ptrdiff_t>(p), word.end(),
                      word.end() - static_cast<std::ptrdiff_t>(2 * p)))
        continue;
      word.resize(word.size() - p);
      p = 0;
    }
  }
  return word;
}

void raw(benchmark::State& state, Word (*period_of)()) {
  const Word period = period_of();
  const auto length = static_cast<std::uint64_t>(state.range(0));
  constexpr std::size_t kCompared = 5000;
  Word quick;
  const CollapsedStream compared = collapsed(period, kCompared);
  for (const CollapsedItem& item : compared.items()) quick.push_back(item.symbol);
  if (quick != collapsed_slowly(period, kCompared))
    state.SkipWithError("the collapsed stream is not what it should be");
  for (auto _ : state) benchmark::DoNotOptimize(patterns_of(collapsed(period, length), 2));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK_CAPTURE(raw, halo, halo)
    ->RangeMultiplier(10)
    ->Range(100'000, 100'000'000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(raw, wavefronts, wavefronts)
    ->RangeMultiplier(10)
    ->Range(100'000, 100'000'000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(raw, irregular, irregular)
    ->RangeMultiplier(10)
    ->Range(10'000, 1'000'000)
    ->Unit(benchmark::kMillisecond);

// One rank that exchanges with two neighbours and reduces, so often.
trace::Trace steps(std::int64_t count) {
  trace::Trace trace = support::recorded(1, [&](support::Caller& s) {
    for (int i = 0; i < 1000; ++i) {
      for (const std::int64_t peer : {1, 2}) s.send(peer, 100);
      s.call("MPI_Allreduce",
             {{"count", 1}, {"datatype", support::kDouble}, {"comm", support::kWorld}});
    }
  });
  trace.run.ranks = 4; // whose ranks are not in it
  auto program = std::make_shared<trace::Program>(*trace.classes.front().program);
  std::vector<trace::Loop> loops = program->nest.loops();
  if (loops.size() != 1) return trace;
  loops.front().trip_counts = trace::Column::from_runs({{count, 1}});
  program->nest = trace::Nest(std::move(loops), program->nest.top());
  trace.classes.front().program = std::move(program);
  return trace;
}

bool is_folding_right() {
  PatternOptions options;
  const trace::Trace trace = steps(1000);
  const auto folded = process_patterns(trace, options).streams.front();
  options.call_by_call = true;
  const auto raw = process_patterns(trace, options).streams.front();
  return folded.patterns.size() == 1 && folded.patterns == raw.patterns;
}

void calls(benchmark::State& state) {
  if (!is_folding_right()) state.SkipWithError("folded and raw differ");
  const trace::Trace trace = steps(state.range(0) / 3);
  PatternOptions options;
  options.call_by_call = true;
  for (auto _ : state) benchmark::DoNotOptimize(process_patterns(trace, options));
  state.SetItemsProcessed(state.iterations() * (state.range(0) / 3 * 3));
}
BENCHMARK(calls)->RangeMultiplier(10)->Range(100'000, 100'000'000)->Unit(benchmark::kMillisecond);

void folded(benchmark::State& state) {
  if (!is_folding_right()) state.SkipWithError("folded and raw differ");
  const trace::Trace trace = steps(state.range(0));
  const auto expected = static_cast<std::uint64_t>(state.range(0));
  if (process_patterns(trace, {}).streams.front().patterns.front().executions != expected)
    state.SkipWithError("iterations are missing");
  for (auto _ : state) benchmark::DoNotOptimize(process_patterns(trace, {}));
}
BENCHMARK(folded)->RangeMultiplier(10)->Range(1000, 1'000'000'000)->Unit(benchmark::kMicrosecond);

void repeats(benchmark::State& state) {
  Random random(2);
  const Word text = support::random_letters(random, static_cast<std::size_t>(state.range(0)), 64);
  for (auto _ : state) benchmark::DoNotOptimize(repeats_of(text, {}));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(repeats)->RangeMultiplier(10)->Range(10'000, 10'000'000)->Unit(benchmark::kMillisecond);

// Sellers' dynamic programme [sellers1980].
std::size_t ends_slowly(const Word& word, const Word& text, std::size_t most) {
  std::vector<std::size_t> column(word.size() + 1);
  for (std::size_t i = 0; i < column.size(); ++i) column[i] = i;
  std::size_t ends = 0;
  for (const Symbol symbol : text) {
    std::size_t diagonal = 0;
    for (std::size_t i = 1; i < column.size(); ++i) {
      const std::size_t changed = diagonal + (word[i - 1] == symbol ? 0 : 1);
      diagonal = column[i];
      column[i] = std::min({changed, column[i] + 1, column[i - 1] + 1});
    }
    ends += column.back() <= most ? 1 : 0;
  }
  return ends;
}

void similar(benchmark::State& state) {
  constexpr std::size_t kDistance = 2;
  constexpr std::size_t kCompared = 20'000;
  Random random(3);
  const Word text = support::random_letters(random, 10'000'000, 16);
  Word word(text.begin() + 9000, text.begin() + 9000 + state.range(0));
  const Word start(text.begin(), text.begin() + kCompared);
  std::size_t ends = 0;
  DistanceScanner scanner(word);
  for (const Symbol symbol : start) ends += scanner.push(symbol) <= kDistance ? 1 : 0;
  if (ends == 0 || ends != ends_slowly(word, start, kDistance))
    state.SkipWithError("the distances are wrong");
  for (auto _ : state) benchmark::DoNotOptimize(find_similar(word, text, kDistance));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
BENCHMARK(similar)->Arg(8)->Arg(24)->Arg(64)->Arg(200)->Unit(benchmark::kMillisecond);

} // namespace
} // namespace rondo::patterns
