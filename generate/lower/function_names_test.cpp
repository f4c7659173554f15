// SPDX-License-Identifier: Apache-2.0
#include "generate/lower/function_names.hpp"

#include <gtest/gtest.h>

namespace rondo::generate::internal {
namespace {

Statement made_at(std::uint32_t site) {
  Statement statement{.kind = Statement::Kind::kCall, .name = "MPI_Barrier"};
  statement.sites = {site};
  return statement;
}

// The name of a function with calls that stand in these functions of the program.
std::string named(const std::vector<std::string>& sources, Benchmark benchmark = {}) {
  Function function{"part_1", "", false, {}, {}};
  for (std::uint32_t site = 0; site < sources.size(); ++site)
    function.body.push_back(made_at(site));
  benchmark.functions.push_back(std::move(function));
  benchmark.main.push_back({.kind = Statement::Kind::kInvoke, .name = "part_1"});
  name_functions(benchmark, [&](std::uint32_t site) {
    return sources[site].empty() ? std::vector<std::string>()
                                 : std::vector<std::string>{sources[site]};
  });
  EXPECT_EQ(benchmark.main.back().name, benchmark.functions.back().name);
  return benchmark.functions.back().name;
}

TEST(FunctionNames, IsWhatMakesMostOfTheCalls) {
  EXPECT_EQ(named({"exchange", "exchange", "check"}), "exchange");
  EXPECT_EQ(named({"exchange", "check"}), "barriers"); // what the calls do
  EXPECT_EQ(named({"", ""}), "barriers");
  EXPECT_EQ(named({"main"}), "barriers");
}

TEST(FunctionNames, IsOneThatCHas) {
  EXPECT_EQ(named({"LAMMPS_NS::Comm<3>::reverse comm"}), "LAMMPS_NS_Comm_reverse_comm");
  EXPECT_EQ(named({"conj_grad_"}), "conj_grad");
  EXPECT_EQ(named({"__halo_MOD_swap"}), "swap");
  EXPECT_EQ(named({"swap.constprop.0"}), "swap");
  EXPECT_EQ(named({"operator()"}), "operator");
  EXPECT_EQ(named({"MPI_Fake"}), "part_1");
  EXPECT_EQ(named({"read"}), "read_2"); // the system's
  EXPECT_EQ(named({"register"}), "register_2"); // C's
  EXPECT_EQ(named({"compute"}), "compute_2"); // every benchmark's
  EXPECT_EQ(named({"i"}), "i_1"); // a loop's variable
}

TEST(FunctionNames, AreGivenOnce) {
  Benchmark benchmark;
  benchmark.tables.emplace_back().name = "peers";
  EXPECT_EQ(named({"peers"}, benchmark), "peers_2");
  Function other{"part_2", "", false, {}, {made_at(0)}};
  benchmark.functions.push_back(other);
  EXPECT_EQ(named({"swap"}, benchmark), "swap_2");
}

// Where the recorded program has a call twice does not keep it from being one.
TEST(FunctionNames, PlacesDoNotPartWhatIsTheSame) {
  Benchmark benchmark;
  benchmark.main = {made_at(3)};
  EXPECT_EQ(benchmark.main[0], made_at(9));
  join_sites(benchmark.main[0], made_at(9));
  join_sites(benchmark.main[0], made_at(3));
  benchmark.main.push_back(made_at(3));
  benchmark.main.push_back(made_at(3));
  say_sites(benchmark, [](std::uint32_t site) { return "x.c:" + std::to_string(site); });
  EXPECT_EQ(benchmark.main[0].comment, "x.c:3; x.c:9");
  EXPECT_EQ(benchmark.main[1].comment, "x.c:3");
  EXPECT_EQ(benchmark.main[2].comment, ""); // as before
}

} // namespace
} // namespace rondo::generate::internal
