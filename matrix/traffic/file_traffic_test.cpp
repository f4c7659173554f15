// SPDX-License-Identifier: Apache-2.0
#include "rondo/matrix/file_traffic.hpp"

#include "rondo/matrix/trace_traffic.hpp"
#include "tests/support/recorded.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rondo::matrix {
namespace {

using support::Caller;
using support::kDouble;
using support::kInt;
using support::kWorld;
using support::recorded;
using testing::ElementsAre;
using testing::HasSubstr;

void open(Caller& s, std::string_view name, std::int64_t file = 0) {
  s.call("MPI_File_open", {{"comm", kWorld}, {"filename", s.builder.text(name)}, {"fh", file}});
}

void move(Caller& s, std::string_view call, std::int64_t count, std::int64_t datatype = kInt,
          std::int64_t file = 0) {
  s.call(call, {{"fh", file}, {"count", count}, {"datatype", datatype}});
}

void close(Caller& s) { s.call("MPI_File_close", {{"fh", 0}}); }

TEST(FileTraffic, CountsByFileRankAndKind) {
  const trace::Trace trace = recorded(2, [](Caller& s) {
    open(s, "in.dat");
    move(s, "MPI_File_read_at_all", 100);
    close(s);
    open(s, "out.dat");
    for (int i = 0; i < 1000; ++i) move(s, "MPI_File_write", 10 + s.rank, kDouble);
    move(s, "MPI_File_iwrite", 1);
    move(s, "MPI_File_write_all_begin", 2);
    s.call("MPI_File_write_all_end", {{"fh", 0}});
    close(s);
  });
  const FileTraffic traffic = file_traffic_of(trace);
  ASSERT_EQ(traffic.files.size(), 2u);
  EXPECT_EQ(traffic.files[0].name, "out.dat");
  EXPECT_EQ(traffic.files[0].opens, 2u);
  using Kind = AccessKind;
  EXPECT_THAT(traffic.files[0].accesses,
              ElementsAre(FileAccess{0, true, Kind::kIndependent, 1000, 80000},
                          FileAccess{1, true, Kind::kIndependent, 1000, 88000},
                          FileAccess{0, true, Kind::kNonblocking, 1, 4},
                          FileAccess{1, true, Kind::kNonblocking, 1, 4},
                          FileAccess{0, true, Kind::kSplit, 1, 8},
                          FileAccess{1, true, Kind::kSplit, 1, 8}));
  EXPECT_EQ(traffic.files[1].name, "in.dat");
  EXPECT_THAT(traffic.files[1].accesses,
              ElementsAre(FileAccess{0, false, Kind::kCollective, 1, 400},
                          FileAccess{1, false, Kind::kCollective, 1, 400}));
  EXPECT_EQ(traffic.bytes(), 168000u + 24 + 800);
}

TEST(FileTraffic, FilesOfALoopStandApart) {
  // Every step writes a file of its own, in which the handle is the same.
  const trace::Trace trace = recorded(3, [](Caller& s) {
    for (int step = 0; step < 50; ++step) {
      open(s, "step." + std::to_string(step % 10));
      for (int i = 0; i < 4; ++i) move(s, "MPI_File_write_all", 1 + step % 10);
      close(s);
      s.send((s.rank + 1) % 3, 5);
    }
  });
  ASSERT_LT(trace.classes[0].program->nest.terms(), 60u);
  const FileTraffic traffic = file_traffic_of(trace);
  ASSERT_EQ(traffic.files.size(), 10u);
  EXPECT_EQ(traffic.files[0].name, "step.9");
  for (const FileUse& file : traffic.files) {
    const auto size = static_cast<std::uint64_t>(file.name.back() - '0') + 1;
    EXPECT_EQ(file.opens, 15u);
    ASSERT_EQ(file.accesses.size(), 3u);
    EXPECT_EQ(file.accesses[0].calls, 20u);
    EXPECT_EQ(file.accesses[0].bytes, 20 * 4 * size) << file.name;
  }
}

TEST(FileTraffic, EachRankMayHaveAFileOfItsOwn) {
  const trace::Trace trace = recorded(3, [](Caller& s) {
    open(s, "part." + std::to_string(s.rank));
    move(s, "MPI_File_write", 3);
  });
  const FileTraffic traffic = file_traffic_of(trace);
  ASSERT_EQ(traffic.files.size(), 3u);
  EXPECT_EQ(traffic.files[2].name, "part.2");
  EXPECT_EQ(traffic.files[2].accesses[0].rank, 2);
}

TEST(FileTraffic, FailedCallsAndUnknownFilesAreSaid) {
  const trace::Trace trace = recorded(1, [](Caller& s) {
    s.call("MPI_File_open", {{"comm", kWorld}, {"filename", s.builder.text("no")}, {"fh", 0}}, 1);
    move(s, "MPI_File_write", 3, kInt, 7);
    move(s, "MPI_File_write", 3, 99, 7);
  });
  const FileTraffic traffic = file_traffic_of(trace);
  ASSERT_EQ(traffic.files.size(), 1u);
  EXPECT_EQ(traffic.files[0].name, "");
  EXPECT_EQ(traffic.unknown_sizes, 1u);
}

} // namespace
} // namespace rondo::matrix
