// SPDX-License-Identifier: Apache-2.0
#include "logical/procedures/repeated_statements.hpp"

#include "rondo/logical/logical_text.hpp"

#include <array>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

namespace rondo::logical::internal {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

// Five calls, one with another tag each time, and behind them what comes once.
LogicalText steps(int times) {
  constexpr std::array<const char*, 4> kOnce = {"allgather", "alltoall", "scan", "exscan"};
  std::string text = "program a  # 4 ranks, " + std::to_string(6 * times) +
                     " records\n  on ring of 4 ranks: west, east\n";
  for (int i = 0; i < times; ++i) {
    text += "  allreduce 1 int sum\n  bcast 2 int  root 0\n  send west 8 int  tag " +
            std::to_string(i) + "\n  barrier\n  reduce 2 int max  root 0\n  " +
            kOnce.at(static_cast<std::size_t>(i)) + " 1 int\n";
  }
  auto read = parse_logical_text(
      text + "# off topology: 0 of 1 point-to-point calls, 0 of 1 bytes\n", "x.txt");
  EXPECT_TRUE(read) << read.error().text();
  return read ? std::move(*read) : LogicalText{};
}

struct Graph {
  explicit Graph(const LogicalText& text) {
    for (const LogicalText::Part& part : text.parts)
      roots.push_back(graph.add_list(part.statements));
    graph.end_lists();
  }
  StatementGraph graph;
  std::vector<std::uint32_t> roots;
};

TEST(RepeatedStatements, WaysThatChooseAlikeMakeOneChoice) {
  Graph of(steps(4));
  RepeatedStatements repeats(of.graph, of.roots);
  const auto choice = repeats.chosen({4, 4, true});
  ASSERT_THAT(choice, SizeIs(1));
  EXPECT_EQ(choice[0]->length, 5u);
  EXPECT_THAT(choice[0]->begins, SizeIs(4));
  EXPECT_EQ(repeats.chosen({2, 8, true}), choice);
  EXPECT_EQ(repeats.chosen({4, 4, false}), choice);
}

TEST(RepeatedStatements, WhatSavesTooLittleStays) {
  Graph of(steps(4));
  RepeatedStatements repeats(of.graph, of.roots);
  EXPECT_THAT(repeats.chosen({100, 4, true}), IsEmpty());
  EXPECT_THAT(repeats.chosen({1, 4, true}), SizeIs(1));
}

TEST(RepeatedStatements, WhatIsChosenBecomesCalls) {
  Graph of(steps(3));
  RepeatedStatements repeats(of.graph, of.roots);
  const StatementGraph after = repeats.replaced(repeats.chosen({1, 4, true}));
  EXPECT_THAT(after.procedures(), SizeIs(1));
  EXPECT_EQ(after.list(of.roots[0]).size(), of.graph.list(of.roots[0]).size() - 3 * 4);
}

// The statements of a procedure are made once, in however many ways it is chosen.
TEST(RepeatedStatements, GraphsShareStatements) {
  Graph of(steps(3));
  RepeatedStatements repeats(of.graph, of.roots);
  const auto statements_of_procedure = [&](const Way& way) {
    const StatementGraph graph = repeats.replaced(repeats.chosen(way));
    std::vector<const StatementGraph::Head*> heads;
    for (const std::uint32_t node : graph.list(graph.procedures().front().list))
      heads.push_back(graph.nodes()[node].head);
    return heads;
  };
  EXPECT_EQ(statements_of_procedure({1, 4, true}), statements_of_procedure({2, 8, true}));
}

// Executions and sites are counted in the text as a whole.
TEST(RepeatedStatements, GraphsCarryNoCounts) {
  LogicalText text = steps(3);
  for (LogicalText::Part& part : text.parts) {
    for (Statement& statement : part.statements) {
      auto& call = std::get<CallStatement>(statement.is);
      call.sites = {1, 2};
      call.shares = {{0, {1, 8}, 0}};
    }
  }
  const Graph of(text);
  for (const StatementGraph::Node& node : of.graph.nodes()) {
    const auto& call = std::get<CallStatement>(node.head->statement.is);
    EXPECT_THAT(call.sites, IsEmpty());
    EXPECT_THAT(call.shares, IsEmpty());
  }
}

} // namespace
} // namespace rondo::logical::internal
