// SPDX-License-Identifier: Apache-2.0
#include "fold/merge/merge_tables.hpp"

#include <gtest/gtest.h>

namespace rondo::fold {
namespace {

using trace::GroupDefinition;
using trace::RankSet;

std::vector<GroupDefinition> groups_of(std::int64_t rank, std::int64_t from, std::int64_t to) {
  std::vector<GroupDefinition> groups;
  for (std::int64_t slot = from; slot < to; ++slot)
    groups.push_back({slot, {{0, 1, 1 + slot % 3}}, RankSet::of({rank})});
  return groups;
}

TEST(MergedTables, EqualRowsAreHeldByTheRanksOfBoth) {
  trace::Trace into;
  into.groups = groups_of(0, 0, 10);
  trace::Trace from;
  from.groups = groups_of(1, 5, 15);
  from.groups[0].members = {{7, 1, 1}}; // the slot of another meaning
  MergedTables(into).add(std::move(from));
  ASSERT_EQ(into.groups.size(), 16U);
  EXPECT_EQ(into.groups[5].holders.ranks(), std::vector<std::int64_t>({0}));
  EXPECT_EQ(into.groups[6].holders.ranks(), std::vector<std::int64_t>({0, 1}));
  EXPECT_EQ(into.groups[10].holders.ranks(), std::vector<std::int64_t>({1}));
  EXPECT_EQ(into.groups[10].slot, 5);
}

TEST(MergedTables, ChunksOfOneRankHoldARowOnce) {
  trace::Trace into;
  MergedTables tables(into);
  for (int chunk = 0; chunk < 3; ++chunk) {
    trace::Trace from;
    from.hosts.push_back({"a", RankSet::of({4})});
    from.groups = groups_of(4, 10 * chunk, 10 * chunk + 12); // as old ones, with some again
    tables.add(std::move(from));
  }
  ASSERT_EQ(into.hosts.size(), 1U);
  EXPECT_EQ(into.hosts[0].ranks, RankSet::of({4}));
  EXPECT_EQ(into.groups.size(), 32U);
}

// Programs may make as many objects as they make calls.
TEST(MergedRows, AreComparedWithTheirLikeOnly) {
  constexpr std::int64_t kRows = 2000;
  std::vector<GroupDefinition> into;
  MergedRows<GroupDefinition> rows;
  std::int64_t compared = 0;
  for (std::int64_t rank = 0; rank < 4; ++rank) {
    rows.add(
        into, groups_of(rank, 0, kRows),
        [](const GroupDefinition& row) { return static_cast<std::uint64_t>(row.slot); },
        [&](const GroupDefinition& a, const GroupDefinition& b) {
          ++compared;
          return a.slot == b.slot;
        },
        &GroupDefinition::holders);
  }
  EXPECT_EQ(into.size(), static_cast<std::size_t>(kRows));
  EXPECT_LE(compared, 4 * kRows);
}

} // namespace
} // namespace rondo::fold
