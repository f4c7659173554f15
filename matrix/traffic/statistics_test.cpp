// SPDX-License-Identifier: Apache-2.0
#include "rondo/matrix/statistics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

namespace rondo::matrix {
namespace {

// Four ranks; 0 sends much to 1 and little to 2; 3 is silent; all reduce 10 times and 0 is told to
// stop.
Statistics sample() {
  StatisticsBuilder builder(4);
  builder.add_point_to_point(0, 1, 100, 4096);
  builder.add_point_to_point(0, 2, 10, 16);
  builder.add_point_to_point(1, 0, 5, 0);
  builder.add_point_to_point(0, 1, 50, 65);
  builder.add_collective("MPI_Bcast", 4, 4000);
  builder.add_collective("MPI_Allreduce", 40, 320);
  builder.add_collective("MPI_Barrier", 4, 0);
  return builder.build();
}

TEST(Statistics, MessageDensityCountsPerPairAndPerRank) {
  const Density density = sample().messages;
  EXPECT_EQ(density.total, 165u);
  EXPECT_EQ(density.per_pair.minimum, 5u);
  EXPECT_EQ(density.per_pair.maximum, 150u);
  EXPECT_DOUBLE_EQ(density.per_pair.mean, 55);
  EXPECT_EQ(density.per_rank.minimum, 0u);
  EXPECT_EQ(density.per_rank.maximum, 160u);
  EXPECT_DOUBLE_EQ(density.per_rank.mean, 165.0 / 4);
  EXPECT_EQ(density.heaviest_source, 0);
  EXPECT_EQ(density.heaviest_destination, 1);
}

TEST(Statistics, DataDensityCountsBytes) {
  const Density density = sample().bytes;
  EXPECT_EQ(density.total, 100 * 4096u + 10 * 16 + 50 * 65);
  EXPECT_EQ(density.per_pair.minimum, 0u);
  EXPECT_EQ(density.per_pair.maximum, 100 * 4096u + 50 * 65);
}

TEST(Statistics, RatioIsPerRankAndACollectiveIsOneOperation) {
  const Statistics statistics = sample();
  EXPECT_DOUBLE_EQ(statistics.point_to_point_per_rank(), 165.0 / 4);
  EXPECT_DOUBLE_EQ(statistics.collectives_per_rank(), 12);
  EXPECT_DOUBLE_EQ(statistics.collective_share_of_calls(), 48.0 / (48 + 165));
  EXPECT_DOUBLE_EQ(statistics.collective_share_of_bytes(), 4320.0 / (4320 + 413010));
  EXPECT_DOUBLE_EQ(statistics.share_of_pairs(), 3.0 / 16);
}

TEST(Statistics, CollectivesAreSortedByCallsThenName) {
  const std::vector<CollectiveCount> want{
      {"MPI_Allreduce", 40, 320}, {"MPI_Barrier", 4, 0}, {"MPI_Bcast", 4, 4000}};
  EXPECT_EQ(sample().collectives, want);
}

TEST(Statistics, BucketsEndAtSixteenTimesPowersOfFour) {
  std::uint64_t limit = 16;
  for (std::size_t bucket = 0; bucket < 12; ++bucket, limit *= 4) {
    EXPECT_EQ(bucket_limit_bytes(bucket), limit);
    EXPECT_EQ(bucket_of(limit - 1), bucket);
    EXPECT_EQ(bucket_of(limit), bucket);
    EXPECT_EQ(bucket_of(limit + 1), bucket + 1);
  }
  EXPECT_EQ(bucket_of(0), 0u);
  EXPECT_EQ(bucket_of(5), 0u);
  EXPECT_EQ(bucket_of(16 << 2 << 22), 12u);
  EXPECT_EQ(bucket_of(~std::uint64_t{0}), 12u);
}

TEST(Statistics, SizesAreCountedInTheirBuckets) {
  const Statistics statistics = sample();
  EXPECT_EQ(statistics.sizes[0].point_to_point_messages, 15u); // 0 B and 16 B
  EXPECT_EQ(statistics.sizes[2].point_to_point_messages, 50u); // 65 B
  EXPECT_EQ(statistics.sizes[4].point_to_point_bytes, 409600u);
  EXPECT_EQ(statistics.sizes[0].collective_calls, 44u); // 8 B and none
  EXPECT_EQ(statistics.sizes[3].collective_calls, 4u); // 1000 B
  EXPECT_EQ(statistics.zero_byte_messages, 5u);
}

TEST(Statistics, MessagesToNobodyAreKeptApart) {
  StatisticsBuilder builder(2);
  builder.add_point_to_point(0, -2, 7, 8);
  builder.add_point_to_point(0, 2, 1, 8);
  const Statistics statistics = builder.build();
  EXPECT_EQ(statistics.messages_outside, 8u);
  EXPECT_EQ(statistics.messages.total, 0u);
  EXPECT_EQ(statistics.messages.heaviest_source, -1);
}

TEST(Statistics, MergingAlongTheWayChangesNothing) {
  std::mt19937 random(3);
  StatisticsBuilder builder(16);
  std::vector<MatrixEntry> entries;
  for (int i = 0; i < 300'000; ++i) { // far beyond the first merge
    const std::int64_t source = random() % 16;
    const std::int64_t destination = random() % 16;
    builder.add_point_to_point(source, destination, 1, 10);
    entries.push_back({source, destination, 1, 10});
  }
  EXPECT_EQ(builder.build().matrix, CommunicationMatrix::from_entries(16, std::move(entries)));
}

TEST(Statistics, OfASilentProgramAreAllZero) {
  const Statistics statistics = StatisticsBuilder(0).build();
  EXPECT_EQ(statistics.share_of_pairs(), 0);
  EXPECT_EQ(statistics.point_to_point_per_rank(), 0);
  EXPECT_EQ(statistics.collective_share_of_calls(), 0);
}

} // namespace
} // namespace rondo::matrix
