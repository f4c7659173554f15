// SPDX-License-Identifier: Apache-2.0
// Hand-made DUMPI traces, what becomes of them, and libdumpi's own against the text of its tool.
#include "rondo/convert/dumpi.hpp"

#include "convert/dumpi/dumpi_file.hpp"
#include "rondo/convert/detect.hpp"
#include "tests/convert/dumpi_bytes.hpp"
#include "tests/convert/ti_folder.hpp"

#include <algorithm>
#include <gmock/gmock.h>

namespace rondo::convert {
namespace {

using ::testing::HasSubstr;

// libdumpi's numbers.
constexpr std::uint16_t kSend = 0, kIrecv = 12, kWait = 13, kRecvInit = 30, kStart = 31;
constexpr std::uint16_t kRecv = 1, kCommSplit = 86, kAllreduce = 65, kBarrier = 52;
constexpr std::uint64_t kInt = 9, kUserType = 28, kWorld = 2, kFirstComm = 4;

class Dumpi {
public:
  explicit Dumpi(const std::vector<std::string>& files) {
    for (std::size_t rank = 0; rank < files.size(); ++rank)
      folder_.write("run-000" + std::to_string(rank) + ".bin", files[rank]);
    folder_.write("run.meta", "hostname=n1\nnumprocs=" + std::to_string(files.size()) +
                                  "\nfileprefix=run\nversion=1\n");
  }
  Result<Imported> read() const {
    ImportOptions options;
    options.all_times = true;
    return read_dumpi(folder_.path("run.meta"), options);
  }
  Lines lines(std::int64_t rank) const {
    const auto imported = read();
    return imported ? lines_of(imported->trace, rank) : Lines{imported.error().text()};
  }
  const TiFolder& folder() const { return folder_; }

private:
  TiFolder folder_;
};

DumpiBytes started() { return DumpiBytes().init(); }

TEST(DumpiTrace, CallsHaveTheirArgumentsStatusesAndTimes) {
  const Dumpi trace(
      {started().call(kSend, 10, 20).i(3).h(kInt).i(1).i(7).h(kWorld).finalize(30).file(),
       started()
           .call(kIrecv, 5, 6)
           .i(9)
           .h(kInt)
           .i(-1)
           .i(-1)
           .h(kWorld)
           .i(2)
           .call(kWait, 7, 25)
           .i(2)
           .i(1)
           .status(12, 0, 7)
           .finalize(30)
           .file()});
  EXPECT_THAT(trace.lines(0)[1], HasSubstr("MPI_Send(count=3, datatype=MPI_INT, dest=1, tag=7, "
                                           "comm=MPI_COMM_WORLD)"));
  EXPECT_THAT(trace.lines(1)[1], HasSubstr("source=MPI_ANY_SOURCE, tag=MPI_ANY_TAG"));
  EXPECT_THAT(trace.lines(1)[2], HasSubstr("source=0 tag=7 bytes=12"));
  const auto imported = trace.read();
  ASSERT_TRUE(imported) << imported.error().text();
  EXPECT_TRUE(imported->trace.run.complete);
  EXPECT_EQ(imported->trace.run.command, "app");
  EXPECT_EQ(imported->trace.hosts.front().name, "n1");
  trace::TimeStampReader stamps(*imported->trace.stamps_of(0));
  stamps.next();
  EXPECT_EQ(stamps.next(), (trace::CallTime{10'000, 9'000, 10'000}));
  EXPECT_EQ(imported->trace.ranks[0].computation_ns, 9'000u + 10'000u);
  EXPECT_EQ(imported->trace.ranks[0].cpu_ns, 31'000u);
  EXPECT_TRUE(imported->remarks.empty());
}

TEST(DumpiTrace, CommunicatorsArePutTogetherFromAllRanks) {
  std::vector<std::string> files;
  for (int rank = 0; rank < 5; ++rank)
    files.push_back(started()
                        .call(kCommSplit, 2, 3)
                        .h(kWorld)
                        .i(rank % 2)
                        .i(-rank)
                        .h(kFirstComm)
                        .call(kBarrier, 4, 5)
                        .h(kFirstComm)
                        .finalize(6)
                        .file());
  const auto imported = Dumpi(files).read();
  ASSERT_TRUE(imported) << imported.error().text();
  ASSERT_EQ(imported->trace.comms.size(), 2u);
  const trace::Positions positions(imported->trace, 4);
  EXPECT_EQ(positions.of(0).rank, 0); // keys go down
  EXPECT_EQ(positions.of(0).size, 3);
  EXPECT_TRUE(imported->remarks.empty());
}

TEST(DumpiTrace, PersistentRequestsAndTheProgramsTypesAreKnown) {
  const Dumpi trace({started()
                         .call(kRecvInit, 2, 3)
                         .i(2)
                         .h(kUserType)
                         .i(0)
                         .i(1)
                         .h(kWorld)
                         .i(5)
                         .call(kStart, 4, 5)
                         .i(5)
                         .call(kSend, 5, 6)
                         .i(2)
                         .h(kUserType)
                         .i(0)
                         .i(1)
                         .h(kWorld)
                         .call(kWait, 6, 7)
                         .i(5)
                         .i(0)
                         .call(kAllreduce, 8, 9)
                         .i(2)
                         .h(kUserType)
                         .b(3)
                         .h(kWorld)
                         .finalize(10)
                         .file({0,  0, 1, 1, 1, 1, 4, 2, 2,  4,  4, 8, 8,  4, 8,
                                16, 8, 8, 8, 1, 0, 0, 8, 12, 12, 6, 8, 20, 24})});
  const Lines lines = trace.lines(0);
  ASSERT_EQ(lines.size(), 7u) << lines.front();
  EXPECT_THAT(lines[1], HasSubstr("MPI_Recv_init(count=48, datatype=MPI_BYTE"));
  EXPECT_THAT(lines[5], HasSubstr("op=MPI_SUM"));
  EXPECT_TRUE(trace.read()->remarks.empty());
}

// A rank of two that share a window and a file.
DumpiBytes mpi2_rank() {
  constexpr std::uint16_t kInitThread = 171, kWinCreate = 145, kFence = 146, kWinFree = 147;
  constexpr std::uint16_t kPut = 143, kLock = 149, kUnlock = 153, kSpawn = 135, kAlltoallw = 155;
  constexpr std::uint16_t kInfoCreate = 205, kOpen = 230, kClose = 231, kWriteAt = 244;
  constexpr std::uint16_t kIread = 252, kIoWait = 283, kSeek = 254;
  DumpiBytes rank;
  rank.call(kInitThread, 0, 1).i(1).text("app").b(1).b(2);
  rank.call(kInfoCreate, 1, 2).h(1);
  rank.call(kWinCreate, 2, 3).i(800).i(8).h(0).h(kWorld).h(1).call(kFence, 3, 4).b(2).h(1);
  rank.call(kPut, 4, 5).i(3).h(kInt).i(1).i(0).i(3).h(kInt).h(1);
  rank.call(kLock, 5, 6).b(2).i(0).b(0).h(1).call(kUnlock, 6, 7).i(0).h(1);
  rank.call(kWinFree, 7, 8).h(1);
  rank.call(kAlltoallw, 8, 9).i(2).list({1, 2}).list({0, 8});
  rank.i(2).h(kInt).h(kUserType).list({2, 1}).list({0, 8}).i(2).h(kUserType).h(kInt).h(kWorld);
  rank.call(kSpawn, 9, 10).i(1).i(0).h(kWorld).h(kFirstComm);
  rank.call(kOpen, 10, 11).h(kWorld).text("out.dat").b(4).h(0).h(2);
  rank.call(kWriteAt, 11, 12).h(2).number(16, 8).i(3).h(kInt).i(0);
  rank.call(kSeek, 12, 13).h(2).number(5, 8).b(2);
  rank.call(kIread, 13, 14).h(2).i(4).h(kInt).i(9).call(kIoWait, 14, 15).i(9).i(0);
  return rank.call(kClose, 15, 16).h(2);
}

TEST(DumpiTrace, CallsOfMpi2AreKnown) {
  const std::string file = mpi2_rank().finalize(20).file(
      {0, 0, 1, 1, 1, 1, 4, 2, 2, 4, 4, 8, 8, 4, 8, 16, 8, 8, 8, 1, 0, 0, 8, 12, 12, 6, 8, 20, 24});
  const Dumpi trace({file, file});
  const Lines lines = trace.lines(0);
  ASSERT_EQ(lines.size(), 15u) << lines.front();
  EXPECT_THAT(lines[0], HasSubstr("MPI_Init_thread(required=MPI_THREAD_SINGLE) -> "
                                  "provided=MPI_THREAD_FUNNELED"));
  EXPECT_THAT(lines[1], HasSubstr("size=800, disp_unit=8, comm=MPI_COMM_WORLD) -> win=win#1"));
  EXPECT_THAT(lines[2], HasSubstr("MPI_Win_fence(assert=MPI_MODE_NOSTORE, win=win#1)"));
  EXPECT_THAT(lines[3], HasSubstr("origin_count=3, origin_datatype=MPI_INT, target_rank=1"));
  EXPECT_THAT(lines[4], HasSubstr("lock_type=MPI_LOCK_EXCLUSIVE, rank=0, assert=0, win=win#1)"));
  EXPECT_THAT(lines[7], HasSubstr("sendcounts=[1 48]"));
  EXPECT_THAT(lines[7], HasSubstr("sendtypes=[MPI_INT MPI_BYTE]"));
  EXPECT_THAT(lines[8], HasSubstr("filename=\"out.dat\", amode=MPI_MODE_CREATE) -> fh=file#1"));
  EXPECT_THAT(lines[9], HasSubstr("MPI_File_write_at(fh=file#1, offset=16"));
  EXPECT_THAT(lines[10], HasSubstr("offset=5, whence=MPI_SEEK_CUR"));
  EXPECT_THAT(lines[12], HasSubstr("MPI_Wait(request=#1)"));
  const auto imported = trace.read();
  ASSERT_TRUE(imported) << imported.error().text();
  EXPECT_EQ(imported->trace.run.command, "app");
  std::string said;
  for (const Remark& remark : imported->remarks) said += remark.text() + "; ";
  EXPECT_THAT(said, HasSubstr("MPI_Comm_spawn"));
  EXPECT_THAT(said, HasSubstr("MPI_Info_create"));
}

TEST(DumpiTrace, IsDetectedByContents) {
  const Dumpi trace({started().finalize(5).file()});
  EXPECT_EQ(detect_input(trace.folder().path()), InputKind::kDumpi);
  EXPECT_EQ(detect_input(trace.folder().path("run.meta")), InputKind::kDumpi);
  EXPECT_EQ(detect_input(trace.folder().path("run-0000.bin")), InputKind::kDumpi);
}

TEST(DumpiTrace, BadFilesAreErrorsWithTheirPlace) {
  const std::string good = started().call(kSend, 1, 2).i(3).h(kInt).i(0).i(7).h(kWorld).file();
  EXPECT_THAT(Dumpi({good.substr(0, 60)}).lines(0)[0], HasSubstr("has no index at its end"));
  EXPECT_THAT(Dumpi({"not a trace at all"}).lines(0)[0], HasSubstr("does not begin as"));
  EXPECT_THAT(Dumpi({started().call(128, 1, 2).file()}).lines(0)[0],
              HasSubstr("function number 128"));
  EXPECT_THAT(Dumpi({started().call(kSend, 1, 2).i(3).file()}).lines(0)[0],
              HasSubstr("ends in the middle of a record of MPI_Send"));
  EXPECT_THAT(Dumpi({started().call(18, 1, 2).i(1).i(2'000'000'000).file()}).lines(0)[0],
              HasSubstr("ends in the middle of a record of MPI_Waitall"));
  const Dumpi lacking({good, good});
  std::filesystem::remove(lacking.folder().path("run-0001.bin"));
  EXPECT_THAT(lacking.lines(0)[0], HasSubstr("there are files of 1 rank"));
}

// "MPI_Send entering at walltime 1.5, cputime 0.1 seconds in thread 0."
struct EnteredCall {
  std::string function;
  std::string wall;
};

std::vector<EnteredCall> calls_of_text(const std::string& path) {
  std::vector<EnteredCall> calls;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const std::size_t entering = line.find(" entering at walltime ");
    if (entering == std::string::npos) continue;
    const std::size_t number = entering + 22;
    calls.push_back({line.substr(0, entering), line.substr(number, line.find(',') - number)});
  }
  return calls;
}

TEST(DumpiTrace, RecordsAreThoseThatItsOwnToolPrints) {
  const char* const data = std::getenv("RONDO_TEST_DATA");
  if (data == nullptr) GTEST_SKIP() << "RONDO_TEST_DATA is not set";
  const std::string folder = std::string(data) + "/dumpi";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no " << folder;
  auto file = internal::DumpiFile::open(folder + "/testtrace-0000.bin");
  ASSERT_TRUE(file) << file.error().text();
  internal::DumpiRecord record;
  for (const EnteredCall& call : calls_of_text(folder + "/testtrace-0000.txt")) {
    const auto more = file->next(record);
    ASSERT_TRUE(more && *more);
    EXPECT_EQ(record.function, call.function);
    std::string wall = std::to_string(record.begin_ns);
    wall.insert(wall.size() - 9, ".");
    EXPECT_EQ(wall, call.wall);
  }
  const auto end = file->next(record);
  EXPECT_TRUE(end && !*end);
  const auto imported = read_dumpi(folder, {});
  ASSERT_TRUE(imported) << imported.error().text();
  EXPECT_EQ(imported->trace.run.ranks, 4);
  const Lines lines = lines_of(imported->trace, 0);
  ASSERT_EQ(lines.size(), 7u);
  EXPECT_THAT(lines[3], HasSubstr("MPI_Recv(count=1, datatype=MPI_INT, source=3, tag=1337"));
  EXPECT_THAT(lines[5], HasSubstr("op=MPI_SUM"));
}

} // namespace
} // namespace rondo::convert
