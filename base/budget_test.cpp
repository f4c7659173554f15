// SPDX-License-Identifier: Apache-2.0
#include "rondo/base/budget.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace rondo {
namespace {

class Budgets : public testing::Test {
protected:
  ~Budgets() override { set_limit_factor(1); }
};

TEST_F(Budgets, AreSpentForGood) {
  Budget budget(100, 10);
  EXPECT_TRUE(budget.take_bytes(60));
  EXPECT_TRUE(budget.take_items(2, 20));
  EXPECT_FALSE(budget.is_spent());
  EXPECT_FALSE(budget.take_bytes(1));
  EXPECT_TRUE(budget.is_spent());
  EXPECT_FALSE(budget.take_steps(1));
}

TEST_F(Budgets, DoNotOverflow) {
  Budget budget(1000, 1000);
  EXPECT_FALSE(budget.take_items(std::uint64_t{1} << 62, 64));
}

TEST_F(Budgets, GrowWithTheFileAndHaveACap) {
  EXPECT_LT(Budget::of_file(100).bytes_left(), Budget::of_file(1 << 20).bytes_left());
  EXPECT_EQ(Budget::of_file(std::uint64_t{1} << 40).bytes_left(),
            Budget::of_file(std::uint64_t{1} << 50).bytes_left());
}

TEST_F(Budgets, AreLiftedByTheFactor) {
  const std::uint64_t usual = Budget::of_file(0).bytes_left();
  set_limit_factor(10);
  EXPECT_EQ(Budget::of_file(0).bytes_left(), 10 * usual);
  set_limit_factor(*parse_limit_factor("none"));
  EXPECT_EQ(Budget::of_file(0).bytes_left(), ~std::uint64_t{0});
}

TEST_F(Budgets, FactorsAreNumbersAboveZero) {
  EXPECT_EQ(*parse_limit_factor("0.5"), 0.5);
  EXPECT_TRUE(std::isinf(*parse_limit_factor("none")));
  for (const char* bad : {"", "0", "-1", "inf", "nan", "1e999", "10x", "all"}) {
    const auto factor = parse_limit_factor(bad);
    ASSERT_FALSE(factor) << bad;
    EXPECT_EQ(factor.error().code, ErrorCode::kUsage);
  }
}

TEST_F(Budgets, ThatAreSpentAskForMoreThanThereWas) {
  const auto advice = [](double factor) {
    set_limit_factor(factor);
    const std::string text = Budget::of_file(0).error("f").message;
    return text.substr(text.find("add ") + 4);
  };
  EXPECT_EQ(advice(1), "--limit 10, or --limit none");
  EXPECT_EQ(advice(10), "--limit 100, or --limit none");
  EXPECT_EQ(advice(1e7), "--limit none");
}

TEST_F(Budgets, AdviceIsEnough) {
  EXPECT_EQ(limit_advice(101, 100), "--limit 2");
  EXPECT_EQ(limit_advice(4321, 10), "--limit 440");
  EXPECT_EQ(limit_advice(1e30, 10), "--limit none");
}

} // namespace
} // namespace rondo
