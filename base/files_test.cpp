// SPDX-License-Identifier: Apache-2.0
#include "rondo/base/files.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace rondo {
namespace {

namespace fs = std::filesystem;

// A folder of its own, gone at the end.
class Files : public testing::Test {
protected:
  Files()
      : folder_(fs::temp_directory_path() / ("rondo_files_test_" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
  }
  ~Files() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

private:
  fs::path folder_;
};

ErrorCode code_of(const Status& status) {
  return status ? ErrorCode::kUnsupported : status.error().code;
}

TEST_F(Files, GiveBackWhatWasWritten) {
  const std::string bytes("a\0b\n\xff", 5);
  ASSERT_TRUE(write_file(path("f"), bytes, Overwrite::kRefuse));
  EXPECT_EQ(*read_file(path("f")), bytes);
  EXPECT_EQ(files(), 1U) << "the temporary file is gone";
}

TEST_F(Files, GiveBackLargeContents) {
  const std::string bytes(1'000'003, 'x');
  ASSERT_TRUE(write_file(path("f"), bytes, Overwrite::kRefuse));
  EXPECT_EQ(*read_file(path("f")), bytes);
}

TEST_F(Files, ThatAreDevicesOrPipesWithoutAWriterAreRefused) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  for (const std::string& name :
       {path("pipe"), std::string("/dev/zero"), std::string("/dev/null")}) {
    const auto read = read_file(name);
    ASSERT_FALSE(read) << name;
    EXPECT_EQ(read.error().code, ErrorCode::kIo);
  }
}

TEST_F(Files, ThatArePipesAreReadToTheirEnd) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  const std::string bytes(200'000, 'x'); // more than a pipe holds
  std::thread writer([&] { std::ofstream(path("pipe")) << bytes; });
  EXPECT_EQ(read_file(path("pipe")).value_or(""), bytes);
  writer.join();
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "text", 4), 4);
  ::close(ends[1]);
  EXPECT_EQ(read_file("/dev/fd/" + std::to_string(ends[0])).value_or(""), "text");
  ::close(ends[0]);
}

TEST_F(Files, AreReplacedOnlyIfAsked) {
  ASSERT_TRUE(write_file(path("f"), "old", Overwrite::kRefuse));
  EXPECT_EQ(code_of(write_file(path("f"), "new", Overwrite::kRefuse)), ErrorCode::kExists);
  EXPECT_EQ(*read_file(path("f")), "old");
  EXPECT_TRUE(write_file(path("f"), "new", Overwrite::kReplace));
  EXPECT_EQ(*read_file(path("f")), "new");
}

TEST_F(Files, AreMissedByName) {
  const auto missing = read_file(path("none"));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(missing.error().text().rfind(path("none") + ": cannot open", 0), 0U)
      << missing.error().text();
}

TEST_F(Files, AreNotFolders) {
  EXPECT_EQ(code_of(write_file(path("."), "x", Overwrite::kReplace)), ErrorCode::kUsage);
  EXPECT_EQ(code_of(check_output(path("."), Overwrite::kReplace)), ErrorCode::kUsage);
  const auto folder = read_file(path("."));
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().code, ErrorCode::kIo);
}

TEST_F(Files, CannotBeWrittenWhereThereIsNoFolder) {
  EXPECT_EQ(code_of(write_file(path("none/f"), "x", Overwrite::kRefuse)), ErrorCode::kIo);
}

TEST_F(Files, SayThatTheDiskIsFull) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "needs /dev/full";
  const auto full = write_file("/dev/full", "x", Overwrite::kReplace);
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().code, ErrorCode::kIo);
}

TEST(Error, SaysWhatAndWhere) {
  EXPECT_EQ((Error{ErrorCode::kIo, "is bad", {"f.csv", {}, {}, 3}}.text()), "f.csv:3: is bad");
  EXPECT_EQ((Error{ErrorCode::kIo, "is bad", {"f", 2, 50, {}}}.text()),
            "f: is bad (rank 2, byte 50)");
  EXPECT_EQ((Error{ErrorCode::kIo, "is bad", {}}.text()), "is bad");
}

TEST_F(Files, PlantedLinksAreNotWrittenThrough) {
  const std::string victim = path("victim");
  ASSERT_TRUE(write_file(victim, "mine", Overwrite::kRefuse));
  // What a temporary name was when it could be guessed.
  fs::create_symlink(victim, path("out.part" + std::to_string(::getpid())));
  ASSERT_TRUE(write_file(path("out"), "new", Overwrite::kRefuse));
  EXPECT_EQ(*read_file(victim), "mine");
  EXPECT_EQ(*read_file(path("out")), "new");
  EXPECT_EQ(files(), 3U);
}

TEST_F(Files, NewOnesBesideAnotherAreNobodyElses) {
  const auto file = new_file_beside(path("out"));
  const auto other = new_file_beside(path("out"));
  const auto folder = new_folder_beside(path("out"));
  ASSERT_TRUE(file && other && folder);
  EXPECT_NE(file->path, other->path);
  EXPECT_TRUE(fs::is_empty(file->path));
  EXPECT_TRUE(fs::is_directory(*folder) && fs::is_empty(*folder));
  ::close(file->descriptor);
  ::close(other->descriptor);
  const auto nowhere = new_folder_beside(path("none/out"));
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().code, ErrorCode::kIo);
}

TEST_F(Files, MappedFilesThatShrinkReadAsZeros) {
  survive_shrinking_files();
  const std::string bytes(std::size_t{32} << 20, 'x');
  ASSERT_TRUE(write_file(path("large"), bytes, Overwrite::kRefuse));
  const auto mapped = map_file(path("large"));
  ASSERT_TRUE(mapped);
  EXPECT_EQ(mapped->view.back(), 'x');
  EXPECT_FALSE(has_a_file_shrunk());
  fs::resize_file(path("large"), 100);
  EXPECT_EQ(mapped->view[mapped->view.size() / 2], '\0');
  EXPECT_TRUE(has_a_file_shrunk());
}

} // namespace
} // namespace rondo
