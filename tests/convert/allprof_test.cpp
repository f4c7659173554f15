// SPDX-License-Identifier: Apache-2.0
// Hand-made traces of liballprof, and what becomes of them.
#include "rondo/convert/allprof.hpp"

#include "rondo/base/files.hpp"
#include "rondo/convert/detect.hpp"
#include "rondo/trace/time_stamps.hpp"
#include "tests/convert/ti_folder.hpp"

#include <filesystem>
#include <gmock/gmock.h>
#include <zlib.h>

namespace rondo::convert {
namespace {

using ::testing::HasSubstr;

constexpr const char* kHead =
    "# collprof 0.9 output file\n# host: n1\n\nMPI_Init:-:1:2:1000.000000\n";

class Allprof {
public:
  Allprof(const std::string& first, const std::string& second) {
    folder_.write("pmpi-trace-rank-0.txt", kHead + first);
    folder_.write("pmpi-trace-rank-1.txt", kHead + second);
  }
  Result<Imported> read() const {
    ImportOptions options;
    options.all_times = true;
    return read_allprof(folder_.path(), options);
  }
  Lines lines(std::int64_t rank) const {
    const auto imported = read();
    return imported ? lines_of(imported->trace, rank) : Lines{imported.error().text()};
  }
  const TiFolder& folder() const { return folder_; }

private:
  TiFolder folder_;
};

TEST(AllprofTrace, MessagesHaveTheirSizesInBytes) {
  const Allprof trace("MPI_Send:1010.5:99:450:11,8,8:1:7:0,0,2:1020.000000\n"
                      "MPI_Finalize:1030.000000:-\n",
                      "MPI_Recv:1005.0:99:450:11,8,46909632:-1:7:0,1,2:88:1025.000000\n"
                      "MPI_Finalize:1030.000000:-\n");
  EXPECT_THAT(trace.lines(0)[1], HasSubstr("MPI_Send(count=3600, datatype=MPI_BYTE, dest=1, "
                                           "tag=7, comm=MPI_COMM_WORLD)"));
  EXPECT_THAT(trace.lines(1)[1], HasSubstr("source=MPI_ANY_SOURCE, tag=7"));
  const auto imported = trace.read();
  ASSERT_TRUE(imported);
  EXPECT_TRUE(imported->trace.run.complete);
  EXPECT_EQ(imported->trace.run.start_unix_ns, 1'000'000);
  trace::TimeStampReader stamps(*imported->trace.stamps_of(0));
  stamps.next();
  EXPECT_EQ(stamps.next(), (trace::CallTime{10'500, 10'500, 9'500}));
  EXPECT_EQ(imported->trace.ranks[0].span_ns, 30'000u);
}

TEST(AllprofTrace, RequestsAreFoundByTheirHandles) {
  const Allprof trace("MPI_Isend:1001.0:9:2:2,4,4:1:3:0,0,2:555:1002.0\n"
                      "MPI_Irecv:1003.0:9:2:2,4,4:1:3:0,0,2:777:1004.0\n"
                      "MPI_Wait:1005.0:555:0:1006.0\nMPI_Waitall:1007.0:1:8:0:1008.0\n",
                      "");
  const auto imported = trace.read();
  ASSERT_TRUE(imported) << imported.error().text();
  trace::CallReader reader(imported->trace, *imported->trace.class_of(0), 0);
  const trace::CallInstance* call = nullptr;
  for (int i = 0; i < 4; ++i) call = reader.next();
  EXPECT_EQ(call->function->name, "MPI_Wait");
  EXPECT_EQ(call->words[0], trace::request_by_age(1));
  EXPECT_FALSE(imported->trace.run.complete);
}

// Three requests, two of them in an array of so many bytes each: the first and the last.
std::string waits_for_some(int bytes) {
  std::string text;
  for (const int address : {8000, 9000, 8000 + bytes})
    text += "MPI_Isend:1001.0:9:2:2,4,4:1:3:0,0,2:" + std::to_string(address) + ":1002.0\n";
  return text + "MPI_Waitall:1007.0:2:8000:0:1008.0\nMPI_Waitall:1007.0:1:77:0:1008.0\n";
}

TEST(AllprofTrace, RequestsStandInArraysByTheirAddresses) {
  for (const int bytes : {4, 8}) {
    const Allprof trace(waits_for_some(bytes), "");
    const Lines lines = trace.lines(0);
    ASSERT_EQ(lines.size(), 6u) << lines.front();
    EXPECT_THAT(lines[4], HasSubstr("array_of_requests=[#1 #3]"));
    EXPECT_THAT(lines[5], HasSubstr("array_of_requests=[#2]")); // a copy
    const auto imported = trace.read();
    ASSERT_TRUE(imported);
    EXPECT_EQ(imported->remarks.front().text(),
              "calls of MPI_Waitall: 1; taken to wait for all open requests");
  }
}

TEST(AllprofTrace, OperationsWithListsOfCountsHaveTheirCommunicator) {
  const std::string alltoallv = "MPI_Alltoallv:1001.0:1:2:3:2,4,4:4:5:6:2,4,4:0,0,2:1002.0\n";
  EXPECT_THAT(Allprof(alltoallv, alltoallv).lines(0)[1],
              HasSubstr("MPI_Alltoallv(comm=MPI_COMM_WORLD)"));
}

TEST(AllprofTrace, ACollectiveHasItsRootAndSize) {
  const std::string bcast = "MPI_Bcast:1001.0:9:3:2,4,4:1:0,0,2:1002.0\n";
  EXPECT_THAT(Allprof(bcast, bcast).lines(0)[1], HasSubstr("MPI_Bcast(count=12, datatype=MPI_BYTE, "
                                                           "root=1, comm=MPI_COMM_WORLD)"));
}

TEST(AllprofTrace, BadLinesAreErrorsWithTheirPlace) {
  EXPECT_THAT(Allprof("MPI_Send:1:2:3:4\n", "").lines(0)[0],
              HasSubstr("rank-0.txt:5: MPI_Send has"));
  EXPECT_THAT(Allprof("MPI_Send:x:2\n", "").lines(0)[0], HasSubstr("expected MPI_FUNCTION:BEGIN"));
  EXPECT_THAT(Allprof("MPI_Send:1010.5:9:x:11,8,8:1:7:0,0,2:1020.0\n", "").lines(0)[0],
              HasSubstr("where a number was expected"));
  EXPECT_THAT(Allprof("MPI_Send:1010.5:9:4:11:1:7:0,0,2:1020.0\n", "").lines(0)[0],
              HasSubstr("where a datatype was expected"));
  EXPECT_THAT(Allprof("MPI_Send:1010", "").lines(0)[0], HasSubstr("ends in the middle"));
}

TEST(AllprofTrace, IsDetectedByContents) {
  const Allprof trace("", "");
  EXPECT_EQ(detect_input(trace.folder().path()), InputKind::kAllprof);
  EXPECT_EQ(detect_input(trace.folder().path("pmpi-trace-rank-1.txt")), InputKind::kAllprof);
}

TEST(AllprofTrace, IsReadPackedAsItIs) {
  const Allprof trace("MPI_Send:1010.5:99:450:11,8,8:1:7:0,0,2:1020.000000\n",
                      "MPI_Recv:1005.0:99:450:11,8,8:0:7:0,1,2:88:1025.000000\n");
  const Lines plain[] = {trace.lines(0), trace.lines(1)};
  for (const char* const name : {"pmpi-trace-rank-0.txt", "pmpi-trace-rank-1.txt"}) {
    const std::string path = trace.folder().path(name);
    const auto text = read_file(path);
    ASSERT_TRUE(text);
    gzFile file = gzopen((path + ".gz").c_str(), "wb");
    gzwrite(file, text->data(), static_cast<unsigned>(text->size()));
    gzclose(file);
    std::filesystem::remove(path);
    EXPECT_EQ(detect_input(path + ".gz"), InputKind::kAllprof);
  }
  EXPECT_EQ(detect_input(trace.folder().path()), InputKind::kAllprof);
  EXPECT_EQ(trace.lines(0), plain[0]);
  EXPECT_EQ(trace.lines(1), plain[1]);
}

// Rank 1's clock is 100 us ahead at the begin, and 300 us at the end.
TEST(AllprofTrace, ClocksAreThoseOfTheFirstRank) {
  const TiFolder folder;
  folder.write("a-0.txt", "# host: n1\n# Init clockdiff: 0.0\nMPI_Init:-:1:2:1000.0\n"
                          "MPI_Barrier:1500.0:0,0,2:2000.0\nMPI_Finalize:3000.0:-\n"
                          "# Finalize clockdiff: 0.0\n");
  folder.write("a-1.txt", "# host: n2\n# Init clockdiff: -100.0\nMPI_Init:-:1:2:1100.0\n"
                          "MPI_Barrier:1600.0:0,0,2:2200.0\nMPI_Finalize:3300.0:-\n"
                          "# Finalize clockdiff: -300.0\n");
  ImportOptions options;
  options.all_times = true;
  const auto imported = read_allprof(folder.path(), options);
  ASSERT_TRUE(imported) << imported.error().text();
  const trace::Trace& trace = imported->trace;
  EXPECT_EQ(trace.hosts.size(), 2U);
  EXPECT_EQ(trace.ranks[1].clock->correction_ns, -100'000);
  const auto ends = [&](std::int64_t rank) {
    std::vector<std::int64_t> all;
    trace::TimeStampReader stamps(*trace.stamps_of(rank));
    while (const auto time = stamps.next_on_common_clock())
      all.push_back(trace.stamps_of(rank)->origin_unix_ns +
                    static_cast<std::int64_t>(time->end_ns()));
    return all;
  };
  const auto first = ends(0), second = ends(1);
  ASSERT_EQ(first.size(), 3U);
  ASSERT_EQ(second.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(first[i], second[i], 20'000) << i;
}

TEST(AllprofTrace, ARunOfSweep3d) {
  const char* const data = std::getenv("RONDO_TEST_DATA");
  if (data == nullptr) GTEST_SKIP() << "RONDO_TEST_DATA is not set";
  const std::string folder = std::string(data) + "/liballprof/sweep3d-2x2";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no " << folder;
  const auto imported = read_allprof(folder, {});
  ASSERT_TRUE(imported) << imported.error().text();
  EXPECT_TRUE(imported->trace.run.complete);
  EXPECT_EQ(imported->trace.ranks[0].calls, 1440u + 1440 + 32 + 3 + 4 + 2);
}

} // namespace
} // namespace rondo::convert
