// SPDX-License-Identifier: Apache-2.0
// A trace that is written as OTF2 and read again has the same calls and stamps.
#include "rondo/convert/otf2.hpp"
#include "rondo/trace/time_stamps.hpp"
#include "tests/convert/otf2_archive.hpp"
#include "tests/support/recorded.hpp"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <iterator>
#include <map>
#include <string>
#include <tbb/global_control.h>
#include <unistd.h>

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
  const auto remarks = write_otf2(first->trace, out, {}, Overwrite::kRefuse);
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

TEST(Otf2Out, GridsOfTheProgramComeInAndGoOut) {
  Otf2Script rank;
  rank.call("MPI_Init").call("MPI_Cart_create", [](auto* to, auto at) {
    OTF2_EvtWriter_CommCreate(to, nullptr, at, kOtf2Reversed);
  });
  rank.call("MPI_Finalize");
  const TiFolder folder;
  Otf2ArchiveOptions options;
  options.grid = {3, 2};
  const std::string anchor = write_otf2(folder, std::vector(6, rank), options);
  const auto first = read_otf2(anchor, with_stamps());
  ASSERT_TRUE(first) << first.error().text();
  EXPECT_THAT(lines_of(first->trace, 0)[1],
              HasSubstr("MPI_Cart_create(comm_old=MPI_COMM_WORLD, dims=[3 2], "
                        "periods=[0 1]"));
  const std::string out = folder.path("again.otf2");
  const auto remarks = write_otf2(first->trace, out, {}, Overwrite::kRefuse);
  ASSERT_TRUE(remarks) << remarks.error().text();
  const auto again = read_otf2(out, with_stamps());
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(lines_of(first->trace, 5), lines_of(again->trace, 5));
  ASSERT_EQ(again->trace.comms.size(), 1u);
  EXPECT_EQ(trace::sequence_of(again->trace.comms[0].members),
            (std::vector<std::int64_t>{5, 4, 3, 2, 1, 0}));
}

TEST(Otf2Out, TimesWithoutStampsAreMarkedAsReconstructed) {
  const TiFolder folder;
  const auto first = read_otf2(write_otf2(folder, exchange()), {});
  ASSERT_TRUE(first) << first.error().text();
  const auto remarks = write_otf2(first->trace, folder.path("again.otf2"), {}, Overwrite::kRefuse);
  ASSERT_TRUE(remarks) << remarks.error().text();
  EXPECT_THAT(*remarks, ElementsAre(HasSubstr("times are reconstructed from means")));
}

TEST(Otf2Out, NothingIsReplacedUnasked) {
  const TiFolder folder;
  const auto first = read_otf2(write_otf2(folder, exchange()), {});
  ASSERT_TRUE(first);
  const std::string out = folder.path("traces.otf2");
  EXPECT_FALSE(write_otf2(first->trace, out, {}, Overwrite::kRefuse));
  EXPECT_TRUE(write_otf2(first->trace, out, {}, Overwrite::kReplace));
  folder.write("traces/mine.txt", "not a trace");
  EXPECT_FALSE(write_otf2(first->trace, out, {}, Overwrite::kReplace));
  EXPECT_TRUE(std::filesystem::exists(folder.path("traces/mine.txt")));
}

