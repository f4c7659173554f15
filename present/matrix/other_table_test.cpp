// SPDX-License-Identifier: Apache-2.0
#include "present/matrix/other_table.hpp"

#include "present/matrix/matrix_output.hpp"
#include "rondo/matrix/trace_traffic.hpp"
#include "tests/support/recorded.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace rondo::present {
namespace {

using support::Caller;
using support::define_comm;
using support::kInt;
using support::recorded;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Ranks 0 and 1 with three spawned processes on communicator 0, where rank 0 speaks to all of them.
trace::Trace master_of_three() {
  trace::Trace trace = recorded(2, [](Caller& s) {
    s.builder.set_position(0, s.rank, 3);
    s.send(1 - s.rank, 7);
    for (std::int64_t process = 0; process < 3 && s.rank == 0; ++process)
      for (int task = 0; task < 5; ++task) s.send(process, 10, kInt, 0);
  });
  define_comm(trace, 0, {0, 1}, {-1, -1, -1});
  return trace;
}

TEST(OtherProcesses, AreCountedByRankAndProcess) {
  const matrix::OtherTraffic traffic = matrix::other_traffic_of(master_of_three());
  ASSERT_EQ(traffic.layers.size(), 1u);
  const matrix::OtherLayer& layer = traffic.layers[0];
  EXPECT_EQ(layer.processes, 3);
  EXPECT_THAT(layer.entries,
              ElementsAre(matrix::OtherEntry{0, 0, 5, 200}, matrix::OtherEntry{0, 1, 5, 200},
                          matrix::OtherEntry{0, 2, 5, 200}));
  EXPECT_EQ(described(layer, 2),
            "others (comm comm#1): 15 messages (600 B) from rank 0 to each of 3 processes");
}

TEST(OtherProcesses, AreAllThatTheMatrixLeavesOut) {
  const trace::Trace trace = master_of_three();
  const auto sent = matrix::matrix_of(trace);
  ASSERT_TRUE(sent);
  EXPECT_EQ(sent->matrix.total_messages(), 2u);
  const matrix::OtherTraffic traffic = matrix::other_traffic_of(trace);
  EXPECT_EQ(traffic.layers[0].messages(), sent->loss.outside_messages);
  EXPECT_EQ(traffic.layers[0].bytes(), sent->loss.outside_bytes);
}

// A merged communicator numbers ranks and other processes together; the others are counted apart.
TEST(OtherProcesses, AreMembersOfMergedCommunicators) {
  trace::Trace trace = recorded(2, [](Caller& s) {
    s.builder.set_position(0, s.rank + 1, 4);
    s.send(s.rank == 0 ? 0 : 3, 1, kInt, 0);
    s.send(2 - s.rank, 1, kInt, 0);
  });
  define_comm(trace, 0, {-1, 0, 1, -1}); // where -1, 0, 1 are one range
  const matrix::OtherTraffic traffic = matrix::other_traffic_of(trace);
  ASSERT_EQ(traffic.layers.size(), 1u);
  EXPECT_EQ(traffic.layers[0].processes, 2);
  EXPECT_THAT(traffic.layers[0].entries,
              ElementsAre(matrix::OtherEntry{0, 0, 1, 4}, matrix::OtherEntry{1, 1, 1, 4}));
}

TEST(OtherProcesses, AreNoneInMostRuns) {
  const trace::Trace trace = recorded(2, [](Caller& s) { s.send(1 - s.rank, 7); });
  const matrix::OtherTraffic traffic = matrix::other_traffic_of(trace);
  EXPECT_THAT(traffic.layers, IsEmpty());
  EXPECT_EQ(other_table_text(traffic), "");
  EXPECT_EQ(other_table_csv(traffic), "layer,comm,rank,process,messages,bytes\n");
}

TEST(OtherProcesses, StandInTablesOfThoseThatAreAlike) {
  matrix::OtherLayer layer{matrix::OtherKind::kSpawned, "spawn#1", 2, {}, 8, 32};
  for (std::int64_t rank = 0; rank < 4; ++rank)
    for (std::int64_t process = 0; process < 2; ++process)
      layer.entries.push_back({rank, process, rank == 3 ? 9u : 1u, rank == 3 ? 900u : 10u});
  const matrix::OtherTraffic traffic{4, {layer}};
  EXPECT_EQ(
      other_table_text(traffic),
      "spawned (comm spawn#1): 24 messages (1.9 kB) from each rank to each of 2 processes, "
      "8 collective calls (32 B)\n"
      "  ranks                   processes                messages a pair  bytes a pair\n"
      "  3                       0-1                                    9         900 B\n"
      "  0-2                     0-1                                    1          10 B\n"
      "(counted where they are sent: messages from these processes are in their recording)\n");
  EXPECT_THAT(other_table_csv(traffic), HasSubstr("\nspawned,spawn#1,3,1,9,900\n"));
  const auto json = nlohmann::json::parse(to_json({}, nullptr, &traffic))["other_processes"];
  EXPECT_EQ(json[0]["layer"], "spawned");
  EXPECT_EQ(json[0]["collective_calls"], 8);
  EXPECT_EQ(json[0]["entries"][7],
            nlohmann::json({{"rank", 3}, {"process", 1}, {"messages", 9}, {"bytes", 900}}));
}

} // namespace
} // namespace rondo::present
