// SPDX-License-Identifier: Apache-2.0
// Small OTF2 archives, written with libotf2, and what becomes of them.
#include "rondo/convert/otf2.hpp"

#include "rondo/archive/archive.hpp"
#include "rondo/convert/detect.hpp"
#include "rondo/trace/time_stamps.hpp"
#include "tests/convert/otf2_archive.hpp"

#include <gmock/gmock.h>
#include <tbb/global_control.h>

namespace rondo::convert {
namespace {

using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Archive {
public:
  explicit Archive(const std::vector<Otf2Script>& ranks, const Otf2ArchiveOptions& options = {})
      : anchor_(write_otf2(folder_, ranks, options)) {}
  Result<Imported> read() const {
    ImportOptions options;
    options.all_times = true;
    return read_otf2(anchor_, options);
  }
  Lines lines(std::int64_t rank) const {
    const auto imported = read();
    return imported ? lines_of(imported->trace, rank) : Lines{imported.error().text()};
  }
  Lines remarks() const {
    const auto imported = read();
    if (!imported) return {imported.error().text()};
    Lines all;
    for (const Remark& remark : imported->remarks) all.push_back(remark.text());
    return all;
  }
  const TiFolder& folder() const { return folder_; }
  const std::string& anchor() const { return anchor_; }

private:
  TiFolder folder_;
  std::string anchor_;
};

std::string without_error(const Result<Imported>& imported) {
  return imported ? "no error" : imported.error().text();
}

TEST(Otf2, SendsAndReceivesAreCallsInTheFunctionsThatTheyStandIn) {
  Otf2Script first;
  first.enter("main").call("MPI_Init").enter("step");
  first.call("MPI_Send", otf2_send(1, 7, 4096)).leave("step").call("MPI_Finalize").leave("main");
  Otf2Script second;
  second.enter("main").call("MPI_Init").call("MPI_Recv", otf2_receive(0, 7, 4096));
  second.call("MPI_Finalize").leave("main");
  const Archive archive({first, second});
  const auto imported = archive.read();
  ASSERT_TRUE(imported) << imported.error().text();
  const trace::Trace& trace = imported->trace;
  EXPECT_TRUE(trace.run.complete);
  EXPECT_EQ(trace.run.mpi, "OTF2 trace by a test");
  EXPECT_EQ(trace.run.start_unix_ns, 77);
  ASSERT_EQ(trace.hosts.size(), 1u);
  EXPECT_EQ(trace.hosts[0].name, "n1");
  EXPECT_THAT(archive.lines(0)[1], HasSubstr("MPI_Send(count=4096, datatype=MPI_BYTE, dest=1, "
                                             "tag=7, comm=MPI_COMM_WORLD)"));
  EXPECT_THAT(archive.lines(1)[1], HasSubstr("source=0, tag=7"));
  trace::CallReader reader(trace, *trace.class_of(0), 0);
  reader.next();
  const trace::CallInstance* const send = reader.next();
  EXPECT_EQ(trace.names[send->site].function, "step");
  ASSERT_GT(trace.sites[send->site].caller, 0u);
  EXPECT_EQ(trace.names[trace.sites[send->site].caller - 1].function, "main");
}

TEST(Otf2, StampsAreThoseOfTheTrace) {
  Otf2Script rank;
  rank.enter("main").call("MPI_Init").call("MPI_Comm_size"); // 10, 20..30, 40..50
  rank.call("MPI_Barrier", otf2_collective(OTF2_COLLECTIVE_OP_BARRIER, OTF2_UNDEFINED_UINT32, 0, 0))
      .leave("main"); // 60..80
  const Archive archive({rank});
  const auto imported = archive.read();
  ASSERT_TRUE(imported) << imported.error().text();
  EXPECT_LT(imported->trace.run.thread_level, 0); // which OTF2 does not say
  ASSERT_NE(imported->trace.stamps_of(0), nullptr);
  trace::TimeStampReader stamps(*imported->trace.stamps_of(0));
  EXPECT_EQ(stamps.next(), (trace::CallTime{20, 10, 10}));
  EXPECT_EQ(stamps.next(), (trace::CallTime{60, 20, 20})); // less what MPI_Comm_size took
  EXPECT_EQ(imported->trace.ranks[0].span_ns, 5000u);
  EXPECT_FALSE(imported->trace.run.complete);
}

TEST(Otf2, RequestsAreThoseThatTheirCallsMade) {
  Otf2Script rank;
  rank.call("MPI_Irecv", otf2_irecv(90)).call("MPI_Isend", otf2_isend(0, 3, 64, 91));
  rank.call("MPI_Test", otf2_tested(91));
  rank.enter("MPI_Waitall").event(otf2_irecv_done(0, 3, 64, 90)).event(otf2_isend_done(91));
  rank.leave("MPI_Waitall");
  const Lines lines = Archive({rank}).lines(0);
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_THAT(lines[0], HasSubstr("MPI_Irecv(count=64, datatype=MPI_BYTE, source=0, tag=3"));
  EXPECT_THAT(lines[2], HasSubstr("flag=0"));
  const auto imported = Archive({rank}).read();
  ASSERT_TRUE(imported);
  trace::CallReader reader(imported->trace, *imported->trace.class_of(0), 0);
  const trace::CallInstance* call = nullptr;
  for (int i = 0; i < 4; ++i) call = reader.next();
  const int word = call->function->word_of("array_of_requests");
  const auto& array =
      reader.program()
          .arrays[static_cast<std::size_t>(call->words[static_cast<std::size_t>(word)])];
  EXPECT_THAT(array, ElementsAre(trace::request_by_age(1), trace::request_by_age(0)));
}

TEST(Otf2, AReceiveThatNothingCompletesIsUnknown) {
  Otf2Script rank;
  rank.call("MPI_Irecv", otf2_irecv(1));
  rank.call("MPI_Barrier",
            otf2_collective(OTF2_COLLECTIVE_OP_BARRIER, OTF2_UNDEFINED_UINT32, 0, 0));
  const Archive archive({rank});
  EXPECT_EQ(archive.lines(0).size(), 2u);
  EXPECT_THAT(archive.remarks(),
              Contains(HasSubstr("receives and collective operations that nothing completes: 1")));
}

TEST(Otf2, CollectivesHaveThePartOfOneRank) {
  Otf2Script root;
  root.call("MPI_Bcast", otf2_collective(OTF2_COLLECTIVE_OP_BCAST, 1, 300, 100, kOtf2Reversed));
  root.call("MPI_Alltoall",
            otf2_collective(OTF2_COLLECTIVE_OP_ALLTOALL, OTF2_UNDEFINED_UINT32, 24, 24));
  root.call("MPI_Allgather",
            otf2_collective(OTF2_COLLECTIVE_OP_ALLGATHER, OTF2_UNDEFINED_UINT32, 8, 24));
  root.call("MPI_Allreduce()",
            otf2_collective(OTF2_COLLECTIVE_OP_ALLREDUCE, OTF2_UNDEFINED_UINT32, 40, 40));
  const Archive archive({root, root, root});
  const Lines lines = archive.lines(1);
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_THAT(lines[0], HasSubstr("count=100, datatype=MPI_BYTE, root=1, comm=comm#1{2 1 0}"));
  EXPECT_THAT(lines[1], HasSubstr("sendcount=8"));
  EXPECT_THAT(lines[2], HasSubstr("recvcount=8"));
  EXPECT_THAT(lines[3], HasSubstr("MPI_Allreduce(count=40"));
  const auto imported = archive.read();
  ASSERT_TRUE(imported);
  ASSERT_EQ(imported->trace.comms.size(), 1u);
  EXPECT_EQ(trace::RankSet::of({0, 1, 2}), imported->trace.comms[0].holders);
}

TEST(Otf2, MessagesOfPersistentRequestsAreCallsOfTheirOwn) {
  Otf2Script rank;
  rank.enter("MPI_Startall").event(otf2_irecv(1)).event(otf2_isend(0, 2, 16, 2));
  rank.leave("MPI_Startall");
  rank.enter("MPI_Waitall").event(otf2_irecv_done(0, 2, 16, 1)).event(otf2_isend_done(2));
  rank.leave("MPI_Waitall");
  const Archive archive({rank});
  const Lines lines = archive.lines(0);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_THAT(lines[0], HasSubstr("MPI_Isend(count=16"));
  EXPECT_THAT(lines[1], HasSubstr("MPI_Irecv(count=16"));
  EXPECT_THAT(archive.remarks(), Contains(HasSubstr("messages in calls that have none")));
}

TEST(Otf2, FurtherThreadsAreStreamsOfTheirRank) {
  Otf2Script rank;
  rank.call("MPI_Init_thread").call("MPI_Finalize");
  Otf2ArchiveOptions options;
  options.second_threads[1].call("MPI_Send", otf2_send(0, 1, 8));
  const auto imported = Archive({rank, rank}, options).read();
  ASSERT_TRUE(imported) << imported.error().text();
  EXPECT_EQ(imported->trace.class_of(0, 1), nullptr);
  EXPECT_NE(imported->trace.class_of(1, 1), nullptr);
  EXPECT_EQ(imported->trace.ranks[1].calls, 3u);
}

TEST(Otf2, RanksReadSideBySideAreThoseReadOneAfterAnother) {
  constexpr int kRanks = 13;
  std::vector<Otf2Script> ranks(kRanks);
  for (int rank = 0; rank < kRanks; ++rank) {
    ranks[rank].call("MPI_Init");
    for (int i = 0; i <= rank; ++i) ranks[rank].call("MPI_Send", otf2_send(0, i, 8 * i));
    ranks[rank].call("MPI_Finalize");
  }
  const Archive archive(ranks);
  const auto bytes_with = [&](std::size_t cores) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, cores);
    const auto imported = archive.read();
    return imported ? archive::encode(imported->trace) : imported.error().text();
  };
  const std::string alone = bytes_with(1);
  EXPECT_GT(alone.size(), 100u);
  EXPECT_EQ(alone, bytes_with(2));
  EXPECT_EQ(alone, bytes_with(7));
}

