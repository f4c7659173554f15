// SPDX-License-Identifier: Apache-2.0
// What folding costs per call. The recorder adds this to every call of the traced program, so each
// number guards a decision:
//  - Nest/steady      the cursor: one compare and one step for an expected symbol, whatever the
//  length
//  - Nest/nested      frames of inner loops are advanced in place, without a search
//  - Nest/while       trips that differ from the prediction cost a short search, not a new fold
//  - Nest/irregular   folding attempts back off where nothing folds; the cost must not grow with
//  the length
//  - Column/*         values without a rule are kept without folding attempts, whatever came before
//  - Program/*        the same with interning, argument columns and time histograms: the budget of
//  the recorder
// Every stream is folded and compared with its expansion before it is timed.
#include "rondo/fold/program_builder.hpp"
#include "tests/support/events.hpp"
#include "tests/support/streams.hpp"

#include <benchmark/benchmark.h>

namespace rondo::fold {
namespace {

using support::Event;
using support::Random;
using support::Stream;

// One period of a stream; a benchmark goes round it as often as its length asks for.
Stream steady() { return support::repeat(support::letters("abcd"), 1024); }

Stream nested() {
  Stream inner = support::repeat(support::letters("ab"), 10);
  inner.push_back(2);
  Stream outer = support::repeat(inner, 20);
  outer.push_back(3);
  return support::repeat(outer, 4);
}

Stream while_loop() {
  Random random(1);
  Stream stream;
  for (int i = 0; i < 4096; ++i) {
    const Stream body = support::repeat(support::letters("ab"), 1 + support::pick(random, 9));
    stream.insert(stream.end(), body.begin(), body.end());
    stream.push_back(2);
  }
  return stream;
}

Stream irregular() {
  Random random(2);
  return support::random_letters(random, 1 << 20, 64);
}

Stream irregular_of_few() {
  Random random(3);
  return support::random_letters(random, 1 << 20, 4);
}

bool is_lossless(const Stream& stream) {
  NestBuilder builder;
  for (const std::uint32_t symbol : stream) builder.push(symbol);
  return support::expand(builder.finish()) == stream;
}

template <class Push> void go_round(const Stream& period, std::int64_t length, Push push) {
  std::size_t next = 0;
  for (std::int64_t i = 0; i < length; ++i) {
    push(period[next]);
    if (++next == period.size()) next = 0;
  }
}

void nest(benchmark::State& state, const Stream& period) {
  if (!is_lossless(period)) return state.SkipWithError("the nest does not expand to its stream");
  std::size_t terms = 0;
  for (auto _ : state) {
    NestBuilder builder;
    go_round(period, state.range(0), [&](std::uint32_t symbol) { builder.push(symbol); });
    terms = builder.terms();
    benchmark::DoNotOptimize(terms);
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.counters["terms"] = static_cast<double>(terms);
}

enum class Rule : std::uint8_t { kAlways, kNever, kAtFirst, kAtLast, kAlternating };

std::vector<std::int64_t> values_of(Rule rule, std::int64_t size) {
  Random random(4);
  std::vector<std::int64_t> values;
  for (std::int64_t i = 0; i < size; ++i) {
    const bool is_regular = rule == Rule::kAlways || (rule == Rule::kAtFirst && i < size / 2) ||
                            (rule == Rule::kAtLast && i >= size / 2) ||
                            (rule == Rule::kAlternating && i / 10'000 % 2 == 0);
    values.push_back(is_regular ? i % 10 : static_cast<std::int64_t>(support::pick(random, 1000)));
  }
  return values;
}

void column(benchmark::State& state, Rule rule) {
  const std::vector<std::int64_t> values = values_of(rule, state.range(0));
  std::size_t memory = 0;
  for (auto _ : state) {
    ColumnBuilder builder;
    for (const std::int64_t value : values) builder.push(value);
    memory = builder.memory();
    benchmark::DoNotOptimize(memory);
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.counters["bytes"] = static_cast<double>(memory);
}

// Symbol s becomes a send of its own, or with `varying` one call whose tag and count vary.
Event event_of(std::uint32_t symbol, bool varying) {
  const auto value = static_cast<std::int64_t>(symbol);
  if (varying)
    return support::event_of("MPI_Send", {{"count", 8 * value}, {"dest", 1}, {"tag", value}});
  return support::event_of("MPI_Send", {{"count", 8}, {"dest", 1}, {"tag", 5}}, symbol);
}

void program(benchmark::State& state, const Stream& period, bool varying) {
  std::vector<Event> events;
  for (std::uint32_t symbol = 0; symbol < 64; ++symbol) events.push_back(event_of(symbol, varying));
  std::size_t memory = 0;
  for (auto _ : state) {
    ProgramBuilder builder;
    builder.set_position(-1, 0, 4);
    std::uint64_t clock = 1000;
    go_round(period, state.range(0), [&](std::uint32_t symbol) {
      const Event& event = events[symbol];
      builder.record(event.data(), event.size(), clock & 1023, clock & 127);
      clock += 37;
    });
    memory = builder.memory();
    benchmark::DoNotOptimize(memory);
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.counters["bytes"] = static_cast<double>(memory);
}

BENCHMARK_CAPTURE(nest, steady, steady())->RangeMultiplier(10)->Range(100'000, 100'000'000);
BENCHMARK_CAPTURE(nest, nested, nested())->Arg(1'000'000)->Arg(10'000'000)->Arg(100'000'000);
BENCHMARK_CAPTURE(nest, while, while_loop())->Arg(1'000'000)->Arg(10'000'000)->Arg(100'000'000);
BENCHMARK_CAPTURE(nest, irregular, irregular())->Arg(100'000)->Arg(1'000'000);
BENCHMARK_CAPTURE(nest, irregular_of_few, irregular_of_few())->Arg(100'000)->Arg(1'000'000);
BENCHMARK_CAPTURE(column, regular, Rule::kAlways)->Arg(1'000'000);
BENCHMARK_CAPTURE(column, irregular, Rule::kNever)->Arg(1'000'000);
BENCHMARK_CAPTURE(column, regular_at_first, Rule::kAtFirst)->Arg(1'000'000);
BENCHMARK_CAPTURE(column, regular_at_last, Rule::kAtLast)->Arg(1'000'000);
BENCHMARK_CAPTURE(column, alternating, Rule::kAlternating)->Arg(1'000'000);
BENCHMARK_CAPTURE(program, steady, steady(), false)
    ->Arg(1'000'000)
    ->Arg(10'000'000)
    ->Arg(100'000'000);
BENCHMARK_CAPTURE(program, nested, nested(), false)
    ->Arg(1'000'000)
    ->Arg(10'000'000)
    ->Arg(100'000'000);
BENCHMARK_CAPTURE(program, while, while_loop(), false)
    ->Arg(1'000'000)
    ->Arg(10'000'000)
    ->Arg(100'000'000);
BENCHMARK_CAPTURE(program, irregular_sites, irregular(), false)
    ->Arg(100'000)
    ->Arg(1'000'000)
    ->Arg(10'000'000);
BENCHMARK_CAPTURE(program, irregular_arguments, irregular(), true)
    ->Arg(100'000)
    ->Arg(1'000'000)
    ->Arg(10'000'000);

} // namespace
} // namespace rondo::fold
