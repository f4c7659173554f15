// SPDX-License-Identifier: Apache-2.0
// Guards that matching goes through millions of messages a second, so that `rondo info --messages`
// and the analyses that need partners may be used on whole traces.
#include "rondo/trace/matching.hpp"
#include "tests/support/recorded.hpp"

#include <benchmark/benchmark.h>

namespace rondo::trace {
namespace {

using support::Caller;
using support::kDouble;
using support::kWorld;

constexpr std::int64_t kRanks = 16;
constexpr int kSteps = 10'000;

void exchange(Caller& s, std::int64_t offset, std::int64_t count, bool is_wild) {
  s.call("MPI_Irecv", {{"count", count},
                       {"datatype", kDouble},
                       {"source", is_wild ? kAnySource : (s.rank + kRanks - offset) % kRanks},
                       {"tag", offset},
                       {"comm", kWorld}});
  s.call("MPI_Send", {{"count", count},
                      {"datatype", kDouble},
                      {"dest", (s.rank + offset) % kRanks},
                      {"tag", offset},
                      {"comm", kWorld}});
}

/// What the ranks exchange in a step: with two neighbours always alike, or with varying sizes, or
/// with the receives' statuses to be looked up, or receives whose sources nobody knows.
enum Exchanged { kSteady, kVarying, kWildcards, kUnknown };

Trace exchanges(Exchanged what) {
  return support::recorded(kRanks, [&](Caller& s) {
    for (int step = 0; step < kSteps; ++step) {
      for (const std::int64_t offset : {1, 3}) {
        exchange(s, offset, what == kVarying ? step * 7 % 1000 : 100, what >= kWildcards);
        const int status = find_function("MPI_Wait")->word_of("status");
        const std::int64_t source = (s.rank + kRanks - offset) % kRanks;
        std::vector<std::int64_t> event(fold::kEventHead + find_function("MPI_Wait")->words(),
                                        kNothing);
        event[0] = fold::header_word(find_function("MPI_Wait")->id, 0);
        event[1] = 0;
        event[fold::kEventHead] = request_by_age(0);
        if (what == kWildcards) {
          const auto at = fold::kEventHead + static_cast<std::size_t>(status);
          event[at] = source;
          event[at + 1] = offset;
          event[at + 2] = 800;
        }
        s.builder.record(event.data(), event.size(), 0, 0);
      }
    }
  });
}

void match(benchmark::State& state) {
  const Trace trace = exchanges(static_cast<Exchanged>(state.range(0)));
  const MatchSummary first = match_messages(trace, {});
  const std::uint64_t inferred = state.range(0) == kUnknown ? first.messages : 0;
  if (first.messages != kRanks * kSteps * 2 || !first.is_whole() || first.inferred != inferred)
    state.SkipWithError("messages are missing");
  for (auto _ : state) benchmark::DoNotOptimize(match_messages(trace, {}));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(first.messages));
}
BENCHMARK(match)->DenseRange(kSteady, kUnknown)->Unit(benchmark::kMillisecond);

} // namespace
} // namespace rondo::trace
