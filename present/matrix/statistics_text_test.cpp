// SPDX-License-Identifier: Apache-2.0
#include "present/matrix/statistics_text.hpp"

#include "rondo/matrix/trace_traffic.hpp"
#include "tests/support/recorded.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace rondo::present {
namespace {

matrix::Statistics sample() {
  matrix::StatisticsBuilder builder(4);
  builder.add_point_to_point(0, 1, 100, 4096);
  builder.add_point_to_point(1, 0, 50, 0);
  builder.add_point_to_point(0, -1, 1, 8);
  builder.add_collective("MPI_Allreduce", 40, 320);
  builder.add_collective("MPI_Bcast", 10, 100'000);
  return builder.build();
}

TEST(StatisticsText, PrintsTheFiveMeasurements) {
  EXPECT_EQ(statistics_text(sample()),
            R"(4 ranks: 150 point-to-point messages (410 kB), 50 collective calls (100 kB)

Message density                    least      mean      most
  per pair that talks                 50        75       100   most: 0 to 1
  sent by a rank                       0      37.5       100
  2 of 16 pairs talk (13 %)

Data density                       least      mean      most
  per pair that talks                0 B    205 kB    410 kB   most: 0 to 1
  sent by a rank                     0 B    102 kB    410 kB

Collectives and point-to-point  per rank  of calls  of bytes
  point-to-point                    37.5      75 %      80 %  ██████████████████
  collectives                       12.5      25 %      20 %  ██████

Collectives by type                calls  of calls     bytes
  MPI_Allreduce                       40      80 %     320 B  ███████████████████▎
  MPI_Bcast                           10      20 %    100 kB  ████▊

Message sizes                   messages   of them     bytes                            collectives
  up to 16 B                          50      33 %       0 B  ████████                           40
  up to 64 B                           -
  up to 256 B                          -
  up to 1 KiB                          -
  up to 4 KiB                        100      67 %    410 kB  ████████████████
  up to 16 KiB                         -                                                         10
  up to 64 KiB                         -
  up to 256 KiB                        -
  up to 1 MiB                          -
  up to 4 MiB                          -
  up to 16 MiB                         -
  up to 64 MiB                         -
  above 64 MiB                         -
  50 messages of 0 B, among those up to 16 B

1 message to or from ranks that do not exist, left out above
)");
}

TEST(StatisticsText, OfASilentProgramHasNoCollectives) {
  EXPECT_THAT(statistics_text(matrix::StatisticsBuilder(0).build()),
              testing::HasSubstr("Collectives by type: none"));
}

// Rank 0 sends much to 1 and little to 2; 3 is silent; all reduce 10 times and 0 is told to
// stop.
matrix::Statistics four_ranks() {
  matrix::StatisticsBuilder builder(4);
  builder.add_point_to_point(0, 1, 100, 4096);
  builder.add_point_to_point(0, 2, 10, 16);
  builder.add_point_to_point(1, 0, 5, 0);
  builder.add_point_to_point(0, 1, 50, 65);
  builder.add_collective("MPI_Bcast", 4, 4000);
  builder.add_collective("MPI_Allreduce", 40, 320);
  builder.add_collective("MPI_Barrier", 4, 0);
  return builder.build();
}

TEST(StatisticsJson, CarriesExactNumbersWithUnits) {
  const auto json = nlohmann::json::parse(statistics_json(four_ranks(), Pairs::kInclude));
  EXPECT_EQ(json["schema"], 1);
  EXPECT_EQ(json["ranks"], 4);
  EXPECT_EQ(json["message_density"]["total_messages"], 165);
  EXPECT_EQ(json["message_density"]["messages_per_pair"]["maximum"], 150);
  EXPECT_EQ(json["data_density"]["total_bytes"], 413010);
  EXPECT_EQ(json["data_density"]["heaviest_pair"]["destination"], 1);
  EXPECT_EQ(json["collectives_against_point_to_point"]["collective_calls_per_rank"], 12);
  EXPECT_EQ(json["collectives"][0]["function"], "MPI_Allreduce");
  ASSERT_EQ(json["message_sizes"].size(), 13u);
  EXPECT_EQ(json["message_sizes"][1]["above_bytes"], 16);
  EXPECT_EQ(json["message_sizes"][1]["up_to_bytes"], 64);
  EXPECT_TRUE(json["message_sizes"][12]["up_to_bytes"].is_null());
  EXPECT_EQ(json["zero_byte_messages"], 5);
  EXPECT_EQ(json["entries"].size(), 3u);
  EXPECT_FALSE(nlohmann::json::parse(statistics_json(four_ranks())).contains("entries"));
}

void move(support::Caller& s, std::string_view call, std::int64_t count,
          std::int64_t datatype = support::kInt, std::int64_t file = 0) {
  s.call(call, {{"fh", file}, {"count", count}, {"datatype", datatype}});
}

TEST(StatisticsText, SaysWhatIsNotKnownOfFiles) {
  const trace::Trace trace = support::recorded(
      1, [](support::Caller& s) { move(s, "MPI_File_write", 3, support::kInt, 7); });
  const std::string text = statistics_text(matrix::statistics_of(trace).statistics);
  EXPECT_THAT(text, testing::HasSubstr("files opened where it was not recorded"));
  EXPECT_THAT(text, testing::HasSubstr("write, independent"));
}

} // namespace
} // namespace rondo::present
