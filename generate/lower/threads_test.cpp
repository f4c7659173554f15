// SPDX-License-Identifier: Apache-2.0
#include "generate/lower/threads.hpp"

#include "generate/write/c_text.hpp"

#include <gtest/gtest.h>

namespace rondo::generate::internal {
namespace {

Statement call(const char* function, Expression argument) {
  Statement result{.kind = Statement::Kind::kCall, .name = function};
  result.arguments = {{"comm", std::move(argument)}};
  return result;
}

Expression comm(std::int64_t place) { return lookup("comm", {number(place)}); }
Statement make(std::int64_t place) { return call("MPI_Comm_dup", address(comm(place))); }
Statement free_of(std::int64_t place) { return call("MPI_Comm_free", address(comm(place))); }
Statement use(std::int64_t place) { return call("MPI_Barrier", comm(place)); }

// Of a main between MPI_Init_thread and MPI_Finalize.
Benchmark benchmark_of(const std::vector<Statement>& main) {
  Benchmark benchmark;
  benchmark.objects["comm"] = 4;
  benchmark.main.push_back(call("MPI_Init_thread", number(0)));
  benchmark.main.insert(benchmark.main.end(), main.begin(), main.end());
  benchmark.main.push_back(call("MPI_Finalize", number(0)));
  return benchmark;
}

std::string main_of(const Benchmark& benchmark) {
  std::string text;
  for (const Statement& statement : benchmark.main) {
    text += statement.name;
    for (const Argument& argument : statement.arguments) text += " " + c_expression(argument.value);
    text += "\n";
  }
  return text;
}

TEST(Threads, BeginWhenWhatTheyUseIsMadeAndEndBeforeItIsFreed) {
  Benchmark benchmark = benchmark_of({use(3), make(0), use(0), free_of(0), use(3)});
  ASSERT_TRUE(add_threads(benchmark, {{1, {use(0)}}, {2, {use(0), use(0)}}}));
  EXPECT_EQ(main_of(benchmark), "MPI_Init_thread 0\n"
                                "MPI_Barrier comm[3]\n"
                                "MPI_Comm_dup &comm[0]\n"
                                "let_threads 1 2 1\n"
                                "MPI_Barrier comm[0]\n"
                                "await_threads 1 2 1\n"
                                "MPI_Comm_free &comm[0]\n"
                                "MPI_Barrier comm[3]\n"
                                "MPI_Finalize 0\n");
  ASSERT_EQ(benchmark.threads.size(), 2U);
  EXPECT_EQ(benchmark.threads[1].function, "thread_2");
  EXPECT_EQ(c_statements(benchmark.functions[0].body, 0), "MPI_Barrier(first_comm[0]);\n");
}

TEST(Threads, WithObjectsOfTheirOwnGoOnFromInitToFinalize) {
  Benchmark benchmark = benchmark_of({make(0), use(0), free_of(0)});
  ASSERT_TRUE(add_threads(benchmark, {{1, {make(1), use(1), free_of(1)}}}));
  EXPECT_EQ(main_of(benchmark), "MPI_Init_thread 0\n"
                                "let_threads 1 1 1\n"
                                "MPI_Comm_dup &comm[0]\n"
                                "MPI_Barrier comm[0]\n"
                                "MPI_Comm_free &comm[0]\n"
                                "await_threads 1 1 1\n"
                                "MPI_Finalize 0\n");
  EXPECT_EQ(c_statements(benchmark.functions[0].body, 0),
            "MPI_Comm_dup(&comm[1]);\nMPI_Barrier(comm[1]);\nMPI_Comm_free(&comm[1]);\n");
}

TEST(Threads, GoThroughPhasesWhereObjectsAreNotThereTogether) {
  Benchmark benchmark = benchmark_of({make(0), free_of(0), make(1), free_of(1)});
  ASSERT_TRUE(add_threads(benchmark, {{1, {use(0), use(1)}}}));
  EXPECT_EQ(main_of(benchmark), "MPI_Init_thread 0\n"
                                "MPI_Comm_dup &comm[0]\n"
                                "let_threads 1 1 1\n"
                                "await_threads 1 1 1\n"
                                "MPI_Comm_free &comm[0]\n"
                                "MPI_Comm_dup &comm[1]\n"
                                "let_threads 1 1 2\n"
                                "await_threads 1 1 2\n"
                                "MPI_Comm_free &comm[1]\n"
                                "MPI_Finalize 0\n");
  EXPECT_EQ(c_statements(benchmark.functions[0].body, 0),
            "MPI_Barrier(first_comm[0]);\nnext_phase();\nMPI_Barrier(first_comm[1]);\n");
}

TEST(Threads, AreRefusedWhereNobodyKnowsWhichObjectTheyUse) {
  Benchmark again = benchmark_of({make(0), free_of(0), make(0), free_of(0)});
  EXPECT_EQ(add_threads(again, {{1, {use(0)}}}).error().code, ErrorCode::kUnsupported);
  Benchmark back = benchmark_of({make(0), free_of(0), make(1), free_of(1)});
  EXPECT_EQ(add_threads(back, {{1, {use(1), use(0)}}}).error().code, ErrorCode::kUnsupported);
  Benchmark given = benchmark_of({use(0)});
  EXPECT_EQ(add_threads(given, {{1, {make(0)}}}).error().code, ErrorCode::kUnsupported);
  Benchmark freed = benchmark_of({make(0)});
  EXPECT_EQ(add_threads(freed, {{1, {free_of(0)}}}).error().code, ErrorCode::kUnsupported);
}

} // namespace
} // namespace rondo::generate::internal
