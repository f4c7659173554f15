// SPDX-License-Identifier: Apache-2.0
#include "rondo/base/unfinished_files.hpp"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

namespace rondo {
namespace {

namespace fs = std::filesystem;

class UnfinishedFiles : public testing::Test {
protected:
  UnfinishedFiles()
      : folder_(fs::temp_directory_path() / ("rondo_unfinished_" + std::to_string(::getpid()))) {
    fs::create_directories(folder_ / "many");
    for (const char* name : {"half", "whole", "many/a", "many/b"})
      std::ofstream(folder_ / name) << 1;
  }
  ~UnfinishedFiles() override { fs::remove_all(folder_); }
  bool is_there(const char* name) const { return fs::exists(folder_ / name); }
  std::string path(const char* name) const { return (folder_ / name).string(); }

  void be_ended_by(int signal) const {
    take_away_unfinished_files();
    const auto half = unfinished_file(path("half"));
    const auto many = unfinished_file(path("many"));
    unfinished_file(path("whole")).reset(); // it has been finished
    ::raise(signal);
  }

private:
  fs::path folder_;
};

TEST_F(UnfinishedFiles, GoWhenASignalEndsTheProcess) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    std::ofstream(path("half")) << 1;
    EXPECT_EXIT(be_ended_by(signal), testing::KilledBySignal(signal), "");
    EXPECT_FALSE(is_there("half"));
    EXPECT_FALSE(is_there("many"));
    EXPECT_TRUE(is_there("whole"));
  }
}

TEST_F(UnfinishedFiles, IgnoredSignalsEndNothing) {
  const auto survives = [&] {
    std::signal(SIGINT, SIG_IGN);
    be_ended_by(SIGINT);
    std::_Exit(is_there("half") ? 0 : 1);
  };
  EXPECT_EXIT(survives(), testing::ExitedWithCode(0), "");
}

TEST_F(UnfinishedFiles, GoAtOnceIfThatIsAskedFor) {
  const auto half = unfinished_file(path("half"));
  remove_unfinished_files();
  EXPECT_FALSE(is_there("half"));
  EXPECT_TRUE(is_there("whole"));
}

// A place for each is kept in memory that does not move: beyond these, they are not looked after.
TEST_F(UnfinishedFiles, PlacesAreUsedAgain) {
  for (int i = 0; i < 1000; ++i) ASSERT_NE(unfinished_file(path("half")), nullptr);
  EXPECT_EQ(unfinished_file(std::string(5000, 'x')), nullptr);
}

} // namespace
} // namespace rondo
