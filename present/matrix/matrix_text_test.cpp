// SPDX-License-Identifier: Apache-2.0
#include "present/matrix/matrix_text.hpp"

#include "matrix/files/text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

namespace rondo::present {
namespace {

// rank 0 -- 1 -- 2 -- ... in both directions; to the right twice as much
matrix::CommunicationMatrix chain(std::int64_t ranks) {
  std::vector<matrix::MatrixEntry> entries;
  for (std::int64_t rank = 0; rank + 1 < ranks; ++rank) {
    entries.push_back({rank, rank + 1, 10, 2'000'000});
    entries.push_back({rank + 1, rank, 10, 1'000});
  }
  return matrix::CommunicationMatrix::from_entries(ranks, std::move(entries));
}

int widest_line(const std::string& text) {
  std::istringstream lines(text);
  int widest = 0;
  for (std::string line; std::getline(lines, line);)
    widest = std::max(widest, matrix::internal::width_of(line));
  return widest;
}

TEST(MatrixText, FewRanksArePrintedAsNumbers) {
  EXPECT_EQ(*matrix_text(chain(4)), R"(bytes from row to column, 4 ranks

        0    1    2    3
  0     · 2.0M    ·    ·
  1  1.0k    · 2.0M    ·
  2     · 1.0k    · 2.0M
  3     ·    · 1.0k    ·

· none   k = 1000   M = 10^6
)");
}

TEST(MatrixText, MessagesWithoutBytesAreNoughts) {
  EXPECT_EQ(*matrix_text(matrix::CommunicationMatrix::from_entries(2, {{0, 1, 3, 0}})),
            R"(bytes from row to column, 2 ranks

     0 1
  0  · 0
  1  · ·

· none
)");
}

TEST(MatrixText, MoreRanksArePrintedAsShades) {
  EXPECT_EQ(*matrix_text(chain(6), {.numbers = Numbers::kNever}),
            R"(bytes from row to column, 6 ranks

     0 1 2 3 4 5
    ┌────────────┐
  0 │  ██        │
    │░░  ██      │
    │  ░░  ██    │
    │    ░░  ██  │
  4 │      ░░  ██│
    │        ░░  │
    └────────────┘
  blank none   ░░ up to 6.7 kB   ▒▒ up to 45 kB   ▓▓ up to 299 kB   ██ up to 2.0 MB   log scale
)");
}

TEST(MatrixText, SixteenRanksFitAsNumbers) {
  const std::string text = *matrix_text(chain(16));
  EXPECT_THAT(text, testing::HasSubstr("1.0k"));
  EXPECT_LE(widest_line(text), 100);
}

TEST(MatrixText, SharesCellsWhenThereIsNoRoom) {
  const std::string text = *matrix_text(chain(64));
  EXPECT_THAT(text, testing::HasSubstr("64 ranks; each cell 2×2 ranks, sum"));
  EXPECT_LE(widest_line(text), 100);
  EXPECT_LE(widest_line(*matrix_text(chain(5000))), 100);
  EXPECT_LE(widest_line(*matrix_text(chain(5000), {.columns = 40, .numbers = Numbers::kNever})),
            100);
}

TEST(MatrixText, ColoursShowTwoRowsInALine) {
  const TextOptions coloured{.colour = true, .numbers = Numbers::kNever};
  const std::string text = *matrix_text(chain(64), coloured);
  EXPECT_THAT(text, testing::HasSubstr("\x1b[38;2;"));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("each cell")));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2 + 1 + 1 + 32 + 1 + 1);
}

TEST(MatrixText, WithoutColourThereAreNoEscapes) {
  EXPECT_THAT(*matrix_text(chain(64)), testing::Not(testing::HasSubstr("\x1b")));
}

TEST(MatrixText, SaysThatNobodyTalks) {
  EXPECT_EQ(*matrix_text({}), "no ranks, so nobody talks\n");
  EXPECT_THAT(*matrix_text(matrix::CommunicationMatrix::from_entries(50, {})),
              testing::HasSubstr("nobody talks"));
}

TEST(MatrixText, RefusesANarrowTerminal) {
  EXPECT_EQ(matrix_text(chain(4), {.columns = 39}).error().code, ErrorCode::kUsage);
  EXPECT_EQ(matrix_text(chain(4), {.measure = {matrix::Quantity::kBytesPerSecond}}).error().code,
            ErrorCode::kUsage);
}

} // namespace
} // namespace rondo::present
