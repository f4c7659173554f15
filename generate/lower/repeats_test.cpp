// SPDX-License-Identifier: Apache-2.0
#include "generate/lower/repeats.hpp"

#include "generate/write/c_text.hpp"

#include <gtest/gtest.h>

namespace rondo::generate::internal {
namespace {

Statement send(Expression dest, std::int64_t tag, const char* comm = "MPI_COMM_WORLD") {
  Statement call{.kind = Statement::Kind::kCall, .name = "MPI_Send"};
  call.arguments = {{"buf", name("send_buffer")},  {"count", number(1)},
                    {"datatype", name("MPI_INT")}, {"dest", std::move(dest)},
                    {"tag", number(tag)},          {"comm", name(comm)}};
  return call;
}

Statement barrier(const char* comm = "MPI_COMM_WORLD") {
  return {
      .kind = Statement::Kind::kCall, .name = "MPI_Barrier", .arguments = {{"comm", name(comm)}}};
}

Statement compute(double time) {
  return {.kind = Statement::Kind::kCompute, .name = "", .value = seconds(time)};
}

Statement loop(const char* variable, std::vector<Statement> body) {
  Statement all{.kind = Statement::Kind::kLoop, .name = variable, .value = number(3)};
  all.body = std::move(body);
  return all;
}

// Ten statements, so that a function of them is worth its lines.
std::vector<Statement> exchange(Expression dest, std::int64_t tag, double time = 1e-3) {
  std::vector<Statement> all{compute(time), send(dest, tag), send(dest, tag)};
  for (int i = 0; i < 7; ++i) all.push_back(barrier());
  return all;
}

void add(std::vector<Statement>& to, std::vector<Statement> what) {
  to.insert(to.end(), what.begin(), what.end());
}

TEST(Repeats, BecomeOneFunction) {
  Benchmark benchmark;
  add(benchmark.main, exchange(number(0), 1));
  benchmark.main.push_back(barrier("MPI_COMM_SELF"));
  add(benchmark.main, exchange(number(0), 1));
  EXPECT_EQ(share_repeats(benchmark), 1);
  ASSERT_EQ(benchmark.functions.size(), 1U);
  EXPECT_EQ(benchmark.functions[0].body, exchange(number(0), 1));
  EXPECT_TRUE(benchmark.functions[0].parameters.empty());
  EXPECT_EQ(c_statements(benchmark.main, 0), "part_1();\nMPI_Barrier(MPI_COMM_SELF);\npart_1();\n");
}

TEST(Repeats, GetWhatDiffersAsParameters) {
  Benchmark benchmark;
  add(benchmark.main, exchange(rank(), 1, 1e-3));
  benchmark.main.push_back(barrier("MPI_COMM_SELF"));
  add(benchmark.main, exchange(number(2), 5, 2e-3));
  EXPECT_EQ(share_repeats(benchmark), 1);
  EXPECT_EQ(c_statements(benchmark.main, 0), "part_1(1e-3, rank, 1);\n"
                                             "MPI_Barrier(MPI_COMM_SELF);\n"
                                             "part_1(2e-3, 2, 5);\n");
  const Function& function = benchmark.functions.at(0);
  ASSERT_EQ(function.parameters.size(), 3U);
  EXPECT_EQ(function.parameters[0].type, "double");
  EXPECT_EQ(function.parameters[1].name, "the_dest");
  EXPECT_EQ(c_statements({function.body[0], function.body[1]}, 0),
            "compute(the_time);\n"
            "MPI_Send(send_buffer, 1, MPI_INT, the_dest, the_tag, MPI_COMM_WORLD);\n");
}

TEST(Repeats, AreToldTheVariablesOfLoopsAround) {
  Benchmark benchmark;
  add(benchmark.main, {loop("i", exchange(name("i"), 1)), loop("i", exchange(name("i"), 1))});
  EXPECT_EQ(share_repeats(benchmark), 1); // the loops themselves
  EXPECT_TRUE(benchmark.functions.at(0).parameters.empty());
  Benchmark other;
  add(other.main, {loop("i", exchange(name("i"), 1)), barrier("MPI_COMM_SELF")});
  Statement longer = loop("i", exchange(name("i"), 1));
  longer.value = number(4);
  other.main.push_back(longer);
  EXPECT_EQ(share_repeats(other), 1);
  EXPECT_EQ(c_statements(other.main[0].body, 0), "part_1(i);\n");
}

TEST(Repeats, StayWhereAValueOfAnInnerLoopDiffers) {
  Benchmark benchmark;
  const auto inner = [](std::int64_t step) {
    return loop("j", exchange(binary(name("j"), "*", number(step)), 1));
  };
  add(benchmark.main, {inner(2), barrier("MPI_COMM_SELF"), inner(3)});
  EXPECT_EQ(share_repeats(benchmark), 1); // what stands in the loops, told the product
  EXPECT_EQ(c_statements(benchmark.main[0].body, 0), "part_1(j * 2);\n");
  EXPECT_EQ(benchmark.main[2].kind, Statement::Kind::kLoop);
}

TEST(Repeats, StayIfTheyDifferInMoreOrSaveNothing) {
  Benchmark other_comm;
  other_comm.main = {send(number(0), 1), barrier("MPI_COMM_SELF"), send(number(0), 1), barrier()};
  EXPECT_EQ(share_repeats(other_comm), 0);
  Benchmark series;
  for (int i = 0; i < 3; ++i) {
    const Expression next = call("next", {name("peer_series_" + std::to_string(i))});
    series.main.push_back(send(next, 1));
    series.main.push_back(send(next, 2));
  }
  EXPECT_EQ(share_repeats(series), 0);
}

TEST(Repeats, CallOnlyWhatStandsBeforeThem) {
  Benchmark benchmark;
  Function last{"step_1", "", false, {}, exchange(number(0), 1)};
  last.body.push_back(barrier("MPI_COMM_SELF"));
  benchmark.functions.push_back(last);
  add(benchmark.main, exchange(number(0), 1));
  EXPECT_EQ(share_repeats(benchmark), 1);
  EXPECT_EQ(benchmark.functions.at(0).name, "part_1");
  EXPECT_EQ(c_statements(benchmark.functions.at(1).body, 0),
            "part_1();\nMPI_Barrier(MPI_COMM_SELF);\n");
}

} // namespace
} // namespace rondo::generate::internal
