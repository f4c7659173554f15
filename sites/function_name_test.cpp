// SPDX-License-Identifier: Apache-2.0
#include "sites/function_name.hpp"

#include <gtest/gtest.h>

namespace rondo::sites {
namespace {

TEST(FunctionNames, LeaveParametersAndReturnTypesOut) {
  EXPECT_EQ(without_parameters("main"), "main");
  EXPECT_EQ(without_parameters("solve(int, double*)"), "solve");
  EXPECT_EQ(without_parameters("Grid::exchange(std::vector<int> const&) const"), "Grid::exchange");
  EXPECT_EQ(without_parameters("void send<std::pair<int, int> >(int)"),
            "send<std::pair<int, int> >");
  EXPECT_EQ(without_parameters("(anonymous namespace)::step(void (*)(int))"),
            "(anonymous namespace)::step");
  EXPECT_EQ(without_parameters("work(int) [clone .isra.0]"), "work");
}

TEST(FunctionNames, KeepOperatorsAndLambdas) {
  EXPECT_EQ(without_parameters("Sum::operator()(int) const"), "Sum::operator()");
  EXPECT_EQ(without_parameters("Sum::operator()"), "Sum::operator()");
  EXPECT_EQ(without_parameters("Number::operator int() const"), "Number::operator int");
  EXPECT_EQ(without_parameters("main::{lambda(int)#1}::operator()(int) const"),
            "main::{lambda(int)#1}::operator()");
  EXPECT_EQ(without_parameters("(anonymous namespace)::counter"), "(anonymous namespace)::counter");
}

TEST(FunctionNames, DemangleOnlyWhatACompilerMangled) {
  EXPECT_EQ(function_name("_ZN4Grid8exchangeEi"), "Grid::exchange");
  EXPECT_EQ(function_name("__solver_MOD_exchange"), "exchange");
  EXPECT_EQ(function_name("solve_"), "solve_");
  EXPECT_EQ(function_name("i"), "i"); // would be int
  EXPECT_EQ(function_name("_Zbroken"), "_Zbroken");
  EXPECT_EQ(function_name(nullptr), "");
}

} // namespace
} // namespace rondo::sites
