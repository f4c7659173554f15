// SPDX-License-Identifier: Apache-2.0
#include "rondo/logical/procedures.hpp"

#include <gtest/gtest.h>

namespace rondo::logical {
namespace {

using Stacks = std::vector<std::vector<std::string>>; // by site

Statement at(std::uint32_t site) {
  CallStatement call;
  call.name = "barrier";
  call.what = std::to_string(site);
  call.sites = {site};
  return {call};
}

Statement loop(std::vector<Statement> body) { return {LoopStatement{"10", std::move(body)}}; }

LogicalText with_functions_of(std::vector<Statement> statements, const Stacks& stacks) {
  LogicalText text;
  text.parts.push_back({"", std::move(statements)});
  return with_functions(std::move(text), [&](std::uint32_t site) { return stacks[site]; });
}

std::string body_of(const LogicalText& text) {
  std::string all = logical_text(text, {.times = false});
  all.erase(0, all.find('\n') + 1); // the program
  return all.substr(0, all.find("# off topology"));
}

const Stacks kStep = {{"send", "halo", "main"},
                      {"send", "halo", "main"},
                      {"send", "halo", "main"},
                      {"norm", "check", "main"},
                      {"main"},
                      {"pack", "halo", "main"}};

TEST(FunctionProcedures, HaveTheCallsOfAFunctionAndItsName) {
  const LogicalText text =
      with_functions_of({at(4), loop({at(0), at(1), at(5), at(3)}), at(4)}, kStep);
  EXPECT_EQ(body_of(text), "  procedure halo:\n"
                           "    barrier 0\n"
                           "    barrier 1\n"
                           "    barrier 5\n"
                           "  barrier 4\n"
                           "  loop 10:\n"
                           "    call halo\n"
                           "    barrier 3\n"
                           "  barrier 4\n");
  EXPECT_EQ(body_of(expanded(text)),
            body_of(with_functions_of({at(4), loop({at(0), at(1), at(5), at(3)}), at(4)},
                                      Stacks(6, std::vector<std::string>{"main"}))));
}

TEST(FunctionProcedures, LoopsAreAroundThem) {
  const LogicalText text = with_functions_of({at(4), loop({at(0), at(1), at(2)})}, kStep);
  EXPECT_EQ(body_of(text), "  procedure send:\n"
                           "    barrier 0\n"
                           "    barrier 1\n"
                           "    barrier 2\n"
                           "  barrier 4\n"
                           "  loop 10:\n"
                           "    call send\n");
}

TEST(FunctionProcedures, AreInOneAnother) {
  const Stacks stacks = {{"main"}, {"swap", "step", "main"}, {"norm", "step", "main"}};
  const LogicalText text = with_functions_of({at(0), at(1), at(1), at(1), at(2), at(0)}, stacks);
  EXPECT_EQ(body_of(text), "  procedure swap:\n"
                           "    barrier 1\n"
                           "    barrier 1\n"
                           "    barrier 1\n"
                           "  procedure step:\n"
                           "    call swap\n"
                           "    barrier 2\n"
                           "  barrier 0\n"
                           "  call step\n"
                           "  barrier 0\n");
}

// Few calls, a function that is called elsewhere too, the whole program, and what has a phase.
TEST(FunctionProcedures, StayWhereTheyAre) {
  const auto is_left = [](const std::vector<Statement>& statements) {
    return with_functions_of(statements, kStep).procedures.empty();
  };
  EXPECT_TRUE(is_left({at(4), at(0), at(1), at(4)}));
  EXPECT_TRUE(is_left({at(0), at(1), at(5), at(4), at(2)}));
  EXPECT_TRUE(is_left({at(0), at(1), at(5)}));
  EXPECT_TRUE(is_left({at(4), at(0), {PhaseStatement{}}, at(1), at(5), at(4)}));
  EXPECT_FALSE(is_left({at(4), at(0), at(1), at(5), at(4)}));
}

TEST(FunctionProcedures, CallsByWayOfOthersCount) {
  LogicalText text;
  text.procedures.push_back({"part_1", {}, {at(0), at(1), at(5)}});
  const Statement call = {InvokeStatement{"part_1"}};
  text.parts.push_back({"", {at(4), call, at(3), call, at(4)}});
  const auto functions = [](std::uint32_t site) { return kStep[site]; };
  EXPECT_EQ(with_functions(text, functions).procedures.size(), 1U); // halo is at two places
  text.parts[0].statements = {at(4), call, at(2), call, at(4)};
  EXPECT_EQ(with_functions(text, functions).procedures.size(), 2U);
}

} // namespace
} // namespace rondo::logical
