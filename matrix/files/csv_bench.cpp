// SPDX-License-Identifier: Apache-2.0
// Guards that a matrix of a million ranks opens in about a second: reading is most of
// `rondo topology M.csv` there.
#include "rondo/matrix/matrix_files.hpp"

#include <benchmark/benchmark.h>

namespace rondo::matrix {
namespace {

// Every rank talks to six neighbours on a ring, at distance 1, 100 and 10 000.
CommunicationMatrix six_neighbours(std::int64_t ranks) {
  std::vector<MatrixEntry> entries;
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    for (const std::int64_t distance : {-10'000, -100, -1, 1, 100, 10'000}) {
      entries.push_back({rank, ((rank + distance) % ranks + ranks) % ranks, 250, 2'048'000});
    }
  }
  return CommunicationMatrix::from_entries(ranks, std::move(entries));
}

void parse(benchmark::State& state) {
  const CommunicationMatrix matrix = six_neighbours(state.range(0));
  const std::string text = to_csv(matrix);
  if (parse_csv(text, "bench.csv") != matrix) state.SkipWithError("the matrix came back changed");
  for (auto _ : state) benchmark::DoNotOptimize(parse_csv(text, "bench.csv"));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(matrix.entries().size()));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
BENCHMARK(parse)->Arg(1000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

} // namespace
} // namespace rondo::matrix
