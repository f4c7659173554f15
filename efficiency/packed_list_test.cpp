// SPDX-License-Identifier: Apache-2.0
#include "efficiency/packed_list.hpp"

#include "efficiency/timeline.hpp"

#include <bit>
#include <gtest/gtest.h>
#include <limits>
#include <memory>
#include <random>

namespace rondo::efficiency::internal {
namespace {

std::uint64_t bits_of(double value) { return std::bit_cast<std::uint64_t>(value); }

// Times as a recording has them, each rank's clock with an origin of its own.
double at_ns(std::uint64_t ns) { return static_cast<double>(ns) * 1e-9; }

std::shared_ptr<PlainRoom> no_room() { return std::make_shared<PlainRoom>(PlainRoom{0}); }

TEST(PackedList, GivesBackEachBitAndTakesFewBytes) {
  constexpr std::size_t kItems = 100'000;
  std::mt19937_64 random(7);
  PackedList<Computed> list(no_room());
  std::vector<Computed> expected;
  std::uint64_t now_ns = 1'700'000'000;
  for (std::size_t i = 0; i < kItems; ++i) {
    const std::uint64_t ns = 300 + random() % 200;
    now_ns += ns + 500 + random() % 500;
    expected.push_back({at_ns(now_ns) - at_ns(ns), static_cast<float>(at_ns(ns)),
                        static_cast<std::uint32_t>(i % 3)});
    list.push_back(expected.back());
  }
  ASSERT_EQ(list.size(), kItems);
  EXPECT_LT(list.bytes(), 6 * kItems); // 16 as they are
  for (std::size_t i = kItems; i-- > 0;) {
    ASSERT_EQ(bits_of(list[i].from_s), bits_of(expected[i].from_s));
    ASSERT_EQ(list[i].seconds, expected[i].seconds);
    ASSERT_EQ(list[i].spot, expected[i].spot);
  }
  EXPECT_LT(list.bytes(), 8 * kItems); // what was looked at last is unpacked
}

TEST(PackedList, LeavesItsRoomToOthers) {
  const auto room = std::make_shared<PlainRoom>();
  room->most_bytes = 40'000 * sizeof(std::uint32_t);
  PackedList<std::uint32_t> list(room);
  PackedList<std::uint32_t> other(room);
  for (std::uint32_t i = 0; i < 30'000; ++i) other.push_back(i);
  EXPECT_EQ(room->packed_bytes, 0u);
  for (std::uint32_t i = 0; i < 60'000; ++i) list.push_back(i);
  EXPECT_GT(room->packed_bytes, 0u);
  list.clear();
  other.clear();
  EXPECT_EQ(room->bytes, 0u);
  EXPECT_EQ(room->packed_bytes, 0u);
  EXPECT_TRUE(list.empty());
}

TEST(PackedList, MayBecomeAnotherOneOfAnotherRoom) {
  constexpr std::uint32_t kItems = 5000;
  const auto counted = [](std::uint32_t first) {
    PackedList<std::uint32_t> list(std::make_shared<PlainRoom>());
    for (std::uint32_t i = 0; i < kItems; ++i) list.push_back(first + i);
    return list;
  };
  PackedList<std::uint32_t> list = counted(0);
  list = counted(100); // nobody else held the first one's room
  for (std::uint32_t i = 0; i < kItems; ++i) ASSERT_EQ(list[i], 100 + i);
}

TEST(PackedList, GivesBackNumbersOfAnyKind) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> times = {0.0,    -0.0,       1.0 / 3,     -1e-9,  1e300,
                                     -1e300, infinity,   -infinity,   5e-324, 4.6e9,
                                     4.7e9,  1e9 + 1e-7, std::nan("")};
  constexpr std::size_t kItems = 20'000;
  constexpr std::uint32_t kMost = std::numeric_limits<std::uint32_t>::max();
  std::mt19937_64 random(7);
  std::vector<Waited> expected;
  PackedList<Waited> list(no_room());
  const auto any = [&] { return random() % 2 == 0 ? static_cast<std::uint32_t>(random()) : kMost; };
  for (std::size_t i = 0; i < kItems; ++i) {
    Waited wait;
    wait.kind = static_cast<WaitKind>(random() % kWaitKinds);
    wait.spot = any();
    wait.rank = static_cast<std::int32_t>(any());
    wait.other = static_cast<std::int32_t>(any());
    wait.from_s = times[random() % times.size()];
    wait.until_s = times[random() % times.size()];
    wait.own = {any(), any(), any(), any()};
    wait.others = {any(), any(), any(), any()};
    expected.push_back(wait);
    list.push_back(wait);
  }
  for (int look = 0; look < 2000; ++look) {
    const std::size_t i = random() % kItems;
    const Waited found = list[i];
    ASSERT_EQ(found.kind, expected[i].kind);
    ASSERT_EQ(found.spot, expected[i].spot);
    ASSERT_EQ(found.rank, expected[i].rank);
    ASSERT_EQ(found.other, expected[i].other);
    ASSERT_EQ(bits_of(found.from_s), bits_of(expected[i].from_s));
    ASSERT_EQ(bits_of(found.until_s), bits_of(expected[i].until_s));
    ASSERT_EQ(found.own.computed_from, expected[i].own.computed_from);
    ASSERT_EQ(found.own.waits_to, expected[i].own.waits_to);
    ASSERT_EQ(found.others.computed_to, expected[i].others.computed_to);
    ASSERT_EQ(found.others.waits_from, expected[i].others.waits_from);
  }
}

TEST(PackedList, KeepsWhatIsChangedLater) {
  constexpr std::uint32_t kItems = 50'000;
  PackedList<std::uint32_t> list(no_room());
  for (std::uint32_t i = 0; i < kItems; ++i) list.push_back(i);
  for (std::uint32_t i = 0; i < kItems; i += 7)
    list.change(i, [](std::uint32_t& number) { number *= 3; });
  for (std::uint32_t i = 0; i < kItems; ++i) ASSERT_EQ(list[i], i % 7 == 0 ? 3 * i : i);
  EXPECT_EQ(list.back(), kItems - 1);
}

// A ping-pong whose sides are late by chance.
std::vector<SpotCause> causes_with(std::size_t plain_bytes, std::size_t& packed_bytes) {
  constexpr int kRounds = 20'000;
  Timeline timeline(2, plain_bytes);
  std::mt19937_64 random(7);
  std::uint64_t now_ns = 0;
  for (int round = 0; round < kRounds; ++round) {
    std::uint64_t came_ns[2];
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
      const std::uint64_t ns = 100 + random() % 1000;
      came_ns[rank] = now_ns + ns;
      timeline.computed(rank, static_cast<std::uint32_t>(random() % 3), at_ns(now_ns), at_ns(ns));
    }
    const int first = came_ns[0] < came_ns[1] ? 0 : 1;
    Waited wait;
    wait.rank = first;
    wait.other = 1 - first;
    wait.from_s = at_ns(came_ns[first]);
    wait.until_s = at_ns(came_ns[1 - first]);
    if (wait.seconds() > 0) timeline.wait(wait, wait.until_s);
    now_ns = came_ns[1 - first] + 50;
  }
  std::vector<SpotCause> causes = causes_of(timeline, 3);
  packed_bytes = timeline.room().packed_bytes;
  return causes;
}

TEST(PackedList, ChangesNoCause) {
  std::size_t none = 0;
  std::size_t packed = 0;
  const auto expected = causes_with(PlainRoom().most_bytes, none);
  const auto found = causes_with(0, packed);
  EXPECT_EQ(none, 0u);
  EXPECT_GT(packed, 0u);
  EXPECT_LT(packed, 20u * 20'000); // a round is two computations and a wait, 100 bytes as they are
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].spot, expected[i].spot);
    EXPECT_EQ(found[i].rank, expected[i].rank);
    EXPECT_EQ(bits_of(found[i].seconds), bits_of(expected[i].seconds));
    EXPECT_EQ(bits_of(found[i].direct_s), bits_of(expected[i].direct_s));
  }
}

} // namespace
} // namespace rondo::efficiency::internal
