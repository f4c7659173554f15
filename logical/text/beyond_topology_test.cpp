// SPDX-License-Identifier: Apache-2.0
#include "logical/text/beyond_topology.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rondo::logical::internal {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Statement call(std::uint32_t index, std::uint64_t calls, std::uint64_t bytes,
               std::uint64_t surplus = 0) {
  return {CallStatement{"send", "", {}, calls, 0, 0, {}, {{index, {calls, bytes}, surplus}}}};
}

Statement guard(const std::string& condition, std::vector<Statement> body) {
  return {GuardStatement{condition, std::move(body)}};
}

TEST(BeyondTopology, IsWhatGuardsByRanksHold) {
  const LogicalText::Part part{
      "",
      {call(0, 16, 64), guard("west", {call(1, 12, 48), guard("rank 3", {call(2, 2, 20)})}),
       guard("ranks 0-3", {call(3, 4, 0), guard("rank 1", {call(4, 5, 0)})}),
       guard("ranks 0-3", {call(5, 4, 7)})}};
  const BeyondTopology beyond = beyond_of({part}, 47);
  EXPECT_THAT(
      beyond_lines(beyond, 139),
      ElementsAre("# beyond the topology: 4 records, 15 of 47 calls (32 %), 27 of 139 bytes (19 %)",
                  "#   ranks 0-3: 3 records, 13 calls, 7 bytes",
                  "#   rank 3: 1 record, 2 calls, 20 bytes"));
}

TEST(BeyondTopology, IsNothingWithoutSuchGuards) {
  const LogicalText::Part part{"", {call(0, 16, 64), guard("not west", {call(1, 4, 16)})}};
  EXPECT_THAT(beyond_lines(beyond_of({part}, 20), 80), IsEmpty());
}

TEST(BeyondTopology, CountsACallAtTwoPlacesOnce) {
  const LogicalText::Part part{"", {guard("rank 0", {call(7, 6, 12), call(7, 6, 12)})}};
  const BeyondTopology beyond = beyond_of({part}, 6);
  EXPECT_EQ(beyond.sets.at(0).records, 2U);
  EXPECT_EQ(beyond.sets.at(0).all.calls, 6U);
  EXPECT_EQ(beyond.sets.at(0).all.bytes, 12U);
}

TEST(BeyondTopology, HasPartsAndLoopCounts) {
  const LogicalText::Part part{"ranks 0-1", {call(0, 6, 12)}};
  EXPECT_EQ(beyond_of({part, {"rank 2", {call(0, 1, 0)}}}, 7).sets.size(), 2U);
  const LogicalText::Part loop{"", {{LoopStatement{"[4, 3 x2]", {call(0, 10, 0, 1)}, true}}}};
  EXPECT_THAT(beyond_lines(beyond_of({loop}, 10), 0),
              ElementsAre("# beyond the topology: 0 records, 0 of 10 calls, 0 of 0 bytes",
                          "#   loop counts: 1 loop, 1 call more than the least"));
}

TEST(BeyondTopology, NamesTheLargestOfManySetsAndIsReadAgain) {
  for (const std::size_t sets : {1U, 8U, 9U, 10U, 30U}) {
    LogicalText::Part part;
    for (std::uint32_t i = 0; i < sets; ++i)
      part.statements.push_back(guard("rank " + std::to_string(i), {call(i, i + 1, 2 * i)}));
    const auto lines = beyond_lines(beyond_of({part}, 1000), 5000);
    EXPECT_EQ(lines.size(), std::min<std::size_t>(sets, 9) + 1);
    EXPECT_EQ(lines.back().starts_with("#   others: "), sets > 9);
    BeyondTopology read;
    for (const std::string& line : lines) EXPECT_TRUE(read_beyond_line(line, read)) << line;
    EXPECT_EQ(beyond_lines(read, 5000), lines);
  }
}

TEST(BeyondTopology, RefusesOtherLines) {
  BeyondTopology beyond;
  for (const std::string line :
       {"#   west: 1 record, 1 call, 1 byte", "#   rank 1: 1 record, 1 call",
        "#   rank 1: x records, 1 call, 1 byte", "# beyond the topology: much",
        "#   loop counts: 1 call, 1 loop", "# off topology: 0 of 0"})
    EXPECT_FALSE(read_beyond_line(line, beyond)) << line;
  EXPECT_THAT(beyond.sets, IsEmpty());
}

} // namespace
} // namespace rondo::logical::internal
