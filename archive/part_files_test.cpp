// SPDX-License-Identifier: Apache-2.0
#include "rondo/archive/part_files.hpp"

#include "rondo/archive/archive.hpp"
#include "rondo/archive/part_codec.hpp"
#include "tests/support/nest_text.hpp"
#include "tests/support/spmd.hpp"

#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace rondo::archive {
namespace {

namespace fs = std::filesystem;
using support::IsStream;
using testing::ElementsAre;
using testing::HasSubstr;

class PartFiles : public testing::Test {
protected:
  PartFiles() {
    std::string name = (fs::temp_directory_path() / "rondo-parts-XXXXXX").string();
    folder_ = std::string(::mkdtemp(name.data())) + "/app.rondo.parts";
  }
  ~PartFiles() override { fs::remove_all(fs::path(folder_).parent_path()); }

  // A part that a rank of four left behind in the middle of the run.
  static fold::RecordingPart open_part(support::RankRecorder& rank) {
    fold::RecordingPart part = rank.part();
    part.run.ranks = 4;
    part.run.complete = false;
    part.ranks.front().second.ending = trace::RankEnding{trace::Ending::kSignal, 15, 0, 0, 0};
    return part;
  }
  void write(const std::string& run, const fold::RecordingPart& part, std::uint32_t chunk = 0) {
    const PartName name{run, part.ranks.front().first, chunk};
    const auto written = write_part(folder_, name, encode_part(part));
    ASSERT_TRUE(written) << written.error().text();
  }
  std::string path_of(const PartName& name) const { return folder_ + "/" + name.file(); }

  std::string folder_;
};

TEST_F(PartFiles, NamesAreReadBack) {
  const PartName name{"20261121-120000-77.2", 12, 3};
  const auto read = parse_part_name(name.file());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->run, name.run);
  EXPECT_EQ(read->rank, 12);
  EXPECT_EQ(read->chunk, 3U);
  for (const char* other : {"", ".part", "run.part", "run.1.part", "run.1.x.part", "run.-1.0.part",
                            "run.1.0.part.new", ".1.0.partx", "1.0.txt"}) {
    EXPECT_FALSE(parse_part_name(other)) << other;
  }
}

TEST_F(PartFiles, RanksThatLeftNothingAreNamed) {
  auto ranks = support::run(support::Pattern::kRing, 4, 10);
  for (const int rank : {0, 1, 3}) write("a", open_part(*ranks[static_cast<std::size_t>(rank)]));
  const auto collected = collect(folder_, "a");
  ASSERT_TRUE(collected) << collected.error().text();
  const trace::Trace& trace = collected->trace;
  EXPECT_FALSE(trace.run.complete);
  EXPECT_EQ(trace.run.notes, "what is here of 4 of 4 ranks ends before MPI_Finalize");
  ASSERT_EQ(trace.ranks.size(), 4U);
  EXPECT_EQ(trace.ranks[2].ending->kind, trace::Ending::kUnheard);
  EXPECT_EQ(trace.ranks[3].ending->kind, trace::Ending::kSignal);
  EXPECT_EQ(trace.ranks[3].ending->detail, 15);
  EXPECT_EQ(trace.class_of(2), nullptr);
  for (const int rank : {0, 1, 3})
    EXPECT_THAT(support::events_of(trace, rank),
                IsStream(ranks[static_cast<std::size_t>(rank)]->events()));
  const auto again = decode(encode(trace)); // what is collected can be kept
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(again->ranks[2].ending, trace.ranks[2].ending);
  EXPECT_EQ(again->ranks[3].ending, trace.ranks[3].ending);
}

TEST_F(PartFiles, ChunksOfARankFollowOneAnother) {
  support::RankRecorder whole(0, 4);
  for (std::uint32_t chunk = 0; chunk < 12; ++chunk) { // ten and more: their names do not sort
    support::RankRecorder part(0, 4);
    for (std::int64_t i = 0; i < 5; ++i) {
      for (support::RankRecorder* recorder : {&whole, &part})
        recorder->call("MPI_Send", {{"count", 100 * chunk + i}, {"dest", 1}});
    }
    write("a", open_part(part), chunk);
  }
  const auto collected = collect(folder_, "a");
  ASSERT_TRUE(collected) << collected.error().text();
  EXPECT_THAT(support::events_of(collected->trace, 0), IsStream(whole.events()));
}

