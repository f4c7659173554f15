// SPDX-License-Identifier: Apache-2.0
#include "rondo/logical/procedures.hpp"

#include <gtest/gtest.h>

namespace rondo::logical {
namespace {

CallStatement at(std::vector<std::uint32_t> sites) {
  CallStatement call;
  call.name = "barrier";
  call.sites = std::move(sites);
  return call;
}

// A procedure of two calls, one of them in a loop, that is called at the top.
LogicalText two_calls(std::vector<std::uint32_t> first, std::vector<std::uint32_t> second) {
  LogicalText text;
  text.procedures.push_back(
      {"part_1", {}, {{at(std::move(first))}, {LoopStatement{"3", {{at(std::move(second))}}}}}});
  text.parts.push_back({"", {{LoopStatement{"2", {{InvokeStatement{"part_1"}}}}}}});
  return text;
}

using Stacks = std::vector<std::vector<std::string>>; // by site

std::string named(LogicalText text, const Stacks& stacks) {
  name_procedures(text, [&](std::uint32_t site) { return stacks[site]; });
  const auto& loop = std::get<LoopStatement>(text.parts[0].statements[0].is);
  EXPECT_EQ(std::get<InvokeStatement>(loop.body[0].is).name, text.procedures[0].name);
  return text.procedures[0].name;
}

TEST(ProcedureNames, IsTheFunctionThatMakesMostCalls) {
  EXPECT_EQ(named(two_calls({0}, {1}), {{"solve"}, {"solve"}}), "solve");
  EXPECT_EQ(named(two_calls({0}, {1}), {{"solve"}, {"exchange"}}), "part_1");
  EXPECT_EQ(named(two_calls({0}, {1}), {{"solve"}, {}}), "part_1");
  EXPECT_EQ(named(two_calls({0}, {}), {{"solve"}}), "part_1");
  LogicalText text = two_calls({0}, {0});
  text.procedures[0].statements.push_back({at({1})});
  EXPECT_EQ(named(text, {{"solve"}, {"check"}}), "solve");
}

TEST(ProcedureNames, IsTheInnermostOfACallStack) {
  const Stacks stacks = {{"send", "exchange", "step", "main"},
                         {"receive", "exchange", "step", "main"}};
  EXPECT_EQ(named(two_calls({0}, {1}), stacks), "exchange");
  EXPECT_EQ(named(two_calls({0}, {1}), {{"send", "main"}, {"receive", "main"}}), "part_1");
}

// Python's own functions stand around everything that a program in Python does.
TEST(ProcedureNames, AreNoneOfPythonsInterpreter) {
  for (const std::string of_python :
       {"PyObject_Vectorcall", "_PyEval_EvalFrameDefault", "Py_RunMain"})
    EXPECT_EQ(named(two_calls({0}, {1}), {{of_python}, {of_python}}), "part_1") << of_python;
  for (const std::string own : {"Pyramid_down", "Python", "PyFoam"})
    EXPECT_EQ(named(two_calls({0}, {1}), {{own}, {own}}), own);
}

// What runs the whole program is on the stack of each call, and no name for a part of it.
TEST(ProcedureNames, IsNoFunctionThatDoesMore) {
  LogicalText text = two_calls({0}, {1});
  text.parts[0].statements.push_back({at({2})});
  const Stacks stacks = {{"send", "run", "main"}, {"receive", "run", "main"}, {"check", "run"}};
  EXPECT_EQ(named(text, stacks), "part_1");
  EXPECT_EQ(named(text, {{"send", "swap", "run"}, {"receive", "swap", "run"}, {"check", "run"}}),
            "swap");
  EXPECT_EQ(named(text, {{"swap", "run"}, {"swap", "run"}, {"swap", "run"}}), "swap");
}

// What it does by way of other procedures belongs to it.
TEST(ProcedureNames, HasWhatOtherProceduresDoForIt) {
  LogicalText text = two_calls({0}, {0});
  text.procedures.push_back({"part_2", {}, {{at({1})}, {InvokeStatement{"part_1"}}, {at({2})}}});
  text.parts[0].statements = {{InvokeStatement{"part_2"}}, {InvokeStatement{"part_2"}}};
  const Stacks stacks = {{"exchange", "step"}, {"pack", "step"}, {"unpack", "step"}};
  name_procedures(text, [&](std::uint32_t site) { return stacks[site]; });
  EXPECT_EQ(text.procedures[0].name, "exchange");
  EXPECT_EQ(text.procedures[1].name, "step");
}

// Three parts of several functions and one call are not what the call's function does.
TEST(ProcedureNames, AreNotThoseOfOneCallAmongParts) {
  LogicalText text = two_calls({0}, {1});
  const Statement part{InvokeStatement{"part_1"}};
  text.procedures.push_back({"part_2", {}, {part, {at({2})}, part, part}});
  const auto names = [&](const Stacks& stacks) {
    LogicalText named = text;
    name_procedures(named, [&](std::uint32_t site) { return stacks[site]; });
    return named.procedures[0].name + " " + named.procedures[1].name;
  };
  EXPECT_EQ(names({{"sum"}, {"output"}, {"setup"}}), "part_1 part_2");
  EXPECT_EQ(names({{"exchange"}, {"exchange"}, {"setup"}}), "exchange setup");
  const Stacks stacks = {{"send", "setup"}, {"receive", "setup"}, {"setup"}};
  EXPECT_EQ(names(stacks), "part_1 setup");
}

// A call that the text has once may stand in several functions.
TEST(ProcedureNames, NeedsACallThatNoOtherFunctionMakes) {
  EXPECT_EQ(named(two_calls({0, 1}, {0}), {{"solve"}, {"check"}}), "solve");
  EXPECT_EQ(named(two_calls({0, 1}, {0, 1}), {{"solve"}, {"check"}}), "part_1");
}

TEST(ProcedureNames, AreMadeUniqueAndReadable) {
  LogicalText text = two_calls({0}, {0});
  text.procedures.push_back(text.procedures[0]);
  text.procedures[1].name = "part_2";
  name_procedures(text, [](std::uint32_t) {
    return std::vector<std::string>{"Comm<int, void (*)(char)>::reverse comm()"};
  });
  EXPECT_EQ(text.procedures[0].name, "Comm::reverse_comm");
  EXPECT_EQ(text.procedures[1].name, "Comm::reverse_comm_2");
  EXPECT_TRUE(parse_logical_text(logical_text(text), "x.txt"));
}

// As a library's function that all exchanges come through.
TEST(ProcedureNames, OfOneFunctionAreToldApartByTheirCallers) {
  LogicalText text = two_calls({0}, {0});
  for (const std::uint32_t site : {1u, 2u, 3u}) {
    text.procedures.push_back(
        {"part_" + std::to_string(text.procedures.size() + 1), {}, {{at({site})}, {at({site})}}});
  }
  text.procedures[3].statements.push_back({at({4})});
  name_procedures(text, [&](std::uint32_t site) {
    return Stacks{{"begin", "scatter", "update"},
                  {"begin", "scatter", "update"},
                  {"begin", "scatter", "multiply"},
                  {"begin", "scatter", "multiply"},
                  {"norm", "solve"}}[site];
  });
  EXPECT_EQ(text.procedures[0].name, "begin");
  EXPECT_EQ(text.procedures[1].name, "begin_2"); // nothing is different
  EXPECT_EQ(text.procedures[2].name, "multiply");
  EXPECT_EQ(text.procedures[3].name, "part_4"); // a norm is no part of it
}

TEST(SayPlaces, StandBehindTheCallsAndAreReadBack) {
  LogicalText text = two_calls({0}, {0, 1});
  text.ranks = 2;
  std::get<CallStatement>(text.procedures[0].statements[0].is).before_ns = 1.5e6;
  say_places(text, [](const auto& sites) { return sites.size() == 1 ? "a.c:1" : "a.c:1, 2"; });
  const std::string written = logical_text(text);
  EXPECT_NE(written.find("    barrier  # 1.5 ms before, at a.c:1\n"), std::string::npos) << written;
  EXPECT_NE(written.find("      barrier  # at a.c:1, 2\n"), std::string::npos) << written;
  const auto read = parse_logical_text(written, "x.txt");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(logical_text(*read), written);
}

} // namespace
} // namespace rondo::logical
