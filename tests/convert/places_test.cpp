// SPDX-License-Identifier: Apache-2.0
// Where time-independent traces may be: folders, lists, packed folders; how formats are told apart;
// how ranks merge.
#include "rondo/convert/detect.hpp"
#include "tests/convert/ti_folder.hpp"

#include <gmock/gmock.h>

namespace rondo::convert {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

namespace fs = std::filesystem;

// A folder "ring" of four ranks; each sends to the next.
void write_ring(const TiFolder& folder, const std::string& name = "ring") {
  for (int rank = 0; rank < 4; ++rank) {
    const std::string r = std::to_string(rank);
    folder.write(name + "/" + r + ".txt",
                 r + " init\n" + r + " send " + std::to_string((rank + 1) % 4) + " 7 5 0\n" + r +
                     " recv " + std::to_string((rank + 3) % 4) + " 7 5 0\n" + r + " finalize\n");
  }
}

void run(const std::string& command) { ASSERT_EQ(std::system(command.c_str()), 0) << command; }

std::int64_t ranks_of(const Result<Imported>& imported) {
  return imported ? imported->trace.run.ranks : -1;
}

TEST(TiPlaces, AFolderIsATrace) {
  const TiFolder folder;
  write_ring(folder);
  folder.write("ring/README.md", "not a rank");
  folder.write("ring/notes.txt", "not a rank either");
  const auto imported = read_simgrid_ti(folder.path("ring/"), {});
  ASSERT_TRUE(imported) << imported.error().text();
  EXPECT_EQ(imported->trace.run.ranks, 4);
  EXPECT_EQ(imported->trace.run.command, "ring");
  EXPECT_EQ(imported->trace.run.mpi, "SimGrid time-independent trace");
  EXPECT_TRUE(imported->trace.run.complete);
}

TEST(TiPlaces, RanksThatDoTheSameShareAProgram) {
  const TiFolder folder;
  write_ring(folder);
  const auto imported = read_simgrid_ti(folder.path("ring"), {});
  ASSERT_TRUE(imported);
  EXPECT_EQ(imported->trace.classes.size(), 1U);
  EXPECT_THAT(lines_of(imported->trace, 3), ElementsAre("MPI_Init()", HasSubstr("dest=0"),
                                                        HasSubstr("source=2"), "MPI_Finalize()"));
}

TEST(TiPlaces, NamesOfFilesEndInTheirRank) {
  const TiFolder folder;
  write_ring(folder);
  for (int rank = 0; rank < 4; ++rank) {
    const std::string r = std::to_string(rank);
    fs::rename(folder.path("ring/" + r + ".txt"),
               folder.path("ring/" + std::to_string(3 - rank) + "_rank-" + r + ".txt"));
  }
  EXPECT_EQ(ranks_of(read_simgrid_ti(folder.path("ring"), {})), 4);
}

TEST(TiPlaces, AListNamesTheFilesOfTheRanksInOrder) {
  const TiFolder folder;
  write_ring(folder);
  folder.write("ring.trace", "ring/0.txt\nring/1.txt\nring/2.txt\nring/3.txt\n");
  EXPECT_EQ(ranks_of(read_simgrid_ti(folder.path("ring.trace"), {})), 4);
  folder.write("ring.trace", "ring/1.txt\nring/0.txt\n");
  EXPECT_THAT(read_simgrid_ti(folder.path("ring.trace"), {}).error().message,
              HasSubstr("the line is of rank 1; expected rank 0"));
}

TEST(TiPlaces, AListWithoutItsFilesIsAnError) {
  const TiFolder folder;
  write_ring(folder);
  folder.write("ring.trace", "ring/0.txt\nring/9.txt\n");
  const auto imported = read_simgrid_ti(folder.path("ring.trace"), {});
  ASSERT_FALSE(imported);
  EXPECT_EQ(imported.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(imported.error().place.line, 2U);
  folder.write("empty.trace", "\n");
  EXPECT_EQ(read_simgrid_ti(folder.path("empty.trace"), {}).error().code, ErrorCode::kFormat);
}

TEST(TiPlaces, PackedFoldersGiveTheSameTrace) {
  const TiFolder folder;
  write_ring(folder);
  const std::string in = "cd " + folder.path() + " && ";
  run(in + "tar -cf ring.tar ring && tar -cf ring.gnu.tar --format=gnu ring && tar -cf "
           "ring.pax.tar --format=pax ring && "
           "zstd -q ring.tar -o ring.tar.zst");
  for (const std::string name : {"ring.tar", "ring.gnu.tar", "ring.pax.tar", "ring.tar.zst"}) {
    const auto imported = read_simgrid_ti(folder.path(name), {});
    ASSERT_TRUE(imported) << name << ": " << imported.error().text();
    EXPECT_EQ(imported->trace.run.ranks, 4) << name;
    EXPECT_EQ(lines_of(imported->trace, 3)[1],
              lines_of(read_simgrid_ti(folder.path("ring"), {})->trace, 3)[1]);
  }
  EXPECT_EQ(read_simgrid_ti(folder.path("ring.tar.zst"), {})->trace.run.command, "ring");
}

TEST(TiPlaces, LongNamesInPackedFolders) {
  const TiFolder folder;
  const std::string deep = std::string(90, 'a') + "/" + std::string(120, 'b');
  write_ring(folder, deep);
  for (const std::string format : {"gnu", "pax"}) {
    run("cd " + folder.path() + " && tar -cf deep.tar --format=" + format + " " +
        std::string(90, 'a'));
    EXPECT_EQ(ranks_of(read_simgrid_ti(folder.path("deep.tar"), {})), 4) << format;
  }
}

TEST(TiPlaces, CutAndChangedPackedFoldersAreDamaged) {
  const TiFolder folder;
  write_ring(folder);
  run("cd " + folder.path() + " && tar -cf ring.tar ring && zstd -q ring.tar -o ring.tar.zst");
  for (const std::string name : {"ring.tar", "ring.tar.zst"}) {
    const auto size = fs::file_size(folder.path(name));
    fs::resize_file(folder.path(name), name == "ring.tar" ? 3 * 512 + 100 : size - 20);
    const auto imported = read_simgrid_ti(folder.path(name), {});
    ASSERT_FALSE(imported) << name;
    EXPECT_EQ(imported.error().code, ErrorCode::kDamaged) << imported.error().text();
  }
  run("cd " + folder.path() +
      " && tar -cf ring.tar ring && printf X | dd of=ring.tar bs=1 seek=520 conv=notrunc "
      "2>/dev/null");
  EXPECT_EQ(read_simgrid_ti(folder.path("ring.tar"), {}).error().code, ErrorCode::kDamaged);
}

TEST(TiPlaces, ErrorsInPackedFoldersNameTheFile) {
  const TiFolder folder;
  write_ring(folder);
  folder.write("ring/2.txt", "2 init\n2 nonsense\n");
  run("cd " + folder.path() + " && tar -cf ring.tar ring");
  const auto imported = read_simgrid_ti(folder.path("ring.tar"), {});
  ASSERT_FALSE(imported);
  EXPECT_EQ(imported.error().place.file, folder.path("ring.tar") + ":ring/2.txt");
  EXPECT_EQ(imported.error().place.line, 2U);
}

TEST(TiPlaces, EveryRankMustHaveOneFile) {
  const TiFolder folder;
  write_ring(folder);
  fs::remove(folder.path("ring/2.txt"));
  auto imported = read_simgrid_ti(folder.path("ring"), {});
  ASSERT_FALSE(imported);
  EXPECT_EQ(imported.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(imported.error().message, HasSubstr("rank 2 has no file, but rank 3 has one"));
  folder.write("ring/x02.txt", "2 init\n");
  folder.write("ring/2.txt", "2 init\n");
  imported = read_simgrid_ti(folder.path("ring"), {});
  ASSERT_FALSE(imported);
  EXPECT_EQ(imported.error().code, ErrorCode::kFormat);
  EXPECT_EQ(read_simgrid_ti(folder.path("nowhere"), {}).error().code, ErrorCode::kNotFound);
}

TEST(TiPlaces, ProgressReachesTheEnd) {
  const TiFolder folder;
  write_ring(folder);
  std::uint64_t last = 0;
  std::uint64_t total = 0;
  SimgridTiOptions options;
  options.progress = [&](std::uint64_t done, std::uint64_t all) {
    last = std::max(last, done);
    total = all;
  };
  ASSERT_TRUE(read_simgrid_ti(folder.path("ring"), options));
  EXPECT_GT(total, 0U);
  EXPECT_LE(last, total);
}

TEST(TiPlaces, LinesLongerThanABufferAreRead) {
  const TiFolder folder;
  std::string counts;
  for (int i = 0; i < 100'000; ++i) counts += " 12345";
  folder.write("0.txt", "0 init\n#" + counts + "\n0 finalize\n");
  EXPECT_EQ(lines_of(folder.read()->trace, 0).size(), 2U);
}

TEST(TiMerging, TheOutcomeDoesNotDependOnTheThreads) {
  const TiFolder folder;
  for (int rank = 0; rank < 11; ++rank) {
    Lines actions;
    for (int i = 0; i < 50; ++i)
      actions.push_back("send " + std::to_string((rank + 1) % 11) + " 7 " +
                        std::to_string(rank % 3) + " 0");
    for (int i = 0; i < rank % 3; ++i) actions.push_back(i == 0 ? "barrier" : "bcast 5 0 0");
    folder.write_rank(rank, actions);
  }
  const auto first = folder.read();
  ASSERT_TRUE(first);
  ASSERT_EQ(first->trace.classes.size(), 3U);
  for (int i = 0; i < 20; ++i) {
    const auto again = folder.read();
    ASSERT_EQ(again->trace.classes.size(), 3U);
    for (std::size_t c = 0; c < 3; ++c) {
      EXPECT_EQ(again->trace.classes[c].ranks, first->trace.classes[c].ranks);
      EXPECT_EQ(*again->trace.classes[c].program, *first->trace.classes[c].program);
    }
  }
}

// Formats ---------------------------------------------------------------------------------------

TEST(Detection, GoesByContentsBeforeNames) {
  const TiFolder folder;
  write_ring(folder);
  run("cd " + folder.path() + " && tar -cf ring.rondo ring");
  folder.write("list", "ring/0.txt\nring/1.txt\n");
  folder.write("archive.txt", "\x93RONDO\r\n and so on");
  EXPECT_EQ(detect_input(folder.path("ring")), InputKind::kSimgridTi);
  EXPECT_EQ(detect_input(folder.path("ring.rondo")), InputKind::kSimgridTi);
  EXPECT_EQ(detect_input(folder.path("list")), InputKind::kSimgridTi);
  EXPECT_EQ(detect_input(folder.path("archive.txt")), InputKind::kRondo);
}

TEST(Detection, GoesByTheNameWhereContentsSayNothing) {
  const TiFolder folder;
  folder.write("broken.rondo", "garbage");
  EXPECT_EQ(detect_input(folder.path("broken.rondo")), InputKind::kRondo)
      << "whose reader explains what is wrong";
}

TEST(Detection, RefusesWhatItDoesNotKnow) {
  const TiFolder folder;
  folder.write("image", "\x89PNG");
  EXPECT_EQ(detect_input(folder.path("image")).error().code, ErrorCode::kFormat);
  EXPECT_EQ(detect_input(folder.path("nowhere")).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(detect_input(folder.path()).error().code, ErrorCode::kFormat)
      << "a folder without ranks";
}

// Files of other tools, so that their users know what to do.
TEST(Detection, NamesWhatItKnowsButDoesNotRead) {
  using namespace std::string_literals;
  const TiFolder folder;
  const auto error = [&](const std::string& name, const std::string& text) {
    folder.write(name, text);
    const auto kind = detect_input(folder.path(name));
    return kind ? ""s : kind.error().text();
  };
  EXPECT_THAT(error("a.bin", "\x7f\x10\0\0\0\0\0\0\2\0\0\0"s), HasSubstr("txt2bin"));
  EXPECT_THAT(error("et.json", R"({"schema": "1.1.1-chakra.0.0.4", "pid": 1})"),
              HasSubstr("PyTorch"));
  EXPECT_THAT(error("t.json", R"({"traceEvents": [{"ph": "X"}]})"), HasSubstr("a timeline"));
  EXPECT_THAT(error("n.sqlite", "SQLite format 3\0"s), HasSubstr("Nsight"));
  EXPECT_THAT(error("p.trace", "%EventDef PajeDefineContainerType 0\n"), HasSubstr("Paje"));
  EXPECT_THAT(error("lap2/lap2-trace-rank-0-of-1.txt", "x"), HasSubstr("liballprof2"));
  const auto in_folder = detect_input(folder.path("lap2"));
  ASSERT_FALSE(in_folder);
  EXPECT_EQ(in_folder.error().code, ErrorCode::kUnsupported);
}

TEST(Detection, OutputsGoByExtension) {
  EXPECT_EQ(output_kind("a.rondo"), OutputKind::kRondo);
  EXPECT_EQ(output_kind("a.b.json"), OutputKind::kJson);
  EXPECT_EQ(output_kind("a.csv"), OutputKind::kCsv);
  EXPECT_EQ(output_kind("a.otf2"), OutputKind::kOtf2);
  EXPECT_EQ(output_kind("a.pdf").error().code, ErrorCode::kUsage);
}

} // namespace
} // namespace rondo::convert
