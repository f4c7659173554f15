// SPDX-License-Identifier: Apache-2.0
#include "rondo/generate/benchmark.hpp"
#include "tests/support/recorded.hpp"

#include <gtest/gtest.h>

#include <string_view>

namespace rondo::generate {
namespace {

constexpr std::int64_t kRanks = 12;
constexpr std::int64_t kCount = 30;

// Of a benchmark of one call, whose root has a block for each rank.
std::int64_t buffer_bytes_of(std::string_view function) {
  trace::Trace trace = support::recorded(kRanks, [&](support::Caller& s) {
    s.call("MPI_Init", {});
    s.call(function, {{"sendcount", kCount},
                      {"sendtype", support::kDouble},
                      {"recvcount", kCount},
                      {"recvtype", support::kDouble},
                      {"root", 0},
                      {"comm", support::kWorld}});
    s.call("MPI_Finalize", {});
  });
  trace.run.complete = true;
  const auto benchmark = benchmark_of(trace);
  EXPECT_TRUE(benchmark) << (benchmark ? "" : benchmark.error().text());
  return benchmark ? benchmark->buffer_bytes : 0;
}

TEST(MessageSizes, AreOfABlockForEachRank) {
  constexpr std::int64_t kBytes = 8; // of a double, at least
  for (const std::string_view function : {"MPI_Gather", "MPI_Scatter"})
    EXPECT_GE(buffer_bytes_of(function), kRanks * kCount * kBytes) << function;
}

// Of broadcasts of some datatype where the program has made those with slots 0 and 1: a column of
// a matrix, and the same with the extent of one number.
std::int64_t buffer_bytes_of_broadcast(std::int64_t count, std::int64_t datatype) {
  trace::Trace trace = support::recorded(2, [&](support::Caller& s) {
    s.call("MPI_Init", {});
    s.call("MPI_Type_contiguous", {{"count", 100}, {"oldtype", support::kDouble}, {"newtype", 0}});
    s.call("MPI_Type_contiguous", {{"count", 100}, {"oldtype", support::kDouble}, {"newtype", 1}});
    s.call("MPI_Bcast",
           {{"count", count}, {"datatype", datatype}, {"root", 0}, {"comm", support::kWorld}});
    s.call("MPI_Finalize", {});
  });
  const auto everyone = trace::RankSet::from_range({0, 1, 1});
  trace.datatypes.push_back({0, "", 800, 80'000, everyone});
  trace.datatypes.push_back({1, "", 800, 8, everyone});
  trace.run.complete = true;
  const auto benchmark = benchmark_of(trace);
  EXPECT_TRUE(benchmark) << (benchmark ? "" : benchmark.error().text());
  return benchmark ? benchmark->buffer_bytes : 0;
}

TEST(MessageSizes, AreOfTheDatatypesOfTheCall) {
  EXPECT_EQ(buffer_bytes_of_broadcast(kCount, support::kDouble), kCount * 8);
  EXPECT_GE(buffer_bytes_of_broadcast(2, 0), 160'000);
}

TEST(MessageSizes, OfDatatypesThatReachBeyondTheirExtent) {
  EXPECT_GE(buffer_bytes_of_broadcast(2, 1), 80'000 + 8);
}

} // namespace
} // namespace rondo::generate
