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

} // namespace
} // namespace rondo::generate
