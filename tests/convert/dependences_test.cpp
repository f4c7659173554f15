// SPDX-License-Identifier: Apache-2.0
// Who waits for whom in hand-made runs, and that an independent matching of messages says the same.
#include "rondo/convert/dependences.hpp"

#include "rondo/trace/matching.hpp"
#include "tests/convert/ti_folder.hpp"

#include <gmock/gmock.h>

namespace rondo::convert {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A ring in which each rank receives what it waits for at its fourth call.
TiFolder& ring(TiFolder& folder, int ranks) {
  for (int rank = 0; rank < ranks; ++rank) {
    const std::string next = std::to_string((rank + 1) % ranks);
    const std::string last = std::to_string((rank + ranks - 1) % ranks);
    folder.write_rank(rank, {"isend " + next + " 7 5 0", "irecv " + last + " 7 5 0", "waitall 2",
                             "reduce 5 0 3 0", "allreduce 5 0 0"});
  }
  return folder;
}

TEST(Dependences, AReceiptIsWhereItsWaitEndsAndNamesTheCallThatSent) {
  TiFolder folder;
  const auto imported = ring(folder, 5).read();
  const auto found = dependences_of(imported->trace);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->ranks[2].receipts, ElementsAre(Receipt{3, 1, 1}));
  EXPECT_THAT(found->ranks[0].receipts, ElementsAre(Receipt{3, 4, 1}));
}

TEST(Dependences, AReductionWaitsForAllAtItsRootAlone) {
  TiFolder folder;
  const auto found = dependences_of(ring(folder, 5).read()->trace);
  ASSERT_TRUE(found);
  const OperationPart all{5, 5, 0, WaitsFor::kAll, -1};
  for (std::size_t rank = 0; rank < 5; ++rank) {
    const auto& parts = found->ranks[rank].parts;
    ASSERT_EQ(parts.size(), 2U);
    EXPECT_EQ(parts[0].waits_for, parts[0].root == static_cast<std::int64_t>(rank)
                                      ? WaitsFor::kAll
                                      : WaitsFor::kNobody);
    EXPECT_EQ(parts[1], all);
  }
}

TEST(Dependences, HaveTheMessagesThatMatchingFinds) {
  TiFolder folder;
  const auto imported = ring(folder, 7).read();
  std::uint64_t receipts = 0;
  const auto found = dependences_of(imported->trace);
  ASSERT_TRUE(found);
  trace::MatchVisitor visitor;
  visitor.message = [&](const trace::Message& message) {
    const auto& mine = found->ranks[static_cast<std::size_t>(message.receive.rank)].receipts;
    ASSERT_EQ(mine.size(), 1U);
    EXPECT_EQ(mine[0].sender, message.send.rank);
    EXPECT_EQ(mine[0].sent, message.send.call);
    ++receipts;
  };
  trace::match_messages(imported->trace, visitor);
  EXPECT_EQ(receipts, 7U);
}

TEST(Dependences, MessagesWithoutASenderAreLeftOut) {
  TiFolder folder;
  folder.write_rank(0, {"recv 1 7 5 0"});
  folder.write_rank(1, {});
  EXPECT_THAT(dependences_of(folder.read()->trace)->ranks[0].receipts, IsEmpty());
}

TEST(Dependences, LargeRunsSayWhatIsTooMany) {
  TiFolder folder;
  const auto imported = ring(folder, 5).read();
  DependenceLimits limits;
  limits.ranks = 4;
  EXPECT_THAT(dependences_of(imported->trace, limits).error().message, HasSubstr("4 ranks"));
  limits = {};
  limits.calls = 10;
  EXPECT_THAT(dependences_of(imported->trace, limits).error().message, HasSubstr("10 calls"));
  limits = {};
  limits.messages = 0;
  EXPECT_THAT(dependences_of(imported->trace, limits).error().message, HasSubstr("0 messages"));
  limits.messages = 4;
  EXPECT_THAT(dependences_of(imported->trace, limits).error().message, HasSubstr("4 parts"));
}

} // namespace
} // namespace rondo::convert