TEST(Otf2, EveryRankSpansTheRunOfAll) {
  Otf2Script brief;
  brief.call("MPI_Init").call("MPI_Finalize");
  Otf2Script late = brief;
  late.call("MPI_Send", otf2_send(0, 1, 8));
  const auto imported = Archive({brief, late, brief}).read();
  ASSERT_TRUE(imported) << imported.error().text();
  EXPECT_GT(imported->trace.ranks[0].span_ns, 0u);
  EXPECT_EQ(imported->trace.ranks[0].span_ns, imported->trace.ranks[1].span_ns);
  EXPECT_EQ(imported->trace.ranks[2].span_ns, imported->trace.ranks[1].span_ns);
}

TEST(Otf2, TheFirstRankThatIsSpoiltIsNamed) {
  Otf2Script rank;
  rank.call("MPI_Init").call("MPI_Finalize");
  const Archive archive({rank, rank, rank, rank});
  for (const int spoilt : {3, 2}) {
    archive.folder().write("traces/" + std::to_string(spoilt) + ".evt", "no events");
    const auto imported = archive.read();
    ASSERT_FALSE(imported);
    EXPECT_EQ(imported.error().place.rank, spoilt);
  }
}

TEST(Otf2, ATraceWithoutMpiIsASentence) {
  Otf2Script rank;
  const std::vector<std::string> before = std::exchange(Otf2Script::regions(), {});
  rank.enter("kernel").leave("kernel");
  Otf2ArchiveOptions options;
  options.has_mpi = false;
  const Archive archive({rank}, options);
  Otf2Script::regions() = before;
  EXPECT_THAT(without_error(archive.read()), HasSubstr("OTF2 trace without MPI: 1 CPU threads"));
}

