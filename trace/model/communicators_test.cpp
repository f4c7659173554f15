// SPDX-License-Identifier: Apache-2.0
#include "rondo/trace/communicators.hpp"

#include <gtest/gtest.h>

namespace rondo::trace {
namespace {

constexpr std::int64_t kNoTag = kNothing;

// Two ranks that are in all communicators.
Trace two_ranks(std::vector<CommDefinition> comms) {
  Trace trace;
  trace.run.ranks = 2;
  trace.comms = std::move(comms);
  return trace;
}

CommDefinition both(std::int64_t slot, RankSet holders, CommOrigin origin = {}) {
  return {slot, {{0, 1, 2}}, {}, std::move(holders), origin};
}

TEST(Communicators, AreToldApartByParentsHoweverTheirCopiesRaced) {
  const RankSet all = RankSet::of({0, 1});
  const Communicators comms(
      two_ranks({both(0, all, {kWorldSlot, kNoTag, 0}), both(1, all, {kWorldSlot, kNoTag, 1}),
                 both(2, RankSet::of({0}), {0, kNoTag, 0}), // rank 0 copies the first first
                 both(3, RankSet::of({0}), {1, kNoTag, 0}),
                 both(2, RankSet::of({1}), {1, kNoTag, 0}), // rank 1 the second
                 both(3, RankSet::of({1}), {0, kNoTag, 0})}));
  EXPECT_EQ(comms.of(0, 2).id, comms.of(1, 3).id);
  EXPECT_EQ(comms.of(0, 3).id, comms.of(1, 2).id);
  EXPECT_NE(comms.of(0, 2).id, comms.of(0, 3).id);
  EXPECT_EQ(comms.size(), 6U);
}

TEST(Communicators, AreToldApartByTags) {
  const Communicators comms(two_ranks({both(0, RankSet::of({0}), {kWorldSlot, 7, 0}),
                                       both(1, RankSet::of({0}), {kWorldSlot, 8, 0}),
                                       both(0, RankSet::of({1}), {kWorldSlot, 8, 0}),
                                       both(1, RankSet::of({1}), {kWorldSlot, 7, 0})}));
  EXPECT_EQ(comms.of(0, 0).id, comms.of(1, 1).id);
  EXPECT_EQ(comms.of(0, 1).id, comms.of(1, 0).id);
  EXPECT_NE(comms.of(0, 0).id, comms.of(0, 1).id);
}

TEST(Communicators, BothSidesOfAnInterCommunicatorAreOne) {
  const Communicators comms(
      two_ranks({{0, {{0, 1, 1}}, {{1, 1, 1}}, RankSet::of({0}), {kNothing, 5, 0}},
                 {4, {{1, 1, 1}}, {{0, 1, 1}}, RankSet::of({1}), {kNothing, 5, 0}}}));
  EXPECT_EQ(comms.of(0, 0).id, comms.of(1, 4).id);
  EXPECT_EQ(comms.of(0, 0).world_rank(0), 1);
  EXPECT_EQ(comms.of(1, 4).world_rank(0), 0);
}

TEST(Communicators, OfOldArchivesAreInTheOrderOfSlots) {
  const Communicators comms(two_ranks({both(1, RankSet::of({0})),
                                       both(5, RankSet::of({0})),
                                       both(0, RankSet::of({1})),
                                       both(2, RankSet::of({1})),
                                       {3, {{0, 1, 1}}, {}, RankSet::of({0})}}));
  EXPECT_EQ(comms.of(0, 1).id, comms.of(1, 0).id);
  EXPECT_EQ(comms.of(0, 5).id, comms.of(1, 2).id);
  EXPECT_NE(comms.of(0, 1).id, comms.of(0, 5).id);
  EXPECT_EQ(comms.of(0, 3).id, 2U); // ids are in the order of members
  EXPECT_EQ(comms.of(1, 3).id, Communicators::kUnknown);
}

TEST(Communicators, AParentThatIsNotThereIsNone) {
  const Communicators comms(two_ranks({both(0, RankSet::of({0, 1}), {99, kNoTag, 0})}));
  EXPECT_EQ(comms.of(0, 0).id, comms.of(1, 0).id);
}

} // namespace
} // namespace rondo::trace
