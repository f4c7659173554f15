// SPDX-License-Identifier: Apache-2.0
#include "logical/joining/alike.hpp"
#include "rondo/logical/comparison.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rondo::logical {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* kEnd = "# off topology: 0 of 9 point-to-point calls, 0 of 9 bytes\n";

LogicalText text(int ranks, int records, const std::string& body) {
  const auto read = parse_logical_text(
      "program a  # " + std::to_string(ranks) + " ranks, " + std::to_string(records) +
          (records == 1 ? " record\n" : " records\n") + body + kEnd,
      "x.txt");
  EXPECT_TRUE(read) << (read ? "" : read.error().text());
  return read ? *read : LogicalText{};
}

std::string guarded(const std::string& ranks) {
  return "  " + ranks +
         ":\n    barrier\n# beyond the topology: 1 record, 2 of 8 calls (25 %), 0 of 9 bytes\n#  "
         " " +
         ranks + ": 1 record, 2 calls, 0 bytes\n";
}

std::vector<std::string> rows(const Comparison& comparison) {
  std::vector<std::string> lines;
  for (const Scaling& row : comparison.scaling)
    lines.push_back(row.what + " at " + row.where + ": " + row.a + " / " + row.b);
  return lines;
}

TEST(LogicalComparison, FindsNothingInEqualTexts) {
  const LogicalText a = text(4, 2, "  loop 3:\n    send east 5 double  tag 1\n");
  const Comparison result = compare(a, a);
  EXPECT_FALSE(result.difference);
  EXPECT_THAT(result.scaling, IsEmpty());
}

TEST(LogicalComparison, ListsWhatScales) {
  const Comparison result =
      compare(text(16, 3, "  loop 249:\n    send east 5 double  tag 1\n    send east 9 int\n"),
              text(64, 3, "  loop 62:\n    send east 5..7 double  tag 2\n    send east 8 int\n"));
  EXPECT_FALSE(result.difference);
  EXPECT_THAT(rows(result),
              ElementsAre("ranks at program: 16 / 64", "iterations at loop 1: 249 / 62",
                          "size at loop 1 > send 1: 5 / 5..7", "tag at loop 1 > send 1: 1 / 2",
                          "size at loop 1 > send 2: 9 / 8"));
}

TEST(LogicalComparison, TakesProgramsOfOtherNamesForTheSame) {
  const auto in = [](const std::string& who) {
    return text(4, 1, "  if " + who + ":\n    barrier\n");
  };
  const Comparison result = compare(in("in ocean.old"), in("in ocean.new"));
  EXPECT_FALSE(result.difference);
  EXPECT_THAT(rows(result), ElementsAre("who at if in a program 1: in ocean.old / in ocean.new"));
  EXPECT_TRUE(compare(in("in ocean"), in("not in ocean")).difference);
}

TEST(LogicalComparison, TakesLongerChoicesOfOneKindForTheSame) {
  const Comparison result = compare(text(4, 1, "  send child 0|child 1 5 double\n"),
                                    text(4, 1, "  send child 0|child 1|child 2 5 double\n"));
  EXPECT_FALSE(result.difference);
  EXPECT_THAT(rows(result),
              ElementsAre("peers at send 1: child 0|child 1 / child 0|child 1|child 2"));
}

TEST(LogicalComparison, TakesACutChoiceForAnyOfItsKind) {
  EXPECT_FALSE(compare(text(4, 1, "  send leaf 0|leaf 1 5 double\n"),
                       text(4, 1, "  send leaf 0|leaf 1|leaf 2|... 5 double\n"))
                   .difference);
}

TEST(LogicalComparison, SaysWhatWasNotCompared) {
  LogicalText a = text(4, 1, "  barrier\n");
  a.outside.calls = 3;
  const Comparison result = compare(a, a);
  EXPECT_FALSE(result.difference);
  EXPECT_THAT(rows(result), ElementsAre("calls off topology at program: 3 of 9 / 3 of 9"));
}

TEST(LogicalComparison, TakesOtherRanksBelowAGuardForTheSame) {
  const Comparison result =
      compare(text(4, 1, guarded("ranks 0-1")), text(4, 1, guarded("ranks 0-3,8")));
  EXPECT_FALSE(result.difference);
  EXPECT_THAT(rows(result), ElementsAre("who at ranks 1: ranks 0-1 / ranks 0-3,8"));
}

TEST(LogicalComparison, ListsStepsOfWhichTheLargerRunHasMore) {
  const auto step = [](const std::string& axis, int size) {
    return "  irecv across " + axis + " " + std::to_string(size) + " int\n  send across " + axis +
           " " + std::to_string(size) + " int\n  wait\n";
  };
  const std::string two = step("x", 8) + step("y", 4);
  const Comparison up = compare(text(4, 7, two + "  barrier\n"),
                                text(16, 13, two + step("z", 2) + step("d4", 1) + "  barrier\n"));
  EXPECT_FALSE(up.difference) << up.difference->a << " / " << up.difference->b;
  EXPECT_THAT(rows(up), ElementsAre("ranks at program: 4 / 16", "repetitions at step 1: 2 / 4"));
  const std::string back = step("y", 4) + step("x", 8);
  const Comparison down = compare(text(8, 9, step("z", 2) + back), text(4, 6, back));
  EXPECT_FALSE(down.difference);
  EXPECT_THAT(rows(down), ElementsAre("ranks at program: 8 / 4", "repetitions at step 1: 3 / 2"));
}

