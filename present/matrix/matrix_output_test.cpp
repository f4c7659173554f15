// SPDX-License-Identifier: Apache-2.0
#include "present/matrix/matrix_output.hpp"

#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace rondo::present {
namespace {

const matrix::CommunicationMatrix kPairs =
    matrix::CommunicationMatrix::from_entries(3, {{0, 1, 5, 500}, {2, 0, 7, 1}});

class MatrixFiles : public testing::Test {
protected:
  void SetUp() override {
    folder_ =
        std::filesystem::temp_directory_path() / ("rondo_matrix_" + std::to_string(::getpid()));
    std::filesystem::create_directory(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string file(const std::string& name) const { return (folder_ / name).string(); }

  std::filesystem::path folder_;
};

TEST_F(MatrixFiles, TheExtensionNamesTheFormat) {
  EXPECT_EQ(matrix::format_of("a.csv"), matrix::MatrixFormat::kCsv);
  EXPECT_EQ(matrix::format_of("a.b.mtx"), matrix::MatrixFormat::kMatrixMarket);
  EXPECT_EQ(matrix::format_of("a.npy"), matrix::MatrixFormat::kNumPy);
  EXPECT_EQ(matrix::format_of("a.json"), matrix::MatrixFormat::kJson);
  EXPECT_EQ(matrix::format_of("a.svg"), matrix::MatrixFormat::kSvg);
  EXPECT_EQ(matrix::format_of("a.png"), matrix::MatrixFormat::kPng);
  EXPECT_EQ(matrix::format_of("-"), matrix::MatrixFormat::kCsv);
  EXPECT_EQ(matrix::format_of("a.xls").error().code, ErrorCode::kUsage);
}

TEST_F(MatrixFiles, WritesEveryFormatAndReadsTwo) {
  for (const char* name : {"a.csv", "a.mtx", "a.npy", "a.json", "a.svg", "a.png"}) {
    const auto written = write_matrix(file(name), kPairs);
    EXPECT_TRUE(written) << written.error().text();
    EXPECT_GT(std::filesystem::file_size(file(name)), 0u);
  }
  EXPECT_EQ(matrix::read_matrix(file("a.csv")), kPairs);
  EXPECT_EQ(matrix::read_matrix(file("a.mtx"))->total_bytes(), kPairs.total_bytes());
  EXPECT_EQ(matrix::read_matrix(file("a.npy")).error().code, ErrorCode::kUnsupported);
}

TEST_F(MatrixFiles, AFormatMayBeForced) {
  EXPECT_TRUE(write_matrix(file("a.txt"), kPairs, {.format = matrix::MatrixFormat::kCsv}));
  EXPECT_EQ(*read_file(file("a.txt")), to_csv(kPairs));
}

TEST_F(MatrixFiles, AnExistingFileIsOnlyReplacedWhenAsked) {
  ASSERT_TRUE(write_matrix(file("a.csv"), kPairs));
  EXPECT_EQ(write_matrix(file("a.csv"), kPairs).error().code, ErrorCode::kExists);
  EXPECT_TRUE(write_matrix(file("a.csv"), kPairs, {.overwrite = Overwrite::kReplace}));
}

TEST_F(MatrixFiles, ErrorsNameTheFile) {
  EXPECT_EQ(matrix::read_matrix(file("none.csv")).error().code, ErrorCode::kNotFound);
  const auto rate =
      write_matrix(file("a.png"), kPairs, {.measure = {matrix::Quantity::kBytesPerSecond, 0}});
  ASSERT_FALSE(rate);
  EXPECT_EQ(rate.error().code, ErrorCode::kUsage);
  EXPECT_EQ(rate.error().place.file, file("a.png"));
  EXPECT_FALSE(std::filesystem::exists(file("a.png")));
}

TEST_F(MatrixFiles, QuantitiesHaveNames) {
  EXPECT_EQ(matrix::parse_quantity("messages"), matrix::Quantity::kMessages);
  EXPECT_EQ(matrix::parse_quantity("bytes"), matrix::Quantity::kBytes);
  EXPECT_EQ(matrix::parse_quantity("bytes/s"), matrix::Quantity::kBytesPerSecond);
  EXPECT_EQ(matrix::parse_quantity("words").error().code, ErrorCode::kUsage);
}

TEST_F(MatrixFiles, JsonHoldsEveryPair) {
  const auto json = nlohmann::json::parse(to_json(kPairs));
  EXPECT_EQ(json["schema"], 1);
  EXPECT_EQ(json["ranks"], 3);
  ASSERT_EQ(json["entries"].size(), 2u);
  EXPECT_EQ(json["entries"][1]["source"], 2);
  EXPECT_EQ(json["entries"][1]["destination"], 0);
  EXPECT_EQ(json["entries"][1]["messages"], 7);
  EXPECT_EQ(json["entries"][1]["bytes"], 1);
  EXPECT_TRUE(nlohmann::json::parse(to_json({}))["entries"].empty());
}

} // namespace
} // namespace rondo::present
