// SPDX-License-Identifier: Apache-2.0
#include "rondo/trace/rank_sequence.hpp"

#include "rondo/trace/functions.hpp"

#include <gtest/gtest.h>
#include <random>

namespace rondo::trace {
namespace {

using Values = std::vector<std::int64_t>;

std::string text(const RankSequence& sequence) {
  return sequence.text([](std::int64_t value) { return std::to_string(value); });
}

// Neighbour distances on a torus of any width, as the ranks have them.
Values row_neighbours(std::int64_t width, std::int64_t rows) {
  Values values;
  for (std::int64_t y = 0; y < rows; ++y) {
    for (std::int64_t x = 0; x < width; ++x) values.push_back(x + 1 < width ? 1 : 1 - width);
  }
  return values;
}

void expect_is(const RankSequence& sequence, const Values& values) {
  ASSERT_EQ(sequence.size(), values.size());
  ASSERT_EQ(sequence.values(), values);
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_EQ(sequence.at(i), values[i]) << i;
    ASSERT_EQ(sequence.sum_of_first(i), sum) << i;
    if (!is_special(values[i])) sum += values[i];
  }
  ASSERT_EQ(sequence.sum_of_first(values.size()), sum);
}

// Values with repetitions in repetitions, now and then disturbed.
Values random_values(std::mt19937& random) {
  Values values;
  const std::size_t letters = 1 + random() % 4;
  for (std::size_t i = 0, n = 1 + random() % 6; i < n; ++i) {
    const std::int64_t letter = static_cast<std::int64_t>(random() % letters) - 1;
    values.push_back(random() % 8 == 0 ? kProcNull : letter);
  }
  for (int level = 0; level < 3; ++level) {
    const Values once = values;
    for (std::size_t i = random() % 4; i > 0; --i)
      values.insert(values.end(), once.begin(), once.end());
    if (random() % 2 == 0) values.push_back(static_cast<std::int64_t>(random() % letters));
  }
  return values;
}

TEST(RankSequence, IsWhatItWasMadeOf) {
  std::mt19937 random(1);
  for (int round = 0; round < 3000; ++round) {
    const Values values = random_values(random);
    ASSERT_NO_FATAL_FAILURE(expect_is(RankSequence::of(values), values));
  }
}

TEST(RankSequence, IsTheSamePutTogetherFromPieces) {
  std::mt19937 random(2);
  for (int round = 0; round < 3000; ++round) {
    const Values values = random_values(random);
    RankSequence sequence;
    for (std::size_t begin = 0; begin < values.size();) {
      const std::size_t end = std::min(values.size(), begin + 1 + random() % values.size());
      sequence.append(RankSequence::of({values.begin() + static_cast<std::ptrdiff_t>(begin),
                                        values.begin() + static_cast<std::ptrdiff_t>(end)}));
      begin = end;
    }
    ASSERT_NO_FATAL_FAILURE(expect_is(sequence, values));
    ASSERT_EQ(sequence, RankSequence::of(values));
  }
}

TEST(RankSequence, AddsToTheFirstValueThatIsNotSpecial) {
  std::mt19937 random(3);
  for (int round = 0; round < 3000; ++round) {
    const Values front = random_values(random);
    const Values back = random_values(random);
    RankSequence sequence = RankSequence::of(front);
    sequence.append_changed(RankSequence::of(back), 1000);
    Values expected = front;
    bool is_changed = false;
    for (const std::int64_t value : back) {
      const bool changes = !is_changed && !is_special(value);
      expected.push_back(changes ? value + 1000 : value);
      is_changed = is_changed || changes;
    }
    ASSERT_NO_FATAL_FAILURE(expect_is(sequence, expected));
  }
}

TEST(RankSequence, FoldsTheRowsOfAGrid) {
  EXPECT_EQ(text(RankSequence::of(row_neighbours(4, 4))), "{1 x3, -3} x4");
  for (const std::int64_t width : {3, 7, 256}) {
    EXPECT_LE(RankSequence::of(row_neighbours(width, 256)).total_items(), 4U) << width;
  }
}

// As a tree over the ranks puts it together: its pieces do not end where rows do.
TEST(RankSequence, FoldsRowsAcrossPiecesOfAnyLength) {
  for (const std::int64_t width : {3, 4, 7, 16, 100}) {
    const Values values = row_neighbours(width, 1024 / width);
    for (const std::size_t piece : {1, 2, 8, 64, 128}) {
      RankSequence sequence;
      for (std::size_t begin = 0; begin < values.size(); begin += piece) {
        const auto end =
            values.begin() + static_cast<std::ptrdiff_t>(std::min(values.size(), begin + piece));
        sequence.append(
            RankSequence::of({values.begin() + static_cast<std::ptrdiff_t>(begin), end}));
      }
      ASSERT_EQ(sequence.values(), values);
      EXPECT_LE(sequence.total_items(), 12U) << "width " << width << ", piece " << piece;
    }
  }
}

TEST(RankSequence, DoublesInConstantSpace) {
  RankSequence sequence = RankSequence::of(row_neighbours(16, 4));
  for (int i = 0; i < 20; ++i) sequence.append(sequence);
  EXPECT_EQ(text(sequence), "{1 x15, -15} x4194304");
  EXPECT_EQ(sequence.at(16 * 4194304 - 1), -15);
}

} // namespace
} // namespace rondo::trace
