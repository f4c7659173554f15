// SPDX-License-Identifier: Apache-2.0
#include "logical/joining/alike.hpp"

#include "logical/joining/alike_guards.hpp"
#include "logical/joining/alike_runs.hpp"
#include "logical/text/number_text.hpp"
#include "rondo/trace/program_text.hpp"

#include <gtest/gtest.h>

namespace rondo::logical::internal {
namespace {

using Kind = SaidWord::Kind;
using trace::RankSet;

SaidWord number(std::int64_t value, const std::string& before = "", bool is_remark = false) {
  return {Kind::kNumber, before, std::to_string(value), "count", is_remark, value, value, {value}};
}

// "isend east 8 int  tag 5"
Statement message(const std::string& name, const std::string& peer, std::int64_t count,
                  const std::string& type, std::int64_t tag) {
  CallStatement call;
  call.name = name;
  call.executions = 1;
  call.words = {{Kind::kPeer, "", peer, "to"},
                number(count),
                {Kind::kObject, "", type, "type"},
                number(tag, "tag ", true)};
  put_words_together(call);
  return {call};
}

Statement plain(const std::string& name) {
  CallStatement call;
  call.name = name;
  return {call};
}

Statement loop(const std::string& count, std::vector<Statement> body) {
  return {LoopStatement{count, std::move(body)}};
}

void write(const std::vector<Statement>& statements, const std::string& indent, std::string& to) {
  for (const Statement& statement : statements) {
    if (const auto* inner = std::get_if<LoopStatement>(&statement.is)) {
      to += indent + "loop " + inner->count + ":\n";
      write(inner->body, indent + "  ", to);
    } else if (const auto* guard = std::get_if<GuardStatement>(&statement.is)) {
      to += indent + guard->condition + ":\n";
      write(guard->body, indent + "  ", to);
    } else {
      to += indent + std::get<CallStatement>(statement.is).text() + "\n";
    }
  }
}

std::string text(const std::vector<Statement>& statements) {
  std::string result;
  write(statements, "", result);
  return result;
}

// All pairs of statements of all kinds, some of which differ in one thing.
TEST(Alike, AreStatementsOfEqualSkeletons) {
  const auto guard = [](const std::string& condition, std::vector<Statement> body) {
    return Statement{GuardStatement{condition, std::move(body)}};
  };
  const Statement send = message("send", "west", 8, "int", 5);
  std::vector<Statement> all = {send,
                                message("send", "east", 9, "double", 6),
                                message("send", "any", 8, "int", 5),
                                message("send", "any of west", 8, "int", 5),
                                message("isend", "west", 8, "int", 5),
                                plain("send"),
                                plain("barrier"),
                                loop("3", {send}),
                                loop("0..8 (mean 2)", {send}),
                                loop("rank+1", {send}),
                                loop("rank+2", {send}),
                                loop("3", {send, send}),
                                loop("3", {loop("3", {send})}),
                                guard("west", {send}),
                                guard("not west", {send}),
                                guard("west", {loop("3", {send})})};
  Statement other = send; // a word of another kind, and one in another place
  std::get<CallStatement>(other.is).words[3].kind = Kind::kOther;
  all.push_back(other);
  other = send;
  std::get<CallStatement>(other.is).words[3].is_remark = false;
  all.push_back(other);
  std::size_t alike = 0;
  for (const Statement& a : all) {
    for (const Statement& b : all) {
      EXPECT_EQ(are_alike(a, b), skeleton_of(a) == skeleton_of(b)) << text({a}) << text({b});
      alike += are_alike(a, b) ? 1 : 0;
    }
  }
  EXPECT_EQ(alike, all.size() + 6); // two sends, two from any source, two loops
}

TEST(AlikeRuns, AreALoopWhereThatSavesLines) {
  std::vector<Statement> statements;
  for (std::int64_t i = 0; i < 12; ++i) {
    statements.push_back(plain("barrier"));
    statements.push_back(
        message("send", "parent", i % 3 == 0 ? 80 : 1, i % 4 < 2 ? "int" : "double", 7));
  }
  statements.push_back(plain("finalize"));
  EXPECT_EQ(text(with_runs_as_loops(statements)),
            "loop 12:\n  barrier\n  send parent 1|80 int|double  tag 7\nfinalize\n");
}

TEST(AlikeRuns, StayWhereLittleIsSaved) {
  const std::vector<Statement> statements = {message("send", "east", 1, "int", 1),
                                             message("send", "east", 2, "int", 1),
                                             message("send", "east", 7, "double", 1)};
  EXPECT_EQ(text(with_runs_as_loops(statements)), text(statements));
}

TEST(AlikeRuns, NumbersThatCountOnAreSaidSo) {
  std::vector<Statement> statements;
  for (std::int64_t i = 0; i < 9; ++i)
    statements.push_back(message("send", "east", 64 - 8 * i, "int", 45 + i));
  EXPECT_EQ(text(with_runs_as_loops(statements)),
            "loop 9:\n  send east 64,56..0 int  tag 45,46..53\n");
}

TEST(AlikeRuns, GoingAnotherWayIsAnotherStatement) {
  std::vector<Statement> statements;
  for (const char* peer : {"north", "northeast", "east", "southeast", "south", "southwest"})
    statements.push_back(message("isend", peer, 8, "int", 1));
  EXPECT_EQ(text(with_runs_as_loops(statements)), text(statements));
}

// An exchange in a butterfly: whom one turns to comes in an order, and so do the tags.
TEST(AlikeRuns, FewWaysAreAListWhereThatIsAskedFor) {
  std::vector<Statement> statements;
  for (const auto& [peer, tag] : {std::pair("row^1", 2), {"row^2", 1}}) {
    statements.push_back(message("irecv", peer, 8, "int", tag));
    statements.push_back(message("send", peer, 8, "int", tag));
    statements.push_back(plain("wait"));
  }
  EXPECT_EQ(text(with_runs_as_loops(statements)), text(statements));
  EXPECT_EQ(text(with_runs_as_loops(statements, true)),
            "loop 2:\n  irecv row^1, row^2 8 int  tag 2, 1\n"
            "  send row^1, row^2 8 int  tag 2, 1\n  wait\n");
}

// A statement of the source that comes again at once is a loop there; at places of their own calls
// stay apart.
TEST(AlikeRuns, OneStatementOfTheSourceIsOneLineOfAList) {
  const auto statements_at = [](const std::vector<std::uint32_t>& places) {
    const std::pair<const char*, std::int64_t> kSends[] = {
        {"north|nobody", 8}, {"south|nobody", 4}, {"nobody", 2}, {"nobody", 1}};
    std::vector<Statement> statements;
    for (std::size_t i = 0; i < places.size(); ++i) {
      statements.push_back(message("send", kSends[i].first, kSends[i].second, "int", 1));
      auto& call = std::get<CallStatement>(statements.back().is);
      call.place = places[i];
      if (i < 2) call.peer_topologies = {0};
    }
    return statements;
  };
  EXPECT_EQ(text(with_runs_as_loops(statements_at({3, 3, 3, 3}))),
            "loop 4:\n  send north|nobody, south|nobody, nobody, nobody 8,4,2,1 int  tag 1\n");
  EXPECT_EQ(text(with_runs_as_loops(statements_at({3, 4, 5, 6}))),
            text(statements_at({3, 4, 5, 6})));
}

// As with all neighbours of a stencil, and with the corners that a sweep goes out from.
TEST(AlikeRuns, ManyWaysOneAfterTheOtherAreAList) {
  std::vector<Statement> statements;
  for (const char* peer :
       {"north", "northeast", "east", "southeast", "south", "southwest", "west", "northwest"}) {
    const std::int64_t count = std::string_view(peer).size() > 5 ? 1 : 32;
    statements.push_back(message("irecv", peer, count, "int", 1));
    statements.push_back(message("isend", peer, count, "int", 1));
  }
  const std::string list =
      " north, northeast, east, southeast, south, southwest, west, northwest 1|32 int  tag 1\n";
  EXPECT_EQ(text(with_runs_as_loops(statements)), "loop 8:\n  irecv" + list + "  isend" + list);

  statements.clear();
  for (const std::int64_t corner : {0, 1, 2, 3}) {
    const char* from = corner % 2 == 0 ? "west" : "east";
    const char* to = corner % 2 == 0 ? "east" : "west";
    for (const char* peer : {from, corner < 2 ? "north" : "south"})
      statements.push_back(message("recv", peer, 10, "int", corner));
    for (const char* peer : {to, corner < 2 ? "south" : "north"})
      statements.push_back(message("send", peer, 10, "int", corner));
  }
  EXPECT_EQ(text(with_runs_as_loops(statements)),
            "loop 4:\n  recv west, east, west, east 10 int  tag 0,1..3\n"
            "  recv north, north, south, south 10 int  tag 0,1..3\n"
            "  send east, west, east, west 10 int  tag 0,1..3\n"
            "  send south, south, north, north 10 int  tag 0,1..3\n");
}

// Nobody takes them for a range.
TEST(AlikeRuns, FewNumbersAreSaidEach) {
  std::vector<Statement> statements;
  for (const char tag : std::string_view("abcacbabcbac")) // nothing comes again at once
    statements.push_back(message("send", "east", 4, "int", 1100 + 200 * (tag - 'a')));
  EXPECT_EQ(text(with_runs_as_loops(statements)),
            "loop 12:\n  send east 4 int  tag 1100|1300|1500\n");
}

TEST(NumbersText, IsARangeWhereNothingIsBetweenOrMuchIs) {
  EXPECT_EQ(numbers_text({7}), "7");
  EXPECT_EQ(numbers_text({3, 4}), "3..4");
  EXPECT_EQ(numbers_text({1100, 1300}), "1100|1300");
  EXPECT_EQ(numbers_text({-1, 0, 4}), "-1|0|4");
  EXPECT_EQ(numbers_text({2, 3, 4, 9}), "2..9");
}

TEST(AlikeRuns, LoopsTakeInWhatStandsBesideThem) {
  const auto step = [](std::int64_t tag) {
    return std::vector<Statement>{message("send", "east", 4, "int", tag), plain("wait"),
                                  plain("barrier")};
  };
  std::vector<Statement> statements = step(1);
  statements.push_back(loop("5", step(2)));
  for (const Statement& statement : step(3)) statements.push_back(statement);
  EXPECT_EQ(text(with_runs_as_loops(statements)),
            "loop 7:\n  send east 4 int  tag 1..3\n  wait\n  barrier\n");
}

// The loop was found with its body cut in another place than its neighbours are.
TEST(AlikeRuns, LoopsTakeInWhatTheySayAlready) {
  SaidWord tag{Kind::kNumber, "tag ", "7000..7015", "tag", true, 7000, 7015};
  const auto with = [&](const std::string& said) {
    Statement statement = message("isend", "east", 8, "double", 0);
    auto& call = std::get<CallStatement>(statement.is);
    tag.text = said;
    call.words.back() = tag;
    put_words_together(call);
    return statement;
  };
  EXPECT_EQ(text(with_runs_as_loops({loop("2", {with("7000..7015"), plain("wait")}),
                                     with("rank+7000"), plain("wait")})),
            "loop 3:\n  isend east 8 double  tag 7000..7015\n  wait\n");
}

TEST(AlikeRuns, LoopsAreTurnedToFitTheirNeighbours) {
  const Statement send = message("send", "east", 4, "int", 2);
  std::vector<Statement> statements = {message("send", "east", 4, "int", 1), plain("wait"),
                                       plain("barrier"), message("send", "east", 4, "int", 5)};
  statements.push_back(loop("5", {plain("wait"), plain("barrier"), send}));
  statements.push_back(plain("wait"));
  statements.push_back(plain("barrier"));
  EXPECT_EQ(text(with_runs_as_loops(statements)),
            "loop 7:\n  send east 4 int  tag 1|2|5\n  wait\n  barrier\n");
}

TEST(AlikeRuns, CountsOfInnerLoopsAreARangeOrAList) {
  const auto step = [](const char* count) {
    return std::vector<Statement>{plain("barrier"), plain("test"), plain("wait"),
                                  loop(count, {plain("iprobe"), plain("recv")})};
  };
  std::vector<Statement> statements;
  for (const char* count : {"4", "4", "9"}) {
    for (Statement& statement : step(count)) statements.push_back(std::move(statement));
  }
  EXPECT_EQ(text(with_runs_as_loops(statements)),
            "loop 3:\n  barrier\n  test\n  wait\n  loop 4 x2, 9:\n    iprobe\n    recv\n");
}

TEST(AlikeRuns, DirectionsThatCountOnAreAListHoweverFew) {
  const auto sends = [](const std::vector<std::string>& peers) {
    std::vector<Statement> statements;
    for (const std::string& peer : peers) statements.push_back(message("send", peer, 4, "int", 1));
    return text(with_runs_as_loops(statements));
  };
  EXPECT_EQ(sends({"child 2", "child 1", "child 0"}),
            "loop 3:\n  send child 2, child 1, child 0 4 int  tag 1\n");
  EXPECT_EQ(sends({"+1", "+2", "+4", "+8"}), "loop 4:\n  send +1, +2, +4, +8 4 int  tag 1\n");
  EXPECT_EQ(sends({"child 1", "child 0"}),
            "send child 1 4 int  tag 1\nsend child 0 4 int  tag 1\n");
  EXPECT_EQ(sends({"+1", "+3", "+4"}),
            "send +1 4 int  tag 1\nsend +3 4 int  tag 1\nsend +4 4 int  tag 1\n");
}

TEST(AlikeRuns, LoopsOverUnevenBlocksAreOne) {
  const auto sends = [](const char* times, std::int64_t count, std::int64_t tag) {
    return loop(times, {message("send", "leaf", count, "int", tag)});
  };
  EXPECT_EQ(text(with_runs_as_loops({sends("3", 9, 1), sends("8", 8, 1)})),
            "loop 11:\n  send leaf 8..9 int  tag 1\n");
  EXPECT_EQ(text(with_runs_as_loops({sends("3", 9, 1), sends("8", 9, 2)})),
            "loop 3:\n  send leaf 9 int  tag 1\nloop 8:\n  send leaf 9 int  tag 2\n");
}

// "bcast 1 int", and how often a rank comes to it.
Statement bcast(std::int64_t count, const std::string& type, std::uint64_t times) {
  CallStatement call;
  call.name = "bcast";
  call.most_here = times;
  call.words = {number(count), {Kind::kObject, "", type, "type"}};
  put_words_together(call);
  return {call};
}

TEST(Levelling, LoopsInLoopsOfTheSameTwoCallsAreOneLoop) {
  const Statement barrier = plain("barrier");
  std::vector<Statement> statements = {
      plain("init"),
      bcast(1, "int", 1),
      loop("0..9 (mean 3)", {barrier, bcast(2, "int", 12)}),
      barrier,
      loop("4",
           {loop("0..7 (mean 2)", {bcast(5, "double", 8), barrier}), bcast(1, "int", 4), barrier}),
      loop("3", {bcast(9, "int", 3), barrier}),
      loop("2", {loop("1..2 (mean 1.5)", {bcast(9, "double", 3), barrier}), bcast(9, "int", 2),
                 barrier}),
      loop("5", {bcast(70, "int", 5), barrier}),
      plain("finalize")};
  EXPECT_EQ(text(with_runs_as_loops(statements)),
            "init\nloop 38:\n  bcast 1..70 int|double\n  barrier\nfinalize\n");
}

TEST(Levelling, LeavesShortTextsAndOtherPeersAlone) {
  const std::vector<Statement> few = {
      loop("2", {loop("0..3 (mean 1)", {bcast(1, "int", 2), plain("barrier")}), bcast(2, "int", 2),
                 plain("barrier")})};
  EXPECT_EQ(text(with_runs_as_loops(few)), text(few));
  std::vector<Statement> ways;
  for (const char* peer : {"west", "east", "north"}) {
    ways.push_back(loop("0..3 (mean 1)", {message("send", peer, 1, "int", 1), plain("barrier")}));
    ways.push_back(loop("0..9 (mean 2)", {message("send", peer, 1, "int", 1), plain("barrier")}));
    ways.push_back(message("send", peer, 1, "int", 1));
    ways.push_back(plain("barrier"));
  }
  EXPECT_EQ(text(with_runs_as_loops(ways)), text(ways));
}

// Two buffers in turn: what tells them apart is not said.
TEST(AlikeRuns, ABodyOfEqualRoundsOfTheSourceIsSoManyRounds) {
  const auto at = [](const std::string& name, std::uint32_t place) {
    Statement call = plain(name);
    std::get<CallStatement>(call.is).place = place;
    return call;
  };
  const std::vector<Statement> twice = {at("startall", 1), at("waitall", 2), at("startall", 1),
                                        at("waitall", 2)};
  EXPECT_EQ(text(with_runs_as_loops({loop("9", twice)})), "loop 18:\n  startall\n  waitall\n");
  std::vector<Statement> elsewhere = twice;
  std::get<CallStatement>(elsewhere[2].is).place = 3; // written twice in the source
  EXPECT_EQ(text(with_runs_as_loops({loop("9", elsewhere)})),
            "loop 9:\n  loop 2:\n    startall\n    waitall\n");
}

// for (i) { send a length; send a name; }
TEST(AlikeRuns, AreAsManyStatementsAsHaveFewestWordsThatDiffer) {
  std::vector<Statement> names;
  for (std::int64_t tag = 0; tag < 6; ++tag) {
    names.push_back(message("send", "west", 1, "int", tag));
    names.push_back(message("send", "west", 8, "char", tag));
  }
  const std::string folded = text(with_runs_as_loops(names));
  EXPECT_TRUE(folded.starts_with("loop 6:\n  send west 1 int")) << folded;
  EXPECT_NE(folded.find("\n  send west 8 char"), std::string::npos) << folded;
}

// for (i) { receive; if (i % 5 == 0) send; }
TEST(AlikeRuns, AreOneLoopWithAnIfWhereTheSameStandsBesideAnInnerLoop) {
  const Statement receive = message("recv", "west", 1, "int", 0);
  const Statement send = message("send", "east", 8, "char", 3);
  const Statement inner{LoopStatement{"4", {receive}}};
  const Statement in_front{LoopStatement{"6", {receive, send, inner}}};
  EXPECT_EQ(text(with_runs_as_loops({in_front})),
            "loop 30:\n  recv west 1 int  tag 0\n  loop 0..1 (every 5th from 1):\n"
            "    send east 8 char  tag 3\n");
  const Statement behind{LoopStatement{"6", {inner, send, receive}}};
  EXPECT_EQ(text(with_runs_as_loops({behind})),
            "loop 30:\n  recv west 1 int  tag 0\n  loop 0..1 (every 5th from 4):\n"
            "    send east 8 char  tag 3\n");
  const std::string others = text(with_runs_as_loops({{LoopStatement{"6", {send, inner, send}}}}));
  EXPECT_TRUE(others.starts_with("loop 6:\n  send")) << others;
}

// for (i) { receive; if (i % 5 == 0) send; } of rounds that are no multiple of five.
TEST(AlikeRuns, AreOneLoopWithAnIfWhereTheFirstAndTheLastRoundsStandApart) {
  const Statement receive = message("recv", "west", 1, "int", 0);
  const Statement send = message("send", "east", 8, "char", 3);
  const auto loop_of = [](const char* count, std::vector<Statement> body) {
    return Statement{LoopStatement{count, std::move(body)}};
  };
  const auto with_if = [](const std::string& rounds, const std::string& which, bool is_behind) {
    const std::string inner = "  loop 0..1 (every " + which + "):\n    send east 8 char  tag 3\n";
    const std::string often = "  recv west 1 int  tag 0\n";
    return "loop " + rounds + ":\n" + (is_behind ? often + inner : inner + often);
  };
  const Statement middle = loop_of("3", {send, loop_of("5", {receive})});
  EXPECT_EQ(text(with_runs_as_loops({receive, middle, send, receive, receive})),
            with_if("18", "5th from 1", true));
  EXPECT_EQ(
      text(with_runs_as_loops({receive, loop_of("3", {send, loop_of("5, 5, 2", {receive})})})),
      with_if("13", "5th from 1", true));
  const Statement whole = loop_of("3", {loop_of("5", {receive}), send});
  EXPECT_EQ(text(with_runs_as_loops({whole, loop_of("4", {receive})})), with_if("19", "5th", true));
  const Statement in_front = loop_of("3", {send, loop_of("5", {receive})});
  EXPECT_EQ(text(with_runs_as_loops({in_front, send, loop_of("2", {receive})})),
            with_if("17", "5th from 1", false));
}

// for (i) { if (i > 0) reduce; exchange; } of an exchange that is one of the source.
TEST(AlikeRuns, AreOneLoopWhereOneRoundLacksSomething) {
  const auto at = [](const std::string& name, std::uint32_t place) {
    Statement call = plain(name);
    std::get<CallStatement>(call.is).place = place;
    return call;
  };
  const std::vector<Statement> exchange = {at("irecv", 2), at("isend", 3), at("waitall", 4)};
  const auto text_of_loop = [&](std::uint32_t reduce, std::uint32_t irecv_behind) {
    std::vector<Statement> body = exchange;
    body.push_back(at("reduce", reduce));
    std::vector<Statement> all = {{LoopStatement{"9", std::move(body)}}};
    all.push_back(at("irecv", irecv_behind));
    all.insert(all.end(), exchange.begin() + 1, exchange.end());
    return text(with_runs_as_loops(all));
  };
  EXPECT_EQ(text_of_loop(7, 2), "loop 10:\n  irecv\n  isend\n  waitall\n"
                                "  loop 0..1 (all but the last):\n    reduce\n");
  EXPECT_EQ(text_of_loop(1, 2), "loop 10:\n  loop 0..1 (all but the first):\n    reduce\n"
                                "  irecv\n  isend\n  waitall\n");
  EXPECT_TRUE(text_of_loop(7, 5).starts_with("loop 9:\n")) << "written twice in the source";
}

// for (i = 1..10) { exchange; if (i == 1 || i == 10) reduce; }
TEST(AlikeRuns, AreOneLoopWhereTheFirstAndTheLastRoundHaveSomethingMore) {
  const auto at = [](const std::string& name, std::uint32_t place) {
    Statement call = plain(name);
    std::get<CallStatement>(call.is).place = place;
    return call;
  };
  const auto text_with = [&](std::uint32_t reduce_behind) {
    const std::vector<Statement> exchange = {at("irecv", 2), at("isend", 3), at("waitall", 4)};
    std::vector<Statement> all = exchange;
    all.push_back(at("reduce", 5));
    all.push_back({LoopStatement{"9", exchange}});
    all.push_back(at("reduce", reduce_behind));
    return text(with_runs_as_loops(all));
  };
  EXPECT_EQ(text_with(5),
            "loop 10:\n  irecv\n  isend\n  waitall\n  loop 1, 0 x8, 1:\n    reduce\n");
  EXPECT_TRUE(text_with(6).starts_with("irecv\n")) << "written twice in the source";
}

// for (i) { exchange; if (i % 5 == 0 || i == 1) reduce; }
TEST(AlikeRuns, AreOneLoopWithAnIfWhereTheFirstRoundHasItToo) {
  const Statement receive = message("recv", "west", 1, "int", 0);
  const Statement send = message("send", "east", 8, "char", 3);
  const Statement inner{LoopStatement{"4, 5 x2", {receive}}};
  EXPECT_EQ(text(with_runs_as_loops({receive, send, {LoopStatement{"3", {inner, send}}}})),
            "loop 15:\n  recv west 1 int  tag 0\n  loop 0..1 (every 5th and the first):\n"
            "    send east 8 char  tag 3\n");
}

// for (i) { receive; if (i % 5 == 0) send; reduce; }: what repeats begins behind the send, or is
// cut at the end of it.
TEST(AlikeRuns, AreOneLoopWithAnIfInTheMiddleOfARound) {
  const Statement receive = message("recv", "west", 1, "int", 0);
  const Statement send = message("send", "east", 8, "char", 3);
  const Statement reduce = plain("reduce");
  const auto loop = [](const char* count, std::vector<Statement> body) {
    return Statement{LoopStatement{count, std::move(body)}};
  };
  const auto whole = [](const std::string& rounds, const std::string& which) {
    return "loop " + rounds + ":\n  recv west 1 int  tag 0\n  loop 0..1 (every " + which +
           "):\n    send east 8 char  tag 3\n  reduce\n";
  };
  EXPECT_EQ(text(with_runs_as_loops(
                {receive, loop("4", {send, loop("4, 5 x2, 2", {reduce, receive})}), reduce})),
            whole("17", "5th and the first"));
  EXPECT_EQ(text(with_runs_as_loops(
                {receive, loop("4", {send, loop("5 x3, 2", {reduce, receive})}), reduce})),
            whole("18", "5th from 1"));
  const Statement cut = loop("3", {loop("4", {receive, reduce}), receive, send, reduce});
  EXPECT_EQ(text(with_runs_as_loops({cut, loop("2", {receive, reduce})})), whole("17", "5th"));
  const Statement joined =
      loop("3", {loop("5", {receive, loop("0..1 (all but the last)", {reduce})}), send, reduce});
  EXPECT_EQ(text(with_runs_as_loops({joined})), whole("15", "5th"));
  const std::vector<Statement> other = {receive, loop("4", {send, loop("5", {receive, reduce})}),
                                        reduce};
  EXPECT_EQ(text(with_runs_as_loops(other)), text(other)) << "no rounds";
}

// Python's calls have no lines, and mpi4py's collectives of objects a tag more each time.
TEST(AlikeRuns, AreOneLoopWhereTagsCountOn) {
  const auto tagged = [](std::int64_t least, std::int64_t most) {
    Statement call = message("recv", "west", 1, "int", least);
    SaidWord& tag = std::get<CallStatement>(call.is).words.back();
    tag.remark = SaidWord::Remark::kTag;
    tag.most = most;
    tag.values.clear();
    for (std::int64_t value = least; value <= most; ++value) tag.values.push_back(value);
    tag.text = std::to_string(least) + (least < most ? ".." + std::to_string(most) : "");
    put_words_together(std::get<CallStatement>(call.is));
    return call;
  };
  const Statement send = message("send", "east", 8, "char", 3);
  const auto turned = [&](std::int64_t last) {
    return text(with_runs_as_loops({send, loop("9", {tagged(0, 8), send}), tagged(last, last)}));
  };
  EXPECT_EQ(turned(9), "loop 10:\n  send east 8 char  tag 3\n  recv west 1 int  tag 0..9\n");
  const Statement other = message("isend", "west", 8, "char", 3);
  EXPECT_EQ(text(with_runs_as_loops({send, other, plain("comm_dup"),
                                     loop("9", {tagged(0, 8), plain("bcast"), send, other}),
                                     tagged(9, 9), plain("bcast")})),
            "loop 10:\n  send east 8 char  tag 3\n  isend west 8 char  tag 3\n"
            "  loop 0..1 (the first):\n    comm_dup\n  recv west 1 int  tag 0..9\n  bcast\n");
  EXPECT_TRUE(turned(11).starts_with("send")) << "another call, perhaps";
  const Statement whole = loop("3", {loop("3", {tagged(0, 8), send}), plain("reduce")});
  EXPECT_EQ(text(with_runs_as_loops({whole, tagged(9, 9), send})),
            "loop 10:\n  recv west 1 int  tag 0..9\n  send east 8 char  tag 3\n"
            "  loop 0..1 (every 3rd):\n    reduce\n");
}

// for (i) { isend; if (i > 0) wait; recv; }: a loop cut behind the wait, or in front of the isend.
TEST(AlikeRuns, AreOneLoopWhereWhatIsInTheMiddleIsNotInTheFirstRound) {
  const auto at = [](const std::string& name, std::uint32_t place) {
    Statement call = plain(name);
    std::get<CallStatement>(call.is).place = place;
    return call;
  };
  const auto text_of = [&](std::uint32_t receive_behind) {
    return text(
        with_runs_as_loops({at("isend", 2),
                            {LoopStatement{"9", {at("recv", 4), at("isend", 2), at("wait", 3)}}},
                            at("recv", receive_behind)}));
  };
  const std::string whole =
      "loop 10:\n  isend\n  loop 0..1 (all but the first):\n    wait\n  recv\n";
  EXPECT_EQ(text_of(4), whole);
  EXPECT_TRUE(text_of(5).starts_with("isend\nloop 9:\n")) << "written twice in the source";
  EXPECT_EQ(text(with_runs_as_loops(
                {at("isend", 2),
                 at("recv", 4),
                 {LoopStatement{"9", {at("isend", 2), at("wait", 3), at("recv", 4)}}}})),
            whole);
}

TEST(AlikeRuns, StayApartWhereWhatComesSeldomComesUnevenly) {
  const Statement receive = message("recv", "west", 1, "int", 0);
  const Statement send = message("send", "east", 8, "char", 3);
  const Statement whole{LoopStatement{"3", {Statement{LoopStatement{"5", {receive}}}, send}}};
  const std::vector<Statement> longer_at_end = {whole, {LoopStatement{"6", {receive}}}};
  EXPECT_EQ(text(with_runs_as_loops(longer_at_end)), text(longer_at_end));
  const std::vector<Statement> uneven = {
      receive, {LoopStatement{"3", {send, Statement{LoopStatement{"5, 4, 5", {receive}}}}}}};
  EXPECT_EQ(text(with_runs_as_loops(uneven)), text(uneven));
}

std::string under_guards(std::vector<Guarded> items) {
  const auto condition = [](const RankSet& set, const RankSet& = {}) {
    return trace::guard_text(set);
  };
  const auto counts = [](const std::map<std::int64_t, std::int64_t>& of_rank, auto) {
    std::string list;
    for (const auto& [rank, count] : of_rank)
      list += (list.empty() ? "" : ", ") + std::to_string(count);
    return "[" + list + "]";
  };
  return text(
      statements_under_guards(std::move(items), RankSet::of({0, 1, 2, 3}), condition, counts));
}

TEST(AlikeGuards, AreOneStatementThatEachRankGoesThroughAsOften) {
  const Statement any = message("recv", "west|south", 1, "int", 1);
  const Statement other = message("recv", "north|west", 2, "int", 1);
  std::vector<Guarded> items;
  items.push_back({RankSet::of({0, 3}), {any, any}, false});
  items.push_back({RankSet::of({1, 2, 3}), {other}, false});
  EXPECT_EQ(under_guards(items), "loop [2, 1, 1, 3]:\n  recv west|south|north 1..2 int  tag 1\n");
  items[0].ranks = RankSet::of({0, 1});
  items[1].ranks = RankSet::of({1, 2});
  EXPECT_EQ(under_guards(items),
            "ranks 0-2:\n  loop [2, 3, 1]:\n    recv west|south|north 1..2 int  tag 1\n");
}

// Of a tree: the root only sends, the others receive first.
// Two statements of the source, each under an `if` that the data decides.
TEST(AlikeGuards, InSomeRoundsComeSoOftenInAllAndAreNoLoopOfTwo) {
  const Statement swap = loop("0..1 (mean 0.1)", {message("sendrecv", "west|south", 1, "int", 1)});
  const Statement other = loop("0..1 (mean 0.1)", {message("sendrecv", "north|west", 1, "int", 1)});
  std::vector<Guarded> items;
  items.push_back({RankSet::of({0, 3}), {swap, swap}, false});
  items.push_back({RankSet::of({0, 1, 2, 3}), {other}, true});
  const std::string text = under_guards(items);
  EXPECT_EQ(text.find("in some rounds"), std::string::npos) << text;
  EXPECT_EQ(text, "loop 0..3 (mean 0.2):\n  sendrecv west|south|north 1 int  tag 1\n");
}

TEST(AlikeGuards, AlikeCallsStandTogetherWhereNoRankCanTell) {
  const Statement receive = message("recv", "parent", 1, "int", 1);
  std::vector<Guarded> items;
  items.push_back({RankSet::of({0}), {message("send", "child 2", 1, "int", 1)}, true});
  items.push_back({RankSet::of({0}), {message("send", "child 1", 1, "int", 1)}, true});
  items.push_back({RankSet::of({1, 2, 3}), {receive}, true});
  items.push_back({RankSet::of({0, 2}), {message("send", "child 0", 1, "int", 1)}, true});
  EXPECT_EQ(under_guards(items), "recv parent 1 int  tag 1\nsend child 2 1 int  tag 1\n"
                                 "send child 1 1 int  tag 1\nsend child 0 1 int  tag 1\n");
  items[1].ranks = RankSet::of({0, 1}); // and rank 1 sends before it receives
  EXPECT_EQ(under_guards(items), "send child 2 1 int  tag 1\nsend child 1 1 int  tag 1\n"
                                 "recv parent 1 int  tag 1\nsend child 0 1 int  tag 1\n");
}

// Ranks with more neighbours go round more often; the loops of some were cut in two.
TEST(AlikeGuards, LoopsOfOtherRanksAreOneWhereNoRankCanTell) {
  const Statement receive = message("irecv", "west|south", 1, "int", 1);
  const Statement send = message("isend", "east|north", 2, "int", 1);
  std::vector<Guarded> items;
  items.push_back({RankSet::of({1, 2}), {loop("4", {receive})}, false});
  items.push_back({RankSet::of({1, 2}), {loop("2", {send})}, false});
  items.push_back({RankSet::of({0, 3}), {loop("2", {receive})}, false});
  items.push_back({RankSet::of({0, 1, 2, 3}), {loop("2", {send})}, true});
  EXPECT_EQ(under_guards(items), "loop [2, 4, 4, 2]:\n  irecv west|south 1 int  tag 1\n"
                                 "loop [2, 4, 4, 2]:\n  isend east|north 2 int  tag 1\n");
}

TEST(AlikeGuards, OverAllNeighboursSaysSoWhereTheListIsCutShort) {
  std::vector<Statement> body = {message("isend", "west|east|...", 1, "int", 1),
                                 message("isend", "west|east", 1, "int", 1),
                                 message("irecv", "any of west|...", 1, "int", 1), plain("wait")};
  say_neighbours(body);
  EXPECT_EQ(text(body), "isend neighbour 1 int  tag 1\nisend west|east 1 int  tag 1\n"
                        "irecv any of west|... 1 int  tag 1\nwait\n");
}

TEST(AlikeGuards, GoingAnotherWayIsAnotherStatement) {
  std::vector<Guarded> items;
  items.push_back({RankSet::of({0, 3}), {message("recv", "west", 1, "int", 1)}, false});
  items.push_back({RankSet::of({1, 2}), {message("recv", "east", 1, "int", 1)}, false});
  EXPECT_EQ(under_guards(items),
            "ranks 0,3:\n  recv west 1 int  tag 1\nranks 1-2:\n  recv east 1 int  tag 1\n");
}

Statement at_place(Statement statement, std::uint32_t place) {
  if (auto* inner = std::get_if<LoopStatement>(&statement.is)) {
    for (Statement& one : inner->body) one = at_place(std::move(one), place);
  } else {
    std::get<CallStatement>(statement.is).place = place;
  }
  return statement;
}

TEST(AlikeRuns, LoopsOfOnePlaceInWhichNumbersDifferAreALoopInALoop) {
  std::vector<Statement> rounds;
  for (const std::int64_t tag : {4, 8, 12})
    rounds.push_back(at_place(loop("6", {message("recv", "leaf", 8, "int", tag)}), 3));
  EXPECT_EQ(text(with_runs_as_loops(rounds)),
            "loop 3:\n  loop 6:\n    recv leaf 8 int  tag 4|8|12\n");
  rounds[1] = at_place(rounds[1], 4);
  EXPECT_EQ(text(with_runs_as_loops(rounds)), text(rounds));
}

// A list has as many entries as the loop that it counts on has rounds: not as the one inside.
TEST(AlikeRuns, SweepsThatGoEachItsOwnWayAreALoopInALoop) {
  const auto sweeps = [](const char* planes) {
    std::vector<Statement> rounds;
    for (std::int64_t i = 0; i < 4; ++i) {
      const char* from = i % 2 == 0 ? "west" : "east";
      const char* to = i % 2 == 0 ? "east" : "west";
      rounds.push_back(at_place(
          loop(planes, {message("recv", from, 8, "int", i), message("send", to, 8, "int", i)}), 3));
    }
    return rounds;
  };
  EXPECT_EQ(text(with_runs_as_loops(sweeps("6"))),
            "loop 4:\n  loop 6:\n    recv west, east, west, east 8 int  tag 0,1..3\n"
            "    send east, west, east, west 8 int  tag 0,1..3\n");
  EXPECT_EQ(text(with_runs_as_loops(sweeps("4"))), text(sweeps("4")));
  std::vector<Statement> rounds = sweeps("6");
  rounds[2] = at_place(rounds[2], 4);
  EXPECT_EQ(text(with_runs_as_loops(rounds)), text(rounds));
}

TEST(AlikeRuns, OnCommunicatorsInTurnAreOneWhereTheSourceHasOneStatement) {
  const auto on = [](const std::string& name, const std::string& peer, const std::string& comm) {
    Statement one = message(name, peer, 8, "int", 0);
    auto& call = std::get<CallStatement>(one.is);
    call.words.push_back({Kind::kOther, "on ", comm, "comm", true});
    call.words.back().remark = SaidWord::Remark::kComm;
    put_words_together(call);
    return at_place(one, name == "send" ? 1 : 2);
  };
  std::vector<Statement> levels;
  for (const auto& [peer, comm] : {std::pair("west", "split#1"), std::pair("east", "split#2")}) {
    for (const char* name : {"send", "recv"}) levels.push_back(on(name, peer, comm));
    levels.push_back(on("test", peer, comm));
  }
  EXPECT_EQ(text(with_runs_as_loops(levels)),
            "loop 2:\n  send west, east 8 int  tag 0  on split#1, split#2\n"
            "  recv west, east 8 int  tag 0  on split#1, split#2\n"
            "  test west, east 8 int  tag 0  on split#1, split#2\n");
  levels[0] = at_place(levels[0], 7);
  EXPECT_EQ(text(with_runs_as_loops(levels)), text(levels));
}

// A statement of the source that waits in each round for what was sent in its direction.
TEST(AlikeRuns, GuardsOfADirectionEachAreAListWhereTheSourceHasOneStatement) {
  const auto rounds = [](std::uint32_t place, const std::string& last) {
    std::vector<Statement> result;
    for (const std::string& hop : {std::string("+1"), std::string("+2"), last}) {
      result.push_back(at_place(message("isend", hop, 8, "int", 0), 1));
      result.push_back({GuardStatement{hop, {at_place(plain("wait"), 2)}}});
    }
    result[3] = {GuardStatement{"+2", {at_place(plain("wait"), place)}}};
    return result;
  };
  EXPECT_EQ(text(with_runs_as_loops(rounds(2, "+4"))),
            "loop 3:\n  isend +1, +2, +4 8 int  tag 0\n  +1, +2, +4:\n    wait\n");
  EXPECT_EQ(text(with_runs_as_loops(rounds(3, "+4"))), text(rounds(3, "+4")));
  EXPECT_EQ(text(with_runs_as_loops(rounds(2, "even"))),
            "loop 2:\n  isend +1, +2 8 int  tag 0\n  +1, +2:\n    wait\n"
            "isend even 8 int  tag 0\neven:\n  wait\n");
}

} // namespace
} // namespace rondo::logical::internal
