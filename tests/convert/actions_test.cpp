// SPDX-License-Identifier: Apache-2.0
// Each action of a time-independent trace as the call that it is, and each thing that can be wrong
// with a line.
#include "tests/convert/ti_folder.hpp"

#include <gmock/gmock.h>

namespace rondo::convert {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(TiActions, InitAndFinalizeFrameTheProgram) {
  const TiFolder folder;
  folder.write_rank(0, {});
  EXPECT_THAT(lines_of(folder.read()->trace, 0), ElementsAre("MPI_Init()", "MPI_Finalize()"));
}

TEST(TiActions, SendsNamePeerTagCountAndDatatype) {
  EXPECT_THAT(
      calls_of({"send 1 7 5 0", "ssend 2 7 5 1", "bsend 3 7 5"}),
      ElementsAre("MPI_Send(count=5, datatype=MPI_DOUBLE, dest=1, tag=7, comm=MPI_COMM_WORLD)",
                  "MPI_Ssend(count=5, datatype=MPI_INT, dest=2, tag=7, comm=MPI_COMM_WORLD)",
                  "MPI_Bsend(count=5, datatype=MPI_BYTE, dest=3, tag=7, comm=MPI_COMM_WORLD)"));
}

TEST(TiActions, ReceivesKnowWildcards) {
  EXPECT_THAT(
      calls_of({"recv 1 7 5 0", "recv -333 7 5 0", "recv -555 -444 -1 0"}),
      ElementsAre("MPI_Recv(count=5, datatype=MPI_DOUBLE, source=1, tag=7, comm=MPI_COMM_WORLD)",
                  "MPI_Recv(count=5, datatype=MPI_DOUBLE, source=MPI_ANY_SOURCE, tag=7, "
                  "comm=MPI_COMM_WORLD)",
                  "MPI_Recv(datatype=MPI_DOUBLE, source=MPI_ANY_SOURCE, tag=MPI_ANY_TAG, "
                  "comm=MPI_COMM_WORLD)"));
}

TEST(TiActions, ASendToNoRankGoesToProcNull) {
  EXPECT_THAT(calls_of({"send -333 7 5 0"}),
              ElementsAre("MPI_Send(count=5, datatype=MPI_DOUBLE, dest=MPI_PROC_NULL, tag=7, "
                          "comm=MPI_COMM_WORLD)"));
}

TEST(TiActions, WaitCompletesTheOldestRequestOfItsName) {
  const Lines lines = calls_of({"irecv 1 7 5 0", "isend 1 7 5 0", "irecv 1 7 6 0", "wait 1 0 7",
                                "wait 0 1 7", "wait 1 0 7"});
  EXPECT_THAT(Lines(lines.end() - 3, lines.end()),
              ElementsAre("MPI_Wait(request=#1)", "MPI_Wait(request=#2)", "MPI_Wait(request=#3)"));
}

TEST(TiActions, WaitTellsAMessageToItselfByDirectionOnlyThroughOrder) {
  const Lines lines = calls_of({"irecv 0 7 5 0", "isend 0 7 5 0", "wait 0 0 7", "wait 0 0 7"});
  EXPECT_THAT(Lines(lines.end() - 2, lines.end()),
              ElementsAre("MPI_Wait(request=#1)", "MPI_Wait(request=#2)"));
}

TEST(TiActions, WaitForAnySourceMatchesTheReceiveAsItWasPosted) {
  const Lines lines =
      calls_of({"irecv 1 7 5 0", "irecv -333 7 5 0", "wait -333 0 7", "wait 1 0 7"});
  EXPECT_THAT(Lines(lines.end() - 2, lines.end()),
              ElementsAre("MPI_Wait(request=#2)", "MPI_Wait(request=#1)"));
}

TEST(TiActions, WaitForAKnownSourceFallsBackToAWildcard) {
  const Lines lines =
      calls_of({"irecv -333 7 5 0", "irecv 1 -444 5 0", "wait 2 0 7", "wait 1 0 9"});
  EXPECT_THAT(Lines(lines.end() - 2, lines.end()),
              ElementsAre("MPI_Wait(request=#1)", "MPI_Wait(request=#2)"));
}

TEST(TiActions, TestLeavesItsRequestOpen) {
  const Lines lines = calls_of({"irecv 1 7 5 0", "test 1 0 7", "test 1 0 7", "wait 1 0 7"});
  EXPECT_THAT(Lines(lines.begin() + 1, lines.end()),
              ElementsAre("MPI_Test(request=#1)", "MPI_Test(request=#1)", "MPI_Wait(request=#1)"));
}

TEST(TiActions, WaitallTakesAllOpenRequests) {
  const Lines lines = calls_of({"irecv 1 7 5 0", "issend 1 7 5 0", "ibsend 2 7 5 0", "waitall 3"});
  EXPECT_EQ(lines.back(), "MPI_Waitall(array_of_requests=[#1 #2 #3])");
}

TEST(TiActions, WaitallOfFewerTakesTheOldestAndOfMoreHasNullOnes) {
  const Lines lines = calls_of(
      {"irecv 1 7 5 0", "irecv 2 7 5 0", "irecv 3 7 5 0", "waitall 2", "waitall 2", "waitall 0"});
  EXPECT_THAT(Lines(lines.end() - 3, lines.end()),
              ElementsAre("MPI_Waitall(array_of_requests=[#1 #2])",
                          "MPI_Waitall(array_of_requests=[#3 MPI_REQUEST_NULL])",
                          "MPI_Waitall(array_of_requests=[])"));
}

TEST(TiActions, SendrecvHasNoTags) {
  EXPECT_THAT(
      calls_of({"sendRecv 5 1 6 3 0 1"}),
      ElementsAre(
          "MPI_Sendrecv(sendcount=5, sendtype=MPI_DOUBLE, dest=1, recvcount=6, recvtype=MPI_INT, "
          "source=3, comm=MPI_COMM_WORLD)"));
}

TEST(TiActions, RootedCollectives) {
  EXPECT_THAT(calls_of({"bcast 5 2 1 ", "bcast 5", "reduce 5 0 3 1", "reduce 5 0"}),
              ElementsAre("MPI_Bcast(count=5, datatype=MPI_INT, root=2, comm=MPI_COMM_WORLD)",
                          "MPI_Bcast(count=5, datatype=MPI_BYTE, root=0, comm=MPI_COMM_WORLD)",
                          "MPI_Reduce(count=5, datatype=MPI_INT, root=3, comm=MPI_COMM_WORLD)",
                          "MPI_Reduce(count=5, datatype=MPI_BYTE, root=0, comm=MPI_COMM_WORLD)"));
}

TEST(TiActions, CollectivesOfAll) {
  EXPECT_THAT(calls_of({"barrier", "allreduce 5 0 1 ", "alltoall 2 3 0 1", "allGather 2 3 0 1",
                        "scan 4 0", "exscan 4"}),
              ElementsAre("MPI_Barrier(comm=MPI_COMM_WORLD)",
                          "MPI_Allreduce(count=5, datatype=MPI_INT, comm=MPI_COMM_WORLD)",
                          "MPI_Alltoall(sendcount=2, sendtype=MPI_DOUBLE, recvcount=3, "
                          "recvtype=MPI_INT, comm=MPI_COMM_WORLD)",
                          "MPI_Allgather(sendcount=2, sendtype=MPI_DOUBLE, recvcount=3, "
                          "recvtype=MPI_INT, comm=MPI_COMM_WORLD)",
                          "MPI_Scan(count=4, datatype=MPI_DOUBLE, comm=MPI_COMM_WORLD)",
                          "MPI_Exscan(count=4, datatype=MPI_BYTE, comm=MPI_COMM_WORLD)"));
}

TEST(TiActions, OnlyTheRootHasTheManySidedArguments) {
  EXPECT_THAT(
      calls_of({"gather 2 3 0 0 1", "gather 2 3 1 0 1", "scatter 2 3 0 0 1", "scatter 2 3 1 0 1"}),
      ElementsAre("MPI_Gather(sendcount=2, sendtype=MPI_DOUBLE, recvcount=3, recvtype=MPI_INT, "
                  "root=0, comm=MPI_COMM_WORLD)",
                  "MPI_Gather(sendcount=2, sendtype=MPI_DOUBLE, root=1, comm=MPI_COMM_WORLD)",
                  "MPI_Scatter(sendcount=2, sendtype=MPI_DOUBLE, recvcount=3, recvtype=MPI_INT, "
                  "root=0, comm=MPI_COMM_WORLD)",
                  "MPI_Scatter(recvcount=3, recvtype=MPI_INT, root=1, comm=MPI_COMM_WORLD)"));
}

TEST(TiActions, VectorCollectivesInAllTheirForms) {
  const std::string root = "MPI_Gatherv(sendcount=9, sendtype=MPI_DOUBLE, recvcounts=[1 2 3 4], "
                           "recvtype=MPI_INT, root=0, "
                           "comm=MPI_COMM_WORLD)";
  const std::string leaf =
      "MPI_Gatherv(sendcount=9, sendtype=MPI_DOUBLE, root=1, comm=MPI_COMM_WORLD)";
  EXPECT_THAT(calls_of({"gatherV 9 1 2 3 4 0 0 1", "gatherv 9 1 1 2 3 4 0 0 1", "gatherv 9 1 0 1",
                        "gatherv 9 1 1 0 1"}),
              ElementsAre(root, root, leaf, leaf));
  const std::string scattered = "MPI_Scatterv(sendcounts=[1 2 3 4], sendtype=MPI_DOUBLE, "
                                "recvcount=9, recvtype=MPI_INT, root=0, comm=MPI_COMM_WORLD)";
  EXPECT_THAT(
      calls_of({"scatterv 1 2 3 4 9 0 0 1", "scatterv 1 1 2 3 4 9 0 0 1", "scatterv 9 1 0 1"}),
      ElementsAre(scattered, scattered,
                  "MPI_Scatterv(recvcount=9, recvtype=MPI_INT, root=1, comm=MPI_COMM_WORLD)"));
  const std::string gathered =
      "MPI_Allgatherv(sendcount=9, sendtype=MPI_DOUBLE, recvcounts=[1 2 3 4], recvtype=MPI_DOUBLE, "
      "comm=MPI_COMM_WORLD)";
  EXPECT_THAT(calls_of({"allgatherv 9 1 2 3 4 0 0", "allgatherv 9 1 1 2 3 4 0 0",
                        "allgatherv 9 1 2 3 4 0"}),
              ElementsAre(gathered, gathered, gathered));
}

TEST(TiActions, AlltoallvAndReduceScatter) {
  EXPECT_THAT(
      calls_of({"alltoallv 10 1 2 3 4 20 5 6 7 8 1 0", "alltoallv 10 1 2 3 4 20 5 6 7 8"}),
      ElementsAre("MPI_Alltoallv(sendcounts=[1 2 3 4], sendtype=MPI_INT, recvcounts=[5 6 7 8], "
                  "recvtype=MPI_DOUBLE, comm=MPI_COMM_WORLD)",
                  "MPI_Alltoallv(sendcounts=[1 2 3 4], sendtype=MPI_BYTE, recvcounts=[5 6 7 8], "
                  "recvtype=MPI_BYTE, comm=MPI_COMM_WORLD)"));
  const std::string scattered =
      "MPI_Reduce_scatter(recvcounts=[1 2 3 4], datatype=MPI_DOUBLE, comm=MPI_COMM_WORLD)";
  EXPECT_THAT(calls_of({"reducescatter 1 2 3 4 0 0", "reducescatter 0 1 2 3 4 0 0"}),
              ElementsAre(scattered, scattered));
}

TEST(TiActions, NewCommunicatorsAreCallsWithoutMembers) {
  EXPECT_THAT(
      calls_of({"comm_dup 1", "comm_split 1 2", "comm_size 1", "comm_rank"}),
      ElementsAre("MPI_Comm_dup(comm=MPI_COMM_WORLD)", "MPI_Comm_split(comm=MPI_COMM_WORLD)"));
}

TEST(TiActions, BlankLinesCommentsAndLineEndsOfWindowsAreNoActions) {
  const TiFolder folder;
  folder.write("0.txt", "# a comment\n\n0 init\r\n0  barrier \r\np0 finalize\r\n");
  EXPECT_THAT(lines_of(folder.read()->trace, 0),
              ElementsAre("MPI_Init()", "MPI_Barrier(comm=MPI_COMM_WORLD)", "MPI_Finalize()"));
}

TEST(TiActions, InitWithANumberMakesDoubleTheDefault) {
  const TiFolder folder;
  folder.write("0.txt", "0 init 0\n0 bcast 3\n0 finalize\n");
  EXPECT_EQ(lines_of(folder.read()->trace, 0)[1],
            "MPI_Bcast(count=3, datatype=MPI_DOUBLE, root=0, comm=MPI_COMM_WORLD)");
}

TEST(TiActions, CountsMayBeWrittenAsReals) {
  EXPECT_THAT(
      calls_of({"bcast 1e+06 0 2"}),
      ElementsAre("MPI_Bcast(count=1000000, datatype=MPI_CHAR, root=0, comm=MPI_COMM_WORLD)"));
}

TEST(TiActions, DatatypesHaveSizesWhereTheyAreUsed) {
  const TiFolder folder;
  folder.write_rank(0, {"bcast 1 0 43", "bcast 1 0 37", "bcast 1 0 -1"});
  folder.write_rank(1, {"bcast 1 0 1"});
  const auto imported = folder.read();
  ASSERT_TRUE(imported);
  std::map<std::string, std::pair<std::int64_t, std::string>> sizes;
  for (const auto& type : imported->trace.datatypes)
    sizes[type.name] = {type.size_bytes, type.holders.text()};
  EXPECT_EQ(sizes.size(), 3U);
  EXPECT_EQ(sizes["MPI_COMPLEX16"], std::pair(std::int64_t{16}, std::string("0")));
  EXPECT_EQ(sizes["MPI_2LONG"], std::pair(std::int64_t{16}, std::string("0")));
  EXPECT_EQ(sizes["MPI_INT"], std::pair(std::int64_t{4}, std::string("1")));
  EXPECT_THAT(lines_of(imported->trace, 0)[2], HasSubstr("datatype=MPI_2LONG"));
  EXPECT_THAT(lines_of(imported->trace, 0)[3], HasSubstr("datatype=MPI_DATATYPE_NULL"));
}

// Time ------------------------------------------------------------------------------------------

TEST(TiActions, ComputationComesBeforeTheNextCall) {
  const TiFolder folder;
  folder.write_rank(0, {"compute 1500", "compute 5e2", "sleep 0.000001", "barrier",
                        "allreduce 1 4000 0", "barrier"});
  SimgridTiOptions options;
  options.flops_per_second = 2e9;
  const auto imported = folder.read(options);
  ASSERT_TRUE(imported);
  std::map<std::string, std::uint64_t> before;
  const trace::Program& program = *imported->trace.classes[0].program;
  for (const auto& place : program.times) {
    before[std::string(trace::find_function(program.calls[place.call].function)->name)] +=
        place.computation.sum_ns;
    EXPECT_EQ(place.inside.sum_ns, 0U);
  }
  EXPECT_EQ(before["MPI_Allreduce"], 0U);
  EXPECT_EQ(before["MPI_Barrier"], 2000U + 2000U)
      << "2000 flop and 1 us, then 4000 flop of the reduction";
  EXPECT_EQ(imported->trace.ranks[0].computation_ns, 4000U);
  EXPECT_EQ(imported->trace.ranks[0].calls, 5U);
}

TEST(TiActions, WithoutTimesNoneAreKept) {
  const TiFolder folder;
  folder.write_rank(0, {"compute 1500", "barrier"});
  SimgridTiOptions options;
  options.program.times = false;
  EXPECT_THAT(folder.read(options)->trace.classes[0].program->times, IsEmpty());
}

TEST(TiActions, LocationsBecomeCallSites) {
  const TiFolder folder;
  folder.write_rank(0, {"location a.c 12", "barrier", "location a.c 13", "barrier",
                        "location a.c 12", "barrier"});
  const auto imported = folder.read();
  ASSERT_TRUE(imported);
  std::vector<std::string> sites;
  trace::CallReader reader(imported->trace, imported->trace.classes[0], 0);
  while (const auto* call = reader.next())
    sites.push_back(imported->trace.sites[call->site].module);
  EXPECT_THAT(sites, ElementsAre("", "a.c:12", "a.c:13", "a.c:12", "a.c:12"));
}

// Remarks ---------------------------------------------------------------------------------------

TEST(TiRemarks, SayWhatTheTraceLeavesOpen) {
  const TiFolder folder;
  folder.write_idle_ranks(1, 2);
  folder.write_rank(0,
                    {"irecv -333 7 1 0", "irecv 1 7 1 0", "test 1 0 7", "waitall 1", "wait 1 0 7",
                     "reduce 1 0 0 0", "allreduce 1 0 0", "send -333 7 1 0", "comm_dup"});
  std::map<std::string, std::uint64_t> counts;
  const auto imported = folder.read();
  ASSERT_TRUE(imported);
  for (const Remark& remark : imported->remarks) counts[remark.what] = remark.count;
  EXPECT_EQ(counts, (std::map<std::string, std::uint64_t>{
                        {"receives from any source", 1},
                        {"reductions", 2},
                        {"calls of MPI_Waitall for some of the open requests", 1},
                        {"calls of MPI_Test", 1},
                        {"messages to a rank without number", 1},
                        {"communicators made", 1}}));
}

// Errors ----------------------------------------------------------------------------------------

TEST(TiErrors, NameFileRankAndLine) {
  const TiFolder folder;
  folder.write_rank(0, {});
  folder.write_rank(1, {"barrier", "frobnicate 1 2"});
  const auto imported = folder.read();
  ASSERT_FALSE(imported);
  EXPECT_EQ(imported.error().code, ErrorCode::kFormat);
  EXPECT_EQ(imported.error().place.file, folder.path("1.txt"));
  EXPECT_EQ(imported.error().place.line, 3U);
  EXPECT_EQ(imported.error().place.rank, 1);
  EXPECT_THAT(imported.error().message, HasSubstr("'frobnicate' is no action"));
}

struct BadLine {
  std::string line;
  std::string message;
};
class TiBadLine : public testing::TestWithParam<BadLine> {};

TEST_P(TiBadLine, IsRefusedWithWhatWasFoundAndExpected) {
  const Error error = error_of({GetParam().line});
  EXPECT_EQ(error.code, ErrorCode::kFormat) << error.message;
  EXPECT_THAT(error.message, HasSubstr(GetParam().message));
  EXPECT_EQ(error.place.line, 2U);
}

INSTANTIATE_TEST_SUITE_P(
    All, TiBadLine,
    testing::Values(
        BadLine{"", "ends behind the rank"},
        BadLine{"send 1 7",
                "send has 2 arguments on 4 ranks; expected \"dest tag count datatype?\""},
        BadLine{"send 1 7 5 0 0", "send has 5 arguments"},
        BadLine{"wait 1 0", "wait has 2 arguments"},
        BadLine{"barrier 1", "barrier has 1 argument on 4 ranks; expected none"},
        BadLine{"send 4 7 5 0", "found '4' for dest; expected a rank from 0 to 3"},
        BadLine{"send -7 7 5 0", "found '-7' for dest"},
        BadLine{"recv x 7 5 0", "found 'x'; expected a whole number for source"},
        BadLine{"send 1 t 5 0", "found 't'; expected a whole number for the tag"},
        BadLine{"send 1 7 2.5 0", "found '2.5'; expected a whole number for count"},
        BadLine{"send 1 7 -2 0", "found '-2'; expected 0 or more for count"},
        BadLine{"send 1 7 99999999999999999999 0", "expected a whole number for count"},
        BadLine{"send 1 7 5 51", "found '51'; expected SimGrid's number of a datatype, 0 to 55"},
        BadLine{"send 1 7 5 56", "found '56'"}, BadLine{"send 1 7 5 int", "found 'int'"},
        BadLine{"bcast 5 4 0", "found '4' for the root; expected a rank from 0 to 3"},
        BadLine{"bcast 5 -333 0", "found '-333' for the root"},
        BadLine{"compute", "compute has 0 arguments"},
        BadLine{"compute -1", "found '-1'; expected an amount"},
        BadLine{"compute nan", "found 'nan'"}, BadLine{"compute 1e300", "found '1e300'"},
        BadLine{"wait 1 0 7", "no request from 1 to 0 with tag 7 is open"},
        BadLine{"test 1 0 7", "no request from 1 to 0"}, BadLine{"waitall x", "found 'x'"},
        BadLine{"waitall 99999999999", "that many requests"},
        BadLine{"alltoallv 1 2 3", "alltoallv has 3 arguments on 4 ranks"},
        BadLine{"gatherv 1 2 3 x 5 0 0 1", "found 'x'; expected a whole number for recvcounts"},
        BadLine{std::string("send\x1b[31m 1"), "'send?[31m' is no action"}));

TEST(TiErrors, ActionsThatSayTooLittleAreUnsupported) {
  for (const std::string action : {"waitany 2", "Startall", "waitSome 3"}) {
    EXPECT_EQ(error_of({action}).code, ErrorCode::kUnsupported) << action;
  }
}

TEST(TiErrors, ALineOfAnotherRankIsRefused) {
  const TiFolder folder;
  folder.write_rank(0, {});
  folder.write("1.txt", "1 init\n0 barrier\n");
  EXPECT_THAT(folder.read().error().message, HasSubstr("the line is of rank 0; expected rank 1"));
  folder.write("1.txt", "one init\n");
  EXPECT_THAT(folder.read().error().message, HasSubstr("found 'one'; expected the rank, 1"));
}

TEST(TiErrors, NothingFollowsFinalize) {
  EXPECT_THAT(error_of({"finalize"}).message, HasSubstr("found 'finalize' behind finalize"));
}

TEST(TiErrors, ACutLineIsDamage) {
  const TiFolder folder;
  folder.write("0.txt", "0 init\n0 send 0 7 12");
  const auto imported = folder.read();
  ASSERT_FALSE(imported);
  EXPECT_EQ(imported.error().code, ErrorCode::kDamaged);
  EXPECT_EQ(imported.error().place.line, 2U);
  folder.write("0.txt", "0 init\n0 finalize");
  EXPECT_TRUE(folder.read()) << "nothing can be missing behind finalize but the line's end";
}

TEST(TiErrors, ARankWithoutFinalizeMakesTheTraceIncomplete) {
  const TiFolder folder;
  folder.write_rank(0, {});
  folder.write("1.txt", "1 init\n1 barrier\n");
  const auto imported = folder.read();
  ASSERT_TRUE(imported);
  EXPECT_FALSE(imported->trace.run.complete);
  EXPECT_EQ(imported->trace.run.notes, "1 rank ends without finalize");
}

TEST(TiErrors, TheComputingSpeedMustBePositive) {
  const TiFolder folder;
  folder.write_rank(0, {});
  SimgridTiOptions options;
  options.flops_per_second = 0;
  EXPECT_EQ(folder.read(options).error().code, ErrorCode::kUsage);
}

} // namespace
} // namespace rondo::convert
