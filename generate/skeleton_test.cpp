// SPDX-License-Identifier: Apache-2.0
#include "rondo/generate/skeleton.hpp"

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

} // namespace
} // namespace rondo::generate
