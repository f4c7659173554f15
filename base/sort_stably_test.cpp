// SPDX-License-Identifier: Apache-2.0
#include "rondo/base/sort_stably.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>

namespace rondo {
namespace {

using testing::ElementsAre;

using Row = std::pair<int, std::string>;
constexpr auto by_number = [](const Row& a, const Row& b) { return a.first < b.first; };

TEST(SortStably, SortsByTheComparisonAlone) {
  std::vector<int> numbers{3, 1, 2};
  sort_stably(numbers.begin(), numbers.end(), [](int a, int b) { return a > b; });
  EXPECT_THAT(numbers, ElementsAre(3, 2, 1));
}

TEST(SortStably, LeavesEqualOnesAsTheyStand) {
  std::vector<Row> rows{{2, "a"}, {1, "b"}, {2, "c"}, {1, "d"}};
  sort_stably(rows.begin(), rows.end(), by_number);
  EXPECT_THAT(rows, ElementsAre(Row(1, "b"), Row(1, "d"), Row(2, "a"), Row(2, "c")));
}

TEST(SortStably, SortsWhatCanOnlyBeMoved) {
  std::vector<std::unique_ptr<int>> numbers;
  for (const int n : {4, 2, 5, 1, 3}) numbers.push_back(std::make_unique<int>(n));
  sort_stably(numbers.begin(), numbers.end(), [](const auto& a, const auto& b) { return *a < *b; });
  for (int i = 0; i < 5; ++i) EXPECT_EQ(*numbers[static_cast<std::size_t>(i)], i + 1);
}

TEST(SortStably, SortsAPartOfARow) {
  std::vector<int> numbers{9, 5, 3, 4, 0};
  sort_stably(numbers.begin() + 1, numbers.end() - 1, std::less<>());
  EXPECT_THAT(numbers, ElementsAre(9, 3, 4, 5, 0));
  sort_stably(numbers.begin(), numbers.begin(), std::less<>()); // nothing at all
  EXPECT_THAT(numbers, ElementsAre(9, 3, 4, 5, 0));
}

TEST(SortStably, AgreesWithTheStandardLibrary) {
  std::mt19937 random(7);
  for (const std::size_t size : {0, 1, 2, 3, 17, 1000}) {
    std::vector<Row> rows;
    for (std::size_t i = 0; i < size; ++i) {
      rows.emplace_back(static_cast<int>(random() % 20), std::to_string(i));
    }
    std::vector<Row> expected = rows;
    std::stable_sort(expected.begin(), expected.end(), by_number);
    sort_stably(rows.begin(), rows.end(), by_number);
    EXPECT_EQ(rows, expected) << size;
  }
}

} // namespace
} // namespace rondo
