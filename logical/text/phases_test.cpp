// SPDX-License-Identifier: Apache-2.0
#include "logical/text/phases.hpp"

#include <gtest/gtest.h>

namespace rondo::logical::internal {
namespace {

const std::vector<PeerTopologyWords> kTopologies = {{"4x4 torus", {"+1", "-1"}},
                                                    {"star of 16 ranks", {"+1", "+2"}}};

Statement call(const std::string& name, std::vector<std::size_t> peer_topologies,
               std::string comm = "") {
  CallStatement call{name, "", {}, 1, 0, 0, std::move(peer_topologies), {}};
  if (!comm.empty()) call.remarks.push_back("on " + comm);
  return {std::move(call)};
}

Statement loop(std::vector<Statement> body) { return {LoopStatement{"3", std::move(body)}}; }

// Names of calls, phases, "[" and "]" around the bodies of loops.
std::string sketch(const std::vector<Statement>& statements) {
  std::string text;
  for (const Statement& statement : statements) {
    text += text.empty() ? "" : " ";
    if (const auto* inner = std::get_if<LoopStatement>(&statement.is)) {
      text += "[ " + sketch(inner->body) + " ]";
    } else if (const auto* phase = std::get_if<PhaseStatement>(&statement.is)) {
      text += "(" + phase_text(*phase) + ")";
    } else {
      text += std::get<CallStatement>(statement.is).name;
    }
  }
  return text;
}

std::string marked(std::vector<Statement> statements) {
  std::vector<LogicalText::Part> parts{{"", std::move(statements)}};
  mark_phases(parts, kTopologies);
  return sketch(parts[0].statements);
}

TEST(LogicalPhases, AreNotSaidWhereThereIsOneTopology) {
  EXPECT_EQ(marked({call("init", {}), call("send", {0}), call("recv", {0})}), "init send recv");
}

TEST(LogicalPhases, AreNotSaidWhereThereAreTooMany) {
  std::vector<Statement> statements;
  std::string calls;
  for (std::size_t i = 0; i < 40; ++i) {
    for (const char* name : {"send", "recv"}) {
      statements.push_back(call(name, {i % 2}));
      calls += (calls.empty() ? "" : " ") + std::string(name);
    }
  }
  EXPECT_EQ(marked(std::move(statements)), calls);
}

TEST(LogicalPhases, AreNotSaidOftenWhereDirectionsTellThemApart) {
  const auto phases_of = [](std::size_t stretches, const std::vector<PeerTopologyWords>& names) {
    std::vector<Statement> statements;
    for (std::size_t i = 0; i < 4 * stretches; ++i) statements.push_back(call("send", {i / 4 % 2}));
    std::vector<LogicalText::Part> parts{{"", std::move(statements)}};
    mark_phases(parts, names);
    return parts[0].statements.size() - 4 * stretches;
  };
  const std::vector<PeerTopologyWords> tell_apart = {{"4x4 torus", {"+x", "-x"}},
                                                     {"star of 16 ranks", {"centre", "leaf"}}};
  EXPECT_EQ(phases_of(8, tell_apart), 8U);
  EXPECT_EQ(phases_of(9, tell_apart), 0U);
  EXPECT_EQ(phases_of(9, kTopologies), 9U); // +1 is in both
}

TEST(LogicalPhases, BeginWithTheFirstCallOnAnotherTopology) {
  EXPECT_EQ(
      marked({call("init", {}), call("send", {0}), call("recv", {0}), call("barrier", {}),
              call("send", {1}), call("recv", {1})}),
      "init (phase 1: on 4x4 torus) send recv barrier (phase 2: on star of 16 ranks) send recv");
}

TEST(LogicalPhases, OfALoopStandInsideAndAreSaidAnewBehindIt) {
  EXPECT_EQ(
      marked({call("send", {1}), call("recv", {1}),
              loop({call("isend", {0}, "rows"), call("irecv", {0}, "rows"), call("send", {1}),
                    call("recv", {1})}),
              call("send", {1})}),
      "(phase 1: on star of 16 ranks) send recv [ (phase 2: on 4x4 torus, in rows) isend irecv "
      "(phase 3: on star of 16 ranks) send recv ] (phase 4: on star of 16 ranks) send");
}

TEST(LogicalPhases, OfALoopWithOneTopologyStandsInFront) {
  EXPECT_EQ(
      marked({loop({call("send", {0}), call("recv", {0})}), call("send", {1}), call("recv", {1})}),
      "(phase 1: on 4x4 torus) [ send recv ] (phase 2: on star of 16 ranks) send recv");
}

TEST(LogicalPhases, OfAListOfDirectionsIsAsLongAsTheList) {
  Statement list = loop({call("sendrecv", {0})});
  std::get<CallStatement>(std::get<LoopStatement>(list.is).body[0].is).what = "+1, +2, +4 1 char";
  EXPECT_EQ(marked({list, call("send", {1})}),
            "(phase 1: on 4x4 torus) [ sendrecv ] (phase 2: on star of 16 ranks) send");
}

TEST(LogicalPhases, AreOneWhereTopologiesTakeTurns) {
  EXPECT_EQ(marked({call("send", {0}), call("recv", {1}), call("send", {0}), call("recv", {1})}),
            "send recv send recv");
  EXPECT_EQ(
      marked({loop({call("send", {0}), call("recv", {1})}), call("send", {0}), call("recv", {0})}),
      "(phase 1: on 4x4 torus and star of 16 ranks) [ send recv ] (phase 2: on 4x4 torus) send "
      "recv");
}

TEST(LogicalPhases, OfSeveralTopologiesHaveTheSingleCallsBeside) {
  std::vector<Statement> statements(4, call("send", {1}));
  for (auto& next : {call("probe", {0}), call("recv", {0, 1}), call("recv", {0, 1}),
                     call("iprobe", {1}), call("iprobe", {1}), call("recv", {0, 1})})
    statements.push_back(next);
  statements.resize(14, call("isend", {0}));
  EXPECT_EQ(marked(std::move(statements)),
            "(phase 1: on star of 16 ranks) send send send send (phase 2: on 4x4 torus and star of "
            "16 ranks) probe recv recv iprobe iprobe recv (phase 3: on 4x4 torus) isend isend "
            "isend isend");
}

TEST(LogicalPhases, AreOneWhereManyShortOnesTakeTurnsAndNotTheLongOneBesides) {
  const auto calls = [](std::vector<std::size_t> lengths) {
    std::vector<Statement> statements;
    for (std::size_t i = 0; i < lengths.size(); ++i)
      for (std::size_t n = 0; n < lengths[i]; ++n) statements.push_back(call("send", {i % 2}));
    return statements;
  };
  EXPECT_EQ(marked(calls({8, 1, 4, 3, 1, 4})),
            "(phase 1: on 4x4 torus) send send send send send send send send "
            "(phase 2: on 4x4 torus and star of 16 ranks) send send send send send send send send "
            "send send send send send");
  EXPECT_EQ(marked(calls({1, 4, 3, 4})),
            "(phase 1: on 4x4 torus) send (phase 2: on star of 16 ranks) send send send send "
            "(phase 3: on 4x4 torus) send send send (phase 4: on star of 16 ranks) send send send "
            "send");
}

TEST(LogicalPhases, SayTheTopologyOfDirectionsThatAnotherOneHasToo) {
  const auto to = [](const std::string& what, std::vector<std::size_t> topologies) {
    Statement statement = call("send", std::move(topologies));
    std::get<CallStatement>(statement.is).what = what;
    return statement;
  };
  const std::string long_one = "+1 of star of 16 ranks, +2 of star of 16 ranks 16 int";
  std::vector<LogicalText::Part> parts{
      {"",
       {to("+1 8 int", {0}), to("+2 8 int", {0}), loop({to(long_one, {1}), to(long_one, {1})}),
        to("+1", {0}), to("-1", {0}),
        to("+1 of star of 16 ranks, +2 of star of 16 ranks", {0, 1})}}};
  mark_phases(parts, kTopologies);
  const auto& statements = parts[0].statements;
  ASSERT_EQ(sketch(statements),
            "(phase 1: on 4x4 torus) send send (phase 2: on star of 16 ranks) [ "
            "send send ] (phase 3: on 4x4 torus) send send (phase 4: on 4x4 torus "
            "and star of 16 ranks) send");
  const auto& inner = std::get<LoopStatement>(statements[4].is).body;
  EXPECT_EQ(std::get<CallStatement>(inner[0].is).what, "+1, +2 16 int");
  EXPECT_EQ(std::get<CallStatement>(statements[9].is).what, "+1 of star of 16 ranks, +2");
}

TEST(LogicalPhases, AreReadAgain) {
  const std::vector<PeerTopologyWords> names = {
      {"4x4 torus", {}}, {"4x4 torus 2", {}}, {"1 and 2 and 3", {}}};
  for (const std::string text :
       {"phase 1: on 4x4 torus", "phase 12: on 4x4 torus 2, in rows and comm 3",
        "phase 2: on 1 and 2 and 3 and 4x4 torus"}) {
    const auto phase = phase_of(text, names);
    ASSERT_TRUE(phase) << text;
    EXPECT_EQ(phase_text(*phase), text);
  }
  EXPECT_EQ(phase_of("phase 2: on 1 and 2 and 3 and 4x4 torus", names)->topologies.size(), 2U);
  for (const std::string text :
       {"phase 1: on 5x5 torus", "phase x: on 4x4 torus", "phase 1 on 4x4 torus",
        "phase 1: on 4x4 torus and", "phase 1: on "})
    EXPECT_FALSE(phase_of(text, names)) << text;
}

} // namespace
} // namespace rondo::logical::internal