// What the events of a location say was received, as libotf2 reads them.
std::vector<std::uint64_t> received_bytes(const std::string& anchor, OTF2_LocationRef location) {
  std::vector<std::uint64_t> sizes;
  OTF2_Reader* const reader = OTF2_Reader_Open(anchor.c_str());
  OTF2_Reader_SetSerialCollectiveCallbacks(reader);
  OTF2_GlobalDefReader* const definitions = OTF2_Reader_GetGlobalDefReader(reader);
  std::uint64_t count = 0;
  OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &count);
  OTF2_Reader_SelectLocation(reader, location);
  OTF2_Reader_OpenEvtFiles(reader);
  OTF2_EvtReader* const events = OTF2_Reader_GetEvtReader(reader, location);
  OTF2_EvtReaderCallbacks* const callbacks = OTF2_EvtReaderCallbacks_New();
  OTF2_EvtReaderCallbacks_SetMpiRecvCallback(
      callbacks,
      [](OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void* data, OTF2_AttributeList*,
         std::uint32_t, OTF2_CommRef, std::uint32_t, std::uint64_t bytes) -> OTF2_CallbackCode {
        static_cast<std::vector<std::uint64_t>*>(data)->push_back(bytes);
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_Reader_RegisterEvtCallbacks(reader, events, callbacks, &sizes);
  OTF2_EvtReaderCallbacks_Delete(callbacks);
  OTF2_Reader_ReadAllLocalEvents(reader, events, &count);
  OTF2_Reader_Close(reader);
  return sizes;
}

// A program that has more room than it needs, as most have that do not know what comes.
TEST(Otf2Out, ReceivesHaveTheSizeOfTheirMessage) {
  const TiFolder folder;
  Otf2Script sender, receiver;
  sender.call("MPI_Init").call("MPI_Send", otf2_send(1, 4, 24));
  sender.call("MPI_Send", otf2_send(1, 4, 8)).call("MPI_Send", otf2_send(1, 4, 32));
  receiver.call("MPI_Init");
  for (int i = 0; i < 3; ++i) receiver.call("MPI_Recv", otf2_receive(0, 4, 32));
  const auto first = read_otf2(write_otf2(folder, {sender, receiver}), with_stamps());
  ASSERT_TRUE(first) << first.error().text();
  const std::string out = folder.path("again.otf2");
  ASSERT_TRUE(write_otf2(first->trace, out, {}, Overwrite::kRefuse));
  EXPECT_THAT(received_bytes(out, 1), ElementsAre(24, 8, 32));
}

// MPI_Mprobe takes the message out of the queue, MPI_Mrecv and MPI_Imrecv into memory.
TEST(Otf2Out, ReceivesOfMatchedProbesHaveTheirMessages) {
  const trace::Trace trace = support::recorded(3, [](support::Caller& s) {
    if (s.rank > 0) return s.send(0, 10 * s.rank);
    for (const std::int64_t source : {2, 1}) {
      s.call("MPI_Mprobe", {{"source", trace::kAnySource},
                            {"tag", trace::kAnyTag},
                            {"comm", support::kWorld},
                            {"message", source},
                            {"status", source},
                            {"status.tag", 0},
                            {"status.bytes", 80 * source}});
    }
    s.call("MPI_Mrecv", {{"count", 99}, {"datatype", support::kDouble}, {"message", 1}});
    s.call("MPI_Mrecv", {{"count", 99}, {"datatype", support::kDouble}, {"message", 2}});
  });
  const TiFolder folder;
  const std::string out = folder.path("matched.otf2");
  ASSERT_TRUE(write_otf2(trace, out, {}, Overwrite::kRefuse));
  EXPECT_THAT(received_bytes(out, 0), ElementsAre(80, 160));
}

// OTF2 has no record of what neighbours exchange.
TEST(Otf2Out, WhatCannotBeSaidIsListedAndNothingIsReplaced) {
  const trace::Trace trace = support::recorded(3, [](support::Caller& s) {
    s.call("MPI_Neighbor_allgather", {{"sendcount", 1},
                                      {"sendtype", support::kDouble},
                                      {"recvcount", 1},
                                      {"recvtype", support::kDouble},
                                      {"comm", support::kWorld}});
  });
  const TiFolder folder;
  const auto whole = read_otf2(write_otf2(folder, exchange()), {});
  ASSERT_TRUE(whole);
  const std::string out = folder.path("out.otf2");
  ASSERT_TRUE(write_otf2(whole->trace, out, {}, Overwrite::kRefuse));
  const auto refused = write_otf2(trace, out, {}, Overwrite::kReplace);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kUnsupported);
  EXPECT_THAT(refused.error().message, HasSubstr("MPI_Neighbor_allgather (3 times)"));
  EXPECT_EQ(read_otf2(out, {})->trace.run.ranks, 2);
  Otf2OutOptions options;
  options.approximates = true;
  const auto remarks = write_otf2(trace, out, options, Overwrite::kReplace);
  ASSERT_TRUE(remarks) << remarks.error().text();
  EXPECT_THAT(*remarks, ::testing::Contains(HasSubstr("MPI_Neighbor_allgather: 3 calls")));
  EXPECT_EQ(read_otf2(out, {})->trace.run.ranks, 3);
  for (const auto& entry : std::filesystem::directory_iterator(folder.path("")))
    EXPECT_EQ(entry.path().string().find(".part"), std::string::npos) << entry.path();
}

