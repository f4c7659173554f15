// SPDX-License-Identifier: Apache-2.0
#include "rondo/generate/skeleton.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

namespace rondo::generate {
namespace {

using Kind = Statement::Kind;

Expression named(const std::string& name) { return trace::expressions::name(name); }

Statement loop(const std::string& count, std::vector<Statement> body) {
  Statement result{Kind::kLoop, "i"};
  result.value = named(count);
  result.body = std::move(body);
  return result;
}

Statement call(const std::string& function, const std::string& iterations) {
  return {Kind::kInvoke, function, {{"iterations", named(iterations)}}};
}

Benchmark benchmark(std::vector<Statement> main) {
  Benchmark result;
  for (const char* name : {"MANY", "MORE"}) {
    Constant constant;
    constant.name = name;
    constant.value = 100;
    result.constants.push_back(constant);
  }
  Function step;
  step.name = "step";
  step.has_iterations = true;
  step.body = {loop("iterations", {Statement{Kind::kCall, "MPI_Barrier"}})};
  result.functions.push_back(step);
  result.main = std::move(main);
  return result;
}

TEST(Skeleton, ShortensAFunctionWhereItIsCalled) {
  Benchmark short_one =
      benchmark({call("step", "MANY"), call("step", "FEW"), call("step", "MORE")});
  EXPECT_EQ(shorten(short_one, 0.1), 2);
  EXPECT_TRUE(short_one.functions.front().body.front().is_part);
  EXPECT_EQ(short_one.main[0].full, 100);
  EXPECT_EQ(short_one.constants[0].value, 10);
  EXPECT_EQ(short_one.main[1].full, 0);
  EXPECT_EQ(short_one.main[2].full, 100);
}

TEST(Skeleton, LeavesAFunctionThatIsCalledWithinAShortenedLoop) {
  Benchmark short_one = benchmark({loop("MANY", {call("step", "few[i]")}), call("step", "MORE")});
  EXPECT_EQ(shorten(short_one, 0.1), 1);
  EXPECT_EQ(short_one.main[0].full, 100);
  EXPECT_EQ(short_one.main[1].full, 0);
  EXPECT_EQ(short_one.constants[1].value, 100);
  EXPECT_FALSE(short_one.functions.front().body.front().is_part); // it would end passes of the loop
}

TEST(Skeleton, LeavesAFunctionThatOnlySomeRanksCall) {
  Statement some{Kind::kIf, ""};
  some.body = {call("step", "MANY")};
  Benchmark short_one = benchmark({some, call("step", "MORE")});
  EXPECT_EQ(shorten(short_one, 0.1), 0);
  EXPECT_FALSE(short_one.is_skeleton);
}

// Of 1000 passes each rank has one in 100 that takes 31 times as long, as `first` says.
Benchmark with_peaks(const std::vector<std::int64_t>& first) {
  Benchmark result = benchmark({loop("MANY", {Statement{Kind::kCall, "MPI_Barrier"}})});
  result.ranks = static_cast<std::int64_t>(first.size());
  result.constants[0].value = 1000;
  Course course;
  for (std::size_t rank = 0; rank < first.size(); ++rank) {
    Course::Row row{.seconds = std::vector<double>(1000, 1e-3), .passes = 1000};
    for (auto pass = static_cast<std::size_t>(first[rank]); pass < 1000; pass += 100)
      row.seconds[pass] = 31e-3;
    for (const double seconds : row.seconds) result.computed_seconds += seconds;
    course.rows.push_back(std::move(row));
    course.row_of_rank.push_back(static_cast<std::int64_t>(rank));
    course.factor_of_rank.push_back(1);
  }
  result.courses.push_back(std::move(course));
  return result;
}

// In 50 passes a rank has one slow pass in two, or none.
TEST(Skeleton, SaysHowUnevenItsPassesMakeRanks) {
  Benchmark apart = with_peaks({10, 30, 50, 70});
  ASSERT_EQ(shorten(apart, 0.05), 1);
  EXPECT_GT(std::abs(unevenness_of(apart).off), 0.15);
  Benchmark together = with_peaks({30, 30, 30, 30}); // the sum of all ranks is known
  ASSERT_EQ(shorten(together, 0.05), 1);
  EXPECT_NEAR(unevenness_of(together).off, 0, 1e-9);
}

} // namespace
} // namespace rondo::generate
