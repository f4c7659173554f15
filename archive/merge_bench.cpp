// SPDX-License-Identifier: Apache-2.0
// How archives and merging grow with the number of ranks. Each rank's program is made by itself and
// merged over a binary tree, as the recorder does over MPI. Guards these decisions:
//  - words that differ between ranks are folded functions of the rank, so that the bytes of an
//    archive follow the shape of the grid, not its size
//  - merging puts such functions together without unfolding them, so that a step of the tree costs
//    the same at any height, and the whole merge grows with the number of ranks
// Counters: bytes of the archive without times, classes of ranks, terms of the merged program, ms
// on the way from rank 0's part to the archive (what a run waits for at its end: the merges of rank
// 0, aligning the classes, writing), of which the last merge, and aligning with writing. Time and
// CPU are those of all merges in one process, without making the parts.
#include "rondo/archive/archive.hpp"
#include "rondo/fold/merge.hpp"
#include "tests/support/spmd.hpp"

#include <benchmark/benchmark.h>
#include <chrono>
#include <cmath>

namespace rondo::archive {
namespace {

using support::RankRecorder;
using support::receive;
using support::send;
using Clock = std::chrono::steady_clock;

constexpr int kRounds = 20;
constexpr std::uint32_t kFirstSite = 1;

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

// A mesh of `sides` with borders; the first dimension varies slowest.
class Mesh {
public:
  Mesh(std::vector<std::int64_t> sides, std::int64_t rank) : sides_(std::move(sides)) {
    at_.resize(sides_.size());
    for (std::size_t d = sides_.size(); d-- > 0; rank /= sides_[d]) at_[d] = rank % sides_[d];
  }
  std::int64_t at(std::size_t dimension) const { return at_[dimension]; }
  /// Rank a step away, or -1 beyond the border.
  std::int64_t neighbour(std::size_t dimension, std::int64_t step) const {
    const std::int64_t there = at_[dimension] + step;
    return there < 0 || there >= sides_[dimension] ? -1 : rank_of(dimension, there);
  }
  /// The same on a torus.
  std::int64_t round(std::size_t dimension, std::int64_t step) const {
    return rank_of(dimension, (at_[dimension] + step + sides_[dimension]) % sides_[dimension]);
  }

private:
  std::int64_t rank_of(std::size_t dimension, std::int64_t there) const {
    std::int64_t rank = 0;
    for (std::size_t d = 0; d < sides_.size(); ++d)
      rank = rank * sides_[d] + (d == dimension ? there : at_[d]);
    return rank;
  }
  std::vector<std::int64_t> sides_;
  std::vector<std::int64_t> at_;
};

// Sides as equal as powers of two allow.
std::vector<std::int64_t> sides_of(std::int64_t ranks, std::size_t dimensions) {
  std::vector<std::int64_t> sides(dimensions, 1);
  for (std::size_t d = 0; ranks > 1; ranks /= 2, d = (d + 1) % dimensions) sides[d] *= 2;
  return sides;
}

// Sends to all neighbours that there are, then receives from them: ranks at the borders do less.
void halo(RankRecorder& me, std::int64_t ranks, std::size_t dimensions) {
  const Mesh mesh(sides_of(ranks, dimensions), me.rank());
  std::uint32_t site = kFirstSite;
  for (std::size_t d = 0; d < dimensions; ++d) {
    for (const std::int64_t step : {-1, 1}) {
      const std::int64_t peer = mesh.neighbour(d, step);
      if (peer >= 0) send(me, peer, 64 << d, static_cast<std::int64_t>(d), site);
      ++site;
    }
  }
  for (std::size_t d = 0; d < dimensions; ++d) {
    for (const std::int64_t step : {-1, 1}) {
      const std::int64_t peer = mesh.neighbour(d, step);
      if (peer >= 0) receive(me, peer, 64 << d, static_cast<std::int64_t>(d), site);
      ++site;
    }
  }
  me.call("MPI_Allreduce", {{"count", 1}}, site);
}

// From one corner to the other and back, in several planes a round.
void wavefront(RankRecorder& me, std::int64_t ranks) {
  const Mesh mesh(sides_of(ranks, 2), me.rank());
  std::uint32_t site = kFirstSite;
  for (const std::int64_t step : {1, -1}) {
    for (int plane = 0; plane < 5; ++plane) {
      std::uint32_t at = site;
      for (const std::size_t d : {std::size_t{0}, std::size_t{1}}) {
        if (mesh.neighbour(d, -step) >= 0) receive(me, mesh.neighbour(d, -step), 125, 1, at);
        ++at;
      }
      for (const std::size_t d : {std::size_t{0}, std::size_t{1}}) {
        if (mesh.neighbour(d, step) >= 0) send(me, mesh.neighbour(d, step), 125, 1, at);
        ++at;
      }
    }
    site += 4;
  }
}

void butterfly(RankRecorder& me, std::int64_t ranks) {
  for (std::int64_t bit = 1; bit < ranks; bit *= 2) {
    send(me, me.rank() ^ bit, 8 * bit, 5, kFirstSite);
    receive(me, me.rank() ^ bit, 8 * bit, 5, kFirstSite + 1);
  }
}

// The multi-partition scheme: six neighbours on a torus, tags that say who sends.
void six_neighbours(RankRecorder& me, std::int64_t ranks) {
  const std::vector<std::int64_t> sides = sides_of(ranks, 2);
  const Mesh mesh(sides, me.rank());
  std::uint32_t site = kFirstSite;
  for (const std::int64_t step : {1, -1}) {
    const Mesh row(sides, mesh.round(0, step));
    for (const std::int64_t peer :
         {mesh.round(0, step), mesh.round(1, step), row.round(1, -step)}) {
      send(me, peer, 1445, 1000 + mesh.at(0) + 7 * mesh.at(1), site++);
      receive(me, peer, 1445, trace::kAnyTag, site++);
    }
  }
}

enum class Pattern { kHalo2d, kHalo3d, kWavefront, kButterfly, kSixNeighbours };

fold::RecordingPart part_of(Pattern pattern, std::int64_t rank, std::int64_t ranks) {
  fold::ProgramOptions options;
  options.times = false;
  RankRecorder me(rank, ranks, options);
  me.call("MPI_Init");
  for (int round = 0; round < kRounds; ++round) {
    switch (pattern) {
    case Pattern::kHalo2d:
      halo(me, ranks, 2);
      break;
    case Pattern::kHalo3d:
      halo(me, ranks, 3);
      break;
    case Pattern::kWavefront:
      wavefront(me, ranks);
      break;
    case Pattern::kButterfly:
      butterfly(me, ranks);
      break;
    case Pattern::kSixNeighbours:
      six_neighbours(me, ranks);
      break;
    }
  }
  me.call("MPI_Finalize");
  fold::RecordingPart part = me.part();
  part.ranks.front().second.computation_ns = 0; // recorded without times
  part.ranks.front().second.inside_ns = 0;
  return part;
}

struct Spent {
  double all_ms = 0; // in merges
  double first_ms = 0; // in those of the first rank
  double last_ms = 0; // in the last of them
};

fold::RecordingPart merged(Pattern pattern, std::int64_t begin, std::int64_t end,
                           std::int64_t ranks, Spent& spent) {
  if (end - begin == 1) return part_of(pattern, begin, ranks);
  const std::int64_t middle = begin + (end - begin) / 2;
  fold::RecordingPart low = merged(pattern, begin, middle, ranks, spent);
  fold::RecordingPart high = merged(pattern, middle, end, ranks, spent);
  const auto start = Clock::now();
  fold::merge(low, std::move(high));
  spent.last_ms = ms_since(start);
  spent.all_ms += spent.last_ms;
  if (begin == 0) spent.first_ms += spent.last_ms;
  return low;
}

void grow(benchmark::State& state, Pattern pattern) {
  const std::int64_t ranks = state.range(0);
  for (auto _ : state) {
    Spent spent;
    fold::RecordingPart part = merged(pattern, 0, ranks, ranks, spent);
    const auto start = Clock::now();
    const trace::Trace trace = fold::resolve(std::move(part));
    const double aligned_ms = ms_since(start);
    const std::string bytes = encode(trace);
    const double end_ms = ms_since(start);
    state.SetIterationTime((spent.all_ms + end_ms) / 1000);
    state.counters["bytes"] = static_cast<double>(bytes.size());
    state.counters["classes"] = static_cast<double>(trace.classes.size());
    state.counters["terms"] = static_cast<double>(trace.programs.front()->terms());
    state.counters["rank0_ms"] = spent.first_ms + end_ms;
    state.counters["last_merge_ms"] = spent.last_ms;
    state.counters["aligned_ms"] = aligned_ms;
  }
}

void powers(benchmark::internal::Benchmark* b) {
  for (const std::int64_t ranks : {16, 64, 256, 1024, 4096, 16384, 65536}) b->Arg(ranks);
  b->Iterations(1)->UseManualTime()->Unit(benchmark::kMillisecond);
}

BENCHMARK_CAPTURE(grow, halo_2d, Pattern::kHalo2d)->Apply(powers);
BENCHMARK_CAPTURE(grow, halo_3d, Pattern::kHalo3d)->Apply(powers);
BENCHMARK_CAPTURE(grow, wavefront, Pattern::kWavefront)->Apply(powers);
BENCHMARK_CAPTURE(grow, butterfly, Pattern::kButterfly)->Apply(powers);
BENCHMARK_CAPTURE(grow, six_neighbours, Pattern::kSixNeighbours)->Apply(powers);

} // namespace
} // namespace rondo::archive
