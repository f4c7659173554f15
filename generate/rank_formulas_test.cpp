// SPDX-License-Identifier: Apache-2.0
#include "rondo/trace/rank_formulas.hpp"

#include "generate/write/c_text.hpp"
#include "rondo/generate/expression.hpp"
#include "rondo/trace/functions.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace rondo::generate::internal {
namespace {

using Kind = Expression::Kind;
using Ranks = std::vector<std::int64_t>;

// What the expression is on a rank, as C would have it.
std::int64_t value(const Expression& e, std::int64_t rank, std::int64_t ranks) {
  const auto of = [&](std::size_t i) { return value(e.of[i], rank, ranks); };
  if (e.kind == Kind::kNumber) return e.number;
  if (e.kind == Kind::kName)
    return e.text == "rank" ? rank : e.text == "RANKS" ? ranks : trace::kProcNull;
  if (e.kind == Kind::kIf) return of(0) != 0 ? of(1) : of(2);
  EXPECT_EQ(e.kind, Kind::kBinary);
  const std::int64_t a = of(0);
  const std::int64_t b = of(1);
  switch (e.text.front()) {
  case '+':
    return a + b;
  case '-':
    return a - b;
  case '*':
    return a * b;
  case '/':
    return a / b;
  case '%':
    return a % b;
  case '^':
    return a ^ b;
  case '<':
    return a < b;
  case '>':
    return a >= b;
  case '=':
    return a == b;
  case '!':
    return a != b;
  case '&':
    return a && b;
  default:
    EXPECT_EQ(e.text, "||");
    return a || b;
  }
}

Ranks everyone(std::int64_t ranks) {
  Ranks all(static_cast<std::size_t>(ranks));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

Expression leaf(std::int64_t v) {
  return v == trace::kProcNull ? name("MPI_PROC_NULL") : number(v);
}

std::optional<Expression> formula(const Ranks& values) {
  const auto ranks = static_cast<std::int64_t>(values.size());
  const Domain domain{.world = everyone(ranks), .own = everyone(ranks), .size = ranks};
  return formula_for(domain, values, true, leaf);
}

std::string text(const Ranks& values) {
  const auto found = formula(values);
  return found ? c_expression(*found) : "a table";
}

TEST(RankFormulas, AreWrittenAsPeopleWould) {
  const std::int64_t none = trace::kProcNull;
  EXPECT_EQ(text({5, 5, 5, 5}), "5");
  EXPECT_EQ(text({1, 2, 3, 4}), "rank + 1");
  EXPECT_EQ(text({1, 2, 3, 0}), "(rank + 1) % RANKS");
  EXPECT_EQ(text({3, 0, 1, 2}), "(rank + RANKS - 1) % RANKS");
  EXPECT_EQ(text({2, 3, 0, 1, 6, 7, 4, 5}), "rank ^ 2");
  EXPECT_EQ(text({none, 0, 1, 2}), "rank == 0 ? MPI_PROC_NULL : rank - 1");
  EXPECT_EQ(text({none, 0, 1, none, 3, 4, none, 6, 7}), "rank % 3 == 0 ? MPI_PROC_NULL : rank - 1");
  EXPECT_EQ(text({0, 3, 6, 1, 4, 7, 2, 5, 8}), "rank % 3 * 3 + rank / 3"); // transposition
  EXPECT_EQ(text({9, 9, 9, 7, 7, 7}), "rank < 3 ? 9 : 7");
  EXPECT_EQ(text({9, 9, 7, 7, 5, 5}), "9 - rank / 2 * 2");
  EXPECT_EQ(text({8, 12, 8, 12, 8, 12}), "rank % 2 == 0 ? 8 : 12");
  EXPECT_EQ(text({4, 5, 4, 5, 4, 5}), "rank % 2 + 4");
  EXPECT_EQ(text({102, 103, 100, 101}), "(rank ^ 2) + 100");
  EXPECT_EQ(text({104, 105, 106, 107, 100, 101, 102, 103}), "(rank ^ 4) + 100");
  EXPECT_EQ(text({1, 2, 3, 4, 5, 6, 6}), "rank >= 5 ? 6 : rank + 1"); // one condition is enough
  EXPECT_EQ(text({7, 1, 4, 9, 2, 12, 3, 30}), "a table");
  EXPECT_EQ(text({12, 5, 12, 11}), "a table"); // there is a formula, as long as the values
  EXPECT_EQ(text({11, 10, 10, 11}), "rank != 0 && rank != 3 ? 10 : 11");
  EXPECT_EQ(text({10, 20}), "rank == 0 ? 10 : 20");
  EXPECT_EQ(text({1, 0}), "(rank + 1) % RANKS");
}

// As on MPI_COMM_SELF, or on communicators of several ranks each.
TEST(RankFormulas, AreFoundOrNotWhereRanksHaveTheSameNumber) {
  const auto found = [](const Ranks& own, const Ranks& values) {
    const auto made =
        formula_for({.world = everyone(4), .own = own, .size = 2}, values, true, leaf);
    return made ? c_expression(*made) : "a table";
  };
  EXPECT_EQ(found({0, 0, 0, 0}, {3, 1, 1, 1}), "rank != 0 ? 1 : 3");
  EXPECT_EQ(found({0, 0, 0, 0}, {3, 1, 4, 1}), "a table");
  EXPECT_EQ(found({0, 1, 0, 1}, {5, 8, 5, 8}), "rank == 0 ? 5 : 8");
}

TEST(RankFormulas, HoldOnEachRank) {
  std::mt19937 random(7);
  int found = 0;
  for (int i = 0; i < 2000; ++i) {
    const auto ranks = static_cast<std::int64_t>(2 + random() % 30);
    const auto row = static_cast<std::int64_t>(1 + random() % 6);
    const auto step = static_cast<std::int64_t>(random() % 9) - 4;
    Ranks values;
    for (std::int64_t r = 0; r < ranks;
         ++r) { // a border, a step, and now and then what fits nothing
      const bool is_border = r % row == 0;
      const bool is_odd = random() % 40 == 0;
      values.push_back(is_odd      ? static_cast<std::int64_t>(random() % 50)
                       : is_border ? trace::kProcNull
                                   : r + step);
    }
    const auto made = formula(values);
    if (!made) continue;
    ++found;
    for (std::int64_t r = 0; r < ranks; ++r)
      ASSERT_EQ(value(*made, r, ranks), values[static_cast<std::size_t>(r)])
          << c_expression(*made) << " on " << r;
  }
  EXPECT_GT(found, 500);
}

TEST(RankConditions, HoldForTheRanksInsideAndNoOthers) {
  std::mt19937 random(11);
  int found = 0;
  for (int i = 0; i < 2000; ++i) {
    const auto ranks = static_cast<std::int64_t>(2 + random() % 40);
    const auto row = static_cast<std::int64_t>(1 + random() % 8);
    const std::uint32_t kind = random() % 4;
    const auto edge = static_cast<std::int64_t>(random() % 8);
    Ranks inside;
    for (std::int64_t r = 0; r < ranks; ++r) {
      const bool is_in = kind == 0   ? r % row == edge
                         : kind == 1 ? r / row < edge
                         : kind == 2 ? r % row != 0 && r >= edge
                                     : random() % 2 == 0;
      if (is_in) inside.push_back(r);
    }
    const auto made = condition_for(inside, everyone(ranks));
    if (!made) continue;
    ++found;
    for (std::int64_t r = 0; r < ranks; ++r) {
      ASSERT_EQ(value(*made, r, ranks) != 0, std::ranges::binary_search(inside, r))
          << c_expression(*made) << " on " << r << " of " << ranks;
    }
  }
  EXPECT_GT(found, 1200);
}

TEST(Expressions, AreWrittenAsCReadsThem) {
  const Expression sum = binary(rank(), "+", number(1));
  EXPECT_EQ(c_expression(binary(sum, "%", name("RANKS"))), "(rank + 1) % RANKS");
  EXPECT_EQ(c_expression(binary(binary(rank(), "%", number(4)), "==", number(0))), "rank % 4 == 0");
  EXPECT_EQ(c_expression(binary(binary(rank(), "^", number(4)), "+", number(1))), "(rank ^ 4) + 1");
  EXPECT_EQ(c_expression(binary(number(7), "-", binary(rank(), "-", number(2)))), "7 - (rank - 2)");
  EXPECT_EQ(c_expression(choose(binary(rank(), "<", number(3)), number(1), sum)),
            "rank < 3 ? 1 : rank + 1");
  EXPECT_EQ(c_expression(binary(rank(), "+", number(-3))), "rank - 3");
  EXPECT_EQ(seconds_text(48.2e-6), "48.2e-6");
  EXPECT_EQ(seconds_text(2), "2.0");
  EXPECT_EQ(seconds_text(0.0125), "12.5e-3");
  EXPECT_EQ(seconds_text(999.4e-9), "999e-9");
  EXPECT_EQ(seconds_text(999.6e-9), "1e-6");
  EXPECT_EQ(seconds_text(0.9996), "1.0");
}

} // namespace
} // namespace rondo::generate::internal
