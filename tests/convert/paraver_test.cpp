// SPDX-License-Identifier: Apache-2.0
// Hand-made Paraver traces, and what becomes of them.
#include "rondo/convert/detect.hpp"
#include "rondo/convert/paraver.hpp"
#include "rondo/trace/time_stamps.hpp"
#include "tests/convert/ti_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

namespace rondo::convert {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kTwoRanks = "#Paraver (09/10/2019 at 16:08):1000_ns:1(2):1:2(1:1,1:1),3\n"
                                  "c:1:1:2:1:2\nc:1:2:1:1\nc:1:3:1:2\n";

// A trace in a folder of its own.
class Prv {
public:
  explicit Prv(const std::string& records, const std::string& header = kTwoRanks) {
    folder_.write("run.prv", header + records);
  }
  std::string path(const std::string& name = "run.prv") const { return folder_.path(name); }
  void write(const std::string& name, const std::string& text) const { folder_.write(name, text); }
  Result<Imported> read(bool merges = true) const {
    ImportOptions options;
    options.all_times = true;
    options.merges = merges;
    return read_paraver(path(), options);
  }
  Lines lines(std::int64_t rank) const {
    const auto imported = read();
    return imported ? lines_of(imported->trace, rank) : Lines{imported.error().text()};
  }
  std::string error() const {
    const auto imported = read();
    return imported ? "no error" : imported.error().text();
  }

private:
  TiFolder folder_;
};

// "2:task:time:type:value..." on one processor and thread.
std::string event(int task, int time, const std::string& values) {
  return "2:1:1:" + std::to_string(task) + ":1:" + std::to_string(time) + ":" + values + "\n";
}
std::string state(int task, int begin, int end, int what) {
  return "1:1:1:" + std::to_string(task) + ":1:" + std::to_string(begin) + ":" +
         std::to_string(end) + ":" + std::to_string(what) + "\n";
}
std::string message(int from, int sent, int to, int posted, int came, int bytes, int tag) {
  return "3:1:1:" + std::to_string(from) + ":1:" + std::to_string(sent) + ":" +
         std::to_string(sent) + ":1:1:" + std::to_string(to) + ":1:" + std::to_string(posted) +
         ":" + std::to_string(came) + ":" + std::to_string(bytes) + ":" + std::to_string(tag) +
         "\n";
}

std::vector<trace::CallTime> times_of(const trace::Trace& trace, std::int64_t rank) {
  std::vector<trace::CallTime> all;
  trace::TimeStampReader reader(*trace.stamps_of(rank));
  while (const auto time = reader.next()) all.push_back(*time);
  return all;
}

TEST(Paraver, InterCommunicatorsAreCounted) {
  const Prv prv(event(1, 10, "50000003:31") + event(1, 20, "50000003:0"),
                std::string(kTwoRanks) + "i:1:4:2:3\n");
  const auto imported = prv.read();
  ASSERT_TRUE(imported) << imported.error().text();
  EXPECT_THAT(imported->remarks,
              Contains(testing::Field(&Remark::what, HasSubstr("inter-communicators"))));
}

TEST(Paraver, KeepsTimesExactlyAndTellsOtherStatesApart) {
  // rank 0: 100 ns not created, runs for 50, MPI_Init 50, I/O 30, runs 70, MPI_Finalize 10, runs 5
  const Prv prv(state(1, 0, 100, 2) + state(2, 0, 900, 1) + state(1, 100, 150, 1) +
                event(1, 150, "50000003:31") + state(1, 150, 200, 15) +
                event(1, 200, "50000003:0") + state(1, 200, 230, 12) + state(1, 230, 300, 1) +
                state(1, 300, 310, 15) + event(1, 300, "50000003:32:42000050:77") +
                state(1, 310, 315, 1) + event(1, 310, "50000003:0"));
  const auto imported = prv.read();
  ASSERT_TRUE(imported) << imported.error().text();
  const trace::Trace& trace = imported->trace;
  EXPECT_THAT(times_of(trace, 0),
              ElementsAre(trace::CallTime{150, 50, 50}, trace::CallTime{300, 70, 10}));
  EXPECT_EQ(trace.ranks[0].computation_ns, 125); // 5 behind the last call
  EXPECT_EQ(trace.ranks[1].computation_ns, 900); // of a rank without calls
  EXPECT_EQ(trace.ranks[0].inside_ns, 60);
  EXPECT_EQ(trace.ranks[0].span_ns, 1000);
  EXPECT_EQ(trace.run.start_unix_ns, 1570637280'000'000'000);
  EXPECT_FALSE(trace.run.complete); // rank 1 has no MPI_Finalize
}

TEST(Paraver, MatchesMessagesWithTheirCalls) {
  const Prv prv(
      event(2, 10, "50000001:2") + event(1, 20, "50000001:1") + message(1, 20, 2, 10, 45, 4096, 7) +
      event(1, 30, "50000001:0") + event(2, 45, "50000001:0") +
      // the record stands before the receive is posted
      event(1, 50, "50000001:1") + message(1, 50, 2, 60, 70, 8, 9) + event(1, 55, "50000001:0") +
      event(2, 60, "50000001:2") + event(2, 70, "50000001:0"));
  EXPECT_THAT(
      prv.lines(0),
      ElementsAre("MPI_Send(count=4096, datatype=MPI_BYTE, dest=1, tag=7, comm=MPI_COMM_WORLD)",
                  "MPI_Send(count=8, datatype=MPI_BYTE, dest=1, tag=9, comm=MPI_COMM_WORLD)"));
  EXPECT_THAT(
      prv.lines(1),
      ElementsAre("MPI_Recv(count=4096, datatype=MPI_BYTE, source=0, tag=7, comm=MPI_COMM_WORLD)",
                  "MPI_Recv(count=8, datatype=MPI_BYTE, source=0, tag=9, comm=MPI_COMM_WORLD)"));
}

// Reconstructed times: the receive ends long before its message is sent.
TEST(Paraver, MessagesMayComeBeforeTheyAreSent) {
  const Prv prv(event(2, 10, "50000001:2") + event(2, 20, "50000001:0") +
                    event(2, 30, "50000002:8") + event(2, 40, "50000002:0") +
                    event(1, 50'000'000, "50000001:1") +
                    message(1, 50'000'000, 2, 10, 20, 4096, 7) + event(1, 50'000'010, "50000001:0"),
                "#Paraver (09/10/2019 at 16:08):60000000_ns:1(2):1:2(1:1,1:1),0\n");
  EXPECT_THAT(prv.lines(1), ElementsAre(HasSubstr("MPI_Recv(count=4096, datatype=MPI_BYTE, "
                                                  "source=0, tag=7"),
                                        HasSubstr("MPI_Barrier")));
}

TEST(Paraver, CompletesRequestsWhereTheirMessagesCame) {
  const Prv prv(
      event(2, 10, "50000001:4") + event(2, 12, "50000001:0") + event(2, 14, "50000001:4") +
      event(2, 16, "50000001:0") + event(2, 20, "50000001:3") + message(2, 20, 1, 90, 95, 3, 1) +
      event(2, 22, "50000001:0") + event(1, 30, "50000001:1") + message(1, 30, 2, 10, 80, 1, 5) +
      event(1, 31, "50000001:0") + event(1, 40, "50000001:1") + message(1, 40, 2, 14, 55, 2, 6) +
      event(1, 41, "50000001:0") + event(2, 50, "50000001:5") + event(2, 60, "50000001:0") +
      event(2, 70, "50000001:6") + event(2, 80, "50000001:0") + event(1, 90, "50000001:2") +
      event(1, 95, "50000001:0"));
  // the second receive is waited for first; the send is taken to be one of those of the Waitall
  EXPECT_THAT(
      prv.lines(1),
      ElementsAre(
          "MPI_Irecv(count=1, datatype=MPI_BYTE, source=0, tag=5, comm=MPI_COMM_WORLD) -> "
          "request=#1",
          "MPI_Irecv(count=2, datatype=MPI_BYTE, source=0, tag=6, comm=MPI_COMM_WORLD) -> "
          "request=#2",
          "MPI_Isend(count=3, datatype=MPI_BYTE, dest=0, tag=1, comm=MPI_COMM_WORLD) -> request=#3",
          "MPI_Wait(request=#2)", "MPI_Waitall(array_of_requests=[#1 #3])"));
}

TEST(Paraver, RootsAndCommunicatorsComeFromAllRanks) {
  const std::string header = "#Paraver (09/10/2019 at 16:08):1000_ns:1(3):1:3(1:1,1:1,1:1),2\n"
                             "c:1:1:3:1:2:3\nc:1:2:2:3:1\n";
  const auto broadcast = [](int task, int begin, int end, const std::string& more) {
    return event(task, begin, "50000002:7:" + more) + event(task, end, "50000002:0");
  };
  // rank 0 is done before the root, rank 2, begins; its place in the communicator {2,0} is 0
  const Prv prv(broadcast(1, 10, 20, "50100001:0:50100002:64:50100004:2") +
                    broadcast(3, 30, 40, "50100001:64:50100002:0:50100004:2:50100003:1") +
                    event(2, 50, "50000002:8:50100004:1") + event(2, 55, "50000002:0"),
                header);
  EXPECT_THAT(prv.lines(0), ElementsAre(AllOf(HasSubstr("MPI_Bcast(count=64"), HasSubstr("root=0"),
                                              HasSubstr("comm#"))));
  EXPECT_THAT(prv.lines(2), ElementsAre(AllOf(HasSubstr("MPI_Bcast(count=64"), HasSubstr("root=0"),
                                              HasSubstr("comm#"))));
  EXPECT_THAT(prv.lines(1), ElementsAre("MPI_Barrier(comm=MPI_COMM_WORLD)"));
}

TEST(Paraver, SaysWhatIsOpenAndLeftOut) {
  const Prv prv(event(1, 10, "50000001:1:42000050:5:42000059:6") + event(1, 20, "50000001:0") +
                event(1, 30, "50000003:20") + event(1, 40, "50000003:0") +
                event(1, 50, "50000002:10:50100001:8:50100002:8:50100004:1") +
                event(1, 60, "50000002:0"));
  const auto imported = prv.read();
  ASSERT_TRUE(imported) << imported.error().text();
  std::vector<std::string> texts;
  for (const Remark& remark : imported->remarks) texts.push_back(remark.text());
  EXPECT_THAT(texts, Contains(HasSubstr("MPI_PROC_NULL")));
  EXPECT_THAT(texts, Contains(HasSubstr("calls of MPI_Comm_size: 1")));
  EXPECT_THAT(texts, Contains(HasSubstr("neither MPI calls nor their sizes: 2")));
  EXPECT_THAT(texts, Contains(HasSubstr("reductions: 1")));
  EXPECT_THAT(lines_of(imported->trace, 0),
              ElementsAre(HasSubstr("dest=MPI_PROC_NULL"), HasSubstr("MPI_Allreduce(count=8")));
}

// A barrier of both, which names its communicator or not.
std::string barriers(const std::string& more) {
  return event(1, 100, "50000002:8" + more) + event(2, 200, "50000002:8" + more) +
         event(1, 300, "50000002:0") + event(2, 300, "50000002:0");
}
const std::string kRunning = state(1, 0, 100, 1) + state(2, 0, 200, 1);

TEST(Paraver, CommunicatorsMayComeBehindTheirUseOrNotAtAll) {
  const std::string none = "#Paraver (09/10/2019 at 16:08):1000_ns:1(2):1:2(1:1,1:1)\n";
  const auto is_on_world = [](const Prv& prv) {
    const auto imported = prv.read();
    ASSERT_TRUE(imported) << imported.error().text();
    for (const std::int64_t rank : {0, 1})
      EXPECT_THAT(lines_of(imported->trace, rank), Contains(HasSubstr("MPI_COMM_WORLD")));
  };
  is_on_world(Prv(kRunning + barriers(":50100004:7") + "c:1:7:2:1:2\n", none));
  is_on_world(Prv(kRunning + barriers(":50100004:1"), none));
  is_on_world(Prv(kRunning + barriers(""), none));
  is_on_world(Prv(kRunning + barriers("")));
}

TEST(Paraver, WithoutStatesTimeBetweenCallsIsComputation) {
  const auto imported = Prv(barriers(":50100004:1")).read();
  ASSERT_TRUE(imported);
  EXPECT_EQ(imported->trace.ranks[0].computation_ns, 100u);
  EXPECT_EQ(imported->trace.ranks[1].computation_ns, 200u);
  EXPECT_EQ(times_of(imported->trace, 1)[0].computation_ns, 200u);
  const auto with_states = Prv(state(1, 0, 30, 1) + barriers(":50100004:1")).read();
  ASSERT_TRUE(with_states);
  EXPECT_EQ(with_states->trace.ranks[0].computation_ns, 30u);
  EXPECT_EQ(with_states->trace.ranks[1].computation_ns, 0u);
}

TEST(Paraver, SumsOfARankAreThoseOfItsThreads) {
  const std::string header = "#Paraver (09/10/2019 at 16:08):1000_ns:1(2):1:1(2:1),1\nc:1:1:1:1\n";
  const std::string second = "2:1:1:1:2:400:50000002:8:50100004:1\n1:1:1:1:2:430:500:1\n"
                             "2:1:1:1:2:430:50000002:0\n2:1:1:1:2:500:50000002:8:50100004:1\n"
                             "2:1:1:1:2:510:50000002:0\n";
  const auto imported = Prv(state(1, 0, 100, 1) + event(1, 100, "50000002:8:50100004:1") +
                                event(1, 105, "50000002:0") + second,
                            header)
                            .read();
  ASSERT_TRUE(imported) << imported.error().text();
  const trace::RankFacts& facts = imported->trace.ranks[0];
  EXPECT_EQ(facts.calls, 3u);
  EXPECT_EQ(facts.computation_ns, 170u);
  EXPECT_EQ(facts.inside_ns, 5u + 30 + 10);
}

TEST(Paraver, FunctionsHaveTheNamesOfThePcf) {
  const Prv prv(event(1, 10, "50000003:99") + event(1, 20, "50000003:0"));
  prv.write("run.pcf", "EVENT_TYPE\n9   50000003    MPI Other\nVALUES\n99   MPI_Init\n0   End\n\n");
  EXPECT_THAT(prv.lines(0), ElementsAre("MPI_Init()"));
  prv.write("run.pcf", "EVENT_TYPE\n9   5000x003    MPI Other\n");
  EXPECT_THAT(prv.error(), HasSubstr("run.pcf:2: "));
}

TEST(Paraver, TimesWithoutUnitAreMicroseconds) {
  const Prv prv(state(1, 0, 7, 1), "#Paraver (1/1/20 at 1:1):10:1(1):1:1(1:1)\n");
  const auto imported = prv.read();
  ASSERT_TRUE(imported) << imported.error().text();
  EXPECT_EQ(imported->trace.ranks[0].computation_ns, 7000);
  EXPECT_EQ(imported->trace.ranks[0].span_ns, 10000);
}

// As BSC's tools wrote them in 2004.
TEST(Paraver, OldTracesAreRead) {
  const Prv prv(event(1, 10, "50000002:10") + "4:1:1:1:1:10:91:4:4:11:0\n" +
                    event(1, 20, "50000002:0"),
                "#Paraver (26/01/04 at "
                "16:35):260199:2:1:2(1:1,1:2),3\nc:1:91:2:1:2\nc:1:92:1:-1\nc:1:93:1:1\n");
  const auto imported = prv.read();
  ASSERT_TRUE(imported) << imported.error().text();
  EXPECT_EQ(imported->trace.run.start_unix_ns, 1'075'134'900'000'000'000);
  EXPECT_THAT(prv.lines(0), ElementsAre(AllOf(HasSubstr("MPI_Allreduce(count=4"),
                                              HasSubstr("comm=MPI_COMM_WORLD"))));
  std::vector<std::string> texts;
  for (const Remark& remark : imported->remarks) texts.push_back(remark.text());
  EXPECT_THAT(texts, Contains(HasSubstr("tasks are not said: 1")));
}

TEST(Paraver, IsToldByItsContentsPackedOrNot) {
  const Prv prv(event(1, 10, "50000003:31") + event(1, 20, "50000003:0"));
  const std::string text = kTwoRanks + event(1, 10, "50000003:31") + event(1, 20, "50000003:0");
  gzFile file = gzopen(prv.path("packed").c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  EXPECT_EQ(detect_input(prv.path()), InputKind::kParaver);
  EXPECT_EQ(detect_input(prv.path("packed")), InputKind::kParaver);
  const auto packed = read_paraver(prv.path("packed"), {});
  ASSERT_TRUE(packed) << packed.error().text();
  EXPECT_EQ(lines_of(packed->trace, 0), prv.lines(0));
  const auto whole = std::filesystem::file_size(prv.path("packed"));
  std::filesystem::resize_file(prv.path("packed"), whole - 12);
  EXPECT_EQ(read_paraver(prv.path("packed"), {}).error().code, ErrorCode::kDamaged);
}

TEST(Paraver, BadInputIsToldWithItsLine) {
  const auto error = [](const std::string& record) { return Prv(record + "\n").error(); };
  EXPECT_THAT(error("7:1:1:1"), HasSubstr("run.prv:5: found '7:1:1:1'"));
  EXPECT_THAT(error("hello"), HasSubstr("run.prv:5: "));
  EXPECT_THAT(error("1:1:1:3:1:0:10:1"), HasSubstr("expected CPU:APPLICATION:TASK"));
  EXPECT_THAT(error("1:1:1:1:2:0:10:1"), HasSubstr("makes no sense")); // one thread
  EXPECT_THAT(error("2:1:1:1:1:99999999999999999999:1:1"), HasSubstr("makes no sense"));
  EXPECT_THAT(error("2:1:1:1:1:10:50000001"), HasSubstr("makes no sense"));
  EXPECT_THAT(error("3:1:1:1:1:1:1:1:1:2:1:1:1:8"), HasSubstr("makes no sense"));
  EXPECT_THAT(error("c:1:9:2:1:1"), HasSubstr("different tasks"));
  const auto header_error = [](const std::string& line) { return Prv("", line + "\n").error(); };
  EXPECT_THAT(header_error("#Paraver (x):5_ns:1(1):1:2(1:1)"), HasSubstr("run.prv:1: the header"));
  EXPECT_THAT(header_error("#Paraver (x):5_days:1(1):1:1(1:1)"), HasSubstr("unit of time"));
  EXPECT_THAT(header_error("#Paraver x"), HasSubstr("expected \"#Paraver ("));
}

TEST(Paraver, CutLinesAreDamage) {
  const auto imported = Prv("2:1:1:1:1:10:50000001").read();
  ASSERT_FALSE(imported);
  EXPECT_EQ(imported.error().code, ErrorCode::kDamaged);
}

// Calls without an end, ends without a call, messages out of place, times that go back.
TEST(Paraver, TakesRecordsThatDoNotFit) {
  const Prv prv(event(1, 10, "50000001:1") + event(1, 20, "50000001:1") +
                event(1, 5, "50000001:0") + event(1, 7, "50000001:0") +
                message(1, 900, 2, 1, 950, 8, 1) + message(1, 1, 2, 1, 2, 8, 1) +
                state(1, 50, 20, 1) + event(2, 30, "50000002:9:50100004:1:50100003:1") +
                event(2, 35, "50000002:0") + event(1, 40, "50000002:7:50100004:1") +
                event(1, 45, "50000002:0") + event(1, 60, "50000001:5"));
  const auto imported = prv.read();
  ASSERT_TRUE(imported) << imported.error().text();
  EXPECT_EQ(lines_of(imported->trace, 0).size(), 3);
}

} // namespace
} // namespace rondo::convert
