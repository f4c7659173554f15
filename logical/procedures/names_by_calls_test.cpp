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

TEST(NamesByCalls, SayWhichCollectivesThereAre) {
  EXPECT_EQ(named({"allreduce", "allreduce"}), "allreduces");
  EXPECT_EQ(named({"barrier", "bcast", "bcast"}), "barrier_and_bcast");
  EXPECT_EQ(named({"allreduce", "irecv", "isend", "waitall"}), "allreduce_and_exchange");
  EXPECT_EQ(named({"recv", "send", "allreduce"}), "receive_send_and_allreduce");
}

TEST(NamesByCalls, AreNumbersWhereCallsDoManyThingsOrNoneThatOthersSee) {
  EXPECT_EQ(named({"recv", "send", "allreduce", "bcast"}), "part_1");
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
