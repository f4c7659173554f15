// SPDX-License-Identifier: Apache-2.0
// Writes the archive of a run with more ranks than there are machines for: a halo exchange on a
// grid with borders, recorded rank by rank with the recorder's own builder, and merged over a
// binary tree as it does over MPI. Times are made up: each rank computes as long as its place says.
//
//   usage: many_ranks ROWS COLUMNS ROUNDS OUT.rondo
//
// Guards bench/report.py: pages of 10^5 and 10^6 ranks, and of 10^9 calls.
#include "rondo/archive/archive.hpp"
#include "rondo/fold/merge.hpp"
#include "tests/support/events.hpp"

#include <cstdio>
#include <cstdlib>

namespace rondo {
namespace {

constexpr std::int64_t kType = -1; // the first of the predefined ones, here of 8 bytes

struct Grid {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t rounds = 0;
  std::int64_t ranks() const { return rows * columns; }
};

// One round of a rank: sends to those beside it, receives from them, and a sum over all.
std::vector<support::Event> round_of(const Grid& grid, std::int64_t rank) {
  const std::int64_t row = rank / grid.columns;
  const std::int64_t column = rank % grid.columns;
  std::vector<std::int64_t> peers;
  if (row > 0) peers.push_back(rank - grid.columns);
  if (row + 1 < grid.rows) peers.push_back(rank + grid.columns);
  if (column > 0) peers.push_back(rank - 1);
  if (column + 1 < grid.columns) peers.push_back(rank + 1);
  std::vector<support::Event> events;
  for (const std::int64_t peer : peers)
    events.push_back(support::event_of(
        "MPI_Send", {{"count", 500}, {"datatype", kType}, {"dest", peer}, {"tag", 1}}, 1));
  for (const std::int64_t peer : peers)
    events.push_back(support::event_of(
        "MPI_Recv", {{"count", 500}, {"datatype", kType}, {"source", peer}, {"tag", 1}}, 2));
  events.push_back(support::event_of("MPI_Allreduce", {{"count", 1}, {"datatype", kType}}, 3));
  return events;
}

fold::Part part_of(const Grid& grid, std::int64_t rank) {
  support::RankRecorder me(rank, grid.ranks());
  fold::Part part = me.part(); // what a run and its tables have; the program is that from below
  const std::vector<support::Event> round = round_of(grid, rank);
  fold::ProgramBuilder builder{fold::ProgramOptions{}};
  builder.set_position(-1, rank, grid.ranks());
  builder.set_position(-2, 0, 1);
  trace::RankFacts facts;
  const auto record = [&](const support::Event& event, std::uint64_t before, std::uint64_t inside) {
    builder.record(event.data(), event.size(), before, inside);
    ++facts.calls;
    facts.computation_ns += before;
    facts.inside_ns += inside;
  };
  record(support::event_of("MPI_Init", {}), 1000, 50000);
  const auto own = static_cast<std::uint64_t>(rank % 7);
  for (std::int64_t i = 0; i < grid.rounds; ++i) {
    for (const support::Event& event : round) record(event, 20000 + 500 * own, 2000 + 100 * own);
  }
  record(support::event_of("MPI_Finalize", {}), 1000, 10000);
  facts.startup_ns = 50000;
  facts.span_ns = facts.computation_ns + facts.inside_ns;
  facts.ending.kind = trace::Ending::kFinalized;
  part.tables.datatypes.push_back({kType, "MPI_DOUBLE", 8, 8, trace::RankSet::of({rank})});
  part.classes = {};
  part.classes.push_back(fold::class_of_stream(rank, 0, builder.finish()));
  part.ranks.front().second = facts;
  return part;
}

fold::Part merged(const Grid& grid, std::int64_t begin, std::int64_t end) {
  if (end - begin == 1) return part_of(grid, begin);
  const std::int64_t middle = begin + (end - begin) / 2;
  fold::Part low = merged(grid, begin, middle);
  fold::merge(low, merged(grid, middle, end));
  return low;
}

} // namespace
} // namespace rondo

int main(int argc, char** argv) {
  const rondo::Grid grid{argc < 5 ? 0 : std::atoll(argv[1]), argc < 5 ? 0 : std::atoll(argv[2]),
                         argc < 5 ? 0 : std::atoll(argv[3])};
  if (grid.ranks() < 2 || grid.rounds < 1) {
    std::fprintf(stderr, "usage: many_ranks ROWS COLUMNS ROUNDS OUT.rondo\n");
    return 2;
  }
  const rondo::trace::Trace trace = rondo::fold::resolve(merged(grid, 0, grid.ranks()));
  const auto written = rondo::archive::write(trace, argv[4], rondo::Overwrite::kRefuse);
  if (!written) std::fprintf(stderr, "many_ranks: %s\n", written.error().text().c_str());
  return written ? 0 : 2;
}
