// SPDX-License-Identifier: Apache-2.0
#include "rondo/logical/procedures.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace rondo::logical {
namespace {

std::vector<Statement> calls(const std::vector<std::string>& names) {
  std::vector<Statement> statements;
  for (const std::string& name : names) {
    CallStatement call;
    call.name = name;
    statements.push_back({std::move(call)});
  }
  return statements;
}

std::string named(const std::vector<std::string>& names) {
  LogicalText text;
  text.procedures.push_back({"part_1", {}, {{LoopStatement{"3", calls(names)}}}});
  text.parts.push_back({"", {{GuardStatement{"west", {{InvokeStatement{"part_1"}}}}}}});
  name_by_calls(text);
  const auto& guard = std::get<GuardStatement>(text.parts[0].statements[0].is);
  EXPECT_EQ(std::get<InvokeStatement>(guard.body[0].is).name, text.procedures[0].name);
  return text.procedures[0].name;
}

TEST(NamesByCalls, SayWhereMessagesGo) {
  EXPECT_EQ(named({"irecv", "isend", "waitall"}), "exchange");
  EXPECT_EQ(named({"irecv", "send", "wait"}), "exchange");
  EXPECT_EQ(named({"recv", "send"}), "receive_and_send");
  EXPECT_EQ(named({"sendrecv"}), "exchange");
  EXPECT_EQ(named({"send", "recv"}), "send_and_receive");
  EXPECT_EQ(named({"MPI_Probe", "MPI_Mprobe", "MPI_Mrecv"}), "receives");
  EXPECT_EQ(named({"waitany"}), "waits");
}

CallStatement message(const std::string& name, const std::string& peer) {
  CallStatement call;
  call.name = name;
  call.what = peer + " 1 int";
  if (!peer.starts_with('$')) call.words = {{SaidWord::Kind::kPeer, "", peer, "to"}};
  return call;
}

std::string of_messages(const std::string& from, const std::string& to) {
  LogicalText text;
  text.procedures.push_back({"part_1", {}, {{message("recv", from)}, {message("send", to)}}});
  name_by_calls(text);
  return text.procedures[0].name;
}

TEST(NamesByCalls, SayWhichWayMessagesGoOnATree) {
  EXPECT_EQ(of_messages("child 0|child 1", "parent"), "up_the_tree");
  EXPECT_EQ(of_messages("any of child 0|child 1", "parent of binary tree"), "up_the_tree");
  EXPECT_EQ(of_messages("parent", "child 1, child 0"), "down_the_tree");
  EXPECT_EQ(of_messages("parent", "parent"), "receive_and_send"); // both ways
  EXPECT_EQ(of_messages("parent 0", "spawned 0"),
            "receive_and_send"); // processes that were started
  EXPECT_EQ(of_messages("parent", "west"), "receive_and_send");
  EXPECT_EQ(of_messages("$from", "parent"), "receive_and_send");
  LogicalText text;
  text.procedures.push_back({"part_1", {"from"}, {{message("recv", "$from")}}});
  text.procedures.push_back(
      {"part_2",
       {},
       {{InvokeStatement{"part_1", {{"from", "parent"}}}}, {message("send", "child 0")}}});
  name_by_calls(text);
  EXPECT_EQ(text.procedures[0].name, "receives");
  EXPECT_EQ(text.procedures[1].name, "down_the_tree");
}

TEST(NamesByCalls, SayWhichCollectivesThereAre) {
  EXPECT_EQ(named({"allreduce", "allreduce"}), "allreduces");
  EXPECT_EQ(named({"barrier", "bcast", "bcast"}), "barrier_and_bcast");
  EXPECT_EQ(named({"allreduce", "irecv", "isend", "waitall"}), "allreduce_and_exchange");
  EXPECT_EQ(named({"recv", "send", "allreduce"}), "receive_send_and_allreduce");
}

TEST(NamesByCalls, SumUpManyThingsAndAreNumbersWhereOthersSeeNone) {
  EXPECT_EQ(named({"recv", "send", "allreduce", "bcast"}), "receive_send_and_collectives");
  EXPECT_EQ(named({"scan", "allreduce", "bcast", "barrier"}), "collectives");
  EXPECT_EQ(named({"start", "send", "recv", "put", "get"}), "part_1");
  EXPECT_EQ(named({"type_commit", "type_free"}), "part_1");
}

TEST(NamesByCalls, CountProceduresThatAreCalledAndLeaveNamesAlone) {
  LogicalText text;
  text.procedures.push_back({"part_1", {}, calls({"irecv", "isend", "waitall"})});
  text.procedures.push_back({"solve", {}, calls({"irecv", "isend", "waitall"})});
  text.procedures.push_back({"part_3", {}, {{InvokeStatement{"part_1"}}}});
  text.procedures.push_back({"part_4", {}, {{InvokeStatement{"solve"}}}});
  for (Statement& statement : calls({"reduce"}))
    text.procedures.back().statements.push_back(std::move(statement));
  name_by_calls(text);
  std::vector<std::string> names;
  for (const Procedure& procedure : text.procedures) names.push_back(procedure.name);
  EXPECT_EQ(names,
            (std::vector<std::string>{"exchange", "solve", "exchange_2", "exchange_and_reduce"}));
}

} // namespace
} // namespace rondo::logical
