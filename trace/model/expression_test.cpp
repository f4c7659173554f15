// SPDX-License-Identifier: Apache-2.0
#include "rondo/trace/expression.hpp"

#include "rondo/trace/program_text.hpp"

#include <gtest/gtest.h>

namespace rondo::trace {
namespace {

std::vector<std::int64_t> ranks(std::int64_t n) {
  std::vector<std::int64_t> all;
  for (std::int64_t rank = 0; rank < n; ++rank) all.push_back(rank);
  return all;
}

std::string formula(std::int64_t n, std::int64_t (*value)(std::int64_t)) {
  std::vector<std::int64_t> values;
  for (const std::int64_t rank : ranks(n)) values.push_back(value(rank));
  return formula_text(FieldKind::kInteger, ranks(n), values).value_or("none");
}

TEST(FormulaText, IsAsPeopleWriteIt) {
  EXPECT_EQ(formula(16, [](std::int64_t r) { return r; }), "rank");
  EXPECT_EQ(formula(12, [](std::int64_t r) { return r / 4; }), "rank / 4");
  EXPECT_EQ(formula(16, [](std::int64_t r) { return r % 4 * 4 + r / 4; }),
            "rank % 4 * 4 + rank / 4");
  EXPECT_EQ(formula(7, [](std::int64_t r) { return (r + 1) % 7; }), "(rank+1) % 7");
  EXPECT_EQ(formula(5, [](std::int64_t r) { return r == 0 ? kProcNull : r - 1; }),
            "rank == 0 ? MPI_PROC_NULL : rank-1");
  EXPECT_EQ(formula(25, [](std::int64_t r) { return r * r * r % 23; }), "none");
}

// Those that have a neighbour to the right, in four rows of three.
TEST(FormulaText, CountsRowsThatLackTheirLastRank) {
  const std::vector<std::int64_t> some = {0, 1, 3, 4, 6, 7, 9, 10};
  std::vector<std::int64_t> values;
  for (const std::int64_t rank : some) values.push_back(rank / 3 + 10);
  EXPECT_EQ(formula_text(FieldKind::kInteger, some, values), "rank / 3 + 10");
}

std::string formula_of_some(const std::vector<std::int64_t>& some,
                            std::int64_t (*value)(std::int64_t)) {
  std::vector<std::int64_t> values;
  for (const std::int64_t rank : some) values.push_back(value(rank));
  return formula_text(FieldKind::kInteger, some, values).value_or("none");
}

std::vector<std::int64_t> from_to(std::int64_t first, std::int64_t last) {
  std::vector<std::int64_t> all;
  for (std::int64_t rank = first; rank <= last; ++rank) all.push_back(rank);
  return all;
}

TEST(FormulaText, FindsRowsAndColumnsThatDoNotDivideTheNumberOfRanks) {
  EXPECT_EQ(formula_of_some(from_to(3, 6), [](std::int64_t r) { return r % 3; }), "rank % 3");
  EXPECT_EQ(formula_of_some(from_to(3, 24), [](std::int64_t r) { return r % 3; }), "rank % 3");
  EXPECT_EQ(formula_of_some(from_to(0, 8), [](std::int64_t r) { return r % 3 + 9; }),
            "rank % 3 + 9");
  EXPECT_EQ(formula_of_some({1, 2, 3, 5, 6, 7, 9, 10}, [](std::int64_t r) { return r / 4 * 4; }),
            "rank / 4 * 4");
  EXPECT_EQ(formula_of_some(from_to(0, 10), [](std::int64_t r) { return 10 - r; }), "10 - rank");
}

TEST(FormulaText, FindsParents) {
  for (const std::int64_t last : {5, 6, 8, 11, 24}) {
    EXPECT_EQ(formula_of_some(from_to(1, last), [](std::int64_t r) { return (r - 1) / 2; }),
              "(rank-1) / 2");
  }
  EXPECT_EQ(formula_of_some(from_to(1, 12), [](std::int64_t r) { return (r - 1) / 3; }),
            "(rank-1) / 3");
}

TEST(FormulaText, FindsRoundsThatBeginAnywhere) {
  EXPECT_EQ(formula_of_some(from_to(0, 12), [](std::int64_t r) { return (r + 1) % 3; }),
            "(rank+1) % 3");
  EXPECT_EQ(formula_of_some(from_to(4, 15), [](std::int64_t r) { return (r - 4) % 5; }),
            "(rank-4) % 5");
}

TEST(FormulaText, HasTheBracketsThatCNeeds) {
  using namespace expressions;
  const Expression sum = binary(rank(), "+", name("k"));
  EXPECT_EQ(text_of(binary(sum, "*", number(2))), "(rank + k) * 2");
  EXPECT_EQ(text_of(binary(rank(), "-", sum)), "rank - (rank + k)");
  EXPECT_EQ(text_of(binary(binary(rank(), "/", number(2)), "%", number(4))), "rank / 2 % 4");
  EXPECT_EQ(text_of(binary(number(3), "*", binary(rank(), "%", number(4)))), "3 * (rank % 4)");
}

} // namespace
} // namespace rondo::trace