TEST(LogicalComparison, TakesALoopOverDirectionsForItsSteps) {
  const auto loop_of = [](const std::string& type) {
    using Kind = SaidWord::Kind;
    CallStatement send;
    send.name = "send";
    send.words = {{Kind::kPeer, "", "across x, across y, across z", ""},
                  {Kind::kNumber, "", "8,4,2", ""},
                  {Kind::kOther, "", type, ""},
                  {Kind::kNumber, "tag ", "0,1..2", "", true}};
    internal::put_words_together(send);
    LogicalText loop = text(8, 0, "");
    loop.parts = {{"", {{LoopStatement{"3", {{send}}}}}}};
    return loop;
  };
  const LogicalText steps =
      text(4, 2, "  send across x 8 int  tag 0\n  send across y 4 int  tag 0\n");
  const Comparison result = compare(steps, loop_of("int"));
  EXPECT_FALSE(result.difference);
  EXPECT_THAT(rows(result), ElementsAre("ranks at program: 4 / 8", "repetitions at step 1: 2 / 3",
                                        "size at step 1 > send 2: 4 / 8"));
  EXPECT_TRUE(compare(steps, loop_of("double")).difference);
}

TEST(LogicalComparison, SeesThatAStepDiffersInItself) {
  const std::string one = "  send across x 8 int\n";
  const std::string two = one + "  send across y 8 int\n";
  EXPECT_FALSE(compare(text(2, 1, one), text(4, 2, two)).difference);
  EXPECT_EQ(compare(text(2, 2, one + "  barrier\n"), text(4, 2, two)).difference.value().a,
            "barrier");
  EXPECT_TRUE(compare(text(2, 1, one), text(4, 2, one + "  send across y 8 double\n")).difference);
  EXPECT_TRUE(compare(text(2, 1, "  barrier\n"), text(2, 2, "  barrier\n  barrier\n")).difference);
}

TEST(LogicalComparison, TurnsTheTopology) {
  const std::string on = "  on 3x2 grid: north, west, east, south\n";
  const LogicalText a = text(6, 3,
                             on + "  recv north 1 int\n  send south 1 int\n"
                                  "  if north and not west:\n    barrier\n");
  const LogicalText b = text(6, 3,
                             on + "  recv east 1 int\n  send west 1 int\n"
                                  "  if not north and east:\n    barrier\n");
  const Comparison result = compare(a, b);
  ASSERT_FALSE(result.difference) << result.difference->a << " / " << result.difference->b;
  EXPECT_EQ(rows(result).front(), "directions at program: north, west, east, south / east, north, "
                                  "south, west");
  const LogicalText c = text(6, 3,
                             on + "  recv east 1 int\n  send north 1 int\n"
                                  "  if not north and east:\n    barrier\n");
  ASSERT_TRUE(compare(a, c).difference);
  EXPECT_EQ(compare(a, c).difference->a, "recv north 1 int"); // as it is written
}

TEST(LogicalComparison, ShowsTheFirstDifferenceAndItsPlace) {
  const std::string same = "  loop 3:\n    barrier\n";
  struct Case {
    std::string a, b, where, why;
  };
  const std::vector<Case> cases = {
      {"send east 5 double", "send west 5 double", "loop 1 > loop 1", "other arguments"},
      {"send east 5 double", "send east 5 int", "loop 1 > loop 1", "other arguments"},
      {"send east 5 double", "isend east 5 double", "loop 1 > loop 1", "another call"},
      {"send east 5 double", "send east 5 double  tag 1", "loop 1 > loop 1", "other arguments"},
      {"send east 5 double  root 1", "send east 5 double  tag 1", "loop 1 > loop 1",
       "other arguments"},
      {"send east|west 5 double", "send east 5 double", "loop 1 > loop 1", "other arguments"},
  };
  for (const Case& c : cases) {
    const auto body = [&](const std::string& call) {
      return "  loop 3:\n    barrier\n    loop 2:\n      " + call + "\n";
    };
    const Comparison result = compare(text(4, 4, body(c.a)), text(4, 4, body(c.b)));
    ASSERT_TRUE(result.difference) << c.a << " and " << c.b;
    EXPECT_EQ(result.difference->where, c.where);
    EXPECT_EQ(result.difference->why, c.why);
    EXPECT_EQ(result.difference->a, c.a);
    EXPECT_EQ(result.difference->b, c.b);
  }
}

TEST(LogicalComparison, SeesOtherNestingAndLength) {
  const LogicalText loop = text(4, 2, "  loop 3:\n    barrier\n");
  const LogicalText guard = text(4, 1, "  if west:\n    barrier\n");
  const LogicalText no_guard = text(4, 1, "  if not west:\n    barrier\n");
  const LogicalText call = text(4, 1, "  barrier\n");
  const LogicalText two = text(4, 2, "  barrier\n  barrier\n");
  EXPECT_EQ(compare(loop, call).difference.value().why, "another kind of line");
  EXPECT_EQ(compare(guard, no_guard).difference.value().why, "done by others");
  EXPECT_EQ(compare(call, two).difference.value().why, "only the second goes on");
  EXPECT_EQ(compare(two, call).difference.value().a, "barrier");
}

} // namespace
} // namespace rondo::logical
