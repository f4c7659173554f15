// SPDX-License-Identifier: Apache-2.0
#include "patterns/place_index.hpp"

#include <array>
#include <gtest/gtest.h>
#include <random>
#include <set>

namespace rondo::patterns::internal {
namespace {

constexpr std::size_t kNone = ~std::size_t{0};

ProcessPattern pattern_at(std::size_t length, const std::vector<std::size_t>& items,
                          std::uint64_t executions = 1) {
  ProcessPattern pattern;
  pattern.word.resize(length);
  for (const std::size_t item : items) pattern.places.push_back({item, executions, 0, 0});
  return pattern;
}

struct Wanted {
  std::vector<std::size_t> items;
  std::vector<std::uint64_t> messages; // of each
  std::uint64_t executions = 1;
  std::size_t length = 1;
};

// The number of the best place.
std::size_t found(const PlaceIndex& index, const Wanted& wanted, std::uint64_t& looked_at) {
  std::vector<std::uint64_t> before(1);
  for (const std::uint64_t messages : wanted.messages) before.push_back(before.back() + messages);
  const auto* place =
      index.best_for({wanted.items, before, wanted.executions, wanted.length}, looked_at);
  return place == nullptr ? kNone : place->number;
}

std::size_t found(const std::vector<ProcessPattern>& patterns, const Wanted& wanted) {
  std::uint64_t looked_at = 0;
  return found(PlaceIndex(patterns), wanted, looked_at);
}

// Looks at all places.
std::size_t found_slowly(const std::vector<ProcessPattern>& patterns, const Wanted& wanted) {
  const auto off = [](std::uint64_t a, std::uint64_t b) { return a > b ? a - b : b - a; };
  std::array<std::uint64_t, 4> best;
  best.fill(kNone);
  std::size_t number = 0;
  for (const ProcessPattern& pattern : patterns) {
    for (const PatternPlace& place : pattern.places) {
      std::uint64_t common = 0;
      for (std::size_t i = 0; i < wanted.items.size(); ++i) {
        const bool holds =
            place.item <= wanted.items[i] && wanted.items[i] < place.item + pattern.word.size();
        common += holds ? wanted.messages[i] : 0;
      }
      if (common > 0)
        best = std::min(best, {~common, off(place.executions, wanted.executions),
                               off(pattern.word.size(), wanted.length), number});
      ++number;
    }
  }
  return best.back();
}

TEST(PlaceIndex, HasNoPlacesWithoutPatterns) { EXPECT_EQ(found({}, {{0, 3}, {1, 1}}), kNone); }

TEST(PlaceIndex, MessagesCountMoreThanLikeness) {
  const std::vector patterns{pattern_at(4, {1}), pattern_at(2, {2, 7})};
  EXPECT_EQ(found(patterns, {{3, 4, 8}, {1, 1, 1}, 1, 2}), 0U);
  EXPECT_EQ(found(patterns, {{3, 4, 8}, {1, 1, 3}, 1, 4}), 2U);
  EXPECT_EQ(found(patterns, {{2, 3}, {1, 1}, 1, 4}), 0U);
  EXPECT_EQ(found(patterns, {{2, 3}, {1, 1}, 1, 2}), 1U);
  EXPECT_EQ(found(patterns, {{0, 5, 6, 9}, {1, 1, 1, 1}, 1, 2}), kNone);
}

TEST(PlaceIndex, FindsWhatLookingAtAllPlacesFinds) {
  std::mt19937 random(7);
  for (int round = 0; round < 1000; ++round) {
    std::vector<ProcessPattern> patterns(random() % 9);
    for (ProcessPattern& pattern : patterns) {
      std::vector<std::size_t> items(1 + random() % 5);
      for (std::size_t& item : items) item = random() % 40;
      pattern = pattern_at(1 + random() % 12, items, 1 + random() % 3);
    }
    std::set<std::size_t> items;
    while (items.size() < 1 + static_cast<std::size_t>(round) % 16) items.insert(random() % 50);
    Wanted wanted{{items.begin(), items.end()}, {}, 1 + random() % 3, 1 + random() % 12};
    while (wanted.messages.size() < items.size()) wanted.messages.push_back(1 + random() % 3);
    EXPECT_EQ(found(patterns, wanted), found_slowly(patterns, wanted));
  }
}

TEST(PlaceIndex, ComparesNoPlacesThatHoldLessThanTheBestOne) {
  std::vector<std::size_t> each(1000);
  for (std::size_t i = 0; i < each.size(); ++i) each[i] = i;
  const PlaceIndex index(std::vector{pattern_at(1000, {0}), pattern_at(2, each)});
  std::uint64_t looked_at = 0;
  EXPECT_EQ(found(index, {each, std::vector<std::uint64_t>(each.size(), 1), 1, 2}, looked_at), 0U);
  EXPECT_EQ(looked_at, 1U);
}

} // namespace
} // namespace rondo::patterns::internal
