// SPDX-License-Identifier: Apache-2.0
#include "patterns/place_index.hpp"

#include <gtest/gtest.h>
#include <random>
#include <set>
#include <utility>

namespace rondo::patterns::internal {
namespace {

ProcessPattern pattern_at(std::size_t length, const std::vector<std::size_t>& items) {
  ProcessPattern pattern;
  pattern.word.resize(length);
  for (const std::size_t item : items) pattern.places.push_back({item, 1, 0, 0});
  return pattern;
}

using Found = std::set<std::pair<std::size_t, std::size_t>>; // places, and which item comes first

Found found(const PlaceIndex& index, const std::vector<std::size_t>& items) {
  Found result;
  index.each_holding(items, [&](const PlaceIndex::Place& place, std::size_t first) {
    EXPECT_TRUE(result.emplace(place.number, first).second);
  });
  return result;
}

TEST(PlaceIndex, HasNoPlacesWithoutPatterns) { EXPECT_TRUE(found(PlaceIndex({}), {0, 3}).empty()); }

TEST(PlaceIndex, APlaceThatHoldsSeveralItemsIsUsedOnce) {
  const PlaceIndex index(std::vector{pattern_at(4, {1}), pattern_at(2, {2, 7})});
  EXPECT_EQ(found(index, {0, 3, 4, 5, 6, 8}), (Found{{0, 1}, {1, 1}, {2, 5}}));
}

TEST(PlaceIndex, FindsWhatLookingAtAllPlacesFinds) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<ProcessPattern> patterns(random() % 9);
    for (ProcessPattern& pattern : patterns) {
      std::vector<std::size_t> items(1 + random() % 5);
      for (std::size_t& item : items) item = random() % 40;
      pattern = pattern_at(1 + random() % 12, items);
    }
    std::set<std::size_t> wanted;
    while (wanted.size() < 1 + static_cast<std::size_t>(round) % 6) wanted.insert(random() % 50);
    const std::vector<std::size_t> items(wanted.begin(), wanted.end());
    Found expected;
    std::size_t number = 0;
    for (const ProcessPattern& pattern : patterns) {
      for (const PatternPlace& place : pattern.places) {
        const auto held = wanted.lower_bound(place.item);
        if (held != wanted.end() && *held < place.item + pattern.word.size())
          expected.emplace(number, std::distance(wanted.begin(), held));
        ++number;
      }
    }
    EXPECT_EQ(found(PlaceIndex(patterns), items), expected);
  }
}

} // namespace
} // namespace rondo::patterns::internal