TEST_F(PartFiles, CallsEndWhereAChunkIsMissingOrDamaged) {
  for (const bool is_missing : {true, false}) {
    fs::remove_all(folder_);
    std::vector<support::Event> first;
    for (std::uint32_t chunk = 0; chunk < 3; ++chunk) {
      support::RankRecorder part(0, 4);
      part.call("MPI_Send", {{"count", chunk}, {"dest", 1}});
      if (chunk == 0) first = part.events();
      write("a", open_part(part), chunk);
    }
    const std::string middle = path_of({"a", 0, 1});
    is_missing ? static_cast<void>(fs::remove(middle))
               : fs::resize_file(middle, fs::file_size(middle) - 1);
    const auto collected = collect(folder_, "a");
    ASSERT_TRUE(collected) << collected.error().text();
    EXPECT_THAT(support::events_of(collected->trace, 0), IsStream(first));
    EXPECT_THAT(collected->remarks, ElementsAre(HasSubstr("rank 0")));
    EXPECT_FALSE(collected->trace.run.complete);
  }
}

TEST_F(PartFiles, ThatArePipesAreNotOpened) {
  auto ranks = support::run(support::Pattern::kRing, 2, 10);
  for (const auto& rank : ranks) write("a", open_part(*rank));
  ASSERT_EQ(::mkfifo(path_of({"a", 0, 1}).c_str(), 0600), 0);
  ASSERT_EQ(::mkfifo(path_of({"b", 0, 0}).c_str(), 0600), 0);
  EXPECT_EQ(runs_in(folder_).value_or(std::vector<std::string>{}), std::vector<std::string>{"a"});
  EXPECT_TRUE(collect(folder_, "a"));
}

TEST_F(PartFiles, RanksHaveOneSlotForACommunicator) {
  // Two copies, which rank 1 made the other way round: of the world, and of that copy.
  for (const std::int64_t rank : {0, 1}) {
    support::RankRecorder recorder(rank, 4);
    const std::int64_t of_copy = rank == 0 ? 1 : 2;
    const auto make = [&](std::int64_t parent, std::int64_t slot) {
      recorder.call("MPI_Comm_idup", {{"comm", parent}, {"newcomm", slot}});
    };
    make(trace::kWorldSlot, 0);
    if (rank == 0) make(0, of_copy);
    make(trace::kWorldSlot, 3 - of_copy);
    if (rank == 1) make(0, of_copy);
    fold::RecordingPart part = open_part(recorder);
    const auto define = [&](std::int64_t slot, std::int64_t parent, std::int64_t ordinal) {
      part.tables.comms.push_back(
          {slot, {{0, 1, 4}}, {}, trace::RankSet::of({rank}), {parent, trace::kNothing, ordinal}});
    };
    define(0, trace::kWorldSlot, 0);
    define(of_copy, 0, 0);
    define(3 - of_copy, trace::kWorldSlot, 1);
    write("run", part);
  }
  const auto collected = collect(folder_, "run");
  ASSERT_TRUE(collected);
  for (const trace::CommDefinition& comm : collected->trace.comms)
    EXPECT_EQ(comm.holders, trace::RankSet::of({0, 1})) << comm.slot;
  EXPECT_EQ(support::events_of(collected->trace, 1).back()[fold::kEventHead + 1], 1);
}

TEST_F(PartFiles, RunsAreKeptApart) {
  auto ranks = support::run(support::Pattern::kRing, 4, 10);
  write("old", open_part(*ranks[0]));
  write("new", open_part(*ranks[1]));
  fs::last_write_time(path_of({"old", 0, 0}),
                      fs::file_time_type::clock::now() - std::chrono::hours(1));
  const auto runs = runs_in(folder_);
  ASSERT_TRUE(runs);
  EXPECT_THAT(*runs, ElementsAre("new", "old"));
  const auto collected = collect(folder_, "old");
  ASSERT_TRUE(collected) << collected.error().text();
  EXPECT_EQ(collected->trace.class_of(1), nullptr);
  EXPECT_NE(collected->trace.class_of(0), nullptr);
  const auto none = collect(folder_, "other");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::kNotFound);
}

TEST_F(PartFiles, EveryDamagedByteIsNoticed) {
  support::RankRecorder rank(0, 4);
  rank.call("MPI_Barrier");
  write("a", open_part(rank));
  const std::string path = path_of({"a", 0, 0});
  const std::string bytes = read_file(path).value();
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x40);
    ASSERT_TRUE(write_part_file(folder_, {"a", 0, 0}, damaged));
    const auto collected = collect(folder_, "a");
    ASSERT_FALSE(collected) << "byte " << i;
    EXPECT_EQ(collected.error().code, ErrorCode::kDamaged);
  }
}

} // namespace
} // namespace rondo::archive
