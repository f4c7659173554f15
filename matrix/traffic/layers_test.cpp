// SPDX-License-Identifier: Apache-2.0
#include "rondo/matrix/layers.hpp"

#include "tests/support/random_spmd.hpp"
#include "tests/support/recorded.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

namespace rondo::matrix {
namespace {

using support::Caller;
using support::kDouble;
using support::recorded;
using testing::ElementsAre;
using testing::SizeIs;
using trace::Trace;

std::vector<MatrixEntry> entries_of(const Layer& layer) { return layer.entries; }

// All layers on top of each other.
CommunicationMatrix sum_of(const Trace& trace, const LayeredTraffic& layered) {
  std::vector<MatrixEntry> all;
  for (const Layer& layer : layered.layers)
    all.insert(all.end(), layer.entries.begin(), layer.entries.end());
  return CommunicationMatrix::from_entries(trace.run.ranks, all);
}

const ProgramPlace& place_of(const LayeredTraffic& layered, const Layer& layer) {
  return layered.places[layer.program][layer.place];
}

// A random program of 12 ranks; all its datatypes have 8 bytes.
Trace random_trace(std::uint64_t seed) {
  const support::Ranks ranks = support::random_spmd(seed, 3, 4);
  std::vector<fold::RecordingPart> parts;
  std::vector<std::size_t> order;
  for (const auto& rank : ranks) {
    order.push_back(parts.size());
    parts.push_back(rank->part());
  }
  Trace trace = fold::resolve(support::merged(std::move(parts), order));
  trace.run.ranks = 12;
  trace.datatypes.push_back({0, "", 8, 8, trace::RankSet::from_range({0, 1, 12})});
  return trace;
}

TEST(Layers, OneCallInTwoLoopsIsTwoLayersInTheOrderOfTheProgram) {
  const Trace trace = recorded(2, [](Caller& c) {
    for (int i = 0; i < 5; ++i) c.send(1 - c.rank, 1);
    c.call("MPI_Barrier", {{"comm", -1}});
    for (int i = 0; i < 7; ++i) {
      c.send(1 - c.rank, 1);
      c.call("MPI_Barrier", {{"comm", -1}});
    }
  });
  const LayeredTraffic layered = layers_of(trace);
  ASSERT_THAT(layered.layers, SizeIs(2));
  EXPECT_THAT(entries_of(layered.layers[0]),
              testing::UnorderedElementsAre(MatrixEntry{0, 1, 5, 40}, MatrixEntry{1, 0, 5, 40}));
  EXPECT_THAT(entries_of(layered.layers[1]),
              testing::UnorderedElementsAre(MatrixEntry{0, 1, 7, 56}, MatrixEntry{1, 0, 7, 56}));
  EXPECT_EQ(place_of(layered, layered.layers[1]).executions, 7u);
  EXPECT_EQ(place_of(layered, layered.layers[1]).depth, 2u);
}

// The sizes may be one column of values, in the order of the calls, that both places read in turns.
TEST(Layers, VaryingSizesAreDividedAmongThePlaces) {
  const Trace trace = recorded(2, [](Caller& c) {
    for (int i = 0; i < 500; ++i) {
      const int any = i * i * 31 % 97;
      c.send(1 - c.rank, any);
      c.call("MPI_Barrier", {{"comm", -1}});
      c.send(1 - c.rank, 1000 + any);
      c.call("MPI_Allreduce", {{"comm", -1}, {"count", 1}, {"datatype", kDouble}});
    }
  });
  const LayeredTraffic layered = layers_of(trace);
  std::uint64_t small = 0;
  std::uint64_t large = 0;
  for (const Layer& layer : layered.layers) {
    for (const MatrixEntry& entry : layer.entries) {
      const bool is_small = entry.bytes < 8 * 97 * entry.messages;
      EXPECT_TRUE(is_small || entry.bytes >= 8000 * entry.messages) << "both kinds at one place";
      (is_small ? small : large) += entry.messages;
    }
  }
  EXPECT_EQ(small, 1000u);
  EXPECT_EQ(large, 1000u);
  std::uint64_t reduced = 0;
  for (const CollectiveLayer& layer : layered.collectives) reduced += layer.bytes;
  EXPECT_EQ(reduced, 2u * 500u * 8u);
}

TEST(Layers, PersistentSendsAreWhereTheyAreStarted) {
  const Trace trace = recorded(2, [](Caller& c) {
    c.call("MPI_Send_init",
           {{"count", 3}, {"datatype", kDouble}, {"dest", 1 - c.rank}, {"comm", -1}});
    for (int i = 0; i < 4; ++i) {
      c.start(0);
      c.call("MPI_Barrier", {{"comm", -1}});
    }
    c.start(0);
    c.free(0);
  });
  const LayeredTraffic layered = layers_of(trace);
  ASSERT_THAT(layered.layers, SizeIs(2));
  EXPECT_THAT(entries_of(layered.layers[0]), testing::Contains(MatrixEntry{0, 1, 4, 96}));
  EXPECT_THAT(entries_of(layered.layers[1]), testing::Contains(MatrixEntry{0, 1, 1, 24}));
  EXPECT_EQ(layered.layers[0].function->name, "MPI_Send_init");
}

TEST(Layers, CommunicatorsAreApart) {
  Trace trace = recorded(4, [](Caller& c) {
    c.send(c.rank ^ 1, 1);
    c.send(1 - c.rank % 2, 1, kDouble, 0);
  });
  support::define_comm(trace, 0, {0, 1});
  support::define_comm(trace, 0, {2, 3});
  const LayeredTraffic layered = layers_of(trace);
  ASSERT_THAT(layered.layers, SizeIs(3));
  EXPECT_EQ(layered.layers[0].comm, nullptr);
  EXPECT_NE(layered.layers[1].comm, layered.layers[2].comm);
}

// Of so many terms each program has a thread, if there is one; with words that are asked for, all
// come one after the other.
TEST(Layers, LongProgramsSideBySideAreAsOneAfterTheOther) {
  const Trace trace = recorded(3, [](Caller& c) {
    const char* const names[] = {"MPI_Send", "MPI_Ssend", "MPI_Rsend"};
    std::uint64_t random = 7;
    for (int i = 0; i < 20'000; ++i) {
      random = random * 6364136223846793005U + 1442695040888963407U;
      c.site = static_cast<std::uint32_t>(random >> 40) % support::kSites;
      c.send((c.rank + 1) % 3, 1, kDouble, support::kWorld, names[c.rank]);
    }
  });
  ASSERT_GT(trace.programs.size(), 1u);
  std::size_t terms = 0;
  for (const trace::RankClass& c : trace.classes) terms += c.program->nest.terms();
  ASSERT_GT(terms, 20'000u);
  const LayeredTraffic layered = layers_of(trace);
  const LayeredTraffic in_turn =
      layers_of(trace, [](std::int64_t, std::int64_t word) { return word; });
  ASSERT_EQ(layered.layers.size(), in_turn.layers.size());
  for (std::size_t i = 0; i < layered.layers.size(); ++i) {
    const Layer& layer = layered.layers[i];
    EXPECT_EQ(std::pair(layer.program, layer.place),
              std::pair(in_turn.layers[i].program, in_turn.layers[i].place));
    EXPECT_EQ(layer.entries, in_turn.layers[i].entries);
  }
  EXPECT_EQ(layered.loss, in_turn.loss);
  EXPECT_EQ(sum_of(trace, layered), matrix_of(trace)->matrix);
}

TEST(Layers, OnTopOfEachOtherTheyAreTheMatrix) {
  std::uint64_t sends = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const Trace trace = random_trace(seed);
    const auto matrix = matrix_of(trace);
    ASSERT_TRUE(matrix);
    sends += matrix->matrix.total_messages();
    EXPECT_EQ(sum_of(trace, layers_of(trace)), matrix->matrix) << "seed " << seed;
  }
  EXPECT_GT(sends, 10000u);
}

} // namespace
} // namespace rondo::matrix
