// SPDX-License-Identifier: Apache-2.0
// A trace that is written as OTF2 and read again has the same calls and stamps.
#include "rondo/convert/otf2.hpp"
#include "rondo/trace/time_stamps.hpp"
#include "tests/convert/otf2_archive.hpp"

#include <gmock/gmock.h>

namespace rondo::convert {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

ImportOptions with_stamps() {
  ImportOptions options;
  options.all_times = true;
  return options;
}

std::vector<trace::CallTime> stamps_of(const trace::Trace& trace, std::int64_t rank) {
  std::vector<trace::CallTime> all;
  trace::TimeStampReader reader(*trace.stamps_of(rank));
  while (const auto time = reader.next()) all.push_back(*time);
  return all;
}

std::vector<Otf2Script> exchange() {
  Otf2Script rank;
  rank.call("MPI_Init").call("MPI_Irecv", otf2_irecv(1)).call("MPI_Isend", otf2_isend(1, 4, 24, 2));
  rank.call("MPI_Test", otf2_tested(1));
  rank.enter("MPI_Waitall").event(otf2_irecv_done(1, 4, 24, 1)).event(otf2_isend_done(2));
  rank.leave("MPI_Waitall");
  rank.call("MPI_Bcast", otf2_collective(OTF2_COLLECTIVE_OP_BCAST, 0, 200, 100, kOtf2Reversed));
  rank.call("MPI_Alltoall",
            otf2_collective(OTF2_COLLECTIVE_OP_ALLTOALL, OTF2_UNDEFINED_UINT32, 16, 16));
  rank.call("MPI_Reduce", otf2_collective(OTF2_COLLECTIVE_OP_REDUCE, 1, 8, 0));
  rank.call("MPI_Finalize");
  std::vector<Otf2Script> both{rank};
  Otf2Script second;
  second.call("MPI_Init").call("MPI_Recv", otf2_receive(0, 4, 24));
  second.call("MPI_Send", otf2_send(0, 4, 24));
  second.call("MPI_Bcast", otf2_collective(OTF2_COLLECTIVE_OP_BCAST, 0, 0, 100, kOtf2Reversed));
  second.call("MPI_Alltoall",
              otf2_collective(OTF2_COLLECTIVE_OP_ALLTOALL, OTF2_UNDEFINED_UINT32, 16, 16));
  second.call("MPI_Reduce", otf2_collective(OTF2_COLLECTIVE_OP_REDUCE, 1, 8, 16));
  second.call("MPI_Finalize");
  both.push_back(second);
  return both;
}

TEST(Otf2Out, CallsAndStampsComeBack) {
  const TiFolder folder;
  const auto first = read_otf2(write_otf2(folder, exchange()), with_stamps());
  ASSERT_TRUE(first) << first.error().text();
  const std::string out = folder.path("again.otf2");
  const auto remarks = write_otf2(first->trace, out, Overwrite::kRefuse);
  ASSERT_TRUE(remarks) << remarks.error().text();
  EXPECT_THAT(*remarks, ::testing::IsEmpty());
  const auto again = read_otf2(out, with_stamps());
  ASSERT_TRUE(again) << again.error().text();
  for (const std::int64_t rank : {0, 1}) {
    EXPECT_EQ(lines_of(first->trace, rank), lines_of(again->trace, rank));
    EXPECT_EQ(stamps_of(first->trace, rank).back().start_ns,
              stamps_of(again->trace, rank).back().start_ns);
  }
  EXPECT_TRUE(again->trace.run.complete);
  EXPECT_EQ(again->trace.hosts.front().name, "n1");
}

TEST(Otf2Out, TimesWithoutStampsAreMarkedAsReconstructed) {
  const TiFolder folder;
  const auto first = read_otf2(write_otf2(folder, exchange()), {});
  ASSERT_TRUE(first) << first.error().text();
  const auto remarks = write_otf2(first->trace, folder.path("again.otf2"), Overwrite::kRefuse);
  ASSERT_TRUE(remarks) << remarks.error().text();
  EXPECT_THAT(*remarks, ElementsAre(HasSubstr("times are reconstructed from means")));
}

TEST(Otf2Out, NothingIsReplacedUnasked) {
  const TiFolder folder;
  const auto first = read_otf2(write_otf2(folder, exchange()), {});
  ASSERT_TRUE(first);
  const std::string out = folder.path("traces.otf2");
  EXPECT_FALSE(write_otf2(first->trace, out, Overwrite::kRefuse));
  EXPECT_TRUE(write_otf2(first->trace, out, Overwrite::kReplace));
  folder.write("traces/mine.txt", "not a trace");
  EXPECT_FALSE(write_otf2(first->trace, out, Overwrite::kReplace));
  EXPECT_TRUE(std::filesystem::exists(folder.path("traces/mine.txt")));
}

} // namespace
} // namespace rondo::convert