TEST(Otf2, IsDetectedByContentsWhateverItsName) {
  Otf2Script rank;
  rank.call("MPI_Init");
  Otf2ArchiveOptions options;
  options.name = "other";
  const Archive archive({rank}, options);
  EXPECT_EQ(detect_input(archive.anchor()), InputKind::kOtf2);
  EXPECT_EQ(detect_input(archive.folder().path()), InputKind::kOtf2);
  EXPECT_TRUE(read_otf2(archive.folder().path(), {}));
}

TEST(Otf2, SpoiltFilesAreErrorsWithTheirNames) {
  Otf2Script rank;
  for (int i = 0; i < 50; ++i) rank.call("MPI_Send", otf2_send(0, 1, 8));
  const Archive archive({rank, rank});
  const std::string events = archive.folder().path("traces/1.evt");
  std::filesystem::resize_file(events, 60);
  EXPECT_THAT(without_error(archive.read()),
              HasSubstr("traces/1.evt: the events end in the middle"));
  std::filesystem::remove(events);
  EXPECT_THAT(without_error(archive.read()),
              HasSubstr("1.evt: the events of a rank cannot be read"));
  std::filesystem::resize_file(archive.folder().path("traces.def"), 100);
  // Cut within a record, whose counts libotf2 may hand out as it finds them in memory.
  EXPECT_THAT(without_error(archive.read()),
              AnyOf(HasSubstr("the definitions"),
                    HasSubstr("takes more memory or work than a file of its size should")));
  std::filesystem::resize_file(archive.anchor(), 20);
  EXPECT_THAT(without_error(archive.read()), HasSubstr("the anchor"));
}

TEST(Otf2, AnAnchorClaimsNoMoreThanItHas) {
  Otf2Script rank;
  rank.call("MPI_Init");
  const Archive archive({rank});
  std::ifstream file(archive.anchor(), std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(file)), {});
  EXPECT_TRUE(is_sound_otf2_anchor(bytes));
  const std::size_t properties = bytes.find('\0', bytes.find("a test") + 7) + 1;
  for (std::size_t i = 0; i < 4; ++i) bytes[properties + i] = '\x7f';
  EXPECT_FALSE(is_sound_otf2_anchor(bytes));
  archive.folder().write("traces.otf2", bytes);
  EXPECT_THAT(without_error(archive.read()), HasSubstr("the anchor of the archive is cut"));
}

TEST(Otf2, APingPongOfScoreP) {
  const char* const data = std::getenv("RONDO_TEST_DATA");
  if (data == nullptr) GTEST_SKIP() << "RONDO_TEST_DATA is not set";
  const std::string folder = std::string(data) + "/otf2/ping-pong";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no " << folder;
  const auto imported = read_otf2(folder, {});
  ASSERT_TRUE(imported) << imported.error().text();
  EXPECT_TRUE(imported->trace.run.complete);
  EXPECT_EQ(imported->trace.ranks.size(), 2u);
  EXPECT_EQ(imported->trace.ranks[0].calls, 18u);
  EXPECT_THAT(lines_of(imported->trace, 1)[1], HasSubstr("count=16384"));
}

} // namespace
} // namespace rondo::convert