// What the folder of an unfinished archive was called when that could be foreseen.
TEST(Otf2Out, PlantedLinksAreNotWrittenInto) {
  const TiFolder folder;
  const auto run = read_otf2(write_otf2(folder, exchange()), {});
  ASSERT_TRUE(run);
  const std::string victim = folder.path("victim");
  std::filesystem::create_directory(victim);
  std::filesystem::create_symlink(victim,
                                  folder.path("out." + std::to_string(::getpid()) + ".tmp"));
  ASSERT_TRUE(write_otf2(run->trace, folder.path("out.otf2"), {}, Overwrite::kRefuse));
  EXPECT_TRUE(std::filesystem::is_empty(victim));
  EXPECT_TRUE(read_otf2(folder.path("out.otf2"), {}));
}

TEST(Otf2Out, AnyNumberOfCoresWritesTheSame) {
  const trace::Trace trace = support::recorded(13, [](support::Caller& s) {
    for (int step = 0; step < 3 * s.rank; ++step) s.send((s.rank + 1) % 13, 8 * step);
    for (int step = 0; step < 3 * ((s.rank + 12) % 13); ++step)
      s.call("MPI_Recv", {{"count", 4096},
                          {"datatype", support::kDouble},
                          {"source", (s.rank + 12) % 13},
                          {"tag", 0},
                          {"comm", support::kWorld}});
    s.call("MPI_Barrier", {{"comm", support::kWorld}});
  });
  const TiFolder folder;
  const auto bytes_of = [&](const std::string& name) {
    std::map<std::string, std::string> all;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path(name))) {
      std::ifstream file(entry.path(), std::ios::binary);
      if (entry.is_regular_file())
        all[entry.path().filename().string()] = {std::istreambuf_iterator<char>(file), {}};
    }
    return all;
  };
  for (const std::size_t cores : {1, 4}) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, cores);
    const std::string out = folder.path("by" + std::to_string(cores) + "/a.otf2");
    ASSERT_TRUE(write_otf2(trace, out, {}, Overwrite::kRefuse));
  }
  const auto one = bytes_of("by1/a");
  EXPECT_EQ(one.size(), 26U);
  EXPECT_EQ(one, bytes_of("by4/a"));
}

TEST(Otf2Out, AWindowHasItsCallsAndAllRanks) {
  const TiFolder folder;
  const auto first = read_otf2(write_otf2(folder, exchange()), with_stamps());
  ASSERT_TRUE(first);
  Otf2OutOptions window;
  window.from_ns = 35; // behind MPI_Init, in MPI_Irecv
  window.until_ns = 75; // in MPI_Isend
  window.ranks = trace::RankSet::of({0});
  const std::string out = folder.path("part.otf2");
  const auto remarks = write_otf2(first->trace, out, window, Overwrite::kRefuse);
  ASSERT_TRUE(remarks) << remarks.error().text();
  EXPECT_THAT(*remarks, ElementsAre(HasSubstr("7 calls are outside of the times asked for")));
  const auto part = read_otf2(out, with_stamps());
  ASSERT_TRUE(part) << part.error().text();
  EXPECT_EQ(part->trace.run.ranks, 2);
  EXPECT_EQ(lines_of(part->trace, 0).size(), 2U);
  EXPECT_EQ(stamps_of(part->trace, 0).front().start_ns, stamps_of(first->trace, 0).at(1).start_ns);
  EXPECT_TRUE(lines_of(part->trace, 1).empty());
}

} // namespace
} // namespace rondo::convert
