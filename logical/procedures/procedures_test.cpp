// SPDX-License-Identifier: Apache-2.0
#include "rondo/logical/procedures.hpp"

#include "logical/joining/alike.hpp"
#include "rondo/base/budget.hpp"
#include "rondo/logical/comparison.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rondo::logical {
namespace {

using ::testing::HasSubstr;

constexpr const char* kNoPointToPoint = "# off topology: no point-to-point calls\n";

LogicalText parsed(const std::string& text) {
  auto read = parse_logical_text(text, "x.txt");
  EXPECT_TRUE(read) << read.error().text();
  return read ? std::move(*read) : LogicalText{};
}

std::string why_not(const std::string& text) {
  const auto read = parse_logical_text(text, "x.txt");
  return read ? "" : read.error().text();
}

// A step of six calls: at the top, in a loop, and in the guard of that loop.
std::string twice(const std::string& last) {
  const std::vector<std::string> step = {"allreduce 1 int sum", "bcast 1 int  root 0", "barrier",
                                         "allreduce 2 int max", "bcast 2 int  root 0", last};
  std::string text = "program a  # 4 ranks, 21 records\n  on ring of 4 ranks: west, east\n  init\n";
  for (const std::string& line : step) text += "  " + line + "\n";
  text += "  loop 5:\n    reduce 1 int sum  root 0\n";
  for (const std::string& line : step) text += "    " + line + "\n";
  text += "    if not west:\n";
  for (const std::string& line : step) text += "      " + line + "\n";
  return text + kNoPointToPoint;
}

// A list of directions in a loop of as many rounds, which is another loop elsewhere.
TEST(Procedures, ListsAreArgumentsInParentheses) {
  const auto loop = [](const std::string& times, const std::string& peers,
                       const std::string& tags) {
    return "  loop " + times + ":\n    barrier\n    irecv " + peers + " 8 int  tag " + tags +
           "\n    send " + peers + " 8 int  tag " + tags + "\n    wait\n  init\n";
  };
  const auto call_of = [](const char* name, const char* peers, const char* tags) {
    CallStatement call;
    call.name = name;
    call.words = {{SaidWord::Kind::kPeer, "", peers, "with"},
                  {SaidWord::Kind::kNumber, "tag ", tags, "tag", true}};
    internal::put_words_together(call);
    return call;
  };
  LogicalText text = parsed("program a  # 4 ranks, 12 records\n" + loop("2", "a, b", "1, 2") +
                            loop("3", "b, a, c", "2, 1, 1") + kNoPointToPoint);
  for (Statement& statement : text.parts.front().statements) {
    auto* one = std::get_if<LoopStatement>(&statement.is);
    if (one == nullptr) continue;
    const bool is_first = one->count == "2";
    const char* const peers = is_first ? "a, b" : "b, a, c";
    one->body[1] = {call_of("irecv", peers, is_first ? "1, 2" : "2, 1, 1")};
    one->body[2] = {call_of("send", peers, is_first ? "1, 2" : "2, 1, 1")};
  }
  const std::string written = logical_text(with_procedures(text));
  EXPECT_THAT(written, HasSubstr("call part_1(times=2, with=(a, b), tag=(1, 2))"));
  const LogicalText again = parsed(written);
  EXPECT_EQ(logical_text(again), written);
  EXPECT_EQ(again.parts.front().statements.size(), 2U);
  std::string open_list = written;
  open_list.replace(written.find("(a, b)"), 6, "a, b");
  EXPECT_THAT(why_not(open_list), HasSubstr("with a value for each of its parameters"));
}

TEST(Procedures, ShorterTextsAreLookedForWhereTheFirstOneMayBeEnough) {
  const LogicalText text = parsed(twice("allgather 1 int 1 int"));
  std::vector<std::size_t> asked; // records
  const auto answer = [&](bool is_worth_more) {
    return [&asked, is_worth_more](const LogicalText& first) {
      asked.push_back(first.records());
      return is_worth_more;
    };
  };
  const TriedText all = with_procedures_if(text, answer(true));
  EXPECT_FALSE(all.is_first);
  EXPECT_EQ(logical_text(all.text), logical_text(with_procedures(text)));
  const TriedText first = with_procedures_if(text, answer(false));
  EXPECT_TRUE(first.is_first);
  EXPECT_EQ(asked, std::vector<std::size_t>(2, first.text.records()));
}

TEST(Procedures, WhatComesAgainIsWrittenOnce) {
  const LogicalText text = parsed(twice("allgather 1 int 1 int"));
  const std::string shorter = logical_text(with_procedures(text));
  EXPECT_EQ(shorter, std::string(R"(program a  # 4 ranks, 13 records
  on ring of 4 ranks: west, east
  procedure part_1:
    allreduce 1 int sum
    bcast 1 int  root 0
    barrier
    allreduce 2 int max
    bcast 2 int  root 0
    allgather 1 int 1 int
  init
  call part_1
  loop 5:
    reduce 1 int sum  root 0
    call part_1
    if not west:
      call part_1
)") + kNoPointToPoint);
}

// Numbers of executions, in the order of the text: 1, 2, 3, ...
void number(std::vector<Statement>& statements, std::uint64_t& next) {
  for (Statement& statement : statements) {
    if (auto* loop = std::get_if<LoopStatement>(&statement.is)) number(loop->body, next);
    if (auto* guard = std::get_if<GuardStatement>(&statement.is)) number(guard->body, next);
    if (auto* call = std::get_if<CallStatement>(&statement.is)) call->executions = ++next;
  }
}

std::vector<std::uint64_t> executions_of(const std::vector<Statement>& statements) {
  std::vector<std::uint64_t> result;
  for (const Statement& statement : statements) {
    if (const auto* call = std::get_if<CallStatement>(&statement.is))
      result.push_back(call->executions);
  }
  return result;
}

// The last line of the procedure stands alone, too, and is none of the procedure's there.
TEST(Procedures, LinesAreExecutedWhereTheyStand) {
  std::string said = twice("allgather 1 int 1 int");
  said.replace(said.find("init"), 4, "allgather 1 int 1 int");
  LogicalText text = parsed(said);
  std::uint64_t all = 0;
  number(text.parts[0].statements, all);
  ASSERT_EQ(all, 20U);
  const LogicalText shorter = with_procedures(text);
  ASSERT_EQ(shorter.procedures.size(), 1U);
  EXPECT_EQ(executions_of(shorter.parts[0].statements), (std::vector<std::uint64_t>{1}));
  EXPECT_EQ(executions_of(shorter.procedures[0].statements),
            (std::vector<std::uint64_t>{2 + 9 + 15, 3 + 10 + 16, 4 + 11 + 17, 5 + 12 + 18,
                                        6 + 13 + 19, 7 + 14 + 20}));
}

TEST(Procedures, ReadAndWrittenOutTheyAreTheSameProgram) {
  const LogicalText text = parsed(twice("allgather 1 int 1 int"));
  const LogicalText read = parsed(logical_text(with_procedures(text)));
  EXPECT_EQ(read.procedures.size(), 1U);
  EXPECT_EQ(lines_expanded(read), 21U + 1);
  EXPECT_EQ(logical_text(expanded(read)), logical_text(text));
  const Comparison same = compare(read, text);
  EXPECT_FALSE(same.difference.has_value());
  EXPECT_TRUE(same.scaling.empty());
  EXPECT_TRUE(compare(read, parsed(twice("scan 1 int sum"))).difference.has_value());
}

TEST(Procedures, WhatSavesTooLittleStays) {
  const std::string text = std::string("program a  # 1 rank, 4 records\n  barrier\n  init\n") +
                           "  barrier\n  init\n" + kNoPointToPoint;
  EXPECT_EQ(logical_text(with_procedures(parsed(text))), text);
}

TEST(Procedures, TheReaderSaysWhatIsWrong) {
  const std::string head = "program a  # 1 rank, 4 records\n";
  const std::string one = "  procedure p:\n    barrier\n";
  EXPECT_THAT(why_not(head + one + "  call q\n" + kNoPointToPoint),
              HasSubstr("no procedure of this name"));
  EXPECT_THAT(why_not(head + one + one + kNoPointToPoint), HasSubstr("second procedure 'p'"));
  EXPECT_THAT(why_not(head + "  procedure p:\n    call p\n" + kNoPointToPoint),
              HasSubstr("calls 'p'"));
  EXPECT_THAT(why_not(head + "  procedure p:\n  barrier\n" + kNoPointToPoint),
              HasSubstr("something inside"));
  EXPECT_THAT(why_not(head + "  procedure p:\n" + kNoPointToPoint), HasSubstr("something inside"));
  EXPECT_THAT(why_not(head + "  init\n" + one + kNoPointToPoint), HasSubstr("opens neither"));
}

// A step of four calls and a loop, three times with another tag and size.
std::string with_values_of(std::vector<std::pair<int, int>> steps) {
  std::string text = "program a  # 4 ranks, 21 records\n  on ring of 4 ranks: west, east\n  init\n";
  for (const auto& [tag, size] : steps) {
    const std::string number = std::to_string(size);
    text += "  isend east " + number + " double  tag " + std::to_string(tag) + "\n";
    text += "  recv west " + number + " double  tag " + std::to_string(tag) + "\n";
    text += "  wait\n  send west 7 int  tag " + std::to_string(tag + 1) + "\n";
    text += "  loop " + std::to_string(size / 2) + ":\n    allreduce 1 int sum\n";
    text += "  bcast 2 int  root 0\n  barrier\n";
    if (tag == 5) text += "  scan 1 int sum\n";
  }
  return text + kNoPointToPoint;
}

std::string with_right_records(std::string text) {
  constexpr std::string_view kSaid = "ranks, 21 records";
  for (int records = 1; records < 100; ++records) {
    std::string other = text;
    other.replace(text.find(kSaid), kSaid.size(), "ranks, " + std::to_string(records) + " records");
    if (parse_logical_text(other, "x.txt")) return other;
  }
  return text;
}

TEST(Procedures, WhatDiffersInValuesIsOneWithParameters) {
  const std::string text = with_right_records(with_values_of({{4, 100}, {5, 80}, {9, 60}}));
  const std::string shorter = logical_text(with_procedures(parsed(text)));
  EXPECT_EQ(shorter, std::string(R"(program a  # 4 ranks, 14 records
  on ring of 4 ranks: west, east
  procedure part_1(count, tag, times):
    isend east $count double  tag $tag
    recv west $count double  tag $tag
    wait
    send west 7 int  tag $tag+1
    loop $times:
      allreduce 1 int sum
    bcast 2 int  root 0
    barrier
  init
  call part_1(count=100, tag=4, times=50)
  call part_1(count=80, tag=5, times=40)
  scan 1 int sum
  call part_1(count=60, tag=9, times=30)
)") + kNoPointToPoint);
  const LogicalText read = parsed(shorter);
  EXPECT_EQ(logical_text(expanded(read)), text);
  EXPECT_FALSE(compare(read, parsed(text)).difference.has_value());
  EXPECT_TRUE(compare(read, parsed(text)).scaling.empty());
}

TEST(Procedures, TheReaderSaysWhatIsWrongWithParameters) {
  const std::string head = "program a  # 1 rank, 3 records\n";
  const std::string one = "  procedure p(tag, root):\n    send itself 1 int  tag $tag+1\n";
  const auto why_not_call = [&](const std::string& call) {
    return why_not(head + one + "  call " + call + "\n" + kNoPointToPoint);
  };
  EXPECT_EQ(why_not_call("p(tag=1, root=2)"), "");
  EXPECT_THAT(why_not_call("p"), HasSubstr("a value for each of its parameters"));
  EXPECT_THAT(why_not_call("p(tag=1)"), HasSubstr("a value for each of its parameters"));
  EXPECT_THAT(why_not_call("p(root=2, tag=1)"), HasSubstr("a value for each of its parameters"));
  EXPECT_THAT(why_not_call("p(tag=, root=2)"), HasSubstr("a value for each of its parameters"));
  EXPECT_THAT(why_not_call("p(tag=$a$a, root=2)"), HasSubstr("a value for each"));
  EXPECT_THAT(why_not(head + "  procedure p(a):\n    send itself $b int\n" + kNoPointToPoint),
              HasSubstr("'$b', which is no parameter"));
  EXPECT_THAT(why_not(head + "  procedure p(a, a):\n" + kNoPointToPoint),
              HasSubstr("names of their own"));
  EXPECT_THAT(why_not(head + "  procedure p(A b):\n" + kNoPointToPoint),
              HasSubstr("names of their own"));
}

// A parameter goes on to the procedure that is called with it, and is counted on there.
TEST(Procedures, ParametersAreHandedOn) {
  const LogicalText text = parsed(std::string(R"(program a  # 1 rank, 6 records
  procedure p(tag):
    send itself 1 int  tag $tag+1
  procedure q(n):
    call p(tag=$n+3)
  call q(n=4)
  call p(tag=any)
)") + kNoPointToPoint);
  EXPECT_EQ(logical_text(expanded(text)), std::string(R"(program a  # 1 rank, 2 records
  send itself 1 int  tag 8
  send itself 1 int  tag any+1
)") + kNoPointToPoint);
}

// A procedure inside another one gets what varies as its own parameter, not that of the other.
TEST(Procedures, WhatVariesInAnInnerOneIsItsOwnParameter) {
  std::string text = "program a  # 4 ranks, 21 records\n  on ring of 4 ranks: west, east\n";
  const auto swap = [](int size, const std::string& peer) {
    std::string lines;
    for (const char* call : {"irecv", "send"})
      lines += "  " + std::string(call) + " " + peer + " " + std::to_string(size) + " int  tag 1\n";
    return lines + "  wait\n  barrier\n";
  };
  for (const int size : {10, 20, 30, 40, 50}) {
    text += swap(size, "east") + "  bcast 1 int  root 0\n" + swap(size + 1, "west");
    text += size == 40 ? "  scan 1 int sum\n" : "  init\n";
    text += swap(size + 7, "east") + swap(size + 8, "west");
  }
  const std::string right = with_right_records(text + kNoPointToPoint);
  const std::string shorter = logical_text(with_procedures(parsed(right)));
  EXPECT_THAT(shorter, HasSubstr("procedure part_2("));
  EXPECT_EQ(logical_text(expanded(parsed(shorter))), right) << shorter;
}

// Each twice the one before: a short text of 2^`doublings` lines.
std::string doubled(int doublings) {
  std::string text = "program a  # 1 rank, " + std::to_string(3 + 3 * doublings) +
                     " records\n  procedure p0:\n    barrier\n";
  for (int i = 1; i <= doublings; ++i) {
    const std::string call = "    call p" + std::to_string(i - 1) + "\n";
    text += "  procedure p" + std::to_string(i) + ":\n";
    text += call;
    text += call;
  }
  return text + "  call p" + std::to_string(doublings) + "\n" + kNoPointToPoint;
}

TEST(Procedures, ATextCostsWhatItIsWorth) {
  constexpr double kLittle = 1e-3;
  for (const int doublings : {20, 40})
    EXPECT_THAT(why_not(doubled(doublings)), HasSubstr("--limit"));
  EXPECT_EQ(why_not(doubled(12)), "");
  set_limit_factor(kLittle);
  const auto refused = parse_logical_text(doubled(12), "x.txt");
  set_limit_factor(1);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kUnsupported);
}

// irecv and send to one partner, and a wait.
std::vector<Statement> exchange(const std::string& from, const std::string& to, int count) {
  const auto call = [&](const std::string& name, const std::string& peer, const std::string& role) {
    CallStatement result;
    result.name = name;
    result.what = peer + " " + std::to_string(count);
    result.words = {
        {SaidWord::Kind::kPeer, "", peer, role},
        {SaidWord::Kind::kNumber, "", std::to_string(count), "count", false, count, count}};
    return Statement{std::move(result)};
  };
  CallStatement wait;
  wait.name = "wait";
  return {call("irecv", from, "from"), call("send", to, "to"), {std::move(wait)}};
}

LogicalText text_of_exchanges(const std::vector<std::pair<std::string, std::string>>& partners) {
  LogicalText text = parsed(twice("barrier"));
  text.parts[0].statements.clear();
  int count = 1;
  for (const auto& [from, to] : partners) {
    for (Statement& one : exchange(from, to, count++))
      text.parts[0].statements.push_back(std::move(one));
    CallStatement between;
    between.name = "barrier";
    between.what = std::string(static_cast<std::size_t>(count), 'x');
    text.parts[0].statements.push_back({std::move(between)});
  }
  return text;
}

TEST(Procedures, WhomOneSendsToAndReceivesFromAreOneParameterWhereTheyAreOneRank) {
  const std::string both = logical_text(with_procedures(text_of_exchanges(
      {{"east", "east"}, {"west", "west"}, {"north", "north"}, {"south", "south"}})));
  EXPECT_THAT(both, HasSubstr("procedure part_1(with, count):\n    irecv $with $count\n"));
  EXPECT_THAT(both, HasSubstr("call part_1(with=east, count=1)\n"));
  const std::string apart = logical_text(with_procedures(text_of_exchanges(
      {{"east", "west"}, {"west", "east"}, {"north", "south"}, {"south", "north"}})));
  EXPECT_THAT(apart, HasSubstr("procedure part_1(from, count, to):\n"));
}

} // namespace
} // namespace rondo::logical
