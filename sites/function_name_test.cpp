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
  EXPECT_EQ(function_name("Solve_"), "Solve_");
  EXPECT_EQ(function_name("i"), "i"); // would be int
  EXPECT_EQ(function_name("_Zbroken"), "_Zbroken");
  EXPECT_EQ(function_name(nullptr), "");
}

TEST(FunctionNames, AreTheSourcesInFortran) {
  EXPECT_EQ(function_name("solve_"), "solve");
  EXPECT_EQ(function_name("copy_faces_"), "copy_faces");
  EXPECT_EQ(function_name("old_style__"), "old_style");
  EXPECT_EQ(function_name("MAIN__"), "MAIN__");
  EXPECT_EQ(function_name("solver_mp_exchange_"), "exchange");
  EXPECT_EQ(function_name("_QMsolverPexchange"), "exchange");
  EXPECT_EQ(function_name("_QPsolve"), "solve");
  EXPECT_EQ(function_name("inner.4711"), "inner");
  EXPECT_EQ(function_name("_"), "_");
}

TEST(FunctionNames, OfClonesAreThoseOfTheFunction) {
  EXPECT_EQ(function_name("VecDot_MPI.constprop.0"), "VecDot_MPI");
  EXPECT_EQ(function_name("VecDot_MPI.part.0.cold"), "VecDot_MPI");
  EXPECT_EQ(function_name(".plt"), ".plt");
}

TEST(FunctionNames, ThatAreLongHaveNoTemplateArguments) {
  const std::string arguments(100, 'x');
  EXPECT_EQ(shortened("map<" + arguments + "<int> >::insert<" + arguments + ">"),
            "map<...>::insert<...>");
  EXPECT_EQ(shortened("Out<" + arguments + ">::operator<<"), "Out<...>::operator<<");
  EXPECT_EQ(shortened("map<int>::insert"), "map<int>::insert");
  EXPECT_EQ(shortened("f<" + arguments), "f<" + arguments);
}

} // namespace
} // namespace rondo::sites
